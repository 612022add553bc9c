#include "cluster/net/program.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

namespace trainyard::cluster {
namespace {

using Layout = Communicator::Layout;

std::vector<int32_t> count_up(int64_t n) {
  std::vector<int32_t> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The first group on its domain. Where a domain holds one rank of it, or where it is cut into axes,
// there is no such level: then a chain in order.
GroupPlace domain_group(const Layout& layout) {
  if (!layout.levels.empty() && layout.levels.front().kind == Level::Kind::Domain) {
    return layout.places.front().groups.front();
  }
  GroupPlace group;
  for (const int32_t rank : layout.groups.front()) group.chips.push_back(layout.chip_of(rank));
  const auto count = static_cast<int32_t>(group.chips.size());
  group.members = {.count = count,
                   .per_chip = 1,
                   .whole_chips = true,
                   .channels = {count_up(count)},
                   .labels = {},
                   .axes = {}};
  return group;
}

// A cycle cut open so that it ends at one position and begins at the next.
struct Opening {
  size_t channel;
  int32_t last, first;
};

// One opening per NIC unit such that rings leave a domain through different units and enter it
// through different ones: a matching of units, by augmenting paths.
class Openings {
 public:
  Openings(const Layout& layout, const GroupPlace& group) : layout_(layout), group_(group) {
    for (const int32_t chip : group.chips) by_exit_[layout.unit_of(chip)];
    size_t turn = 0;
    for (auto& [unit, options] : by_exit_) {
      const std::vector<Cycle>& channels = group.members.channels;
      for (size_t k = 0; k < channels.size(); ++k, ++turn)
        add(options, unit, turn % channels.size());
      ++turn;  // the next unit begins with another channel
    }
  }

  std::vector<Opening> match() {
    std::map<int32_t, std::pair<int32_t, Opening>> by_entry;  // entry unit: exit unit and opening
    for (const auto& [unit, options] : by_exit_) {
      std::set<int32_t> seen;
      augment(unit, seen, by_entry);
    }
    std::vector<Opening> found;
    for (const auto& [entry, pair] : by_entry) found.push_back(pair.second);
    return found;
  }

 private:
  void add(std::vector<Opening>& options, int32_t unit, size_t channel) const {
    const Cycle& cycle = group_.members.channels[channel];
    for (size_t i = 0; i < cycle.size(); ++i) {
      if (unit_at(cycle[i]) != unit) continue;
      options.push_back({channel, cycle[i], cycle[(i + 1) % cycle.size()]});
    }
  }
  int32_t unit_at(int32_t position) const {
    return layout_.unit_of(group_.chips[static_cast<size_t>(position)]);
  }
  bool augment(int32_t unit, std::set<int32_t>& seen,
               std::map<int32_t, std::pair<int32_t, Opening>>& by_entry) {
    for (const Opening& option : by_exit_[unit]) {
      const int32_t entry = unit_at(option.first);
      if (!seen.insert(entry).second) continue;
      const auto taken = by_entry.find(entry);
      if (taken != by_entry.end() && !augment(taken->second.first, seen, by_entry)) continue;
      by_entry[entry] = {unit, option};
      return true;
    }
    return false;
  }

  const Layout& layout_;
  const GroupPlace& group_;
  std::map<int32_t, std::vector<Opening>> by_exit_;
};

// One ring through all domains per NIC that the group can reach.
Members flat_members(const Layout& layout) {
  const GroupPlace group = domain_group(layout);
  const Members& inside = group.members;
  std::vector<Cycle> rings;
  for (const Opening& opening : Openings(layout, group).match()) {
    Cycle cycle = inside.channels[opening.channel];
    std::rotate(cycle.begin(), std::ranges::find(cycle, opening.first), cycle.end());
    Cycle& ring = rings.emplace_back();
    for (int64_t node = 0; node < layout.nodes; ++node) {
      for (const int32_t at : cycle) {
        ring.push_back(at + static_cast<int32_t>(node) * inside.chips());
      }
    }
  }
  return {.count = static_cast<int32_t>(layout.ranks),
          .per_chip = layout.per_chip,
          .whole_chips = inside.whole_chips,
          .channels = std::move(rings),
          .labels = {},
          .axes = {}};
}

Members network_members(int64_t size) {
  Members members{.count = static_cast<int32_t>(size),
                  .per_chip = 1,
                  .whole_chips = false,
                  .channels = {count_up(size)},
                  .labels = {},
                  .axes = {},
                  .spread = false};
  if (!std::has_single_bit(static_cast<uint64_t>(size))) return members;
  members.labels = count_up(size);
  // Near ones first.
  members.axes = {count_up(std::countr_zero(static_cast<uint64_t>(size)))};
  return members;
}

class Builder {
 public:
  Builder(const Layout& layout, const Selection& selection)
      : layout_(layout), selection_(selection) {}

  // The levels from fast to slow, the network split where the algorithm wants it.
  std::vector<Level> levels() const {
    std::vector<Level> all;
    for (const Level& level : layout_.levels) {
      const bool split = level.kind == Level::Kind::Network && selection_.across == Algorithm::Rdh;
      const std::vector<Level> parts = split ? split_network(level) : std::vector{level};
      all.insert(all.end(), parts.begin(), parts.end());
    }
    return all;
  }

  Status reduce_scatter(Part& part, std::span<const Level> levels) {
    for (size_t i = 0; i < levels.size(); ++i) {
      TY_TRY(add(part, Op::ReduceScatter, levels, i));
    }
    return {};
  }
  Status all_gather(Part& part, std::span<const Level> levels) {
    for (size_t i = levels.size(); i-- > 0;) TY_TRY(add(part, Op::AllGather, levels, i));
    return {};
  }
  Status all_reduce(Part& part, std::span<const Level> levels) {
    const size_t top = levels.size() - 1;
    const bool single = algorithm(levels[top]) == Algorithm::SingleStep;
    const std::span<const Level> both = single ? levels.first(top) : levels;
    for (size_t i = 0; i < both.size(); ++i) TY_TRY(add(part, Op::ReduceScatter, levels, i));
    if (single) TY_TRY(add(part, Op::AllReduce, levels, top));
    for (size_t i = both.size(); i-- > 0;) TY_TRY(add(part, Op::AllGather, levels, i));
    return {};
  }
  // AllToAll and Broadcast: from the slowest level down, the whole buffer each time.
  Status downwards(Part& part, Op op, std::span<const Level> levels) {
    for (size_t i = levels.size(); i-- > 0;) {
      TY_TRY(add(part, op, levels, i));
      Stage& stage = part.stages.back();
      stage.chunk_share = part.share / static_cast<double>(levels[i].size);
      if (op != Op::Broadcast) continue;
      stage.open.assign(levels.begin(), levels.end());  // every rank wants all of it
      stage.open.erase(stage.open.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return {};
  }
  Status flat(Part& part, Op op) {
    auto schedule = make_schedule(op, Algorithm::Ring, flat_members(layout_));
    if (!schedule) return schedule.status();
    if (op == Op::Permute) schedule->target = layout_.targets;
    const double share = part.share / schedule->chunks;
    part.stages.push_back({.where = Stage::Where::Flat,
                           .level = {Level::Kind::Network, layout_.ranks, 1, -1},
                           .schedule = std::move(*schedule),
                           .open = {},
                           .chunk_share = share});
    return {};
  }

 private:
  Algorithm algorithm(const Level& level) const {
    if (level.kind != Level::Kind::Network) return *selection_.inside;
    // What is left of a network after the power of two.
    const bool odd = selection_.across == Algorithm::Rdh &&
                     !std::has_single_bit(static_cast<uint64_t>(level.size));
    return odd ? Algorithm::Ring : *selection_.across;
  }

  Status add(Part& part, Op op, std::span<const Level> levels, size_t i) {
    const Level& level = levels[i];
    auto schedule = make_schedule(op, algorithm(level), members_of(layout_, level));
    if (!schedule) return schedule.status();
    double ranks = 1;
    for (size_t l = 0; l <= i; ++l) ranks *= static_cast<double>(levels[l].size);
    const std::span<const Level> slower = levels.subspan(i + 1);
    part.stages.push_back({.where = static_cast<Stage::Where>(level.kind),
                           .level = level,
                           .schedule = std::move(*schedule),
                           .open = {slower.begin(), slower.end()},
                           .chunk_share = part.share / ranks});
    return {};
  }

  const Layout& layout_;
  const Selection& selection_;
};

// Parts that begin with another axis each, so that all axes of a torus work at the same time.
std::vector<std::vector<Level>> level_orders(const std::vector<Level>& levels, Op op) {
  const auto is_axis = [](const Level& level) { return level.kind == Level::Kind::Axis; };
  const auto axes = std::ranges::count_if(levels, is_axis);
  const bool turns = op == Op::AllGather || op == Op::ReduceScatter || op == Op::AllReduce;
  std::vector<std::vector<Level>> orders = {levels};
  for (int64_t turn = 1; turns && turn < axes; ++turn) {
    std::vector<Level> order = levels;
    std::rotate(order.begin(), order.begin() + turn, order.begin() + axes);
    orders.push_back(std::move(order));
  }
  return orders;
}

Status fill(Builder& builder, Op op, Part& part, std::span<const Level> levels) {
  switch (op) {
    case Op::AllGather:
      return builder.all_gather(part, levels);
    case Op::ReduceScatter:
      return builder.reduce_scatter(part, levels);
    case Op::AllReduce:
      return builder.all_reduce(part, levels);
    case Op::AllToAll:
    case Op::Broadcast:
      return builder.downwards(part, op, levels);
    case Op::Permute:
    case Op::SendRecv:
      return builder.flat(part, op);
  }
  TY_CHECK(false);
}

// A ring straight through domains: what Permute and SendRecv do, and AllReduce if asked.
Status fill_flat(Builder& builder, Op op, Part& part) {
  if (op != Op::AllReduce) return builder.flat(part, op);
  TY_TRY(builder.flat(part, Op::ReduceScatter));
  return builder.flat(part, Op::AllGather);
}

}  // namespace

std::vector<Level> split_network(const Level& level) {
  const auto low =
      static_cast<int64_t>(uint64_t{1} << std::countr_zero(static_cast<uint64_t>(level.size)));
  std::vector<Level> parts;
  int64_t stride = level.stride, rest = level.size / low;
  const auto add = [&](int64_t size) {
    parts.push_back({Level::Kind::Network, size, stride, -1});
    stride *= size;
  };
  if (low > 1) add(low);
  for (int64_t factor = 3; factor * factor <= rest; factor += 2) {
    for (; rest % factor == 0; rest /= factor) add(factor);
  }
  if (rest > 1) add(rest);
  return parts;
}

Members members_of(const Layout& layout, const Level& level) {
  switch (level.kind) {
    case Level::Kind::Domain:
    case Level::Kind::Axis:
      return layout.places[static_cast<size_t>(level.place)].groups.front().members;
    case Level::Kind::Network:
      return network_members(level.size);
  }
  TY_CHECK(false);
}

int64_t Program::steps() const {
  int64_t most = 0;
  for (const Part& part : parts) {
    int64_t sum = 0;
    for (const Stage& stage : part.stages) sum += stage.schedule.steps;
    most = std::max(most, sum);
  }
  return most;
}

Result<Program> make_program(const Layout& layout, Op op, const Selection& selection) {
  Builder builder(layout, selection);
  Program program{.op = op, .ranks = layout.ranks, .levels = builder.levels(), .parts = {}};
  if (layout.ranks == 1) return program;
  if (selection.flat) {
    Part& part = program.parts.emplace_back();
    TY_TRY(fill_flat(builder, op, part));
    return program;
  }
  const auto orders = level_orders(program.levels, op);
  for (const std::vector<Level>& order : orders) {
    Part& part = program.parts.emplace_back();
    part.share = 1.0 / static_cast<double>(orders.size());
    TY_TRY(fill(builder, op, part, order));
  }
  return program;
}

}  // namespace trainyard::cluster
