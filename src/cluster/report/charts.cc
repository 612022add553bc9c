#include "cluster/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cluster/report/svg.h"

namespace trainyard::cluster {
namespace {

// Fills c0 to c9 of the style sheet.
std::string fill(size_t index) { return fmt::format("c{}", index % 10); }

struct Frame {
  double left = 70, right = kChartWidth - 20, top = 14, bottom = 0;
};

void draw_axes(Svg& svg, const Frame& f, const Scale& x, const Scale& y, const Axes& axes) {
  for (const double tick : y.ticks()) {
    svg.line(f.left, y.at(tick), f.right, y.at(tick), "grid");
    svg.text(f.left - 8, y.at(tick) + 4, tick_text(tick), Anchor::End, "tick");
  }
  for (const double tick : x.ticks()) {
    svg.line(x.at(tick), f.top, x.at(tick), f.bottom, "grid");
    svg.text(x.at(tick), f.bottom + 18, tick_text(tick), Anchor::Middle, "tick");
  }
  svg.text((f.left + f.right) / 2, f.bottom + 36, axes.x, Anchor::Middle);
  svg.text(f.left, f.top - 2, axes.y, Anchor::Start);
}

Scale axis(double low, double high, double from, double to, bool logarithmic) {
  if (logarithmic) return Scale::logarithmic(low / 1.25, high * 1.25, from, to);
  return Scale::linear(std::min(0.0, low), high * 1.05, from, to);
}

}  // namespace

std::string shares_chart(const std::vector<Share>& shares, std::string_view unit) {
  double sum = 0;
  for (const Share& s : shares) sum += s.value;
  const size_t columns = 3;
  std::vector<const Share*> shown;
  for (const Share& s : shares) {
    if (s.value >= 0.0005 * sum) shown.push_back(&s);
  }
  const double rows = std::ceil(static_cast<double>(shown.size()) / columns);
  Svg svg(kChartWidth, 56 + 24 * rows, "shares");
  double x = 0;
  for (size_t i = 0; i < shown.size(); ++i) {
    const double width = kChartWidth * shown[i]->value / sum;
    const std::string share = fmt::format("{:.1f} %", 100 * shown[i]->value / sum);
    svg.rect(x, 0, width, 34, fill(i), fmt::format("{}: {}", shown[i]->name, share));
    if (width > 46) svg.text(x + width / 2, 22, share, Anchor::Middle, "inside");
    x += width;
    const double column = static_cast<double>(i % columns) * kChartWidth / columns;
    const double row = 56 + 24 * std::floor(static_cast<double>(i) / columns);
    svg.rect(column, row - 11, 13, 13, fill(i));
    svg.text(column + 20, row, fmt::format("{}  {:.4g} {}", shown[i]->name, shown[i]->value, unit));
  }
  return svg.str();
}

std::string stacked_chart(const std::vector<StackedBar>& bars, std::string_view unit, double limit,
                          std::string_view limit_name) {
  Frame f;
  f.left = 170;
  f.top = 24;
  f.bottom = f.top + 40 * static_cast<double>(bars.size());
  double most = limit;
  for (const StackedBar& bar : bars) {
    double sum = 0;
    for (const Share& s : bar.shares) sum += s.value;
    most = std::max(most, sum);
  }
  const Scale x = Scale::linear(0, most * 1.04, f.left, f.right);
  std::vector<std::string> names;
  for (const StackedBar& bar : bars) {
    for (const Share& s : bar.shares) {
      if (s.value > 0 && std::ranges::find(names, s.name) == names.end()) names.push_back(s.name);
    }
  }
  const double rows = std::ceil(static_cast<double>(names.size()) / 5);
  Svg svg(kChartWidth, f.bottom + 44 + 22 * rows, "stacked bars");
  for (const double tick : x.ticks()) {
    svg.line(x.at(tick), f.top, x.at(tick), f.bottom, "grid");
    svg.text(x.at(tick), f.bottom + 18, fmt::format("{} {}", tick_text(tick), unit), Anchor::Middle,
             "tick");
  }
  for (size_t i = 0; i < bars.size(); ++i) {
    const double y = f.top + 40 * static_cast<double>(i) + 6;
    svg.text(f.left - 10, y + 19, bars[i].name, Anchor::End);
    double at = 0;
    for (const Share& s : bars[i].shares) {
      const auto color = static_cast<size_t>(std::ranges::find(names, s.name) - names.begin());
      svg.rect(x.at(at), y, x.at(at + s.value) - x.at(at), 28, fill(color),
               fmt::format("{}: {:.3g} {}", s.name, s.value, unit));
      at += s.value;
    }
  }
  if (limit > 0) {
    svg.line(x.at(limit), f.top - 6, x.at(limit), f.bottom, "limit");
    svg.text(x.at(limit) - 4, f.top - 9, fmt::format("{} {:.3g} {}", limit_name, limit, unit),
             Anchor::End, "tick");
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const double column = static_cast<double>(i % 5) * kChartWidth / 5;
    const double row = f.bottom + 44 + 22 * std::floor(static_cast<double>(i) / 5);
    svg.rect(column, row - 11, 13, 13, fill(i));
    svg.text(column + 19, row, names[i]);
  }
  return svg.str();
}

std::string timeline_chart(const std::vector<PipelineTask>& tasks, int64_t stages) {
  Frame f;
  f.top = 8;
  const double height = stages <= 8 ? 26 : stages <= 16 ? 18 : 10;
  f.bottom = f.top + height * static_cast<double>(stages);
  const double end = makespan(tasks);
  const Scale x = Scale::linear(0, end, f.left, f.right);
  Svg svg(kChartWidth, f.bottom + 48, "pipeline over time");
  for (int64_t stage = 0; stage < stages; ++stage) {
    if (stages > 16 && stage % 4 != 0) continue;
    svg.text(f.left - 8, f.top + height * (static_cast<double>(stage) + 0.5) + 4,
             fmt::format("stage {}", stage), Anchor::End, "tick");
  }
  for (const PipelineTask& t : tasks) {
    const double y = f.top + height * static_cast<double>(t.stage) + 1;
    const double width = x.at(t.end) - x.at(t.start);
    svg.rect(x.at(t.start), y, std::max(0.3, width - 0.6), height - 2, t.backward ? "c1" : "c0",
             fmt::format("{} of micro batch {}, {:.4g} to {:.4g} s",
                         t.backward ? "backward" : "forward", t.micro_batch, t.start, t.end));
    if (width > 22 && height > 16) {
      svg.text(x.at(t.start) + width / 2, y + height / 2 + 3, fmt::format("{}", t.micro_batch),
               Anchor::Middle, "inside");
    }
  }
  for (const double tick : x.ticks()) {
    svg.line(x.at(tick), f.bottom, x.at(tick), f.bottom + 5, "axis");
    svg.text(x.at(tick), f.bottom + 18, fmt::format("{} s", tick_text(tick)), Anchor::Middle,
             "tick");
  }
  svg.rect(f.left, f.bottom + 30, 13, 13, "c0");
  svg.text(f.left + 19, f.bottom + 41, "forward");
  svg.rect(f.left + 100, f.bottom + 30, 13, 13, "c1");
  svg.text(f.left + 119, f.bottom + 41, "backward");
  return svg.str();
}

namespace {

double roof_radius(const RoofPoint& p) { return 3 + 14 * std::sqrt(p.weight); }

// A name of the roofline: the box that it takes.
struct NameBox {
  double left, right, top, bottom;
  bool meets(const NameBox& o) const {
    return left < o.right && o.left < right && top < o.bottom && o.top < bottom;
  }
};

// Names above or below their dots, at the nearest height that is free; a name without room is left
// to the tip. Large dots come first.
void name_points(Svg& svg, const Frame& f, const Scale& x, const Scale& y,
                 std::vector<RoofPoint> points) {
  std::ranges::stable_sort(points,
                           [](const auto& a, const auto& b) { return a.weight > b.weight; });
  std::vector<NameBox> taken;
  for (const RoofPoint& p : points) {
    const double cx = x.at(p.intensity), cy = y.at(p.rate), r = roof_radius(p);
    taken.push_back({cx - r, cx + r, cy - r, cy + r});
  }
  constexpr double kLetter = 7, kLine = 15;  // of the small type
  for (const RoofPoint& p : points) {
    const double cx = x.at(p.intensity), cy = y.at(p.rate), r = roof_radius(p);
    const double half = kLetter * static_cast<double>(p.name.size()) / 2 + 2;
    const double middle = std::clamp(cx, f.left + half, f.right - half);
    for (int step = 0; step < 16; ++step) {
      const bool above = step % 2 == 1;
      const double away = r + 4 + kLine * (step / 2);
      const double top = above ? cy - away - kLine : cy + away;
      const NameBox box{middle - half, middle + half, top, top + kLine};
      const bool free = std::ranges::none_of(taken, [&](const auto& o) { return box.meets(o); });
      if (!free || top < f.top || box.bottom > f.bottom) continue;
      if (step > 1) {
        svg.line(cx, above ? cy - r : cy + r, middle, above ? box.bottom : top, "grid");
      }
      svg.text(middle, top + kLine - 4, p.name, Anchor::Middle, "tick");
      taken.push_back(box);
      break;
    }
  }
}

}  // namespace

std::string roofline_chart(const std::vector<RoofPoint>& points, double peak, double bandwidth) {
  Frame f;
  f.bottom = 300;
  double low_x = peak / bandwidth / 4, high_x = peak / bandwidth * 4, low_y = peak / 10;
  for (const RoofPoint& p : points) {
    low_x = std::min(low_x, p.intensity);
    high_x = std::max(high_x, p.intensity);
    low_y = std::min(low_y, p.rate);
  }
  const Scale x = Scale::logarithmic(low_x / 1.3, high_x * 1.3, f.left, f.right);
  const Scale y = Scale::logarithmic(low_y / 1.3, peak * 1.6, f.bottom, f.top);
  Svg svg(kChartWidth, 350, "roofline");
  draw_axes(svg, f, x, y, {"FLOP per byte of memory traffic", "FLOP/s of one rank", true, true});
  const double ridge = peak / bandwidth;
  const double first = std::max(low_x / 1.3, low_y / 1.3 / bandwidth);
  svg.path(
      {{x.at(first), y.at(first * bandwidth)}, {x.at(ridge), y.at(peak)}, {f.right, y.at(peak)}},
      "roof");
  for (const RoofPoint& p : points) {
    svg.circle(x.at(p.intensity), y.at(p.rate), roof_radius(p), "dot c2",
               fmt::format("{}: {:.3g} FLOP/B, {:.3g} FLOP/s, {:.1f} % of compute", p.name,
                           p.intensity, p.rate, 100 * p.weight));
  }
  name_points(svg, f, x, y, points);
  return svg.str();
}

std::string line_chart(const std::vector<Series>& series, const Axes& axes) {
  Frame f;
  f.bottom = 270;
  double low_x = 1e300, high_x = 0, low_y = 1e300, high_y = 0;
  for (const Series& s : series) {
    for (size_t i = 0; i < s.x.size(); ++i) {
      low_x = std::min(low_x, s.x[i]);
      high_x = std::max(high_x, s.x[i]);
      low_y = std::min(low_y, s.y[i]);
      high_y = std::max(high_y, s.y[i]);
    }
  }
  if (high_x <= 0) return "";
  const Scale x = axis(low_x, high_x, f.left, f.right, axes.log_x);
  const double room = 0.1 * (high_y - low_y) + 1e-9 * high_y;
  const Scale y = axes.zoom ? Scale::linear(low_y - room, high_y + room, f.bottom, f.top)
                            : axis(low_y, high_y, f.bottom, f.top, axes.log_y);
  Svg svg(kChartWidth, 330 + 18 * std::ceil(static_cast<double>(series.size()) / 3), axes.y);
  draw_axes(svg, f, x, y, axes);
  for (size_t k = 0; k < series.size(); ++k) {
    const Series& s = series[k];
    std::vector<Svg::Point> points;
    for (size_t i = 0; i < s.x.size(); ++i) points.push_back({x.at(s.x[i]), y.at(s.y[i])});
    svg.path(points, fmt::format("curve s{}{}", k % 10, s.dashed ? " dashed" : ""));
    for (size_t i = 0; s.points && i < points.size(); ++i) {
      svg.circle(points[i].x, points[i].y, 3.5, fill(k),
                 fmt::format("{}: {}, {:.4g}", s.name, tick_text(s.x[i]), s.y[i]));
    }
    const double column = f.left + static_cast<double>(k % 3) * 260;
    const double row = 326 + 18 * std::floor(static_cast<double>(k) / 3);
    svg.rect(column, row - 11, 13, 13, fill(k));
    svg.text(column + 19, row, s.name);
  }
  return svg.str();
}

std::string scatter_chart(const std::vector<Dot>& dots, const std::vector<std::string>& groups,
                          const Axes& axes) {
  Frame f;
  f.bottom = 290;
  double low_x = 1e300, high_x = 0, low_y = 1e300, high_y = 0;
  for (const Dot& d : dots) {
    low_x = std::min(low_x, d.x);
    high_x = std::max(high_x, d.x);
    low_y = std::min(low_y, d.y);
    high_y = std::max(high_y, d.y);
  }
  if (dots.empty()) return "";
  const Scale x = axis(low_x, high_x, f.left, f.right, axes.log_x);
  const Scale y = axis(low_y, high_y, f.bottom, f.top, axes.log_y);
  const double rows = std::ceil(static_cast<double>(groups.size()) / 3);
  Svg svg(kChartWidth, 340 + 20 * rows, "cost against time");
  draw_axes(svg, f, x, y, axes);
  std::vector<Svg::Point> front;
  for (const Dot& d : dots) {
    if (d.marked) front.push_back({x.at(d.x), y.at(d.y)});
  }
  std::ranges::sort(front, {}, &Svg::Point::x);
  svg.path(front, "front");
  for (const Dot& d : dots) {
    svg.circle(x.at(d.x), y.at(d.y), d.marked ? 5.5 : 3,
               fill(static_cast<size_t>(d.group)) + (d.marked ? " marked" : " faint"), d.name);
  }
  for (size_t k = 0; k < groups.size(); ++k) {
    const double column = f.left + static_cast<double>(k % 3) * 260;
    const double row = 350 + 20 * std::floor(static_cast<double>(k) / 3);
    svg.rect(column, row - 11, 13, 13, fill(k));
    svg.text(column + 19, row, groups[k]);
  }
  return svg.str();
}

std::string tornado_chart(const std::vector<TornadoBar>& bars) {
  Frame f;
  f.left = 260;
  f.right = kChartWidth - 90;
  f.top = 10;
  f.bottom = f.top + 26 * static_cast<double>(bars.size());
  double most = 0.01;
  for (const TornadoBar& b : bars) most = std::max({most, std::abs(b.low), std::abs(b.high)});
  const Scale x = Scale::linear(-most * 1.1, most * 1.1, f.left + 60, f.right);
  Svg svg(kChartWidth, f.bottom + 40, "sensitivity");
  for (const double tick : x.ticks()) {
    svg.line(x.at(tick), f.top, x.at(tick), f.bottom, "grid");
    svg.text(x.at(tick), f.bottom + 18, tick == 0 ? "0" : fmt::format("{:+.3g} %", 100 * tick),
             Anchor::Middle, "tick");
  }
  for (size_t i = 0; i < bars.size(); ++i) {
    const TornadoBar& b = bars[i];
    const double y = f.top + 26 * static_cast<double>(i) + 4;
    svg.text(f.left - 70, y + 13, b.name, Anchor::End);
    const auto bar = [&](double change, std::string_view words, std::string_view style) {
      const double from = std::min(x.at(0), x.at(change)), to = std::max(x.at(0), x.at(change));
      svg.rect(from, y, to - from, 18, style,
               fmt::format("{} at {}: {:+.1f} %", b.name, words, 100 * change));
      const bool right = change >= 0;
      svg.text(right ? to + 5 : from - 5, y + 13, words, right ? Anchor::Start : Anchor::End,
               "tick");
    };
    bar(b.low, b.low_text, "c0");
    bar(b.high, b.high_text, "c1");
  }
  svg.line(x.at(0), f.top, x.at(0), f.bottom, "axis");
  return svg.str();
}

}  // namespace trainyard::cluster
