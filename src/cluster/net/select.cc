// Which algorithm runs a collective: by the published sweet spots, by predicted time, or as asked.
#include <algorithm>
#include <bit>

#include "cluster/net/profile.h"

namespace trainyard::cluster {
namespace {

using Layout = Communicator::Layout;

bool is_power_of_two(int64_t n) { return std::has_single_bit(static_cast<uint64_t>(n)); }

bool is_reduction_or_gather(Op op) {
  return op == Op::AllReduce || op == Op::AllGather || op == Op::ReduceScatter;
}

const Level* level_of(const Layout& layout, bool network) {
  const auto found = std::ranges::find_if(layout.levels, [&](const Level& level) {
    return (level.kind == Level::Kind::Network) == network;
  });
  return found == layout.levels.end() ? nullptr : &*found;
}

// [neuron-cc-intra]: Mesh for small, RDH for middle, KangaRing for large buffers, else Ring.
Algorithm documented_inside(const Layout& layout, const Level& level, const Request& request) {
  const hw::Knobs::Net& net = layout.cluster.system.knobs.net;
  if (request.op == Op::AllToAll) return Algorithm::Mesh;
  if (!is_reduction_or_gather(request.op)) return Algorithm::Ring;
  if (level.kind == Level::Kind::Axis) return Algorithm::Ring;
  if (request.bytes < net.mesh_below_bytes.value) return Algorithm::Mesh;
  const int64_t ranks = std::min(level.size, net.kangaring_ranks.value);
  const int64_t large = net.kangaring_above_bytes.value * ranks / net.kangaring_ranks.value;
  const LevelPlace& place = layout.places[static_cast<size_t>(level.place)];
  if (request.bytes <= large && !place.loads.rdh.empty()) return Algorithm::Rdh;
  return can_kangaring(place.groups.front().members) ? Algorithm::KangaRing : Algorithm::Ring;
}

// [neuron-cc-inter] says which sizes fit which algorithm in words; the limits are knobs.
Algorithm documented_across(const Layout& layout, const Level& level, const Request& request) {
  const hw::Knobs::Net& net = layout.cluster.system.knobs.net;
  if (request.op == Op::AllToAll) return Algorithm::Mesh;
  if (!is_reduction_or_gather(request.op)) return Algorithm::Ring;
  const bool small = request.bytes < net.far_mesh_below_bytes.value;
  if (small && level.size <= net.far_mesh_nodes.value) return Algorithm::Mesh;
  if (level.size >= net.far_rdh_nodes.value && is_power_of_two(level.size)) return Algorithm::Rdh;
  return level.size > net.far_ring_nodes.value ? Algorithm::Rdh : Algorithm::Ring;
}

// [neuron-cc-inter]: a ring straight through all ranks only on trn1, for large messages.
bool documented_flat(const Layout& layout, const Request& request) {
  return layout.cluster.system.accelerator.name == "trainium1" && layout.levels.size() == 2 &&
         is_reduction_or_gather(request.op) &&
         request.bytes > layout.cluster.system.knobs.net.flat_ring_above_bytes.value;
}

Selection documented(const Layout& layout, const Request& request) {
  Selection selection;
  if (const Level* inside = level_of(layout, false)) {
    selection.inside = documented_inside(layout, *inside, request);
  }
  if (const Level* across = level_of(layout, true)) {
    selection.across = documented_across(layout, *across, request);
  }
  if (documented_flat(layout, request)) {
    selection = {.inside = Algorithm::Ring, .across = Algorithm::Ring, .flat = true};
  }
  return selection;
}

// Everything that a level could run, if it exists.
std::vector<std::optional<Algorithm>> candidates(const Level* level) {
  if (level == nullptr) return {std::nullopt};
  std::vector<std::optional<Algorithm>> all;
  for (int a = 0; a < kAlgorithmCount; ++a) all.emplace_back(static_cast<Algorithm>(a));
  return all;
}

// One step of network latency for each rank: beyond this a flat ring cannot win.
constexpr int64_t kMaxFlatRanks = 1024;

// The least predicted time over everything that the group can run.
Result<Selection> by_cost(const Layout& layout, const Request& request) {
  std::vector<Selection> options;
  for (const auto& inside : candidates(level_of(layout, false))) {
    for (const auto& across : candidates(level_of(layout, true))) {
      options.push_back({inside, across, false});
    }
  }
  const bool both = layout.levels.size() == 2 && level_of(layout, true) != nullptr;
  if (both && is_reduction_or_gather(request.op) && layout.ranks <= kMaxFlatRanks) {
    options.push_back({Algorithm::Ring, Algorithm::Ring, true});
  }
  const Selection* best = nullptr;
  double least = 0;
  for (const Selection& option : options) {
    const Profile& costs = profile(layout, request.op, option);
    if (!costs.status.ok()) continue;
    const double us = profile_us(costs, static_cast<double>(request.bytes));
    if (best != nullptr && us >= least) continue;
    best = &option;
    least = us;
  }
  if (best != nullptr) return *best;
  return error("TY-NET-006", "no algorithm runs {} on this group", name(request.op));
}

Status check_bytes(const Layout& layout, const Request& request) {
  const bool divides =
      request.op == Op::AllGather || request.op == Op::ReduceScatter || request.op == Op::AllToAll;
  if (request.bytes < 1) {
    return error("TY-NET-005", "{} of {} bytes: must be at least 1", name(request.op),
                 request.bytes);
  }
  if (divides && request.bytes % layout.ranks != 0) {
    return error("TY-NET-005", "{} of {} bytes over {} ranks: the size must be a multiple of {}",
                 name(request.op), request.bytes, layout.ranks, layout.ranks);
  }
  if (request.op == Op::SendRecv && layout.ranks < 2) {
    return error("TY-NET-005", "sendrecv needs two ranks, the group has {}", layout.ranks);
  }
  return {};
}

}  // namespace

Result<Selection> select_algorithm(const Communicator& group, const Request& request) {
  const Layout& layout = group.layout();
  TY_TRY(check_bytes(layout, request));
  if (layout.ranks == 1) return Selection{};
  const Choice& choice = request.choice;
  Selection selection;
  if (choice.rule == Choice::Rule::Cost && !choice.inside && !choice.across && !choice.flat) {
    const auto best = by_cost(layout, request);
    if (!best) return best;
    selection = *best;
  } else {
    selection = documented(layout, request);
  }
  if (choice.inside || choice.across) selection.flat = false;
  if (choice.inside && selection.inside) selection.inside = choice.inside;
  if (choice.across && selection.across) selection.across = choice.across;
  if (choice.flat) selection = {.inside = Algorithm::Ring, .across = Algorithm::Ring, .flat = true};
  // Permute and SendRecv go straight through, whatever lies between.
  const bool direct = request.op == Op::Permute || request.op == Op::SendRecv;
  if (direct && layout.levels.size() > 1) {
    selection = {.inside = Algorithm::Ring, .across = Algorithm::Ring, .flat = true};
  }
  TY_TRY(profile(layout, request.op, selection).status);
  return selection;
}

}  // namespace trainyard::cluster
