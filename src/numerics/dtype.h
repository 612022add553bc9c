#pragma once
// The element types of the machine [neuroncore 5.1]: what they are called and how wide they are.
// How their bits are read and written is in numerics/float_format.h and numerics/convert.h.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trainyard::numerics {

// The values are not a file format: a file stores its own codes. New types go at the end.
enum class Dtype : uint8_t {
  F32,
  TF32,  // 1.8.10 in the upper 19 bits of a 4-byte word; the low 13 bits are ignored
  BF16,
  F16,
  F8E5M2,
  F8E4M3,    // legacy IEEE style: Inf and NaN, largest finite value 240
  F8E4M3FN,  // OCP: no Inf, one NaN, largest finite value 448
  F8E3M4,
  S8,
  U8,
  S16,
  U16,
  S32,
  U32,
};

inline constexpr std::array kAllDtypes = {
    Dtype::F32,    Dtype::TF32,     Dtype::BF16,   Dtype::F16, Dtype::F8E5M2,
    Dtype::F8E4M3, Dtype::F8E4M3FN, Dtype::F8E3M4, Dtype::S8,  Dtype::U8,
    Dtype::S16,    Dtype::U16,      Dtype::S32,    Dtype::U32,
};

// Bytes of one element in memory.
constexpr int size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::F32:
    case Dtype::TF32:
    case Dtype::S32:
    case Dtype::U32:
      return 4;
    case Dtype::BF16:
    case Dtype::F16:
    case Dtype::S16:
    case Dtype::U16:
      return 2;
    case Dtype::F8E5M2:
    case Dtype::F8E4M3:
    case Dtype::F8E4M3FN:
    case Dtype::F8E3M4:
    case Dtype::S8:
    case Dtype::U8:
      return 1;
  }
  return 0;
}

constexpr bool is_float(Dtype dtype) { return dtype <= Dtype::F8E3M4; }
constexpr bool is_integer(Dtype dtype) { return !is_float(dtype); }

// Whether the type has negative values. True for every float.
constexpr bool is_signed(Dtype dtype) {
  return dtype != Dtype::U8 && dtype != Dtype::U16 && dtype != Dtype::U32;
}

// The name in our text form: f32 tf32 bf16 f16 f8e5m2 f8e4m3 f8e4m3fn f8e3m4 i8 u8 i16 u16 i32 u32.
std::string_view name(Dtype dtype);

// The name that NumPy and ml_dtypes know: "float32", "bfloat16", "float8_e4m3", "int32". NumPy has
// no tf32: its container is "float32".
std::string_view numpy_name(Dtype dtype);

// Reads a text form name, a NumPy name or NKI's "tfloat32". Nothing where no type has that name.
std::optional<Dtype> parse_dtype(std::string_view text);

}  // namespace trainyard::numerics
