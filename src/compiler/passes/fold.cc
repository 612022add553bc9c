#include "compiler/passes/fold.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/element_value.h"
#include "compiler/passes/emit.h"
#include "compiler/passes/fold_elements.h"

namespace trainyard::compiler {
namespace {

constexpr int64_t kMostElements = 4096;  // of a folded constant that is not uniform

Dims strides_of(const Dims& shape) {
  Dims out(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    out[i] = step;
    step *= shape[i];
  }
  return out;
}

// Calls visit(index of the result, position in each dimension) in row-major order.
template <class Visit>
void for_each_position(const Dims& shape, Visit visit) {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  Dims at(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(i, at);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
}

void append(std::vector<uint8_t>& bytes, std::span<const uint8_t> element) {
  bytes.insert(bytes.end(), element.begin(), element.end());
}

void append_bits(std::vector<uint8_t>& bytes, uint64_t bits, int64_t size) {
  for (int64_t i = 0; i < size; ++i) bytes.push_back(static_cast<uint8_t>(bits >> (8 * i)));
}

Constant splat_of(const TensorType& type, std::span<const uint8_t> element) {
  Constant out{.type = type, .splat = true};
  append(out.bytes, element);
  return out;
}

// An element of the source for each position of the result.
template <class Where>
Constant moved(const Constant& from, const TensorType& result, Where where) {
  Constant out{.type = result};
  for_each_position(result.shape, [&](int64_t, const Dims& at) {
    append(out.bytes, element_bytes(from, where(at)));
  });
  return out;
}

std::optional<Constant> fold_move(const Op& op, const Constant& from, const TensorType& result) {
  const bool small = is_uniform(from) || *result.elements() <= kMostElements;
  if (op.kind == OpKind::Reshape && small) {
    Constant out = from;
    out.type = result;
    return out;
  }
  if (is_uniform(from)) return splat_of(result, element_bytes(from, 0));
  if (*result.elements() > kMostElements) return std::nullopt;
  const Dims strides = strides_of(from.type.shape);
  switch (op.kind) {
    case OpKind::BroadcastInDim: {
      const Dims& dims = std::get<DimsAttributes>(op.attributes).dims;
      return moved(from, result, [&](const Dims& at) {
        int64_t i = 0;
        for (size_t d = 0; d < dims.size(); ++d) {
          if (from.type.shape[d] > 1) i += strides[d] * at[static_cast<size_t>(dims[d])];
        }
        return i;
      });
    }
    case OpKind::Transpose: {
      const Dims& order = std::get<DimsAttributes>(op.attributes).dims;
      return moved(from, result, [&](const Dims& at) {
        int64_t i = 0;
        for (size_t d = 0; d < order.size(); ++d)
          i += strides[static_cast<size_t>(order[d])] * at[d];
        return i;
      });
    }
    case OpKind::Slice: {
      const auto& slice = std::get<SliceAttributes>(op.attributes);
      return moved(from, result, [&](const Dims& at) {
        int64_t i = 0;
        for (size_t d = 0; d < at.size(); ++d) {
          const int64_t step = slice.strides.empty() ? 1 : slice.strides[d];
          i += strides[d] * (slice.start[d] + at[d] * step);
        }
        return i;
      });
    }
    case OpKind::Reverse: {
      Dims flip(from.type.shape.size(), 0);
      for (const int64_t d : std::get<DimsAttributes>(op.attributes).dims) {
        flip[static_cast<size_t>(d)] = 1;
      }
      return moved(from, result, [&](const Dims& at) {
        int64_t i = 0;
        for (size_t d = 0; d < at.size(); ++d) {
          i += strides[d] * (flip[d] != 0 ? from.type.shape[d] - 1 - at[d] : at[d]);
        }
        return i;
      });
    }
    default:
      return std::nullopt;
  }
}

std::optional<Constant> fold_concatenate(const Op& op, std::span<const Constant* const> operands,
                                         const TensorType& result) {
  if (*result.elements() > kMostElements) return std::nullopt;
  const auto dim = static_cast<size_t>(std::get<DimAttributes>(op.attributes).dim);
  Constant out{.type = result};
  for_each_position(result.shape, [&](int64_t, const Dims& at) {
    Dims inner = at;
    size_t part = 0;
    while (inner[dim] >= operands[part]->type.shape[dim]) {
      inner[dim] -= operands[part++]->type.shape[dim];
    }
    const Dims strides = strides_of(operands[part]->type.shape);
    int64_t i = 0;
    for (size_t d = 0; d < inner.size(); ++d) i += strides[d] * inner[d];
    append(out.bytes, element_bytes(*operands[part], i));
  });
  return out;
}

std::optional<Constant> fold_iota(const Op& op, const TensorType& result) {
  const auto dim = static_cast<size_t>(std::get<DimAttributes>(op.attributes).dim);
  const bool plain = is_integer(result.element) || result.element == ElementType::F32 ||
                     result.element == ElementType::F64;
  if (!plain || *result.elements() > kMostElements) return std::nullopt;
  Constant out{.type = result};
  for_each_position(result.shape, [&](int64_t, const Dims& at) {
    append_bits(out.bytes, bits_of(result.element, static_cast<double>(at[dim])),
                byte_size(result.element));
  });
  return out;
}

std::optional<Constant> fold_elementwise(const Op& op, std::span<const Constant* const> operands,
                                         const TensorType& result) {
  const size_t typed = op.kind == OpKind::Select ? 1 : 0;
  const ElementType in = operands[typed]->type.element;
  const auto plain = [](ElementType type) {
    return is_boolean(type) || (!is_complex(type) && bit_width(type) >= 8);
  };
  if (!plain(in) || !plain(result.element)) return std::nullopt;
  const bool uniform =
      std::ranges::all_of(operands, [](const Constant* c) { return is_uniform(*c); });
  const int64_t count = uniform ? 1 : *result.elements();
  if (count > kMostElements) return std::nullopt;
  Constant out{.type = result, .splat = uniform};
  std::vector<uint64_t> bits(operands.size());
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < operands.size(); ++k) {
      bits[k] = element_bits(*operands[k], is_uniform(*operands[k]) ? 0 : i);
    }
    const std::optional<uint64_t> element = fold_element(op, in, result.element, bits);
    if (!element) return std::nullopt;
    append_bits(out.bytes, *element, byte_size(result.element));
  }
  return out;
}

}  // namespace

