#include "cluster/training/step.h"

#include <algorithm>
#include <cmath>

#include "cluster/training/neuron_timer.h"
#include "cluster/training/peer_timer.h"
#include "cluster/training/step_traffic.h"

namespace trainyard::cluster {
namespace {

double stack_factor(const Software& s, const Calibration& knobs) {
  constexpr std::array<Knob, 14> kFactors = {
      Knob::StackNeuronTorch,    Knob::StackNeuronNemo, Knob::StackNeuronNxd,
      Knob::StackNeuronMegatron, Knob::StackNeuronJax,  Knob::StackMegatron2021,
      Knob::StackMegatron,       Knob::StackComposer,   Knob::StackTorchtitan,
      Knob::StackJaxGpu,         Knob::StackAxlearnGpu, Knob::StackMaxText,
      Knob::StackAxlearn,        Knob::StackNgc};
  const auto index = static_cast<size_t>(s.stack);
  const double factor = index < kFactors.size() ? knobs[kFactors[index]] : 1;
  const bool first_sdk = s.neuron() && s.sdk > 0 && s.sdk < 6;
  return factor * (first_sdk ? knobs[Knob::NeuronEra2022] : 1);
}

// The slowest of many ranks, whose times deviate by `sigma`, against the mean. What the default of
// the catalogue brings is in the calibrated rates already, so only a change of it counts.
double straggler_factor(const Workload& work, double ranks) {
  const double spread = std::sqrt(2 * std::log(std::max(ranks, 1.0)));
  const double usual = hw::default_knobs().run.compute_sigma.value;
  return (1 + spread * work.system.knobs.run.compute_sigma.value) / (1 + spread * usual);
}

Shard shard_of(const Layout& l, const Batch& b, const Workload& w) {
  return {.sequences = static_cast<double>(b.micro),
          .sequence = static_cast<double>(b.sequence),
          .tp = static_cast<double>(l.tp),
          .cp = static_cast<double>(l.cp),
          .ep = static_cast<double>(l.ep),
          .sequence_parallel = l.sequence_parallel,
          .flash = has_flash_attention(w.software),
          .fused = has_fused_softmax(w.software),
          .accumulates = micro_batches(l, b) > 1,
          .precision = w.precision};
}

// Seconds of the kernels of one micro batch.
struct LayerTimes {
  double forward = 0, backward = 0, recompute = 0;
};

double sum(const KernelList& list, const KernelTimer& timer) {
  double total = 0;
  for (const Kernel& kernel : list) total += timer.time(kernel).total;
  return total;
}

// What the backward pass computes again, as far as the attention kernel does not already.
double recompute_time(const KernelList& forward, double all, const Layout& l,
                      const KernelTimer& timer, double partial) {
  if (l.recompute == Recompute::Full) return all;
  if (l.recompute == Recompute::Partial) return partial * all;
  if (l.recompute == Recompute::None) return 0;
  for (const Kernel& kernel : forward) {
    if (kernel.kind == KernelKind::Attention && !kernel.flash) return timer.time(kernel).total;
  }
  return 0;
}

}  // namespace

std::string_view step_part(int part) {
  constexpr std::array<std::string_view, kStepParts> kNames = {
      "compute", "recompute", "tensor parallel", "context parallel", "expert parallel",
      "fsdp",    "pipeline",  "bubble",          "data parallel",    "optimizer",
      "host"};
  return kNames[static_cast<size_t>(part)];
}

std::array<double, kStepParts> by_part(const StepParts& p) {
  return {p.compute,  p.recompute, p.tensor, p.context,   p.expert, p.fsdp,
          p.pipeline, p.bubble,    p.data,   p.optimizer, p.host};
}

struct StepModel::Parts {
  Workload work;
  Calibration knobs;
  double ranks_per_chip = 1;
  std::unique_ptr<const KernelTimer> timer;
  std::unique_ptr<const StepTraffic> traffic;

  Parts(const Workload& w, const Calibration& c) : work(w), knobs(c) {
    const bool neuron = work.software.neuron();
    if (work.lnc == 0) work.lnc = work.system.accelerator.lnc_default.value;
    if (work.chips_per_domain == 0) {
      work.chips_per_domain = std::min(work.chips, work.system.instance.chips.value);
    }
    ranks_per_chip = static_cast<double>(work.system.accelerator.cores.value / work.lnc);
    const double factor = stack_factor(work.software, knobs) *
                          straggler_factor(work, ranks_per_chip * static_cast<double>(work.chips));
    if (neuron) {
      timer = std::make_unique<NeuronTimer>(neuron_rates(work.system, work.lnc), knobs, factor);
    } else {
      timer = std::make_unique<PeerTimer>(peer_rates(work.system, work.software), knobs, factor);
    }
    if (work.collectives == nullptr) work.collectives = default_collectives(work);
    traffic = std::make_unique<StepTraffic>(work, knobs);
  }

