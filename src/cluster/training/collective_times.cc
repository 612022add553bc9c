#include "cluster/training/collective_times.h"

#include <algorithm>
#include <cmath>

namespace trainyard::cluster {
namespace {

// Share of a chip's torus links that a group of `chips` neighbours can use: a pair has one link of
// four, a row of four a ring of two, eight chips two rings joined.
double torus_share(int64_t chips) {
  if (chips <= 2) return 0.25;
  if (chips <= 4) return 0.5;
  if (chips <= 8) return 0.75;
  return 1;
}

}  // namespace

LinkModel link_model(const hw::System& system, int64_t lnc, int64_t chips_per_domain) {
  const hw::InstanceSpec& i = system.instance;
  LinkModel l;
  l.ranks_per_chip = system.accelerator.cores.value / lnc;
  l.chips_per_node = chips_per_domain;
  l.torus = i.shape == hw::Shape::Torus;
  const double per_link = 1e9 * i.link_bytes_per_ns.value;
  l.chip_bytes_per_s = per_link;
  if (i.shape == hw::Shape::Torus) {
    const double far = i.torus_z.value > 1 ? 2e9 * i.link_far_bytes_per_ns.value : 0;
    l.chip_bytes_per_s = 4 * per_link + far;
  } else if (i.shape == hw::Shape::Ring || i.shape == hw::Shape::Chain) {
    l.chip_bytes_per_s = 2 * per_link;
  } else if (i.shape == hw::Shape::FullMesh) {
    l.chip_bytes_per_s = per_link * static_cast<double>(i.chips.value - 1);
  } else if (i.shape == hw::Shape::Sleds) {
    l.chip_bytes_per_s = 1e9 * (i.link_sled_bytes_per_ns.value + i.link_group_bytes_per_ns.value);
  }
  // A copy inside a chip reads and writes device memory.
  l.inside_bytes_per_s = 0.5e9 * std::min(system.accelerator.dma_bytes_per_ns.value,
                                          system.accelerator.hbm_bytes_per_ns.value);
  l.node_bytes_per_s = 1e9 * i.network_bytes_per_ns() * static_cast<double>(chips_per_domain) /
                       static_cast<double>(i.chips.value);
  l.staged = system.device.has_value();
  l.alpha_local = 1e-6 * system.knobs.net.alpha_local_us.value;
  l.alpha_network = 1e-6 * system.knobs.net.alpha_net_us.value;
  return l;
}

CollectiveCost LinkCollectives::time(Op op, double bytes, const RankGroup& group) const {
  CollectiveCost cost;
  if (group.size <= 1 || bytes <= 0) return cost;
  const LinkModel& l = links_;
  const int64_t node_ranks = l.ranks_per_chip * l.chips_per_node;
  const int64_t fit = std::max<int64_t>(1, node_ranks / group.stride);
  const int64_t local = std::min(group.size, fit);
  const int64_t nodes = (group.size + local - 1) / local;
  const double rounds = op == Op::AllReduce ? 2 : 1;
  const double share = op == Op::SendRecv || op == Op::Permute || op == Op::Broadcast
                           ? 1
                           : 1 - 1 / static_cast<double>(group.size);
  if (local > 1) {
    const int64_t chips = std::max<int64_t>(1, (local * group.stride) / l.ranks_per_chip);
    // Groups whose ranks lie on the same chips share its links.
    const double sharing = static_cast<double>(std::min(group.stride, l.ranks_per_chip));
    const double rate = chips == 1 ? l.inside_bytes_per_s
                        : l.torus  ? l.chip_bytes_per_s * torus_share(chips)
                                   : l.chip_bytes_per_s;
    // An all-to-all moves only 1/size of the buffer to each peer, but over the mean distance.
    const double work = op == Op::AllToAll && l.torus ? 0.5 : 1;
    cost.transfer += rounds * share * work * bytes * sharing / rate;
    cost.latency += rounds * l.alpha_local * static_cast<double>(std::max<int64_t>(local / 2, 1));
  }
  if (nodes > 1) {
    const double siblings = static_cast<double>(node_ranks) / static_cast<double>(local);
    const double far = op == Op::SendRecv || op == Op::Permute || op == Op::Broadcast
                           ? 1
                           : 1 - 1 / static_cast<double>(nodes);
    const double network = rounds * far * bytes * siblings / l.node_bytes_per_s;
    cost.latency += rounds * l.alpha_network * std::ceil(std::log2(static_cast<double>(nodes)));
    cost.network = network > cost.transfer;
    // Neuron runs the levels one after the other; elsewhere large buffers go through in pieces.
    cost.transfer = l.staged ? cost.transfer + network : std::max(cost.transfer, network);
  }
  return cost;
}

}  // namespace trainyard::cluster