std::span<const uint8_t> element_bytes(const Constant& constant, int64_t index) {
  const auto size = static_cast<size_t>(byte_size(constant.type.element));
  const size_t at = constant.splat ? 0 : static_cast<size_t>(index) * size;
  return std::span(constant.bytes).subspan(at, size);
}

bool is_uniform(const Constant& constant) {
  return constant.splat || constant.type.elements() == 1;
}

bool is_all(const Constant& constant, double value) {
  const ElementType element = constant.type.element;
  if (!is_uniform(constant) || is_complex(element)) return false;
  const uint64_t bits = element_bits(constant, 0);
  if (is_boolean(element)) return bits == (value != 0 ? 1U : 0U);
  if (is_integer(element)) return static_cast<double>(to_integer(element, bits)) == value;
  if (!is_float(element)) return false;
  const double held = to_double(element, bits);
  return held == value && std::signbit(held) == std::signbit(value);
}

std::optional<Constant> folded(const Op& op, std::span<const Constant* const> operands,
                               const TensorType& result) {
  if (!result.elements() || *result.elements() == 0) return std::nullopt;
  switch (op.kind) {
    case OpKind::Iota:
      return fold_iota(op, result);
    case OpKind::Concatenate:
      return fold_concatenate(op, operands, result);
    case OpKind::Reshape:
    case OpKind::BroadcastInDim:
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::Reverse:
      return fold_move(op, *operands[0], result);
    default:
      break;
  }
  // What is left must be element-wise: all operands have the shape of the result.
  if (operands.empty() || op.results.size() > 1 || !op.regions.empty()) return std::nullopt;
  for (const Constant* operand : operands) {
    if (operand->type.shape != result.shape) return std::nullopt;
  }
  return fold_elementwise(op, operands, result);
}

}  // namespace trainyard::compiler
