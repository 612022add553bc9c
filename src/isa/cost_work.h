#pragma once
// Useful work of an instruction, for utilisation and reports. Not a cost: it knows no machine time.
#include <cstdint>

#include "hw/core_spec.h"
#include "isa/program.h"

namespace trainyard::isa {

struct Work {
  int64_t macs = 0;      // products of a matmul; a transpose has none
  int64_t flops = 0;     // 2 per mac, 1 per ALU operator or function and element
  int64_t elements = 0;  // elements written, or read where more are read (reductions)
  int64_t bytes = 0;     // moved by DMA, the larger side
  // Matmul flops in bf16 equivalents, as the vendor's utilisation figures count them
  // [neuron-explorer].
  double bf16_flops = 0;

  Work& operator+=(const Work& o);
  friend bool operator==(const Work&, const Work&) = default;
};

Work work(const Program& program, const Inst& inst, const hw::CoreSpec& core);

}  // namespace trainyard::isa
