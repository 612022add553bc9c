#pragma once
// The small closed sets that instructions choose from, with NKI's names.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "numerics/functions.h"

namespace trainyard::isa {

// ALU operators of Vector and GpSimd. Arithmetic ones compute in fp32 (GpSimd: exact 32-bit
// integers for add, subtract, multiply); comparisons and logicals give 1 or 0; bitwise ones take
// integer bit patterns as they are. The order fixes the binary form: append only.
enum class AluOp : uint8_t {
  Bypass,
  Add,
  Subtract,
  Multiply,
  Max,
  Min,
  Equal,
  NotEqual,
  GreaterEqual,
  Greater,
  LessEqual,
  Less,
  LogicalAnd,
  LogicalOr,
  LogicalXor,
  Power,
  AbsMax,
  AbsMin,
  Abs,
  Square,
  Relu,
  Rsqrt,
  Reciprocal,
  BitwiseNot,
  BitwiseAnd,
  BitwiseOr,
  BitwiseXor,
  ShiftLeft,
  ShiftRight,
};

enum class Accumulate : uint8_t { FirstWrite, Overwrite, Add };
enum class PerfMode : uint8_t { None, DoubleRow };
enum class ReduceCmd : uint8_t { Idle, Reset, Reduce, ResetReduce };
// How the descriptors of a transfer are made. Unknown: static if every address is, else by the
// core.
enum class DgeMode : uint8_t { Unknown, Static, Swdge, Hwdge };
enum class OobMode : uint8_t { Error, Skip };
enum class RegisterOp : uint8_t {
  Add,
  Subtract,
  Multiply,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  Min,
  Max,
  Less,
  Equal
};
enum class CollectiveKind : uint8_t {
  AllGather,
  AllReduce,
  ReduceScatter,
  AllToAll,
  Permute,
  Broadcast
};
using Function = numerics::Function;

// Names in the text form, indexed by enumerator.
template <class E>
struct EnumNames;
template <>
struct EnumNames<AluOp> {
  static constexpr std::array<std::string_view, 29> value = {
      "bypass",      "add",        "subtract",      "multiply",   "max",        "min",
      "equal",       "not_equal",  "greater_equal", "greater",    "less_equal", "less",
      "logical_and", "logical_or", "logical_xor",   "power",      "abs_max",    "abs_min",
      "abs",         "square",     "relu",          "rsqrt",      "reciprocal", "invert",
      "bitwise_and", "bitwise_or", "bitwise_xor",   "left_shift", "right_shift"};
};
template <>
struct EnumNames<Accumulate> {
  static constexpr std::array<std::string_view, 3> value = {"first_write", "overwrite",
                                                            "accumulate"};
};
template <>
struct EnumNames<PerfMode> {
  static constexpr std::array<std::string_view, 2> value = {"none", "double_row"};
};
template <>
struct EnumNames<ReduceCmd> {
  static constexpr std::array<std::string_view, 4> value = {"idle", "reset", "reduce",
                                                            "reset_reduce"};
};
template <>
struct EnumNames<DgeMode> {
  static constexpr std::array<std::string_view, 4> value = {"unknown", "none", "swdge", "hwdge"};
};
template <>
struct EnumNames<OobMode> {
  static constexpr std::array<std::string_view, 2> value = {"error", "skip"};
};
template <>
struct EnumNames<RegisterOp> {
  static constexpr std::array<std::string_view, 12> value = {
      "add",        "subtract",    "multiply", "bitwise_and", "bitwise_or", "bitwise_xor",
      "left_shift", "right_shift", "min",      "max",         "less",       "equal"};
};
template <>
struct EnumNames<CollectiveKind> {
  static constexpr std::array<std::string_view, 6> value = {
      "all_gather", "all_reduce", "reduce_scatter", "all_to_all", "permute", "broadcast"};
};

template <class E>
constexpr std::string_view enum_name(E e) {
  return EnumNames<E>::value[static_cast<size_t>(e)];
}
template <>
inline std::string_view enum_name(Function f) {
  return numerics::name(f);
}

template <class E>
std::optional<E> parse_enum(std::string_view text) {
  const auto& names = EnumNames<E>::value;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}
template <>
inline std::optional<Function> parse_enum<Function>(std::string_view text) {
  return numerics::parse_function(text);
}

constexpr bool is_bitwise(AluOp op) { return op >= AluOp::BitwiseNot; }
constexpr bool is_unary(AluOp op) {
  return (op >= AluOp::Abs && op <= AluOp::Reciprocal) || op == AluOp::BitwiseNot;
}
constexpr bool is_compare(AluOp op) { return op >= AluOp::Equal && op <= AluOp::Less; }

}  // namespace trainyard::isa
