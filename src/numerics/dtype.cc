#include "numerics/dtype.h"

#include "base/check.h"

namespace trainyard::numerics {
namespace {

struct Names {
  std::string_view text;
  std::string_view numpy;
};

// In the order of Dtype.
constexpr Names kNames[] = {
    {"f32", "float32"},
    {"tf32", "float32"},
    {"bf16", "bfloat16"},
    {"f16", "float16"},
    {"f8e5m2", "float8_e5m2"},
    {"f8e4m3", "float8_e4m3"},
    {"f8e4m3fn", "float8_e4m3fn"},
    {"f8e3m4", "float8_e3m4"},
    {"i8", "int8"},
    {"u8", "uint8"},
    {"i16", "int16"},
    {"u16", "uint16"},
    {"i32", "int32"},
    {"u32", "uint32"},
};
static_assert(std::size(kNames) == kAllDtypes.size());

const Names& names(Dtype dtype) {
  TY_CHECK(static_cast<size_t>(dtype) < std::size(kNames));
  return kNames[static_cast<size_t>(dtype)];
}

}  // namespace

std::string_view name(Dtype dtype) { return names(dtype).text; }

std::string_view numpy_name(Dtype dtype) { return names(dtype).numpy; }

std::optional<Dtype> parse_dtype(std::string_view text) {
  if (text == "tfloat32") return Dtype::TF32;
  // F32 stands before TF32, so "float32" is F32.
  for (const Dtype dtype : kAllDtypes) {
    if (text == name(dtype) || text == numpy_name(dtype)) return dtype;
  }
  return std::nullopt;
}

}  // namespace trainyard::numerics
