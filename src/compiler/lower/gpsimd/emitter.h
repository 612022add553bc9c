#pragma once
// Element-wise StableHLO as GpSimd operations on strips, or on scalars for combiners.
//
// Floats of 16 bits are computed in fp32 and rounded once an operation (the lanes do that). Floats
// of 8 bits are bytes: they are widened to f32 by integer arithmetic, computed there and rounded
// back. Integers below 8 bits are bytes that wrap after each operation.
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "compiler/lower/gpsimd/call.h"

namespace trainyard::compiler {

// Whether an operation works element by element on types that GpSimd has.
bool is_elementwise(const Function& function, const Op& op);

class Emitter {
 public:
  using Literal = std::pair<gp::Type, uint64_t>;

  // `count` elements a strip, 0 for scalars.
  Emitter(gp::FunctionBuilder& body, int64_t count) : body_(body), count_(count) {}

  // The value of `op`, which is_elementwise, from those of its operands.
  gp::ValueId emit(const Function& function, const Op& op, std::span<const gp::ValueId> in);
  // StableHLO's convert: floats to integers truncate and saturate, NaN is 0.
  gp::ValueId convert(ElementType from, ElementType to, gp::ValueId x);
  // A literal as a strip. The first use makes it where the body stands; `prepare` makes it earlier.
  gp::ValueId constant(gp::Type type, uint64_t bits);
  gp::ValueId integer(gp::Type type, int64_t value);
  gp::ValueId real(gp::Type type, double value);
  void prepare(const std::vector<Literal>& literals);
  const std::vector<Literal>& literals() const { return used_; }

 private:
  gp::ValueId unary(ElementType type, gp::Code code, gp::ValueId a);
  gp::ValueId binary(ElementType type, gp::Code code, gp::ValueId a, gp::ValueId b);
  gp::ValueId arithmetic(ElementType type, OpKind kind, gp::ValueId a, gp::ValueId b);
  gp::ValueId compare(const CompareAttributes& a, ElementType type, gp::ValueId x, gp::ValueId y);
  gp::ValueId integer_power(ElementType type, gp::ValueId base, gp::ValueId exponent);
  // 8-bit floats to f32 and back; others unchanged.
  gp::ValueId widened(ElementType type, gp::ValueId x);
  gp::ValueId narrowed(ElementType type, gp::ValueId x);
  gp::ValueId wrapped(ElementType type, gp::ValueId x);  // integers below 8 bits

  gp::FunctionBuilder& body_;
  int64_t count_;
  std::map<Literal, gp::ValueId> made_;
  std::vector<Literal> used_;
};

}  // namespace trainyard::compiler
