// Dense data: constants and lists of integers.
#include <algorithm>

#include "compiler/ir/element_value.h"
#include "compiler/stablehlo/codes.h"
#include "compiler/stablehlo/entries.h"

namespace trainyard::compiler {
namespace {

// Truth values come packed, eight to a byte with the low bit first; as one byte 0xFF when all are
// true; or as one byte each (files of early 2026, and single values).
Constant dense_booleans(const TensorType& type, std::span<const uint8_t> blob, size_t count) {
  constexpr uint8_t kAllTrue = 0xFF;
  Constant out{.type = type, .splat = false, .bytes = {}};
  if (blob.size() == 1 && count > 1 && (blob[0] == kAllTrue || count > 8)) {
    out.splat = true;
    out.bytes = {static_cast<uint8_t>(blob[0] != 0)};
    return out;
  }
  const bool packed = blob.size() == (count + 7) / 8 && blob.size() != count;
  out.bytes.resize(count);
  for (size_t i = 0; i < count; ++i) {
    out.bytes[i] = packed ? (blob[i / 8] >> (i % 8)) & 1 : blob[i] != 0;
  }
  return out;
}

}  // namespace

Constant Entries::dense_tensor(const TensorType& type, std::span<const uint8_t> blob,
                               size_t offset) {
  const auto count = type.elements();
  if (!count) {
    fail_at("TY-SHLO-014", offset, "a constant has type {}, whose size is not known", str(type));
  }
  const size_t elements = static_cast<size_t>(*count);
  if (elements == 0) return {.type = type, .splat = false, .bytes = {}};
  if (is_boolean(type.element)) {
    const bool fits =
        blob.size() == elements || blob.size() == (elements + 7) / 8 || blob.size() == 1;
    if (!fits) {
      fail_at("TY-SHLO-014", offset, "a constant of type {} has {} bytes", str(type), blob.size());
    }
    if (blob.size() > 1) budget_.spend(elements, offset);
    return dense_booleans(type, blob, elements);
  }
  const size_t size = static_cast<size_t>(byte_size(type.element));
  Constant out{.type = type, .splat = false, .bytes = {blob.begin(), blob.end()}};
  if (size == 0) {  // quantised: kept as stored, refused later
    out.splat = true;
    return out;
  }
  out.splat = blob.size() == size && elements != 1;
  if (!out.splat && (blob.size() % size != 0 || blob.size() / size != elements)) {
    fail_at("TY-SHLO-014", offset, "a constant of type {} has {} bytes", str(type), blob.size());
  }
  return out;
}

Constant Entries::dense(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (entry.is(Dialect::Builtin, builtin::kDenseArray)) {
    const ElementType type = element(type_index(entry.bytes));
    const uint64_t count = entry.bytes.varint();
    const uint64_t bytes = entry.bytes.varint();
    const auto blob = entry.bytes.take(bytes, "dense data");
    if (count > blob.size()) {
      fail_at("TY-SHLO-014", entry.offset, "an array of {} elements has {} bytes", count, bytes);
    }
    return dense_tensor(tensor_of(type, {static_cast<int64_t>(count)}), blob, entry.offset);
  }
  if (!entry.is(Dialect::Vhlo, vhlo::kTensor) && !entry.is(Dialect::Builtin, builtin::kDense)) {
    wrong_kind(index, "a dense tensor");
  }
  const Type type = whole_type(type_index(entry.bytes), 0);
  if (type.tensor() == nullptr) wrong_kind(index, "a dense tensor");
  const uint64_t size = entry.bytes.varint();
  const auto blob = entry.bytes.take(size, "dense data");
  return dense_tensor(*type.tensor(), blob, entry.offset);
}

ConstantId Entries::constant(AttrIndex index) {
  if (constants_[index] < 0) {
    module_.constants.push_back(dense(index));
    constants_[index] = static_cast<ConstantId>(module_.constants.size()) - 1;
  }
  return constants_[index];
}

IntegerTensor Entries::integers(AttrIndex index) {
  const Constant data = dense(index);
  if (!is_integer(data.type.element)) wrong_kind(index, "a tensor of integers");
  const size_t count = static_cast<size_t>(data.type.elements().value_or(0));
  // A splat of a few bytes may announce any number of elements.
  budget_.spend(count > (size_t{1} << 40) ? count : 8 * count,
                container_.attributes[index].bytes.offset());
  IntegerTensor out{.shape = data.type.shape, .values = Dims(count)};
  for (size_t i = 0; i < count; ++i) {
    out.values[i] = to_integer(data.type.element, element_bits(data, static_cast<int64_t>(i)));
  }
  return out;
}

Dims Entries::dims(AttrIndex index) {
  IntegerTensor data = integers(index);
  if (data.shape.size() != 1) wrong_kind(index, "a list of integers");
  return std::move(data.values);
}

std::vector<bool> Entries::booleans(AttrIndex index) {
  const Constant data = dense(index);
  if (!is_boolean(data.type.element)) wrong_kind(index, "a tensor of truth values");
  const size_t count = static_cast<size_t>(data.type.elements().value_or(0));
  budget_.spend(count, container_.attributes[index].bytes.offset());
  std::vector<bool> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = element_bits(data, static_cast<int64_t>(i)) != 0;
  return out;
}

}  // namespace trainyard::compiler
