// Dynamic operations with known indices, and operations that draw elements from nothing.
#include <algorithm>
#include <array>

#include "compiler/ir/element_value.h"
#include "compiler/passes/simplifier.h"

namespace trainyard::compiler {
namespace {

bool is_empty_value(Simplifier& s, ValueId v) { return s.type(v).elements() == 0; }

// Constant start indices, clamped so that the slice lies inside; nothing where one is unknown.
std::optional<Dims> known_starts(Simplifier& s, std::span<const ValueId> indices, const Dims& shape,
                                 const Dims& sizes) {
  Dims out;
  for (size_t d = 0; d < indices.size(); ++d) {
    const int64_t most = shape[d] - sizes[d];
    if (most == 0) {  // there is no choice
      out.push_back(0);
      continue;
    }
    const Constant* data = s.constant(indices[d]);
    if (data == nullptr) return std::nullopt;
    const ElementType element = data->type.element;
    int64_t start = to_integer(element, element_bits(*data, 0));
    if (start < 0 && is_unsigned_integer(element)) start = most;  // beyond int64
    out.push_back(std::clamp<int64_t>(start, 0, most));
  }
  return out;
}

ValueId dynamic_slice(Simplifier& s, const Op& op, const TensorType& result) {
  const Dims shape = s.type(op.operands[0]).shape;
  const auto starts = known_starts(s, std::span(op.operands).subspan(1), shape, result.shape);
  if (!starts) return -1;
  SliceAttributes slice{.start = *starts, .limit = *starts, .strides = Dims(shape.size(), 1)};
  for (size_t d = 0; d < shape.size(); ++d) slice.limit[d] += result.shape[d];
  return s.make(OpKind::Slice, {op.operands[0]}, slice, result);
}

ValueId dynamic_update_slice(Simplifier& s, const Op& op) {
  if (is_empty_value(s, op.operands[1])) return op.operands[0];
  return s.type(op.operands[1]) == s.type(op.operands[0]) ? op.operands[1] : -1;
}

// The neutral element of a reduction by a lone operation, if it has one that is easy to name.
bool is_neutral(Simplifier& s, OpKind kind, ValueId init) {
  switch (kind) {
    case OpKind::Add:
    case OpKind::Or:
    case OpKind::Xor:
      return s.is_all(init, 0) || s.is_all(init, -0.0);
    case OpKind::Multiply:
      return s.is_all(init, 1);
    case OpKind::And:
      return s.is_all(init, 1) && is_boolean(s.type(init).element);
    case OpKind::Maximum:
    case OpKind::Minimum: {
      const Constant* data = s.constant(init);
      if (data == nullptr || !is_float(data->type.element)) return false;
      const double value = to_double(data->type.element, element_bits(*data, 0));
      const bool infinite = value == std::numeric_limits<double>::infinity() ||
                            value == -std::numeric_limits<double>::infinity();
      return infinite && (value < 0) == (kind == OpKind::Maximum);
    }
    default:
      return false;
  }
}

// The operation of a region that applies it to its two arguments, or nothing.
std::optional<OpKind> lone_operation(const Function& function, BlockId region) {
  const Block& block = function.block(region);
  if (block.ops.size() != 2 || block.arguments.size() != 2) return std::nullopt;
  const Op& op = function.op(block.ops[0]);
  const bool both = op.operands.size() == 2 && op.results.size() == 1 &&
                    std::ranges::is_permutation(op.operands, block.arguments);
  const bool returned = both && function.op(block.ops[1]).operands == op.results;
  return returned ? std::optional(op.kind) : std::nullopt;
}

std::vector<ValueId> reduce(Simplifier& s, const Function& source, const Op& op,
                            const std::vector<ValueId>& in,
                            const std::vector<TensorType>& results) {
  const Dims& dims = std::get<DimsAttributes>(op.attributes).dims;
  const size_t count = in.size() / 2;
  std::vector<ValueId> out;
  if (dims.empty()) return {in.begin(), in.begin() + static_cast<ptrdiff_t>(count)};
  if (is_empty_value(s, in[0]) && results[0].elements() != 0) {
    for (size_t i = 0; i < count; ++i) {
      out.push_back(s.make(OpKind::BroadcastInDim, {in[count + i]}, DimsAttributes{}, results[i]));
    }
    return out;
  }
  const bool single = std::ranges::all_of(
      dims, [&](int64_t d) { return s.type(in[0]).shape[static_cast<size_t>(d)] == 1; });
  const auto kind = lone_operation(source, op.regions[0]);
  if (single && kind && is_neutral(s, *kind, in[1])) {
    return {s.make(OpKind::Reshape, {in[0]}, {}, results[0])};
  }
  return {};
}

}  // namespace

ValueId simplified_indexing(Simplifier& s, const Op& op, const TensorType& result) {
  if (result.elements() == 0) return -1;
  switch (op.kind) {
    case OpKind::DynamicSlice:
      return dynamic_slice(s, op, result);
    case OpKind::DynamicUpdateSlice:
      return dynamic_update_slice(s, op);
    case OpKind::DotGeneral:
    case OpKind::Convolution:
      if (!is_empty_value(s, op.operands[0]) && !is_empty_value(s, op.operands[1])) return -1;
      return is_complex(result.element) ? -1 : s.splat(result, 0);
    case OpKind::Iota: {
      const auto dim = static_cast<size_t>(std::get<DimAttributes>(op.attributes).dim);
      if (result.shape[dim] != 1 || is_complex(result.element)) return -1;
      return s.splat(result, 0);
    }
    default:
      return -1;
  }
}

std::vector<ValueId> simplified_region_op(Simplifier& s, const Function& source, const Op& op,
                                          const std::vector<ValueId>& in,
                                          const std::vector<TensorType>& results) {
  switch (op.kind) {
    case OpKind::Reduce:
      return reduce(s, source, op, in, results);
    case OpKind::Scatter: {
      const size_t count = in.size() / 2;  // inputs, then indices, then updates
      if (!is_empty_value(s, in[count + 1]) || is_empty_value(s, in[0])) return {};
      return {in.begin(), in.begin() + static_cast<ptrdiff_t>(count)};
    }
    case OpKind::ReduceWindow: {
      const size_t count = in.size() / 2;
      if (!is_empty_value(s, in[0]) || results[0].elements() == 0) return {};
      std::vector<ValueId> out;
      for (size_t i = 0; i < count; ++i) {
        out.push_back(
            s.make(OpKind::BroadcastInDim, {in[count + i]}, DimsAttributes{}, results[i]));
      }
      return out;
    }
    default:
      return {};
  }
}

}  // namespace trainyard::compiler
