#include "cluster/training/step_traffic.h"

#include <algorithm>
#include <cmath>

#include "cluster/training/step.h"

namespace trainyard::cluster {
namespace {

constexpr double kBf16 = 2;

double tokens(const Block& block, const Layout& l, const Batch& b) {
  const double s = static_cast<double>(block.sequence > 0 ? block.sequence : b.sequence);
  return static_cast<double>(b.micro) * s / static_cast<double>(l.cp);
}

bool overlaps_tensor_parallel(const Software& s) {
  return s.stack == Stack::Megatron || s.stack == Stack::MaxText || s.stack == Stack::Axlearn;
}

}  // namespace

StepTraffic::StepTraffic(const Workload& work, const Calibration& knobs)
    : work_(work),
      knobs_(knobs),
      collectives_(*work.collectives),
      neuron_(work.software.neuron()),
      pipeline_before_data_(work.software.stack == Stack::NeuronNxd) {}

double StepTraffic::seconds(const CollectiveCost& c) const {
  if (c.transfer == 0) return c.latency;
  if (!neuron_) {
    return c.latency + c.transfer / knobs_[c.network ? Knob::PeerNetwork : Knob::PeerScaleUp];
  }
  const double fixed = 1e-6 * knobs_[has_old_runtime(work_.software) ? Knob::NeuronCollectiveOld
                                                                     : Knob::NeuronCollectiveNew];
  return fixed + c.latency +
         c.transfer / knobs_[c.network ? Knob::NeuronNetwork : Knob::NeuronLink];
}

// With sequence parallelism 2 AG + 2 RS forward, the same backward, and 2 AG to gather inputs
// again; else 2 AR each. Full recomputation repeats the forward set.
double StepTraffic::tensor(const Block& block, const Layout& l, const Batch& b) const {
  if (l.tp == 1) return 0;
  const double bytes = kBf16 * tokens(block, l, b) * static_cast<double>(block.hidden);
  const RankGroup group{l.tp, 1};
  const double again = l.recompute == Recompute::Full      ? 1
                       : l.recompute == Recompute::Partial ? knobs_[Knob::PartialRecompute]
                                                           : 0;
  double time = 0;
  if (l.sequence_parallel) {
    const double gather = seconds(collectives_.time(Op::AllGather, bytes, group));
    const double scatter = seconds(collectives_.time(Op::ReduceScatter, bytes, group));
    time = (6 + 2 * again) * gather + (4 + 2 * again) * scatter;
  } else {
    time = (4 + 2 * again) * seconds(collectives_.time(Op::AllReduce, bytes, group));
  }
  time *= block.cross ? 1.5 : 1;
  return overlaps_tensor_parallel(work_.software) ? time * (1 - knobs_[Knob::PeerTpOverlap]) : time;
}

// Keys and values go round the ring while scores are computed; backward carries their gradients
// too.
double StepTraffic::context(const Block& block, const Layout& l, const Batch& b,
                            double window) const {
  if (l.cp == 1) return 0;
  const double kv = std::max(1.0, static_cast<double>(block.kv_heads) / static_cast<double>(l.tp)) *
                    static_cast<double>(block.head_dim);
  const double bytes = 2 * kBf16 * tokens(block, l, b) * kv;
  const double hop = seconds(collectives_.time(Op::Permute, bytes, {l.cp, l.tp}));
  const double ring = 3 * static_cast<double>(l.cp - 1) * hop;
  return neuron_ ? ring : ring - knobs_[Knob::PeerOverlap] * std::min(ring, window);
}

double StepTraffic::expert(const Block& block, const Layout& l, const Batch& b) const {
  if (l.ep == 1 || block.experts == 0) return 0;
  const double width = l.sequence_parallel ? static_cast<double>(l.tp) : 1;
  const double bytes = kBf16 * tokens(block, l, b) * static_cast<double>(block.hidden) *
                       static_cast<double>(block.top_k) / width;
  return 4 * seconds(collectives_.time(Op::AllToAll, bytes, {l.ep, l.tp * l.cp}));
}

double StepTraffic::fsdp(double weights, const Layout& l, double forward, double backward) const {
  // A pipeline keeps gathered weights for all micro batches of a step: see data_parallel.
  if (l.sharding != Sharding::Fsdp || l.shards() == 1 || l.pp > 1) return 0;
  const RankGroup group{l.shards(), l.tp};
  const double gather =
      seconds(collectives_.time(Op::AllGather, work_.precision.weight * weights, group));
  const double scatter =
      seconds(collectives_.time(Op::ReduceScatter, work_.precision.weight * weights, group));
  if (!neuron_) {
    const double traffic = 2 * gather + scatter, compute = forward + backward;
    const double hidden = knobs_[Knob::PeerOverlap] * std::min(traffic, compute);
    return traffic - hidden;
  }
  // What a window of compute leaves of two gathers and one scatter.
  const auto beyond = [&](double ahead, double behind) {
    return std::max(0.0, gather - ahead) + std::max(0.0, gather - behind / 2) +
           std::max(0.0, scatter - behind / 2);
  };
  // On one stream a gather must end before the next tensor-parallel collective, of which a pass
  // over a layer has four; on two streams it has the whole layer.
  const double pieces = l.tp > 1 ? 4 : 1;
  switch (l.overlap) {
    case Overlap::None:
      return 2 * gather + scatter;
    case Overlap::Default:
      // Gathers come early, all scatters after the backward pass. The gathers stand before the
      // tensor-parallel collectives, which then wait for them.
      if (l.tp > 1) return 2 * gather + scatter;
      return std::max(0.0, gather - forward) + std::max(0.0, gather - backward / 2) + scatter;
    case Overlap::Token:
      return beyond(forward / pieces, backward / pieces);
    case Overlap::TokenMultistream:
      return beyond(forward, backward);
  }
  return 0;
}

LayerTraffic StepTraffic::layer(const Layer& layer, const Layout& l, const Batch& b, double forward,
                                double backward) const {
  LayerTraffic t;
  const double weights = rank_weights(layer, l).total();
  if (const auto* block = std::get_if<Block>(&layer)) {
    t.tensor = tensor(*block, l, b);
    t.context = context(*block, l, b, 0.5 * (forward + backward));
    t.expert = expert(*block, l, b);
  }
  t.fsdp = fsdp(weights, l, forward, backward);
  return t;
}

double StepTraffic::boundary(const Layout& l, const Batch& b) const {
  if (l.pp == 1) return 0;
  const double whole = kBf16 * static_cast<double>(b.micro) * static_cast<double>(b.sequence) /
                       static_cast<double>(l.cp) * static_cast<double>(hidden_size(work_.model));
  const double sharded = 1 / static_cast<double>(l.tp);
  const int64_t stride = l.tp * l.cp * (pipeline_before_data_ ? 1 : l.dp);
  double share = l.sequence_parallel ? sharded : 1;
  if (neuron_) share = std::max(sharded, knobs_[Knob::NeuronBoundary]);
  const double once = seconds(collectives_.time(Op::SendRecv, whole * share, {2, stride}));
  const double both = 2 * once * static_cast<double>(l.vpp);
  return neuron_ ? both : both * (1 - knobs_[Knob::PeerOverlap]);
}

double StepTraffic::slot_host(const Layout& l) const {
  const Stack stack = work_.software.stack;
  if (!neuron_ || stack == Stack::NeuronJax) return 0;
  const bool tasks = l.pp > 1 && stack == Stack::NeuronNxd;
  // Each chunk of a stage is a program of its own.
  return 1e-3 * knobs_[tasks ? Knob::NeuronSlotHostNxd : Knob::NeuronSlotHost] *
         static_cast<double>(l.vpp);
}

double StepTraffic::gradients(const Layout& l, double weights, const RankGroup& group,
                              double window) const {
  if (group.size <= 1 || weights <= 0) return 0;
  const double bytes = weights * work_.precision.gradient;
  if (l.sharding == Sharding::Fsdp && l.pp == 1) {
    // Groups that hold the same shard add their gradients.
    const int64_t copies = l.dp * l.cp / l.shards();
    if (copies == 1) return 0;
    const double time = seconds(collectives_.time(
        Op::AllReduce, bytes / static_cast<double>(l.shards()), {copies, l.tp * l.shards()}));
    return neuron_ ? time : std::max(0.0, time - window);
  }
  const double scatter = seconds(collectives_.time(Op::ReduceScatter, bytes, group));
  const double back = l.sharding == Sharding::None ? bytes : weights * work_.precision.weight;
  const double gather = seconds(collectives_.time(Op::AllGather, back, group));
  if (neuron_ || work_.software.stack == Stack::Megatron2021) return scatter + gather;
  return std::max(0.0, scatter - window) + std::max(0.0, gather - window / 2);
}

double StepTraffic::data_parallel(const Layout& l, const RankWeights& weights,
                                  double window) const {
  const int64_t replicas = l.dp * l.cp;
  const int64_t stride = l.tp * (pipeline_before_data_ ? l.pp : 1);
  return gradients(l, weights.common, {replicas, stride}, window) +
         gradients(l, weights.experts, {replicas / l.ep, stride * l.ep}, window);
}

double StepTraffic::host() const {
  return neuron_ ? 1e-6 * work_.system.knobs.run.launch_gap_us.value
                 : 1e-3 * knobs_[Knob::PeerHost];
}

}  // namespace trainyard::cluster
