#include "cluster/training/neuron_timer.h"

#include <algorithm>
#include <cmath>

namespace trainyard::cluster {
namespace {

double tiles(double size, double tile) { return std::ceil(size / tile); }

// Moving columns of one product: the smaller side is held in the array tile by tile, the larger
// streams past it.
double columns(const Kernel& g, const NeuronRates& r) {
  const auto stream = [&](double held, double moving) {
    const double full = std::floor(moving / r.moving) * r.moving;
    const double rest = moving - full;
    return tiles(held, r.array) * (full + (rest > 0 ? std::max(rest, r.narrow) : 0));
  };
  const double once = std::min(stream(g.m, g.n), stream(g.n, g.m));
  return tiles(g.k, r.array) * once * g.count;
}

double passes(Compute compute, const NeuronRates& r) {
  switch (compute) {
    case Compute::Fp32:
      return r.passes_fp32;
    case Compute::Fp8:
      return 1 / r.fp8_speed;
    case Compute::Tf32:
    case Compute::Half:
      return 1;
  }
  return 1;
}

}  // namespace

NeuronRates neuron_rates(const hw::System& system, int64_t lnc) {
  const hw::CoreSpec& core = system.device->core;
  const double cores = static_cast<double>(lnc);
  const double lanes = static_cast<double>(core.limits.partitions.value);
  const double vector_hz = static_cast<double>(core.clock.vector_hz.value);
  const double scalar_hz = static_cast<double>(core.clock.scalar_hz.value);
  const double tensor_hz = static_cast<double>(core.clock.tensor_hz.value);
  const double share = cores / static_cast<double>(system.accelerator.cores.value);
  NeuronRates r;
  if (core.pe.throttle.value) r.tensor = Knob::NeuronTensorV3;
  r.array = static_cast<double>(core.pe.rows.value);
  r.columns_per_s = cores * tensor_hz / static_cast<double>(core.pe.passes_16bit.value);
  r.passes_fp32 = static_cast<double>(core.pe.passes_fp32.value);
  r.fp8_speed = std::max<double>(1, static_cast<double>(core.pe.macs_double_row.value));
  r.narrow = static_cast<double>(core.pe.mm_floor.value.value);
  r.moving = static_cast<double>(core.limits.moving_free.value);
  r.vector_elements_per_s = cores * lanes * vector_hz / core.dve.binary_16bit.value;
  r.scalar_elements_per_s = cores * lanes * scalar_hz / core.act.function.value;
  r.evacuate_elements_per_s =
      cores * lanes * (vector_hz / core.dve.unary_psum.value + scalar_hz / core.act.function.value);
  r.dma_bytes_per_s = 1e9 * share *
                      std::min(system.accelerator.dma_bytes_per_ns.value,
                               system.accelerator.hbm_bytes_per_ns.value);
  r.sbuf_bytes = cores * lanes * static_cast<double>(core.sbuf_usable_bytes());
  r.head_overhead *= 2.4e9 / tensor_hz / cores;  // [neuroncore V-AT-5, V-AT-9]
  return r;
}

// Either one operand stays in pieces and the other is read once per piece, or a block of the
// result stays in fp32 and both operands stream past it. A compiler takes the cheapest.
double gemm_traffic(const Kernel& g, double capacity) {
  const double a = g.m * g.k * g.in_bytes, b = g.k * g.n * g.in_bytes;
  const double keep_a = a + b * std::ceil(a / capacity);
  const double keep_b = b + a * std::ceil(b / capacity);
  const double side = std::sqrt(capacity / 4);
  const double rows = std::min(g.m, std::max(side, capacity / 4 / g.n));
  const double cols = std::min(g.n, capacity / 4 / rows);
  const double keep_out = a * std::ceil(g.n / cols) + b * std::ceil(g.m / rows);
  return g.count * (std::min({keep_a, keep_b, keep_out}) + g.m * g.n * g.out_bytes);
}

KernelTime NeuronTimer::combine(KernelTime t) const {
  struct Part {
    double time;
    Limit limit;
  };
  Part longest{t.tensor, Limit::Tensor};
  for (const Part& p : {Part{t.vector, Limit::Vector}, Part{t.scalar, Limit::Scalar},
                        Part{t.memory, Limit::Memory}}) {
    if (p.time > longest.time) longest = p;
  }
  const double sum = t.tensor + t.vector + t.scalar + t.memory;
  t.total = longest.time + knobs_[Knob::NeuronKappa] * (sum - longest.time);
  t.limit = longest.limit;
  return t.scaled(stack_factor_);
}

KernelTime NeuronTimer::gemm(const Kernel& g) const {
  KernelTime t;
  t.tensor =
      columns(g, rates_) * passes(g.compute, rates_) / rates_.columns_per_s / knobs_[rates_.tensor];
  // Vector and scalar engines share the way out of PSUM.
  const double evacuate = g.m * g.n * g.count / rates_.evacuate_elements_per_s;
  t.vector = evacuate;
  t.scalar = evacuate;
  t.memory = gemm_traffic(g, rates_.sbuf_bytes / 2) / memory_rate();
  return combine(t);
}

// Scores without a flash kernel: all of them, masked or not, with their way through memory. The
// array also transposes the probabilities.
KernelTime NeuronTimer::attention(const Kernel& a) const {
  const double scores = a.heads * rates_.array * tiles(a.queries, rates_.array) * a.keys;
  const double depth = tiles(a.head_dim, rates_.array);
  const double twice = a.backward ? 2 : 1;
  KernelTime t;
  t.tensor = (a.backward ? 7 : 3) * depth * scores / rates_.array / rates_.columns_per_s /
             knobs_[rates_.tensor];
  t.vector = (4 + (a.dropout ? 3 : 0)) * twice * scores / rates_.vector_elements_per_s;
  t.scalar = 2 * scores / rates_.scalar_elements_per_s;
  // What does not fit on the chip goes through memory.
  const double spilled = 4 * scores / (4 * scores + rates_.sbuf_bytes);
  const double bytes = a.fused ? 2 : knobs_[Knob::NeuronScore];
  t.memory = bytes * spilled * twice * scores / memory_rate();
  return combine(t);
}

KernelTime NeuronTimer::flash(const Kernel& a) const {
  const double scores = a.heads * a.queries * a.keys * a.visible;
  const double depth = tiles(a.head_dim, rates_.array);
  KernelTime t;
  // Backward: five products instead of two.
  t.tensor = (a.backward ? 2.5 : 1) * 2 * depth * scores / rates_.array / rates_.columns_per_s /
             knobs_[Knob::NeuronFlash];
  t.total = t.tensor + a.heads * rates_.head_overhead * (a.backward ? 2 : 1);
  t.limit = Limit::Tensor;
  return t.scaled(stack_factor_);
}

KernelTime NeuronTimer::pass(const Kernel& p) const {
  KernelTime t;
  t.vector = p.vector * p.elements * p.count / rates_.vector_elements_per_s;
  t.scalar = p.scalar * p.elements * p.count / rates_.scalar_elements_per_s;
  const double bytes = p.bytes * p.elements;
  const double spilled = p.resident ? 1 : bytes / (bytes + rates_.sbuf_bytes);
  t.memory = bytes * p.count * spilled / memory_rate();
  return combine(t);
}

KernelTime NeuronTimer::time(const Kernel& kernel) const {
  switch (kernel.kind) {
    case KernelKind::Gemm:
      return gemm(kernel);
    case KernelKind::Attention:
      return kernel.flash ? flash(kernel) : attention(kernel);
    case KernelKind::Pass:
      return pass(kernel);
  }
  return {};
}

}  // namespace trainyard::cluster
