#pragma once
// Element-wise instructions of Vector, Scalar and GpSimd on views. All operands of a call have the
// same rows and counts, unless they are columns. [neuroncore 6.3]
#include "sim/execute/tile/alu.h"
#include "sim/execute/tile/context.h"

namespace trainyard::sim {

// ---- fp32: read as fp32, each operator rounds once, the result is cast to dst's type

// dst = a op b
void tensor_tensor(const AluStage& stage, const View& dst, const View& a, const View& b,
                   ExecContext& context);

// dst = (a first c0) second c1
void tensor_scalar(const TwoStages& stages, const View& dst, const View& a, const Column& c0,
                   const Column& c1, ExecContext& context);

// dst = (a first c0) second b
void scalar_tensor_tensor(const TwoStages& stages, const View& dst, const View& a, const Column& c0,
                          const View& b, ExecContext& context);

// dst = 1 / a
void reciprocal(const View& dst, const View& a, ExecContext& context);

// dst = cast(a); the bits where the types are equal.
void tensor_copy(const View& dst, const View& a, ExecContext& context);

// dst = where != 0 ? yes : no. A `yes` or `no` tile of dst's type is copied as bits.
struct SelectFalse {
  Column column;  // used if `tile` has no pattern
  View tile;
};
void select(const View& dst, const View& where, const View& yes, const SelectFalse& no,
            ExecContext& context);

// ---- exact 32-bit integers and bit patterns

// dst = a op b on 32-bit integers, wrapping; comparisons and max, min see the types' signs.
void tensor_tensor_exact(const AluStage& stage, const View& dst, const View& a, const View& b,
                         ExecContext& context);
void tensor_scalar_exact(const TwoStages& stages, const View& dst, const View& a,
                         const IntegerColumn& c0, const IntegerColumn& c1, ExecContext& context);

// dst = a op b on bit patterns. A shift by the width or more gives 0.
void tensor_tensor_bits(const AluStage& stage, const View& dst, const View& a, const View& b,
                        ExecContext& context);
void tensor_scalar_bits(const TwoStages& stages, const View& dst, const View& a,
                        const IntegerColumn& c0, const IntegerColumn& c1, ExecContext& context);

// dst = a where (predicate != 0) != reverse, else unchanged. Equal types, as bits.
void copy_predicated(const View& dst, const View& predicate, const View& a, bool reverse,
                     ExecContext& context);

// Every element of dst = the low bytes of `word`.
void fill(const View& dst, uint32_t word);

}  // namespace trainyard::sim
