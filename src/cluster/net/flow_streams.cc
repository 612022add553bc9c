// Several collectives on one domain, in streams.
#include <algorithm>
#include <map>

#include "cluster/net/flow.h"
#include "cluster/net/flow_plan.h"

namespace trainyard::cluster {
namespace {

using Layout = Communicator::Layout;

// Actors [first, last) of the joined plan, those of one stage of one launch.
struct Placed {
  uint32_t first = 0, last = 0;
  std::vector<uint32_t> rank_of;  // local rank of each
};

// Joins the plans of stages into one.
class Joiner {
 public:
  explicit Joiner(const Layout& layout)
      : resources_(layout, *layout.topology, 1), layout_(layout) {}

  // Adds a stage; its flows of the first step start `start_ns` later.
  Placed add(const Layout& layout, const Stage& stage, double bytes, double packet,
             double start_ns) {
    const StagePlan plan = domain_plan(layout, stage, bytes, 1);
    if (joined_.capacity.empty()) {
      joined_.capacity = resources_.capacities(layout_, *layout_.topology, stage, 1);
    }
    Placed placed{actors_, actors_ + plan.flows.actors, {}};
    actors_ = placed.last;
    const size_t local = layout.groups.front().size();
    for (const uint32_t slot : plan.slot_of) {
      const int32_t rank = layout.groups[slot / local][slot % local];
      placed.rank_of.push_back(static_cast<uint32_t>(rank));
    }
    steps_ = std::max(steps_, plan.flows.steps);
    plans_.push_back({plan.flows, placed.first, packet, start_ns});
    return placed;
  }

  // Whatever ends on a rank of `before` lets that rank of `after` begin.
  void follow(const Placed& before, const Placed& after) {
    std::multimap<uint32_t, uint32_t> by_rank;
    for (uint32_t a = before.first; a < before.last; ++a) {
      by_rank.emplace(before.rank_of[a - before.first], a);
    }
    for (uint32_t a = after.first; a < after.last; ++a) {
      const auto [first, last] = by_rank.equal_range(after.rank_of[a - after.first]);
      for (auto it = first; it != last; ++it) joined_.orders.push_back({it->second, a});
    }
  }

  const FlowPlan& finish() {
    joined_.actors = actors_;
    joined_.steps = steps_;
    for (const Piece& piece : plans_) append(piece);
    joined_.first_flow.push_back(static_cast<uint32_t>(joined_.flows.size()));
    return joined_;
  }

 private:
  struct Piece {
    FlowPlan plan;
    uint32_t first_actor;
    double packet, start_ns;
  };

  void append(const Piece& piece) {
    const FlowPlan& plan = piece.plan;
    for (uint32_t a = 0; a < plan.actors; ++a) {
      for (uint32_t s = 0; s < steps_; ++s) {
        joined_.first_flow.push_back(static_cast<uint32_t>(joined_.flows.size()));
        if (s >= plan.steps) continue;
        const uint32_t at = a * plan.steps + s;
        for (uint32_t f = plan.first_flow[at]; f < plan.first_flow[at + 1]; ++f) {
          append_flow(piece, plan.flows[f], s);
        }
      }
    }
  }

  void append_flow(const Piece& piece, FlowPlan::Flow flow, uint32_t step) {
    const uint32_t first_use = flow.first_use;
    flow.share = static_cast<float>(piece.packet);
    if (step == 0) flow.latency_ns += static_cast<float>(piece.start_ns);
    if (flow.to != kNobody) flow.to += piece.first_actor;
    if (flow.to_too != kNobody) flow.to_too += piece.first_actor;
    flow.first_use = static_cast<uint32_t>(joined_.uses.size());
    for (uint32_t u = 0; u < flow.use_count; ++u) {
      FlowPlan::Use use = piece.plan.uses[first_use + u];
      // An algorithm that reaches less of a link takes more of it for each byte.
      use.cost *=
          static_cast<float>(joined_.capacity[use.resource] / piece.plan.capacity[use.resource]);
      joined_.uses.push_back(use);
    }
    joined_.flows.push_back(flow);
  }

  Resources resources_;
  const Layout& layout_;
  FlowPlan joined_;
  std::vector<Piece> plans_;
  uint32_t actors_ = 0;
  uint32_t steps_ = 0;
};

Status check(std::span<const Launch> launches) {
  const Cluster& first = launches.front().group.cluster();
  for (const Launch& launch : launches) {
    const Cluster& cluster = launch.group.cluster();
    const bool same = cluster.system == first.system && cluster.lnc == first.lnc;
    const bool whole = std::ranges::all_of(launch.group.layout().levels, [](const Level& level) {
      return level.kind == Level::Kind::Domain;
    });
    if (same && whole && launch.group.ranks() > 1) continue;
    return error("TY-NET-008",
                 "streams are simulated on one domain: all groups need the same instance, at least "
                 "two ranks and none on another instance");
  }
  return {};
}

}  // namespace

Result<std::vector<Seconds>> simulate_streams(std::span<const Launch> launches) {
  if (launches.empty()) return std::vector<Seconds>();
  TY_TRY(check(launches));
  const Layout& layout = launches.front().group.layout();
  const hw::Knobs::Net& net = layout.cluster.system.knobs.net;
  Joiner joiner(layout);
  std::map<int, Placed> last_of_stream;
  std::vector<Placed> last_of_launch;
  std::vector<double> start;
  for (const Launch& launch : launches) {
    const auto selection = select_algorithm(launch.group, launch.request);
    if (!selection) return selection.status();
    const auto program = make_program(launch.group.layout(), launch.request.op, *selection);
    if (!program) return program.status();
    const auto packet = static_cast<double>(launch.packet_bytes > 0 ? launch.packet_bytes
                                                                    : net.cc_packet_bytes.value);
    Placed before;
    const std::vector<Stage>& stages = program->parts.front().stages;
    for (size_t i = 0; i < stages.size(); ++i) {
      const auto bytes = static_cast<double>(launch.request.bytes);
      const Placed placed = joiner.add(launch.group.layout(), stages[i], bytes, packet,
                                       i == 0 ? net.t_start_us.value * 1e3 : 0);
      if (i > 0) joiner.follow(before, placed);
      if (i == 0) joiner.follow(last_of_stream[launch.stream], placed);
      start.resize(placed.last, launch.ready.value * 1e9);
      before = placed;
    }
    last_of_stream[launch.stream] = before;
    last_of_launch.push_back(before);
  }
  const FlowPlan& plan = joiner.finish();
  FlowEngine engine(plan);
  const std::span<const double> end = engine.run({.start_ns = start});
  std::vector<Seconds> ends;
  for (const Placed& placed : last_of_launch) {
    double latest = 0;
    for (uint32_t a = placed.first; a < placed.last; ++a) latest = std::max(latest, end[a]);
    ends.emplace_back(latest * 1e-9);
  }
  return ends;
}

}  // namespace trainyard::cluster
