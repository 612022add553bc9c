#pragma once
// The charts of the reports, each as one SVG.
#include <string>
#include <vector>

#include "cluster/training/pipeline.h"

namespace trainyard::cluster {

inline constexpr double kChartWidth = 860;

struct Share {
  std::string name;
  double value = 0;
};

// One bar cut into shares, with a legend of values in `unit`.
std::string shares_chart(const std::vector<Share>& shares, std::string_view unit);

// Bars of shares, one under the other, on one axis; `limit` is marked where it is above 0.
struct StackedBar {
  std::string name;
  std::vector<Share> shares;
};
std::string stacked_chart(const std::vector<StackedBar>& bars, std::string_view unit, double limit,
                          std::string_view limit_name);

// Stages over time. Long schedules show their first and their last part.
std::string timeline_chart(const std::vector<PipelineTask>& tasks, int64_t stages);

struct RoofPoint {
  std::string name;
  double intensity = 0;  // FLOP per byte
  double rate = 0;       // FLOP/s reached
  double weight = 0;     // share of the step
};
std::string roofline_chart(const std::vector<RoofPoint>& points, double peak, double bandwidth);

struct Series {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false, points = true;
};
struct Axes {
  std::string x, y;
  bool log_x = false, log_y = false;
  bool zoom = false;  // the y axis starts near the lowest value instead of at zero
};
std::string line_chart(const std::vector<Series>& series, const Axes& axes);

struct Dot {
  double x = 0, y = 0;
  std::string name;
  int group = 0;
  bool marked = false;  // on the front
};
std::string scatter_chart(const std::vector<Dot>& dots, const std::vector<std::string>& groups,
                          const Axes& axes);

struct TornadoBar {
  std::string name, low_text, high_text;
  double low = 0, high = 0;  // change of the answer, as a share
};
std::string tornado_chart(const std::vector<TornadoBar>& bars);

}  // namespace trainyard::cluster
