#pragma once
// A drawing as SVG text. Colours are classes of the page's style sheet (html.h), so that a page can
// be light or dark.
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::cluster {

std::string escaped(std::string_view text);

enum class Anchor : uint8_t { Start, Middle, End };

class Svg {
 public:
  // `label` is what a screen reader says.
  Svg(double width, double height, std::string_view label);

  void rect(double x, double y, double width, double height, std::string_view style,
            std::string_view tip = "");
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void circle(double x, double y, double radius, std::string_view style, std::string_view tip = "");
  struct Point {
    double x, y;
  };
  void path(const std::vector<Point>& points, std::string_view style);
  void text(double x, double y, std::string_view words, Anchor anchor = Anchor::Start,
            std::string_view style = "label");

  std::string str() const;

 private:
  std::string body_;
};

// From values to pixels, with round numbers to mark.
class Scale {
 public:
  static Scale linear(double low, double high, double from, double to);
  static Scale logarithmic(double low, double high, double from, double to);

  double at(double value) const;
  std::vector<double> ticks() const;

 private:
  double low_ = 0, high_ = 1, from_ = 0, to_ = 1;
  bool logarithmic_ = false;
};

// "1.5", "20", "3k", "2M"
std::string tick_text(double value);

}  // namespace trainyard::cluster
