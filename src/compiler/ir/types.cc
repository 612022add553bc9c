#include "compiler/ir/types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/check.h"

namespace trainyard::compiler {
namespace {

enum class Class : uint8_t { Boolean, Signed, Unsigned, Float, Complex, Other };

struct ElementFacts {
  ElementType type;
  std::string_view name;
  int bits;
  Class kind;
};

constexpr std::array kElements{
    ElementFacts{ElementType::I1, "i1", 1, Class::Boolean},
    ElementFacts{ElementType::I2, "i2", 2, Class::Signed},
    ElementFacts{ElementType::I4, "i4", 4, Class::Signed},
    ElementFacts{ElementType::I8, "i8", 8, Class::Signed},
    ElementFacts{ElementType::I16, "i16", 16, Class::Signed},
    ElementFacts{ElementType::I32, "i32", 32, Class::Signed},
    ElementFacts{ElementType::I64, "i64", 64, Class::Signed},
    ElementFacts{ElementType::U2, "ui2", 2, Class::Unsigned},
    ElementFacts{ElementType::U4, "ui4", 4, Class::Unsigned},
    ElementFacts{ElementType::U8, "ui8", 8, Class::Unsigned},
    ElementFacts{ElementType::U16, "ui16", 16, Class::Unsigned},
    ElementFacts{ElementType::U32, "ui32", 32, Class::Unsigned},
    ElementFacts{ElementType::U64, "ui64", 64, Class::Unsigned},
    ElementFacts{ElementType::F4E2M1FN, "f4E2M1FN", 4, Class::Float},
    ElementFacts{ElementType::F6E2M3FN, "f6E2M3FN", 6, Class::Float},
    ElementFacts{ElementType::F6E3M2FN, "f6E3M2FN", 6, Class::Float},
    ElementFacts{ElementType::F8E3M4, "f8E3M4", 8, Class::Float},
    ElementFacts{ElementType::F8E4M3, "f8E4M3", 8, Class::Float},
    ElementFacts{ElementType::F8E4M3FN, "f8E4M3FN", 8, Class::Float},
    ElementFacts{ElementType::F8E4M3FNUZ, "f8E4M3FNUZ", 8, Class::Float},
    ElementFacts{ElementType::F8E4M3B11FNUZ, "f8E4M3B11FNUZ", 8, Class::Float},
    ElementFacts{ElementType::F8E5M2, "f8E5M2", 8, Class::Float},
    ElementFacts{ElementType::F8E5M2FNUZ, "f8E5M2FNUZ", 8, Class::Float},
    ElementFacts{ElementType::F8E8M0FNU, "f8E8M0FNU", 8, Class::Float},
    ElementFacts{ElementType::BF16, "bf16", 16, Class::Float},
    ElementFacts{ElementType::F16, "f16", 16, Class::Float},
    ElementFacts{ElementType::TF32, "tf32", 19, Class::Float},
    ElementFacts{ElementType::F32, "f32", 32, Class::Float},
    ElementFacts{ElementType::F64, "f64", 64, Class::Float},
    ElementFacts{ElementType::Complex64, "complex<f32>", 64, Class::Complex},
    ElementFacts{ElementType::Complex128, "complex<f64>", 128, Class::Complex},
    ElementFacts{ElementType::Index, "index", 64, Class::Other},
    ElementFacts{ElementType::Quantized, "quantized", 0, Class::Other},
    ElementFacts{ElementType::None, "none", 0, Class::Other},
};

constexpr bool in_enum_order() {
  for (size_t i = 0; i < kElements.size(); ++i) {
    if (static_cast<size_t>(kElements[i].type) != i) return false;
  }
  return true;
}
static_assert(in_enum_order());
static_assert(kElements.size() == static_cast<size_t>(ElementType::None) + 1);

const ElementFacts& facts(ElementType type) { return kElements[static_cast<size_t>(type)]; }

}  // namespace

std::string_view name(ElementType type) { return facts(type).name; }
int bit_width(ElementType type) { return facts(type).bits; }
int64_t byte_size(ElementType type) {
  return type == ElementType::TF32 ? 4 : (facts(type).bits + 7) / 8;
}

bool is_boolean(ElementType type) { return facts(type).kind == Class::Boolean; }
bool is_signed_integer(ElementType type) { return facts(type).kind == Class::Signed; }
bool is_unsigned_integer(ElementType type) { return facts(type).kind == Class::Unsigned; }
bool is_integer(ElementType type) { return is_signed_integer(type) || is_unsigned_integer(type); }
bool is_float(ElementType type) { return facts(type).kind == Class::Float; }
bool is_complex(ElementType type) { return facts(type).kind == Class::Complex; }

ElementType complex_part(ElementType type) {
  if (type == ElementType::Complex64) return ElementType::F32;
  if (type == ElementType::Complex128) return ElementType::F64;
  return type;
}

bool TensorType::is_static() const {
  for (const int64_t size : shape) {
    if (size == kDynamic) return false;
  }
  return true;
}

std::optional<int64_t> TensorType::elements() const {
  if (!is_static()) return std::nullopt;
  int64_t product = 1;
  bool overflow = false;
  for (const int64_t size : shape) {
    // A zero anywhere makes the whole product zero, whatever the other sizes are.
    if (size == 0) return 0;
    overflow |= __builtin_mul_overflow(product, size, &product);
  }
  if (overflow) return std::nullopt;
  return product;
}

bool operator==(const TupleType& a, const TupleType& b) { return a.elements == b.elements; }
bool operator==(const FutureType& a, const FutureType& b) { return a.elements == b.elements; }

TensorType tensor_of(ElementType element, std::vector<int64_t> shape) {
  return {.element = element, .shape = std::move(shape), .bounds = {}};
}

std::string str(const TensorType& type) {
  std::string text = "tensor<";
  for (const int64_t size : type.shape) {
    text += size == kDynamic ? "?x" : fmt::format("{}x", size);
  }
  text += name(type.element);
  if (type.quantized >= 0) text += fmt::format("#{}", type.quantized);
  if (!type.bounds.empty()) {
    text += ", bounds<";
    for (size_t i = 0; i < type.bounds.size(); ++i) {
      if (i > 0) text += ", ";
      text += type.bounds[i] == kDynamic ? "?" : std::to_string(type.bounds[i]);
    }
    text += ">";
  }
  return text + ">";
}

namespace {

std::string str(const std::vector<Type>& types) {
  std::string text;
  for (const Type& type : types) {
    if (!text.empty()) text += ", ";
    text += compiler::str(type);
  }
  return text;
}

struct Printer {
  std::string operator()(const TensorType& t) const { return compiler::str(t); }
  std::string operator()(const TokenType&) const { return "!stablehlo.token"; }
  std::string operator()(const TupleType& t) const { return "tuple<" + str(t.elements) + ">"; }
  std::string operator()(const FutureType& t) const { return "future<" + str(t.elements) + ">"; }
  std::string operator()(const OtherType& t) const { return t.text; }
};

}  // namespace

std::string str(const Type& type) { return std::visit(Printer{}, type.kind); }

}  // namespace trainyard::compiler
