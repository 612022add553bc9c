#pragma once
// Element types of GpSimd programs. They differ from the machine's element types: 64-bit types and
// truth values exist here, 8-bit floats do not.
#include <cstdint>
#include <optional>
#include <string_view>

namespace trainyard::isa::gpsimd {

enum class Type : uint8_t { I1, S8, S16, S32, S64, U8, U16, U32, U64, F16, BF16, F32, F64 };
inline constexpr int kTypeCount = 13;

// Longest strip of the program form, in elements; a core may have a lower limit (call.strip).
inline constexpr int64_t kMostStrip = 1024;

// Bytes of one element in memory. A truth value is a byte, 0 or 1.
constexpr int64_t size_of(Type type) {
  constexpr int64_t kBytes[kTypeCount] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  return kBytes[static_cast<int>(type)];
}
constexpr bool is_signed(Type type) { return type >= Type::S8 && type <= Type::S64; }
constexpr bool is_unsigned(Type type) { return type >= Type::U8 && type <= Type::U64; }
constexpr bool is_integer(Type type) { return is_signed(type) || is_unsigned(type); }
constexpr bool is_float(Type type) { return type >= Type::F16; }

std::string_view name(Type type);  // "i1", "s8", "bf16"
std::optional<Type> parse_type(std::string_view text);

// A scalar has count 0, a strip 1 or more elements.
struct ValueType {
  Type type = Type::I1;
  int64_t count = 0;

  bool is_scalar() const { return count == 0; }
  int64_t elements() const { return count == 0 ? 1 : count; }
  int64_t bytes() const { return elements() * size_of(type); }
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

}  // namespace trainyard::isa::gpsimd
