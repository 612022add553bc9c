#include "compiler/passes/trip_count.h"

#include <algorithm>
#include <limits>

#include "compiler/ir/element_value.h"

namespace trainyard::compiler {
namespace {

using Direction = CompareAttributes::Direction;
using Wide = __int128;

struct Scalar {
  const Module& module;
  const Function& function;

  const Op* maker(ValueId v) const {
    const OpId id = function.value(v).op;
    return id == kNoOp ? nullptr : &function.op(id);
  }
  // What a state that the loop hands on unchanged was before it.
  ValueId origin(const Op& loop, ValueId v) const {
    const Block& body = function.block(loop.regions[1]);
    const auto& next = function.op(body.ops.back()).operands;
    for (const BlockId region : loop.regions) {
      const std::vector<ValueId>& arguments = function.block(region).arguments;
      const auto at = std::ranges::find(arguments, v);
      if (at == arguments.end()) continue;
      const auto k = static_cast<size_t>(at - arguments.begin());
      return next[k] == body.arguments[k] ? loop.operands[k] : v;
    }
    return v;
  }
  // The integer that a scalar constant holds.
  std::optional<Wide> constant(const Op& loop, ValueId v) const {
    v = origin(loop, v);
    const Op* op = maker(v);
    if (op == nullptr || op->kind != OpKind::Constant) return std::nullopt;
    const Constant& data =
        module.constants[static_cast<size_t>(std::get<ConstantAttributes>(op->attributes).value)];
    if (!is_integer(data.type.element) || data.type.elements() != 1) return std::nullopt;
    const uint64_t bits = element_bits(data, 0);
    if (is_unsigned_integer(data.type.element)) return static_cast<Wide>(bits);
    return static_cast<Wide>(to_integer(data.type.element, bits));
  }
};

Direction mirrored(Direction direction) {
  switch (direction) {
    case Direction::Lt:
      return Direction::Gt;
    case Direction::Le:
      return Direction::Ge;
    case Direction::Gt:
      return Direction::Lt;
    case Direction::Ge:
      return Direction::Le;
    default:
      return direction;
  }
}

// How often `i` goes from `start` by `step` while `i direction limit`.
std::optional<Wide> trips_of(Direction direction, Wide start, Wide step, Wide limit) {
  if (direction == Direction::Le) return trips_of(Direction::Lt, start, step, limit + 1);
  if (direction == Direction::Ge) return trips_of(Direction::Gt, start, step, limit - 1);
  if (direction == Direction::Gt) return trips_of(Direction::Lt, -start, -step, -limit);
  if (direction == Direction::Eq) {
    if (start != limit) return 0;
    return step == 0 ? std::nullopt : std::optional<Wide>(1);
  }
  if (direction == Direction::Lt) {
    if (start >= limit) return 0;
    if (step <= 0) return std::nullopt;
    return (limit - start + step - 1) / step;
  }
  if (start == limit) return 0;
  if (step == 0 || (limit - start) % step != 0 || (limit - start) / step < 0) return std::nullopt;
  return (limit - start) / step;
}

// What the body adds to its argument `k`.
std::optional<Wide> step_of(const Scalar& scalar, const Op& op, size_t k) {
  const Block& body = scalar.function.block(op.regions[1]);
  const Op* next = scalar.maker(scalar.function.op(body.ops.back()).operands[k]);
  if (next == nullptr || next->operands.size() != 2) return std::nullopt;
  const ValueId counter = body.arguments[k];
  if (next->kind == OpKind::Add) {
    if (next->operands[0] == counter) return scalar.constant(op, next->operands[1]);
    if (next->operands[1] == counter) return scalar.constant(op, next->operands[0]);
  }
  if (next->kind == OpKind::Subtract && next->operands[0] == counter) {
    const auto less = scalar.constant(op, next->operands[1]);
    if (less) return -*less;
  }
  return std::nullopt;
}

bool fits(ElementType element, Wide value) {
  const int width = bit_width(element);
  if (is_unsigned_integer(element)) return value >= 0 && value < (Wide{1} << width);
  return value >= -(Wide{1} << (width - 1)) && value < (Wide{1} << (width - 1));
}

}  // namespace

std::optional<int64_t> counted_trips(const Module& module, const Function& function, const Op& op) {
  const Scalar scalar{module, function};
  const Block& condition = function.block(op.regions[0]);
  const ValueId predicate = function.op(condition.ops.back()).operands[0];
  const Op* compare = scalar.maker(predicate);
  if (compare == nullptr || compare->kind != OpKind::Compare) return std::nullopt;
  Direction direction = std::get<CompareAttributes>(compare->attributes).direction;
  ValueId counter = compare->operands[0];
  auto limit = scalar.constant(op, compare->operands[1]);
  if (!limit) {
    limit = scalar.constant(op, compare->operands[0]);
    counter = compare->operands[1];
    direction = mirrored(direction);
  }
  const auto at = std::ranges::find(condition.arguments, counter);
  if (!limit || at == condition.arguments.end()) return std::nullopt;
  const auto k = static_cast<size_t>(at - condition.arguments.begin());
  const auto start = scalar.constant(op, op.operands[k]);
  const auto step = step_of(scalar, op, k);
  if (!start || !step) return std::nullopt;
  const auto trips = trips_of(direction, *start, *step, *limit);
  const ElementType element = function.type(counter).tensor()->element;
  const bool safe = trips && *trips <= std::numeric_limits<int32_t>::max() &&
                    fits(element, *start + *trips * *step);
  return safe ? std::optional(static_cast<int64_t>(*trips)) : std::nullopt;
}

}  // namespace trainyard::compiler
