#pragma once
// Kernels on one rank of a Trainium: matrix products by shape on the array, element-wise work on
// the vector and scalar engines, bytes through the DMA engines. [cluster 12.2, neuroncore 3]
#include "cluster/training/kernel.h"
#include "cluster/training/knobs.h"
#include "hw/systems/system.h"

namespace trainyard::cluster {

// What one rank (`lnc` physical cores) can do. From the catalogue of chips; no fitted number.
struct NeuronRates {
  double array = 128;                // rows and columns of the tensor engine
  double columns_per_s = 0;          // moving columns, 16-bit, all cores of the rank
  double passes_fp32 = 4;            // passes of an fp32 product
  double fp8_speed = 1;              // columns per pass in fp8 double-row mode
  double narrow = 64;                // a moving tile costs at least this many columns
  double moving = 512;               // columns of a full moving tile
  double vector_elements_per_s = 0;  // 16-bit binary operations, all lanes and cores
  double scalar_elements_per_s = 0;
  double evacuate_elements_per_s = 0;  // from PSUM, vector and scalar engines together
  double dma_bytes_per_s = 0;          // never more than the rank's share of the memory
  double sbuf_bytes = 0;
  Knob tensor = Knob::NeuronTensor;  // share of the ideal rate that compiled products reach
  double head_overhead = 45e-6;      // of one head's flash attention, at the clocks of Trainium2
};

NeuronRates neuron_rates(const hw::System& system, int64_t lnc);

// Bytes that a product moves when its operands come from memory and the result goes back, with
// `capacity` bytes of on-chip memory for the block that stays.
double gemm_traffic(const Kernel& gemm, double capacity);

class NeuronTimer final : public KernelTimer {
 public:
  NeuronTimer(const NeuronRates& rates, const Calibration& calibration, double stack_factor)
      : rates_(rates), knobs_(calibration), stack_factor_(stack_factor) {}

  KernelTime time(const Kernel& kernel) const override;

 private:
  KernelTime gemm(const Kernel& kernel) const;
  KernelTime attention(const Kernel& kernel) const;
  KernelTime flash(const Kernel& kernel) const;
  KernelTime pass(const Kernel& kernel) const;
  double memory_rate() const { return rates_.dma_bytes_per_s * knobs_[Knob::NeuronDma]; }
  KernelTime combine(KernelTime parts) const;

  NeuronRates rates_;
  Calibration knobs_;
  double stack_factor_;
};

}  // namespace trainyard::cluster
