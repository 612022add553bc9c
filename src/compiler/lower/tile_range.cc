#include "compiler/lower/tile_range.h"

#include <cmath>

#include "compiler/lower/tile_ops.h"
#include "compiler/lower/views.h"

namespace trainyard::compiler {
namespace {

// Deep enough for the usual denominators: sqrt(v) + epsilon, 1 + exp(-x).
constexpr int kDepth = 8;

// Every element is NaN or at least this.
float least(const Lowering& l, ValueId value, int depth) {
  constexpr float kUnknown = -std::numeric_limits<float>::infinity();
  if (!is_tile_type(l.type(value).element)) return kUnknown;
  if (const Constant* number = splat(l, value)) return number_of(*number);
  const Op* op = l.maker(value);
  if (op == nullptr || depth == 0) return kUnknown;
  const auto in = [&](size_t i) { return least(l, op->operands[i], depth - 1); };
  switch (op->kind) {
    case OpKind::Exponential:
    case OpKind::Sqrt:
    case OpKind::Rsqrt:
    case OpKind::Abs:
    case OpKind::Logistic:
      return 0;
    case OpKind::Multiply:
      if (op->operands[0] == op->operands[1]) return 0;
      return in(0) >= 0 && in(1) >= 0 ? 0 : kUnknown;
    case OpKind::Add:
      return in(0) + in(1);
    case OpKind::Maximum:
      return std::fmax(in(0), in(1));
    case OpKind::Minimum:
      return std::fmin(in(0), in(1));
    case OpKind::Convert:
    case OpKind::BroadcastInDim:
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice:
      return in(0);
    case OpKind::Divide:
      return in(0) >= 0 && in(1) >= 0 ? 0 : kUnknown;
    case OpKind::Reduce: {
      const auto how = simple_reduce(l, *op);
      return how && how->op == isa::AluOp::Add && in(0) >= 0 ? 0 : kUnknown;
    }
    default:
      return kUnknown;
  }
}

}  // namespace

bool is_far_from_zero(const Lowering& lowering, ValueId value) {
  return least(lowering, value, kDepth) >= kSmallestDivisor;
}

}  // namespace trainyard::compiler
