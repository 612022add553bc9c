#include "cluster/training/peer_timer.h"

#include <algorithm>
#include <cmath>

namespace trainyard::cluster {
namespace {

struct PeerKind {
  std::string_view accelerator;
  double multiprocessors;  // as the maker lists them; 0: a systolic array, no waves
  Knob gemm, gemm_fp8, attention, attention_new;
};

constexpr PeerKind kKinds[] = {
    {"a100-40", 108, Knob::GemmA100, Knob::GemmA100, Knob::AttentionA100, Knob::AttentionA100},
    {"a100-80", 108, Knob::GemmA100, Knob::GemmA100, Knob::AttentionA100, Knob::AttentionA100},
    {"h100", 132, Knob::GemmH100, Knob::GemmH100Fp8, Knob::AttentionH100, Knob::AttentionH100New},
    {"h200", 132, Knob::GemmH100, Knob::GemmH100Fp8, Knob::AttentionH100, Knob::AttentionH100New},
    {"b200", 148, Knob::GemmBlackwell, Knob::GemmBlackwellFp8, Knob::AttentionH100New,
     Knob::AttentionH100New},
    {"b300", 148, Knob::GemmBlackwell, Knob::GemmBlackwellFp8, Knob::AttentionH100New,
     Knob::AttentionH100New},
    {"tpu-v4", 0, Knob::GemmTpuV5e, Knob::GemmTpuV5e, Knob::AttentionTpu, Knob::AttentionTpu},
    {"tpu-v5e", 0, Knob::GemmTpuV5e, Knob::GemmTpuV5e, Knob::AttentionTpu, Knob::AttentionTpu},
    {"tpu-v5p", 0, Knob::GemmTpuV5p, Knob::GemmTpuV5p, Knob::AttentionTpu, Knob::AttentionTpu},
    {"tpu-v6e", 0, Knob::GemmTpuV6e, Knob::GemmTpuV6e, Knob::AttentionTpu, Knob::AttentionTpu},
    {"tpu7x", 0, Knob::GemmTpu7x, Knob::GemmTpu7xFp8, Knob::AttentionTpu, Knob::AttentionTpu},
};

// Flash attention's backward pass against its forward pass, per FLOP.
constexpr double kBackwardLoss = 1.25;

// Share of the multiprocessors that the last wave of 128 x 256 tiles leaves busy, on average.
double wave_share(double m, double n, double count, double multiprocessors) {
  if (multiprocessors == 0) return 1;
  const double waves = std::ceil(m / 128) * std::ceil(n / 256) * count / multiprocessors;
  const double padding = m / (128 * std::ceil(m / 128)) * n / (256 * std::ceil(n / 256));
  return padding * waves / std::ceil(waves);
}

}  // namespace

PeerRates peer_rates(const hw::System& system, const Software& software) {
  const hw::AcceleratorSpec& a = system.accelerator;
  PeerRates r;
  r.flops_half = 1e12 * a.tflops_bf16.value;
  r.flops_fp8 = a.tflops_fp8.value > 0 ? 1e12 * a.tflops_fp8.value : r.flops_half;
  r.flops_tf32 = r.flops_half / 2;
  r.flops_fp32 = a.tflops_fp32.value > 0 ? 1e12 * a.tflops_fp32.value : r.flops_half / 16;
  r.memory_bytes_per_s = 1e9 * a.hbm_bytes_per_ns.value;
  r.tpu = a.name.starts_with("tpu");
  const auto* kind =
      std::ranges::find_if(kKinds, [&](const PeerKind& k) { return k.accelerator == a.name; });
  if (kind == std::end(kKinds)) return r;
  r.multiprocessors = kind->multiprocessors;
  r.gemm = kind->gemm;
  r.gemm_fp8 = kind->gemm_fp8;
  r.attention = has_new_gpu_attention(software) ? kind->attention_new : kind->attention;
  return r;
}

double PeerTimer::flops(Compute compute) const {
  switch (compute) {
    case Compute::Fp32:
      return rates_.flops_fp32;
    case Compute::Tf32:
      return rates_.flops_tf32;
    case Compute::Half:
      return rates_.flops_half;
    case Compute::Fp8:
      return rates_.flops_fp8;
  }
  return rates_.flops_half;
}

KernelTime PeerTimer::gemm(const Kernel& g) const {
  const double share = knobs_[g.compute == Compute::Fp8 ? rates_.gemm_fp8 : rates_.gemm];
  const double wave =
      std::pow(wave_share(g.m, g.n, g.count, rates_.multiprocessors), knobs_[Knob::GpuWave]);
  const double depth = g.k / (g.k + knobs_[Knob::PeerDepth]);
  KernelTime t;
  t.tensor = 2 * g.m * g.k * g.n * g.count / (flops(g.compute) * share * wave * depth);
  t.memory = g.count * (g.m * g.k * g.in_bytes + g.k * g.n * g.in_bytes + g.m * g.n * g.out_bytes) /
             (rates_.memory_bytes_per_s * knobs_[Knob::PeerHbm]);
  t.total = std::max(t.tensor, t.memory);
  t.limit = t.tensor >= t.memory ? Limit::Tensor : Limit::Memory;
  return t.scaled(stack_factor_);
}

KernelTime PeerTimer::attention(const Kernel& a) const {
  // Without a flash kernel every score goes through memory three times each way.
  const double scores = a.heads * a.queries * a.keys;
  // Backward: five products instead of two, at a lower rate.
  const double products = 2 * 2 * scores * a.head_dim * (a.backward ? 2.5 * kBackwardLoss : 1);
  KernelTime t;
  if (a.flash) {
    t.tensor = products * a.visible / (rates_.flops_half * knobs_[rates_.attention]);
  } else {
    t.tensor = products * (a.backward ? 0.8 / kBackwardLoss : 1) /
               (rates_.flops_half * knobs_[rates_.gemm] * 0.6);
    t.memory = 2 * 6 * scores * (a.backward ? 1.5 : 1) /
               (rates_.memory_bytes_per_s * knobs_[Knob::PeerHbm]);
  }
  t.total = t.tensor + t.memory;
  t.limit = t.tensor >= t.memory ? Limit::Tensor : Limit::Memory;
  return t.scaled(stack_factor_);
}

KernelTime PeerTimer::pass(double bytes) const {
  const double factor = knobs_[rates_.tpu ? Knob::TpuPass : Knob::GpuPass];
  KernelTime t;
  t.memory = factor * bytes / (rates_.memory_bytes_per_s * knobs_[Knob::PeerHbm]);
  t.total = t.memory;
  t.limit = Limit::Memory;
  return t.scaled(stack_factor_);
}

KernelTime PeerTimer::time(const Kernel& kernel) const {
  switch (kernel.kind) {
    case KernelKind::Gemm:
      return gemm(kernel);
    case KernelKind::Attention:
      return attention(kernel);
    case KernelKind::Pass:
      return pass(kernel.bytes * kernel.elements * kernel.count);
  }
  return {};
}

}  // namespace trainyard::cluster
