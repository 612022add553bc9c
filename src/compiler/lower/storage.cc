#include "compiler/lower/storage.h"

#include "base/check.h"

namespace trainyard::compiler {

using isa::Dtype;

Storage storage_of(ElementType element) {
  switch (element) {
    case ElementType::I1:
    case ElementType::U2:
    case ElementType::U4:
    case ElementType::U8:
      return {Dtype::U8, 1};
    case ElementType::I2:
    case ElementType::I4:
    case ElementType::I8:
      return {Dtype::S8, 1};
    case ElementType::I16:
      return {Dtype::S16, 1};
    case ElementType::U16:
      return {Dtype::U16, 1};
    case ElementType::I32:
      return {Dtype::S32, 1};
    case ElementType::U32:
      return {Dtype::U32, 1};
    case ElementType::I64:
    case ElementType::U64:
    case ElementType::F64:
      return {Dtype::U32, 2};
    case ElementType::F8E3M4:
      return {Dtype::F8E3M4, 1};
    case ElementType::F8E4M3:
      return {Dtype::F8E4M3, 1};
    case ElementType::F8E4M3FN:
      return {Dtype::F8E4M3FN, 1};
    case ElementType::F8E5M2:
      return {Dtype::F8E5M2, 1};
    case ElementType::BF16:
      return {Dtype::BF16, 1};
    case ElementType::F16:
      return {Dtype::F16, 1};
    case ElementType::F32:
      return {Dtype::F32, 1};
    case ElementType::Complex64:
      return {Dtype::F32, 2};
    case ElementType::Complex128:
      return {Dtype::U32, 4};
    default:
      TY_CHECK(false);
      return {};
  }
}

isa::Tensor hbm_tensor(const TensorType& type, std::string name, isa::Io io) {
  const Storage storage = storage_of(type.element);
  isa::Tensor tensor;
  tensor.name = std::move(name);
  tensor.memory = isa::Memory::Hbm;
  tensor.dtype = storage.dtype;
  tensor.io = io;
  // A tensor of many axes is kept flat: its accesses are flat anyway.
  int64_t elements = storage.words;
  for (const int64_t n : type.shape) elements *= n;
  constexpr size_t kMostAxes = 4;
  if (type.shape.empty() || type.shape.size() > kMostAxes) {
    tensor.shape = {elements};
  } else {
    tensor.shape = type.shape;
    if (storage.words > 1) tensor.shape.back() *= storage.words;
  }
  return tensor;
}

std::vector<int64_t> row_major(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

bool is_empty(const TensorType& type) {
  for (const int64_t n : type.shape) {
    if (n == 0) return true;
  }
  return false;
}

}  // namespace trainyard::compiler
