#pragma once
// The text form of GpSimd programs:
//
//   gpsimd double_all {
//     window x: f32[4, 256] of [16, 256] at [4, 0] update
//     body(v0: s32) {
//       v1: f32[1024] = load v0 (window x)
//       v2: f32[1024] = add v1, v1
//       store v0, v2 (window x)
//       yield
//     }
//   }
//
// Attributes stand in parentheses and are left out where they have their default. Printing what was
// read gives the same text again, and reading what was printed the same program.
#include <string>
#include <string_view>

#include "base/status.h"
#include "isa/gpsimd/program.h"

namespace trainyard::isa::gpsimd {

// Blocks inside of blocks, in the text form and in a verified program.
inline constexpr int kMostDepth = 64;

// Reads a program. Any text ends in a program or in the first error with its place, in time
// proportional to its length. What comes back is not verified. Errors are those of the text form
// of bodies: TY-TXT-001, 002, 003, 004, 007, 008, 011. `first_line` is the number of the first
// line.
Result<Program> parse_text(std::string_view text, std::string file_name, int first_line = 1);

// The values are called v0, v1... in the order of their numbers. The program must verify.
std::string print_text(const Program& program);

// Words of the text form, in the order of the enumerators.
inline constexpr std::string_view kUses[] = {"read", "write", "update"};
inline constexpr std::string_view kBounds[] = {"fault", "clamp", "fill", "drop"};
inline constexpr std::string_view kFolds[] = {"none", "add", "mul", "min",     "max",
                                              "and",  "or",  "xor", "function"};
inline constexpr std::string_view kOrders[] = {"ascending", "descending"};

}  // namespace trainyard::isa::gpsimd