  LayerTimes layer(const Layer& layer, const Shard& shard, const Layout& l) const {
    const KernelList forward = forward_kernels(layer, shard);
    LayerTimes t;
    t.forward = sum(forward, *timer);
    t.backward = sum(backward_kernels(layer, shard), *timer);
    t.recompute = recompute_time(forward, t.forward, l, *timer, knobs[Knob::PartialRecompute]);
    return t;
  }

  // Compute and collectives of one micro batch on all layers of a stage.
  StepParts stage_slot(const Layout& l, const Batch& b, const Shard& shard) const {
    StepParts slot;
    for (const Layer& each : work.model.layers) {
      const double n = static_cast<double>(count(each));
      const LayerTimes t = layer(each, shard, l);
      const LayerTraffic c = traffic->layer(each, l, b, t.forward, t.backward + t.recompute);
      slot.compute += n * (t.forward + t.backward);
      slot.recompute += n * t.recompute;
      slot.tensor += n * c.tensor;
      slot.context += n * c.context;
      slot.expert += n * c.expert;
      slot.fsdp += n * c.fsdp;
    }
    const double all = static_cast<double>(layer_count(work.model));
    const double share = std::ceil(all / static_cast<double>(l.pp)) / all;
    slot.compute *= share;
    slot.recompute *= share;
    slot.tensor *= share;
    slot.context *= share;
    slot.expert *= share;
    slot.fsdp *= share;
    return slot;
  }

