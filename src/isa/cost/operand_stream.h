#pragma once
// What a cost formula needs to know about one operand. Internal to isa/cost/.
#include "isa/program.h"

namespace trainyard::isa {

struct OperandStream {
  Memory memory = Memory::Sbuf;
  Dtype dtype = Dtype::F32;
  int64_t elements = 0;    // per partition
  int64_t step_bytes = 0;  // distance of neighbours along the fastest dim that has any
  bool contiguous = true;  // neighbours along that dim touch

  bool psum() const { return memory == Memory::Psum; }
  bool is16() const { return dtype == Dtype::BF16 || dtype == Dtype::F16; }
  bool is8() const { return numerics::size_of(dtype) == 1 && numerics::is_float(dtype); }
};

OperandStream stream_of(const Program& program, const Access& access);

}  // namespace trainyard::isa
