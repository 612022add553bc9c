#pragma once
// The operations of GpSimd programs: names, groups and how many values each takes and gives.
#include <cstdint>
#include <optional>
#include <string_view>

namespace trainyard::isa::gpsimd {

// Which rules an operation follows. The attributes of an operation depend on its form alone.
enum class Form : uint8_t {
  Constant,   // a literal
  Unary,      // element by element, a -> same type
  Math,       // unary, floats only, of the elementary functions
  Binary,     // a, b -> same type
  Math2,      // binary, floats only
  Compare,    // a, b -> i1
  Test,       // float -> i1
  Select,     // i1, a, b -> a's type
  Fma,        // a, b, c floats
  Convert,    // to another type, by value
  Bitcast,    // to another type of the same width, by bits
  Iota,       // 0, 1, 2...
  Broadcast,  // scalar -> strip
  Shuffle,    // strip, index strip
  Compress,   // strip, mask -> strip, s32 count
  Reduce,     // strip, start -> scalar
  Scan,       // strip, start -> strip
  Load,       // window at base + i * step
  Store,
  Gather,  // window at an index strip
  Scatter,
  For,
  While,
  If,
  Primitive,  // works on whole windows
};

enum class Code : uint8_t {
#define TY_GPSIMD_OP(code, name, form) code,
#include "isa/gpsimd/ops.inc"
#undef TY_GPSIMD_OP
};
inline constexpr int kCodeCount = static_cast<int>(Code::Dot) + 1;

std::string_view name(Code code);
std::optional<Code> parse_code(std::string_view text);
Form form(Code code);

// Element by element and without effect: what combiners and comparators may consist of.
bool is_elementwise(Code code);
// Values that an operation of this form takes; -1 where it varies.
int arity(Form form);

}  // namespace trainyard::isa::gpsimd
