#include "cluster/net/step_cost.h"

#include <algorithm>
#include <bit>

namespace trainyard::cluster {
namespace {

using Layout = Communicator::Layout;

// A kind of step before rates are applied, for each byte of a chunk.
struct Shape {
  double repeat = 1;
  double sent = 0;          // bytes that one member sends
  double memory = 0;        // bytes that all members on a chip read and write
  double dma = 0;           // bytes that the DMA engines of a chip take in
  PatternLoad link;         // of a byte for each channel, chip or member, as the algorithm sends
  double link_bytes = 0;    // times this
  bool local = false;       // nothing leaves the chip
  bool no_latency = false;  // a tail
  bool mixed = false;       // paths of different lengths start together
  int64_t apart = 1;        // members between sender and receiver, of an exchange
};

// What the formulas need to know about a stage.
struct Sizes {
  double n;       // members
  double chips;   // that they lie on
  double q;       // members on a chip
  double groups;  // groups on a chip, times parts
  double busy;    // members of all groups on a chip
};

// Every member sends `bytes`, with so many reads and writes for each.
Shape traffic(const Sizes& z, double bytes, double sources, double writes) {
  return {.sent = bytes,
          .memory = z.busy * bytes * (sources + writes),
          .dma = z.busy * bytes * sources};
}

Shape repeated(Shape shape, double repeat) {
  shape.repeat = repeat;
  return shape;
}
Shape local(Shape shape) {
  shape.local = true;
  return shape;
}
Shape tail(Shape shape) {
  shape.local = shape.no_latency = true;
  return shape;
}
Shape over(Shape shape, const PatternLoad& link, double bytes) {
  shape.link = link;
  shape.link_bytes = bytes;
  return shape;
}
Shape mixed(Shape shape) {
  shape.mixed = true;
  return shape;
}

// A broadcast down a ring: the chunks follow each other, and behind the last one the pipeline
// empties, over hops between chips and faster ones inside. Channels pass a place at different
// times: two that share it are there together two thirds of the time. Where links hold the chunks
// back, the memories are free for part of the time, and hops inside a chip are faster by as much.
std::vector<Shape> pipeline_shapes(const Sizes& z, PatternLoad link, double channels,
                                   const Rates& rate) {
  constexpr double kTogether = 2.0 / 3;
  const double sharing = std::max(1.0, link.shared);
  link.ns_per_byte *= (1 + (sharing - 1) * kTogether) / sharing;
  const double busy = channels > 1 || z.busy > 1 ? kTogether : 1;
  const Shape some = {.sent = 1, .memory = 2 * z.busy * busy, .dma = z.busy * busy};
  PatternLoad hop = link;
  if (sharing <= 1) hop.ns_per_byte = std::min(link.ns_per_byte, link.mean_ns);
  const double link_ns = link.ns_per_byte / rate.link_share, memory_ns = some.memory / rate.hbm;
  const double used = link_ns > 0 ? std::min(1.0, memory_ns / link_ns) : 1;
  const Shape inside = {.sent = 1, .memory = some.memory * used, .dma = some.dma * used};
  return {repeated(over(some, link, 1), z.n), repeated(over(some, hop, 1), z.chips - 2),
          repeated(local(inside), z.n - z.chips)};
}

std::vector<Shape> ring_shapes(const Stage& stage, const Sizes& z, const PatternLoad& link,
                               const Rates& rate) {
  const auto step = [&](double sources) { return over(traffic(z, 1, sources, 1), link, 1); };
  switch (stage.schedule.op) {
    case Op::AllGather:
      return {repeated(step(1), z.n - 1)};
    case Op::ReduceScatter:
      return {step(1), repeated(step(2), z.n - 2), tail(traffic(z, 1, 2, 1))};
    case Op::Broadcast:
      return pipeline_shapes(z, link, stage.schedule.slices, rate);
    case Op::Permute:
      return {step(1)};
    case Op::AllReduce:
    case Op::AllToAll:
    case Op::SendRecv:
      break;
  }
  return {};
}

// Blocks of two chunks; half of the members work.
std::vector<Shape> kangaring_shapes(const Stage& stage, const Sizes& z, const PatternLoad& link) {
  const double pairs = z.n / 2;
  const auto step = [&](double sources, double writes) {
    return over(traffic(z, 1, sources, writes), link, 2);
  };
  if (stage.schedule.op == Op::AllGather) {
    Shape first = step(1, 2);
    const Shape exchange = traffic(z, 1, 1, 1);
    first.memory += exchange.memory;
    first.dma += exchange.dma;
    return {first, repeated(step(1, 2), pairs - 2)};
  }
  return {step(2, 1), repeated(step(3, 1), pairs - 2), tail(traffic(z, 1, 3, 1))};
}

std::vector<Shape> mesh_shapes(const Stage& stage, const Sizes& z, const PatternLoad& link) {
  const double others = z.chips - 1;
  std::vector<Shape> shapes;
  const auto gathers = [&] {
    // All chunks of a chip to each other chip, then to each other member of the chip.
    if (others > 0) shapes.push_back(mixed(over(traffic(z, others, 1, 1), link, z.q)));
    if (z.q > 1) shapes.push_back(local(traffic(z, (z.q - 1) * z.chips, 1, 1)));
  };
  const auto reduces = [&] {
    if (others > 0) shapes.push_back(mixed(over(traffic(z, others, z.q, 1), link, z.q)));
    const Shape last = traffic(z, 1, others + z.q, 1);
    shapes.push_back(stage.schedule.tail ? tail(last) : local(last));
  };
  switch (stage.schedule.op) {
    case Op::AllGather:
      gathers();
      break;
    case Op::ReduceScatter:
      reduces();
      break;
    case Op::AllToAll:
      shapes.push_back(mixed(over(traffic(z, z.n - 1, 1, 1), link, z.q * z.q)));
      break;
    case Op::Broadcast:
    case Op::AllReduce:
    case Op::Permute:
    case Op::SendRecv:
      break;
  }
  return shapes;
}

std::vector<Shape> single_step_shapes(const Sizes& z, const PatternLoad& link) {
  return {mixed(over(traffic(z, (z.n - 1) * z.n, 1, 1), link, z.q * z.q * z.n)),
          tail(traffic(z, z.n, z.n, 1))};
}

std::vector<Shape> rdh_shapes(const Stage& stage, const Sizes& z,
                              const std::vector<PatternLoad>& turns) {
  const Schedule& s = stage.schedule;
  std::vector<Shape> shapes;
  const auto exchange = [&](size_t turn, double sources) {
    const auto bytes = static_cast<double>(int64_t{1} << turn);
    shapes.push_back(over(traffic(z, bytes, sources, 1), turns[turn], bytes));
    shapes.back().apart = int64_t{1} << turn;
  };
  if (s.op == Op::AllGather) {
    for (size_t t = 0; t < turns.size(); ++t) exchange(t, 1);
    if (z.q > 1) shapes.push_back(local(traffic(z, (z.q - 1) * z.chips, 1, 1)));
    return shapes;
  }
  if (z.q > 1) shapes.push_back(local(traffic(z, z.chips, z.q, 1)));
  for (size_t t = turns.size(); t-- > 0;) exchange(t, t + 1 == turns.size() ? 1 : 2);
  shapes.push_back(tail(traffic(z, 1, 2, 1)));
  return shapes;
}

// Steps whose pattern has no formula: counted send by send, and routed if there is a graph.
std::vector<Shape> routed_shapes(const Stage& stage, const Sizes& z, const LevelPlace* place) {
  const Schedule& s = stage.schedule;
  std::vector<Shape> shapes;
  SendList list;
  for (int32_t step = 0; step < s.steps; ++step) {
    list.clear();
    for (int32_t m = 0; m < s.members.count; ++m) emit(s, step, m, list);
    std::vector<int32_t> target(static_cast<size_t>(s.members.count), -1);
    std::vector<double> on_chip(static_cast<size_t>(s.members.chips()));
    Shape shape;
    for (const Send& send : list.sends) {
      target[static_cast<size_t>(send.src)] = send.dst;
      shape.sent = std::max(shape.sent, volume(s, send));
      on_chip[static_cast<size_t>(send.src / s.members.per_chip)] += volume(s, send);
    }
    // The chip that sends most is the one to wait for; what it sends, as busy a chip receives.
    shape.dma = *std::ranges::max_element(on_chip) * z.groups;
    shape.memory = 2 * shape.dma;
    if (place != nullptr) {
      const auto to = [&](int32_t m) { return target[static_cast<size_t>(m)]; };
      shape.link = pattern_load(*place->graph, place->groups, to);
      shape.link_bytes = shape.sent;
    }
    shape.apart = int64_t{1} << std::min(step, 30);
    shapes.push_back(shape);
  }
  return shapes;
}

// A broadcast in one step: everything leaves the root's chip.
std::vector<Shape> mesh_broadcast_shapes(const Sizes& z, const LevelPlace* place) {
  const double bytes = (z.n - 1) * z.n;
  Shape shape{.sent = bytes, .memory = z.groups * bytes, .dma = z.groups * bytes, .mixed = true};
  if (place == nullptr) return {shape};
  const std::vector<int32_t>& chips = place->groups.front().chips;
  std::vector<double> load(place->graph->links.size());
  for (const int32_t to : chips) {
    const Hops path = hops(*place->graph, chips.front(), to);
    if (path.chips + path.switches > shape.link.hops.chips + shape.link.hops.switches) {
      shape.link.hops = path;
    }
    route(*place->graph, chips.front(), to,
          [&](int32_t link) { load[static_cast<size_t>(link)] += z.q * z.groups; });
  }
  for (size_t i = 0; i < load.size(); ++i) {
    const double ns = load[i] / place->graph->links[i].bytes_per_ns;
    shape.link.ns_per_byte = std::max(shape.link.ns_per_byte, ns);
  }
  shape.link_bytes = z.n;
  return {shape};
}

bool is_routed(const Schedule& s) {
  if (s.op == Op::SendRecv || !s.target.empty()) return true;
  if (s.op == Op::AllToAll) return s.algorithm != Algorithm::Mesh;
  return s.op == Op::Broadcast && s.algorithm == Algorithm::Rdh;
}

// Without a place: every member is a chip of its own, and what a graph would carry goes through
// NICs.
std::vector<Shape> shapes_of(const Stage& stage, const Sizes& z, const LevelPlace* place,
                             const Rates& rate) {
  const Schedule& s = stage.schedule;
  if (is_routed(s)) return routed_shapes(stage, z, place);
  const GraphLoads none{.ring = {},
                        .ring_alone = {},
                        .mesh = {},
                        .rdh = std::vector<PatternLoad>(static_cast<size_t>(s.turns))};
  const GraphLoads& loads = place != nullptr ? place->loads : none;
  switch (s.algorithm) {
    case Algorithm::Ring:
      return ring_shapes(stage, z, s.op == Op::Permute ? loads.ring_alone : loads.ring, rate);
    case Algorithm::KangaRing:
      return kangaring_shapes(stage, z, loads.ring);
    case Algorithm::Mesh:
      if (s.op == Op::Broadcast) return mesh_broadcast_shapes(z, place);
      return mesh_shapes(stage, z, loads.mesh);
    case Algorithm::Rdh:
      return rdh_shapes(stage, z, loads.rdh);
    case Algorithm::SingleStep:
      return single_step_shapes(z, loads.mesh);
  }
  TY_CHECK(false);
}

double congestion(const hw::Knobs::Net& net, Algorithm algorithm, bool network) {
  switch (algorithm) {
    case Algorithm::Ring:
    case Algorithm::KangaRing:
      return network ? net.congestion_ring.value : 1;
    case Algorithm::Mesh:
    case Algorithm::SingleStep:
      return net.congestion_mesh.value;
    case Algorithm::Rdh:
      return net.congestion_rdh.value;
  }
  TY_CHECK(false);
}

bool is_network(const Stage& stage) {
  return stage.where == Stage::Where::Network || stage.where == Stage::Where::Flat;
}

Sizes sizes_of(const Layout& layout, const Stage& stage, int64_t parts) {
  const Members& m = stage.schedule.members;
  const auto share = static_cast<double>(parts);
  const double q = m.per_chip;
  double groups = share;
  if (stage.where == Stage::Where::Domain || stage.where == Stage::Where::Flat) {
    groups = share * layout.groups_per_chip;
  } else if (stage.where == Stage::Where::Network) {
    // Every rank of a chip is a member of some group; a broadcast comes from the roots alone.
    const bool roots = stage.schedule.op == Op::Broadcast;
    groups = share * (roots ? layout.groups_per_chip : layout.ranks_per_chip());
  }
  return {.n = static_cast<double>(m.count),
          .chips = static_cast<double>(m.chips()),
          .q = q,
          .groups = groups,
          .busy = q * groups};
}

// Bytes through the busiest NIC unit for each byte that a member sends.
double behind_unit(const Layout& layout, const Stage& stage, int64_t parts) {
  const auto share = static_cast<double>(parts);
  if (stage.where == Stage::Where::Flat) {
    return share * layout.groups_per_unit / stage.schedule.slices;
  }
  const bool roots = stage.schedule.op == Op::Broadcast || stage.schedule.op == Op::SendRecv;
  return share * (roots ? layout.groups_per_unit : layout.ranks_per_unit);
}

// The spine carries what leaves a leaf of the network at 1/oversubscription of the rate.
double spine_factor(const Layout& layout, const Stage& stage, int64_t nodes_apart) {
  const hw::Knobs::Net& net = layout.cluster.system.knobs.net;
  const auto leaf = static_cast<double>(net.leaf_nodes.value);
  const auto nodes = static_cast<double>(layout.nodes);
  if (nodes <= leaf) return 1;
  double leaving = static_cast<double>(nodes_apart) >= leaf ? 1 : 0;
  if (stage.schedule.algorithm == Algorithm::Ring) leaving = 1 / leaf;
  if (stage.schedule.algorithm == Algorithm::Mesh) leaving = (nodes - leaf) / (nodes - 1);
  return std::max(1.0, leaving * net.oversubscription.value);
}

}  // namespace

Rates rates(const Layout& layout, const Stage& stage) {
  const hw::System& system = layout.cluster.system;
  const hw::Knobs::Net& net = system.knobs.net;
  const double shared = congestion(net, stage.schedule.algorithm, is_network(stage));
  const double efa = layout.busy_units > 1 ? net.eff_efa_all.value : net.eff_efa_one.value;
  Rates r{.hbm = system.accelerator.hbm_bytes_per_ns.value * net.eff_hbm.value,
          .dma = system.accelerator.dma_bytes_per_ns.value,
          .link_share = net.eff_link.value * (stage.where == Stage::Where::Flat ? 1 : shared),
          .efa_unit = 1};
  if (layout.nic_units > 0) r.efa_unit = layout.unit_bytes_per_ns() * efa * shared;
  return r;
}

double local_latency_us(const Layout& layout, const Hops& path) {
  const hw::Knobs::Net& net = layout.cluster.system.knobs.net;
  return net.alpha_local_us.value + path.chips * net.route_hop_us.value +
         path.switches * net.switch_hop_us.value;
}

double network_latency_us(const Layout& layout, int64_t nodes_apart) {
  const hw::Knobs::Net& net = layout.cluster.system.knobs.net;
  const int64_t leaf = net.leaf_nodes.value;
  const bool leaves = layout.nodes > leaf && nodes_apart >= leaf;
  return net.alpha_net_us.value + (leaves ? net.spine_us.value : 0);
}

std::vector<StepCost> step_costs(const Layout& layout, const Stage& stage, int64_t parts) {
  const auto local = static_cast<int64_t>(layout.groups.front().size());
  const bool neighbours = stage.schedule.op == Op::SendRecv && local > 1;  // in one domain
  const bool network = is_network(stage) && layout.nodes > 1 && !neighbours;
  // Inside a domain a flat ring uses the same links as the ring of the domain.
  const bool graph = stage.where != Stage::Where::Network && !layout.places.empty();
  const LevelPlace* place =
      graph ? &layout.places[static_cast<size_t>(std::max(0, stage.level.place))] : nullptr;
  const Rates rate = rates(layout, stage);
  std::vector<StepCost> costs;
  for (const Shape& shape : shapes_of(stage, sizes_of(layout, stage, parts), place, rate)) {
    const bool far = network && !shape.local;
    const int64_t nodes_apart = stage.schedule.algorithm == Algorithm::Rdh
                                    ? shape.apart * stage.level.stride / local
                                    : layout.nodes;
    StepCost cost{.repeat = shape.repeat,
                  .latency_us = far ? network_latency_us(layout, nodes_apart)
                                    : local_latency_us(layout, shape.link.hops),
                  .link = shape.link.ns_per_byte * shape.link_bytes / rate.link_share,
                  .hbm = shape.memory / rate.hbm,
                  .dma = shape.dma / rate.dma};
    if (shape.no_latency) cost.latency_us = 0;
    if (shape.mixed && !far) {
      cost.hidden_us = cost.latency_us - local_latency_us(layout, {});
      cost.latency_us -= cost.hidden_us;
    }
    if (far) {
      cost.efa = shape.sent * behind_unit(layout, stage, parts) / rate.efa_unit *
                 spine_factor(layout, stage, nodes_apart);
    }
    costs.push_back(cost);
  }
  return costs;
}

}  // namespace trainyard::cluster
