#include <array>

#include "compiler/ir/element_value.h"
#include "compiler/stablehlo/entries.h"

namespace trainyard::compiler {
namespace {

constexpr auto N = ElementType::None;

// VHLO's scalar types by code; None where the code is no scalar.
constexpr std::array kVhloScalars{ElementType::I1,
                                  ElementType::None,
                                  ElementType::BF16,
                                  ElementType::F16,
                                  ElementType::F32,
                                  ElementType::F64,
                                  ElementType::F8E4M3FN,
                                  ElementType::F8E5M2,
                                  N,
                                  ElementType::Index,
                                  ElementType::I4,
                                  ElementType::I8,
                                  ElementType::I16,
                                  ElementType::I32,
                                  ElementType::I64,
                                  ElementType::U4,
                                  ElementType::U8,
                                  ElementType::U16,
                                  ElementType::U32,
                                  ElementType::U64,
                                  N,
                                  N,
                                  N,
                                  N,
                                  N,
                                  N,
                                  N,
                                  ElementType::F8E4M3FNUZ,
                                  ElementType::F8E5M2FNUZ,
                                  ElementType::F8E4M3B11FNUZ,
                                  N,
                                  ElementType::I2,
                                  ElementType::U2,
                                  N,
                                  ElementType::TF32,
                                  ElementType::F8E4M3,
                                  ElementType::F8E3M4,
                                  ElementType::F4E2M1FN,
                                  ElementType::F6E2M3FN,
                                  ElementType::F6E3M2FN,
                                  ElementType::F8E8M0FNU};

enum VhloType : uint64_t {
  kComplex = 1,
  kFunction = 8,
  kTensor = 20,
  kTensorEncoded = 21,
  kToken = 22,
  kTuple = 23,
  kQuantized = 24,
  kUnranked = 25,
  kWitness = 26,
  kQuantizedPerAxis = 30,
  kNone = 33,
  kBuffer = 41,
  kFuture = 42,
};

enum BuiltinType : uint64_t {
  kBuiltinInteger = 0,
  kBuiltinIndex = 1,
  kBuiltinFunction = 2,
  kBuiltinBf16 = 3,
  kBuiltinF16 = 4,
  kBuiltinF32 = 5,
  kBuiltinF64 = 6,
  kBuiltinComplex = 9,
  kBuiltinNone = 12,
  kBuiltinTensor = 13,
  kBuiltinTuple = 15,
};

ElementType complex_of(ElementType part, size_t offset) {
  if (part == ElementType::F32) return ElementType::Complex64;
  if (part == ElementType::F64) return ElementType::Complex128;
  fail_at("TY-SHLO-007", offset, "complex of {} is not a StableHLO type", name(part));
}

ElementType builtin_integer(uint64_t code, size_t offset) {
  const uint64_t width = code >> 2;
  const bool is_unsigned = (code & 3) == 2;
  switch (width) {
    case 1:
      return ElementType::I1;
    case 2:
      return is_unsigned ? ElementType::U2 : ElementType::I2;
    case 4:
      return is_unsigned ? ElementType::U4 : ElementType::I4;
    case 8:
      return is_unsigned ? ElementType::U8 : ElementType::I8;
    case 16:
      return is_unsigned ? ElementType::U16 : ElementType::I16;
    case 32:
      return is_unsigned ? ElementType::U32 : ElementType::I32;
    case 64:
      return is_unsigned ? ElementType::U64 : ElementType::I64;
    default:
      fail_at("TY-SHLO-007", offset, "an integer of {} bits is not a StableHLO type", width);
  }
}

}  // namespace

const Entries::TypeNode& Entries::node(TypeIndex index, int depth) {
  const size_t offset = container_.types[index].bytes.offset();
  if (depth > kMaxDepth || types_[index].state == TypeNode::State::Reading) {
    fail_at("TY-SHLO-011", offset, "a type contains itself or nests deeper than {}", kMaxDepth);
  }
  if (types_[index].state == TypeNode::State::Unread) {
    types_[index].state = TypeNode::State::Reading;
    types_[index] = decode_type(open(container_.types[index]), depth);
  }
  return types_[index];
}

Entries::TypeNode Entries::decode_type(Opened entry, int depth) {
  TypeNode out;
  if (entry.dialect == Dialect::Vhlo) {
    out = decode_vhlo_type(entry, depth);
  } else if (entry.dialect == Dialect::Builtin) {
    out = decode_builtin_type(entry, depth);
  } else {
    fail_at("TY-SHLO-007", entry.offset, "a type of a dialect other than vhlo and builtin");
  }
  return out;
}

Entries::TypeNode Entries::tensor_node(ByteCursor& cursor, Dims bounds, int depth) {
  const size_t start = cursor.offset();
  TensorType tensor{.element = N, .shape = signed_list(cursor), .bounds = std::move(bounds)};
  for (const int64_t size : tensor.shape) {
    if (size < 0 && size != kDynamic) {
      fail_at("TY-SHLO-010", start, "a tensor has a dimension of size {}", size);
    }
  }
  if (!tensor.bounds.empty() && tensor.bounds.size() != tensor.shape.size()) {
    fail_at("TY-SHLO-010", start, "a tensor of rank {} has {} bounds", tensor.shape.size(),
            tensor.bounds.size());
  }
  const TypeNode& element = node(type_index(cursor), depth + 1);
  if (element.state != TypeNode::State::Scalar) {
    fail_at("TY-SHLO-010", start, "the elements of a tensor are not scalars");
  }
  tensor.element = element.element;
  tensor.quantized = element.quantized;
  return {.state = TypeNode::State::Whole, .type = std::move(tensor)};
}

Entries::TypeNode Entries::quantized_node(ByteCursor& cursor, bool per_axis, int depth) {
  const auto scalar = [&] {
    const size_t start = cursor.offset();
    const TypeNode& part = node(type_index(cursor), depth + 1);
    if (part.state != TypeNode::State::Scalar) {
      fail_at("TY-SHLO-010", start, "a quantised type is built on a type that is no scalar");
    }
    return part.element;
  };
  QuantizedElement element;
  cursor.varint();  // flags: only the signedness of the storage, which its type gives too
  element.storage = scalar();
  element.expressed = scalar();
  if (per_axis) {
    element.axis = static_cast<int64_t>(cursor.varint());
    element.storage_min = cursor.svarint();
    element.storage_max = cursor.svarint();
    const size_t scales = cursor.count("scales");
    for (size_t i = 0; i < scales; ++i) {
      element.scales.push_back(ap_float(cursor, ElementType::F64));
    }
    element.zero_points = signed_list(cursor);
  } else {
    element.scales.push_back(ap_float(cursor, ElementType::F64));
    element.zero_points.push_back(cursor.svarint());
    element.storage_min = cursor.svarint();
    element.storage_max = cursor.svarint();
  }
  module_.quantized.push_back(std::move(element));
  return {.state = TypeNode::State::Scalar,
          .element = ElementType::Quantized,
          .quantized = static_cast<int32_t>(module_.quantized.size()) - 1,
          .type = {}};
}

Entries::TypeNode Entries::decode_vhlo_type(Opened& entry, int depth) {
  ByteCursor& cursor = entry.bytes;
  const auto scalar = [](ElementType element) {
    return TypeNode{.state = TypeNode::State::Scalar, .element = element, .type = {}};
  };
  const auto whole = [](Type type) {
    return TypeNode{.state = TypeNode::State::Whole, .type = std::move(type)};
  };
  if (entry.code < kVhloScalars.size() && kVhloScalars[entry.code] != N) {
    return scalar(kVhloScalars[entry.code]);
  }
  switch (entry.code) {
    case kComplex:
      return scalar(complex_of(node(type_index(cursor), depth + 1).element, entry.offset));
    case kNone:
      return scalar(N);
    case kTensor:
      return tensor_node(cursor, {}, depth);
    case kTensorEncoded: {
      Opened encoding = open_attribute(attribute_index(cursor));
      constexpr uint64_t kBounds = 18;
      if (!encoding.is(Dialect::Vhlo, kBounds)) return whole(OtherType{"tensor with encoding"});
      return tensor_node(cursor, signed_list(encoding.bytes), depth);
    }
    case kToken:
      return whole(TokenType{});
    case kTuple:
      return whole(TupleType{type_list(cursor, depth)});
    case kFuture:
      return whole(FutureType{type_list(cursor, depth)});
    case kQuantized:
      return quantized_node(cursor, false, depth);
    case kQuantizedPerAxis:
      return quantized_node(cursor, true, depth);
    case kUnranked:
      return whole(OtherType{"tensor<*x>"});
    case kWitness:
      return whole(OtherType{"!shape.witness"});
    case kBuffer:
      return whole(OtherType{"memref"});
    case kFunction:
      return whole(OtherType{"function"});
    default:
      fail_at("TY-SHLO-007", entry.offset,
              "VHLO type code {} is not known; export the program for StableHLO 1.13.0",
              entry.code);
  }
}

Entries::TypeNode Entries::decode_builtin_type(Opened& entry, int depth) {
  ByteCursor& cursor = entry.bytes;
  const auto scalar = [](ElementType element) {
    return TypeNode{.state = TypeNode::State::Scalar, .element = element, .type = {}};
  };
  switch (entry.code) {
    case kBuiltinInteger:
      return scalar(builtin_integer(cursor.varint(), entry.offset));
    case kBuiltinIndex:
      return scalar(ElementType::Index);
    case kBuiltinBf16:
      return scalar(ElementType::BF16);
    case kBuiltinF16:
      return scalar(ElementType::F16);
    case kBuiltinF32:
      return scalar(ElementType::F32);
    case kBuiltinF64:
      return scalar(ElementType::F64);
    case kBuiltinComplex:
      return scalar(complex_of(node(type_index(cursor), depth + 1).element, entry.offset));
    case kBuiltinNone:
      return scalar(N);
    case kBuiltinTensor:
      return tensor_node(cursor, {}, depth);
    case kBuiltinTuple:
      return {.state = TypeNode::State::Whole, .type = TupleType{type_list(cursor, depth)}};
    case kBuiltinFunction:
      return {.state = TypeNode::State::Whole, .type = OtherType{"function"}};
    default:
      fail_at("TY-SHLO-007", entry.offset, "builtin type code {} is no type of a StableHLO program",
              entry.code);
  }
}

Type Entries::whole_type(TypeIndex index, int depth) {
  const TypeNode& found = node(index, depth);
  const size_t offset = container_.types[index].bytes.offset();
  if (found.state == TypeNode::State::Scalar) {
    return OtherType{std::string(name(found.element))};
  }
  if (const TensorType* tensor = found.type.tensor()) {
    budget_.spend(8 * (tensor->shape.size() + tensor->bounds.size()), offset);
  } else {
    // A tuple of tuples can double with each level: charge what the copy holds.
    budget_.spend(64 * str(found.type).size(), offset);
  }
  return found.type;
}

std::vector<Type> Entries::type_list(ByteCursor& cursor, int depth) {
  const size_t count = cursor.count("types");
  std::vector<Type> out;
  for (size_t i = 0; i < count; ++i) {
    const TypeIndex index = type_index(cursor);
    out.push_back(whole_type(index, depth + 1));
    budget_.spend(sizeof(Type), cursor.offset());
  }
  return out;
}

Type Entries::type(TypeIndex index) { return whole_type(index, 0); }

ElementType Entries::element(TypeIndex index) {
  const TypeNode& found = node(index, 0);
  if (found.state == TypeNode::State::Scalar) return found.element;
  fail_at("TY-SHLO-010", container_.types[index].bytes.offset(), "a scalar type is expected");
}

FunctionType Entries::function_type(AttrIndex index) {
  constexpr uint64_t kTypeAttribute = 17;
  Opened attribute = open_attribute(index);
  if (!attribute.is(Dialect::Vhlo, kTypeAttribute)) wrong_kind(index, "a function type");
  Opened entry = open(container_.types[type_index(attribute.bytes)]);
  if (!entry.is(Dialect::Vhlo, kFunction)) wrong_kind(index, "a function type");
  FunctionType out;
  out.inputs = type_list(entry.bytes, 0);
  out.results = type_list(entry.bytes, 0);
  return out;
}

}  // namespace trainyard::compiler
