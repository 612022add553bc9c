#include "cluster/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trainyard::cluster {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

namespace {

std::string tip_text(std::string_view tip) {
  return tip.empty() ? "" : fmt::format("<title>{}</title>", escaped(tip));
}

}  // namespace

Svg::Svg(double width, double height, std::string_view label) {
  body_ = fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" role=\"img\" aria-label=\"{}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n",
      width, height, width, escaped(label));
}

void Svg::rect(double x, double y, double width, double height, std::string_view style,
               std::string_view tip) {
  if (!(width > 0) || !(height > 0)) return;
  body_ += fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" class=\"{}\">{}</rect>\n",
      x, y, width, height, style, tip_text(tip));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  body_ +=
      fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" class=\"{}\"/>\n",
                  x1, y1, x2, y2, style);
}

void Svg::circle(double x, double y, double radius, std::string_view style, std::string_view tip) {
  body_ +=
      fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" class=\"{}\">{}</circle>\n", x,
                  y, radius, style, tip_text(tip));
}

void Svg::path(const std::vector<Point>& points, std::string_view style) {
  if (points.empty()) return;
  std::string d;
  for (size_t i = 0; i < points.size(); ++i) {
    d += fmt::format("{}{:.2f} {:.2f}", i == 0 ? "M" : "L", points[i].x, points[i].y);
  }
  body_ += fmt::format("<path d=\"{}\" class=\"{}\"/>\n", d, style);
}

void Svg::text(double x, double y, std::string_view words, Anchor anchor, std::string_view style) {
  constexpr std::array<std::string_view, 3> kAnchors = {"start", "middle", "end"};
  body_ +=
      fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", x,
                  y, kAnchors[static_cast<size_t>(anchor)], style, escaped(words));
}

std::string Svg::str() const { return body_ + "</svg>\n"; }

Scale Scale::linear(double low, double high, double from, double to) {
  Scale s;
  s.low_ = low;
  s.high_ = high > low ? high : low + 1;
  s.from_ = from;
  s.to_ = to;
  return s;
}

Scale Scale::logarithmic(double low, double high, double from, double to) {
  Scale s = linear(std::log10(std::max(low, 1e-300)), std::log10(std::max(high, 1e-299)), from, to);
  s.logarithmic_ = true;
  return s;
}

double Scale::at(double value) const {
  const double x = logarithmic_ ? std::log10(std::max(value, 1e-300)) : value;
  return from_ + (x - low_) / (high_ - low_) * (to_ - from_);
}

std::vector<double> Scale::ticks() const {
  std::vector<double> out;
  if (logarithmic_) {
    // The narrower the range, the more marks between the powers of ten.
    const double wide = high_ - low_;
    for (double power = std::floor(low_); power <= high_; ++power) {
      for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0}) {
        const double x = power + std::log10(step);
        const bool coarse = step == 1, middle = step == 2 || step == 5;
        if (x < low_ - 1e-9 || x > high_ + 1e-9) continue;
        if (!coarse && !(middle && wide < 2.6) && wide >= 1.1) continue;
        out.push_back(std::pow(10.0, power) * step);
      }
    }
    return out;
  }
  const double rough = (high_ - low_) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (step >= rough) break;
  }
  for (double x = std::ceil(low_ / step - 1e-9) * step; x <= high_ + 1e-9 * step; x += step) {
    out.push_back(std::abs(x) < 1e-12 * step ? 0 : x);
  }
  return out;
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e12) return fmt::format("{:.3g}T", value / 1e12);
  if (size >= 1e9) return fmt::format("{:.3g}G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (size >= 1e3) return fmt::format("{:.3g}k", value / 1e3);
  return fmt::format("{:.3g}", value);
}

}  // namespace trainyard::cluster
