#pragma once
// Types of the graph IR: what StableHLO can say about a value. The reader keeps every type that a
// file may hold; supported.h says which of them the compiler takes.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trainyard::compiler {

// The size of a dimension that is known only at run time. Such shapes parse and are then refused.
inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

// I is a signed integer (StableHLO's signless), U an unsigned one, I1 a truth value.
enum class ElementType : uint8_t {
  I1,
  I2,
  I4,
  I8,
  I16,
  I32,
  I64,
  U2,
  U4,
  U8,
  U16,
  U32,
  U64,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E3M4,
  F8E4M3,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  BF16,
  F16,
  TF32,
  F32,
  F64,
  Complex64,   // a pair of f32
  Complex128,  // a pair of f64
  Index,
  Quantized,  // the parameters are in Module::quantized
  None,       // the "no type" that VHLO writes in an absent field
};

std::string_view name(ElementType type);  // "f32", "ui8", "complex<f32>"
int bit_width(ElementType type);          // 0 for Quantized and None
// Bytes of one element in dense data: types below 8 bits take a whole byte.
int64_t byte_size(ElementType type);

bool is_boolean(ElementType type);
bool is_signed_integer(ElementType type);    // without I1
bool is_unsigned_integer(ElementType type);  // without I1
bool is_integer(ElementType type);           // signed or unsigned, without I1
bool is_float(ElementType type);
bool is_complex(ElementType type);
ElementType complex_part(ElementType type);  // complex<f32> -> f32; others unchanged

// A dense tensor. An empty shape is a scalar.
struct TensorType {
  ElementType element = ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> bounds;  // upper bounds of dynamic dimensions; empty without any
  int32_t quantized = -1;       // index into Module::quantized when element is Quantized

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  bool is_scalar() const { return shape.empty(); }
  bool is_static() const;
  // Number of elements; nothing when a dimension is dynamic or the product exceeds int64.
  std::optional<int64_t> elements() const;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

struct TokenType {
  friend bool operator==(const TokenType&, const TokenType&) = default;
};
// A tensor of unknown rank, an index outside tensors, witnesses, buffers: types that StableHLO
// files may name and that no supported operation produces.
struct OtherType {
  std::string text;
  friend bool operator==(const OtherType&, const OtherType&) = default;
};
struct Type;
struct TupleType {
  std::vector<Type> elements;
  friend bool operator==(const TupleType&, const TupleType&);
};
// What an asynchronous operation returns until it is awaited.
struct FutureType {
  std::vector<Type> elements;
  friend bool operator==(const FutureType&, const FutureType&);
};

struct Type {
  std::variant<TensorType, TokenType, TupleType, FutureType, OtherType> kind;

  Type() = default;
  Type(TensorType t) : kind(std::move(t)) {}
  Type(TokenType t) : kind(t) {}
  Type(TupleType t) : kind(std::move(t)) {}
  Type(FutureType t) : kind(std::move(t)) {}
  Type(OtherType t) : kind(std::move(t)) {}

  const TensorType* tensor() const { return std::get_if<TensorType>(&kind); }
  friend bool operator==(const Type&, const Type&) = default;
};

TensorType tensor_of(ElementType element, std::vector<int64_t> shape);

std::string str(const TensorType& type);  // "tensor<2x3xf32>"
std::string str(const Type& type);

// How a quantised element maps to numbers: real = scale * (stored - zero point).
struct QuantizedElement {
  ElementType storage = ElementType::I8;
  ElementType expressed = ElementType::F32;
  std::optional<int64_t> axis;  // set: one scale and zero point per index of this dimension
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  int64_t storage_min = 0;
  int64_t storage_max = 0;
};

}  // namespace trainyard::compiler
