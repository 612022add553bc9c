#pragma once
// Element-wise operations of GpSimd programs on dense lanes. Everything that computes in a program
// ends here: strips, combiners, comparators. The bits do not depend on how lanes are grouped.
//
// Integers wrap. A float result that is NaN is the positive quiet NaN without payload; neg, abs,
// select and bitcast alone move NaNs bit by bit. min and max take -0 below +0.
#include <cstdint>

#include "isa/gpsimd/program.h"

namespace trainyard::sim::gpsimd {

using isa::gpsimd::Code;
using isa::gpsimd::Type;

inline constexpr int64_t kMostLanes = isa::gpsimd::kMostStrip;

// One operation, without its place in a program.
struct LaneOp {
  Code code = Code::Add;
  Type in = Type::F32;  // of the first value; of select: of the second
  Type out = Type::F32;
  uint64_t bits = 0;  // of a constant
};
LaneOp lane_op(const isa::gpsimd::Function& f, const isa::gpsimd::Op& op);

// out[i] = op(a[i], b[i], c[i]) for i < n <= kMostLanes. Values beyond the arity are ignored. `out`
// equals an input of the same width or overlaps none.
void apply(const LaneOp& op, const void* a, const void* b, const void* c, void* out, int64_t n);

// acc = op(acc, x[i]) in the order of i, for any n. Where `y` is there: y[i] = acc after element i,
// or before it if `exclusive`.
struct Line {
  const void* x = nullptr;
  void* y = nullptr;
  bool exclusive = false;
};
void fold_line(Code code, Type type, void* acc, const Line& line, int64_t n);

// The groups of operations, each in its own file.
void apply_integer(Code code, Type type, const void* a, const void* b, void* out, int64_t n);
void apply_float(Code code, Type type, const void* a, const void* b, void* out, int64_t n);
void apply_fma(Type type, const void* a, const void* b, const void* c, void* out, int64_t n);
void apply_compare(Code code, Type type, const void* a, const void* b, uint8_t* out, int64_t n);
void apply_convert(Type from, Type to, const void* a, void* out, int64_t n);

}  // namespace trainyard::sim::gpsimd
