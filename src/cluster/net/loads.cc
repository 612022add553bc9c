#include "cluster/net/loads.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace trainyard::cluster {
namespace {

// Adds up what passes over each link.
class Counter {
 public:
  explicit Counter(const Topology& graph)
      : graph_(graph), load_(graph.links.size()), senders_(graph.links.size()) {}

  void send(int32_t from, int32_t to, double bytes) {
    if (from == to) return;
    double slowest = 0;
    route(graph_, from, to, [&](int32_t link) {
      const auto l = static_cast<size_t>(link);
      load_[l] += bytes;
      ++senders_[l];
      slowest = std::max(slowest, bytes / graph_.links[l].bytes_per_ns);
    });
    sum_ns_ += slowest;
    ++sends_;
    const Hops path = hops(graph_, from, to);
    if (path.chips + path.switches > longest_.chips + longest_.switches) longest_ = path;
  }
  PatternLoad result() const {
    PatternLoad worst{.mean_ns = sum_ns_ / std::max(1, sends_), .hops = longest_};
    for (size_t i = 0; i < load_.size(); ++i) {
      const double ns = load_[i] / graph_.links[i].bytes_per_ns;
      if (ns <= worst.ns_per_byte) continue;
      worst.ns_per_byte = ns;
      worst.shared = senders_[i];
    }
    return worst;
  }

 private:
  const Topology& graph_;
  std::vector<double> load_;
  std::vector<int32_t> senders_;
  Hops longest_;
  double sum_ns_ = 0;
  int sends_ = 0;
};

PatternLoad ring_load(const Topology& graph, std::span<const GroupPlace> groups, bool alone) {
  Counter counter(graph);
  for (const GroupPlace& group : groups) {
    const size_t count = alone ? 1 : group.members.channels.size();
    for (size_t k = 0; k < count; ++k) {
      const Cycle& cycle = group.members.channels[k];
      for (size_t i = 0; i < cycle.size(); ++i) {
        const int32_t from = group.chips[static_cast<size_t>(cycle[i])];
        const int32_t to = group.chips[static_cast<size_t>(cycle[(i + 1) % cycle.size()])];
        counter.send(from, to, 1.0 / static_cast<double>(count));
      }
    }
  }
  return counter.result();
}

PatternLoad mesh_load(const Topology& graph, std::span<const GroupPlace> groups) {
  Counter counter(graph);
  for (const GroupPlace& group : groups) {
    for (const int32_t from : group.chips) {
      for (const int32_t to : group.chips) counter.send(from, to, 1);
    }
  }
  return counter.result();
}

std::vector<PatternLoad> rdh_loads(const Topology& graph, std::span<const GroupPlace> groups) {
  std::vector<PatternLoad> loads;
  if (groups.front().members.axes.empty()) return loads;
  const auto first = make_schedule(Op::AllGather, Algorithm::Rdh, groups.front().members);
  for (int32_t turn = 0; turn < first->turns; ++turn) {
    Counter counter(graph);
    for (const GroupPlace& group : groups) {
      const auto own = make_schedule(Op::AllGather, Algorithm::Rdh, group.members);
      if (!own) continue;  // a group that the same grid puts on other chips
      SendList list;
      for (int32_t m = 0; m < group.members.count; ++m) emit(*own, turn, m, list);
      for (const Send& send : list.sends) {
        counter.send(group.chips[static_cast<size_t>(send.src / group.members.per_chip)],
                     group.chips[static_cast<size_t>(send.dst / group.members.per_chip)],
                     1.0 / own->slices);
      }
    }
    loads.push_back(counter.result());
  }
  return loads;
}

// The bits in which the labels differ, if they are all corners of a cube; equally fast ones
// together, the slowest first.
std::vector<std::vector<int32_t>> cube_axes(const Topology& graph, std::span<const int32_t> chips,
                                            std::span<const int32_t> labels) {
  int32_t varying = 0;
  for (const int32_t label : labels) varying |= label ^ labels.front();
  const auto bits = std::popcount(static_cast<uint32_t>(varying));
  if (bits > 30 || (size_t{1} << bits) != chips.size()) return {};
  std::map<int32_t, int32_t> chip_with;
  for (size_t i = 0; i < chips.size(); ++i) chip_with[labels[i]] = chips[i];
  std::map<double, std::vector<int32_t>, std::greater<>> by_time;
  for (int32_t b = 0; b < 31; ++b) {
    if ((varying >> b & 1) == 0) continue;
    Counter counter(graph);
    for (const auto& [label, chip] : chip_with) counter.send(chip, chip_with[label ^ 1 << b], 1);
    by_time[counter.result().ns_per_byte].push_back(b);
  }
  std::vector<std::vector<int32_t>> axes;
  for (const auto& [ns, some] : by_time) axes.push_back(some);
  return axes;
}

int32_t gray(int32_t n) { return n ^ n >> 1; }

// A label per chip whose bits are axes of a hypercube: on a torus of twos and fours neighbours
// differ in one bit.
std::vector<int32_t> cube_labels(const Topology& t, std::span<const int32_t> chips) {
  const bool grid = t.shape == hw::Shape::Torus || t.shape == hw::Shape::Ring;
  const auto two = [](int32_t size) { return std::has_single_bit(static_cast<uint32_t>(size)); };
  std::vector<int32_t> labels(chips.size());
  std::iota(labels.begin(), labels.end(), 0);
  if (!grid || !std::ranges::all_of(t.dims, two)) return labels;
  for (size_t i = 0; i < chips.size(); ++i) {
    const int32_t chip = chips[i];
    const int32_t x = chip % t.dims[0], y = chip / t.dims[0] % t.dims[1];
    const int32_t z = chip / (t.dims[0] * t.dims[1]);
    labels[i] = gray(x) + t.dims[0] * (gray(y) + t.dims[1] * gray(z));
  }
  return labels;
}

std::vector<Cycle> to_positions(std::vector<Cycle> cycles, std::span<const int32_t> chips) {
  for (Cycle& cycle : cycles) {
    for (int32_t& chip : cycle) {
      chip = static_cast<int32_t>(std::ranges::lower_bound(chips, chip) - chips.begin());
    }
  }
  return cycles;
}

}  // namespace

GraphLoads graph_loads(const Topology& graph, std::span<const GroupPlace> groups) {
  return {.ring = ring_load(graph, groups, false),
          .ring_alone = ring_load(graph, groups, true),
          .mesh = mesh_load(graph, groups),
          .rdh = rdh_loads(graph, groups)};
}

PatternLoad pattern_load(const Topology& graph, std::span<const GroupPlace> groups,
                         const std::function<int32_t(int32_t)>& target) {
  Counter counter(graph);
  for (const GroupPlace& group : groups) {
    const Members& m = group.members;
    for (int32_t member = 0; member < m.count; ++member) {
      const int32_t to = target(member);
      if (to < 0) continue;
      counter.send(group.chips[static_cast<size_t>(member / m.per_chip)],
                   group.chips[static_cast<size_t>(to / m.per_chip)], 1);
    }
  }
  return counter.result();
}

Members make_members(const Topology& graph, std::span<const int32_t> chips, int32_t per_chip,
                     bool whole_chips) {
  std::vector<int32_t> labels = cube_labels(graph, chips);
  std::vector<std::vector<int32_t>> axes = cube_axes(graph, chips, labels);
  return {.count = static_cast<int32_t>(chips.size()) * per_chip,
          .per_chip = per_chip,
          .whole_chips = whole_chips,
          .channels = to_positions(channels(graph, chips), chips),
          .labels = std::move(labels),
          .axes = std::move(axes)};
}

}  // namespace trainyard::cluster