  double peak() const {
    const hw::AcceleratorSpec& a = work.system.accelerator;
    double tflops = a.tflops_bf16.value;
    if (work.precision.compute == Compute::Fp8 && a.tflops_fp8.value > 0) {
      tflops = a.tflops_fp8.value;
    }
    if (work.precision.compute == Compute::Fp32 && a.tflops_fp32.value > 0) {
      tflops = a.tflops_fp32.value;
    }
    if (work.precision.compute == Compute::Tf32 && !work.software.neuron()) tflops /= 2;
    return 1e12 * tflops * static_cast<double>(work.chips);
  }
};

std::shared_ptr<const CollectiveTimes> default_collectives(const Workload& work) {
  const int64_t lnc = work.lnc > 0 ? work.lnc : work.system.accelerator.lnc_default.value;
  const int64_t chips = work.system.instance.chips.value;
  if (work.software.neuron() && work.chips % chips == 0) {
    if (Result<Cluster> cluster = make_cluster(work.system, work.chips / chips, lnc); cluster) {
      return std::make_shared<NetCollectives>(*cluster, NetCollectives::Grain::ClosedForm);
    }
  }
  const int64_t domain =
      work.chips_per_domain > 0 ? work.chips_per_domain : std::min(work.chips, chips);
  return std::make_shared<LinkCollectives>(link_model(work.system, lnc, domain));
}

StepModel::StepModel(const Workload& workload, const Calibration& calibration)
    : parts_(std::make_unique<const Parts>(workload, calibration)) {}
StepModel::~StepModel() = default;
StepModel::StepModel(StepModel&&) noexcept = default;

Step StepModel::evaluate(const Layout& l, const Batch& b) const {
  const Parts& p = *parts_;
  const Shard shard = shard_of(l, b, p.work);
  const double m = static_cast<double>(micro_batches(l, b));
  const StepParts slot = p.stage_slot(l, b, shard);
  const double head = sum(head_forward_kernels(p.work.model, shard), *p.timer) +
                      sum(head_backward_kernels(p.work.model, shard), *p.timer);
  const double embedding = sum(embedding_kernels(p.work.model, shard), *p.timer);
  const double ends = l.pp == 1 ? head + embedding : std::max(head, embedding);
  const double boundary = p.traffic->boundary(l, b), slot_host = p.traffic->slot_host(l);
  const double body = slot.total();

  Step step;
  step.micro_batches = micro_batches(l, b);
  step.slot = body + ends + boundary + slot_host;
  StepParts& t = step.parts;
  t.compute = m * (slot.compute + ends);
  t.recompute = m * slot.recompute;
  t.tensor = m * slot.tensor;
  t.context = m * slot.context;
  t.expert = m * slot.expert;
  t.fsdp = m * slot.fsdp;
  t.pipeline = m * boundary;
  // The other stages fill and drain; they have no head.
  t.bubble =
      static_cast<double>(l.pp - 1) / static_cast<double>(l.vpp) * (body + boundary + slot_host);
  const RankWeights weights = stage_weights(p.work.model, l, l.pp - 1);
  t.data = p.traffic->data_parallel(l, weights, slot.compute * 2 / 3);
  const double owned = l.sharding == Sharding::None ? 1 : static_cast<double>(l.shards());
  t.optimizer =
      p.timer->time(optimizer_kernel(weights.total() / owned, p.work.precision, p.work.optimizer))
          .total;
  t.host = p.traffic->host() + m * slot_host;
  step.total = t.total();

  const double sequences = static_cast<double>(b.global);
  const int64_t tokens = p.work.model.fixed_sequence > 0 ? p.work.model.fixed_sequence : b.sequence;
  step.tokens_per_s = sequences * static_cast<double>(tokens) / step.total;
  step.mfu = sequences * model_flops(p.work.model, b.sequence) / (step.total * p.peak());
  step.hfu = step.mfu * (1 + slot.recompute / std::max(slot.compute, 1e-30));
  const MemoryRules rules = memory_rules();
  step.memory = memory({p.work.model, l, b, p.work.precision, p.work.optimizer, rules});
  step.fits = fits(step.memory, rules);
  return step;
}

Result<Step> StepModel::step(const Layout& layout, const Batch& batch) const {
  TY_TRY(check_layout(parts_->work.model, layout, batch, limits()));
  const Step step = evaluate(layout, batch);
  TY_TRY(check_memory(step.memory, memory_rules()));
  return step;
}

PipelineShape StepModel::pipeline(const Layout& l, const Batch& b) const {
  const Parts& p = *parts_;
  const Shard shard = shard_of(l, b, p.work);
  double forward = 0, all = 0;
  for (const Layer& each : p.work.model.layers) {
    const LayerTimes t = p.layer(each, shard, l);
    forward += static_cast<double>(count(each)) * t.forward;
    all += static_cast<double>(count(each)) * (t.forward + t.backward);
  }
  const double body = p.stage_slot(l, b, shard).total() + p.traffic->slot_host(l);
  // Collectives and the host's work fall to forward and backward as the kernels do.
  const double share = forward / all;
  const auto chunks = static_cast<double>(l.vpp);
  return {.stages = l.pp,
          .chunks = l.vpp,
          .micro_batches = micro_batches(l, b),
          .forward = body * share / chunks,
          .backward = body * (1 - share) / chunks,
          .head_forward = sum(head_forward_kernels(p.work.model, shard), *p.timer),
          .head_backward = sum(head_backward_kernels(p.work.model, shard), *p.timer),
          .boundary = p.traffic->boundary(l, b) / 2 / chunks};
}

std::vector<LayerLine> StepModel::layer_lines(const Layout& l, const Batch& b) const {
  const Parts& p = *parts_;
  const Shard shard = shard_of(l, b, p.work);
  const double m = static_cast<double>(micro_batches(l, b));
  std::vector<LayerLine> lines;
  const auto add = [&](std::string_view layer, const KernelList& list, double times) {
    for (const Kernel& k : list) {
      lines.push_back({std::string(layer), std::string(k.name), times, k, p.timer->time(k)});
    }
  };
  const double all = static_cast<double>(layer_count(p.work.model));
  const double share = std::ceil(all / static_cast<double>(l.pp)) / all;
  for (const Layer& layer : p.work.model.layers) {
    const double times = m * share * static_cast<double>(count(layer));
    add(name(layer), forward_kernels(layer, shard), times);
    add(name(layer), backward_kernels(layer, shard), times);
  }
  add("embedding", embedding_kernels(p.work.model, shard), m);
  add("head", head_forward_kernels(p.work.model, shard), m);
  add("head", head_backward_kernels(p.work.model, shard), m);
  return lines;
}

MemoryRules StepModel::memory_rules() const {
  const Parts& p = *parts_;
  const hw::Knobs& knobs = p.work.system.knobs;
  const double hbm = p.work.hbm_bytes > 0
                         ? p.work.hbm_bytes
                         : static_cast<double>(p.work.system.accelerator.hbm_bytes.value);
  return {.hbm = hbm / p.ranks_per_chip,
          .usable = knobs.run.usable_hbm.value,
          .runtime = static_cast<double>(knobs.run.runtime_reserve_bytes.value),
          .bucket = 1.024e9,
          .flash = has_flash_attention(p.work.software)};
}

RankLimits StepModel::limits() const {
  const Parts& p = *parts_;
  const auto per_chip = static_cast<int64_t>(p.ranks_per_chip);
  return {.ranks = p.work.chips * per_chip,
          .domain_ranks = p.work.chips_per_domain * per_chip,
          .neuron = p.work.software.neuron()};
}

double StepModel::peak_flops() const { return parts_->peak(); }
const Workload& StepModel::workload() const { return parts_->work; }

}  // namespace trainyard::cluster
