#pragma once
// Kernels on a GPU or TPU: share of the peak by shape, attention by its own share, element-wise
// work at memory speed. [cluster 12.3]
#include "cluster/training/kernel.h"
#include "cluster/training/knobs.h"
#include "cluster/training/software.h"
#include "hw/systems/system.h"

namespace trainyard::cluster {

struct PeerRates {
  double flops_half = 0, flops_fp8 = 0, flops_tf32 = 0, flops_fp32 = 0;
  double memory_bytes_per_s = 0;
  double multiprocessors = 0;  // 0: no wave quantisation
  bool tpu = false;
  Knob gemm = Knob::GemmOther, gemm_fp8 = Knob::GemmOther, attention = Knob::AttentionH100;
};

PeerRates peer_rates(const hw::System& system, const Software& software);

class PeerTimer final : public KernelTimer {
 public:
  PeerTimer(const PeerRates& rates, const Calibration& calibration, double stack_factor)
      : rates_(rates), knobs_(calibration), stack_factor_(stack_factor) {}

  KernelTime time(const Kernel& kernel) const override;

 private:
  KernelTime gemm(const Kernel& kernel) const;
  KernelTime attention(const Kernel& kernel) const;
  KernelTime pass(double bytes) const;
  double flops(Compute compute) const;

  PeerRates rates_;
  Calibration knobs_;
  double stack_factor_;
};

}  // namespace trainyard::cluster
