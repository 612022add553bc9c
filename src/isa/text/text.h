#pragma once
// The text form of programs. docs/program.md has the grammar.
//
// parse_text(print_text(p)) is the same program (isa/program.h, same_program), and printing that
// gives the same text again. Numbers are kept bit by bit, except that a NaN loses its payload.
#include <string>
#include <string_view>

#include "base/status.h"
#include "isa/program.h"

namespace trainyard::isa {

// Reads a program. Any text, also a hostile one, ends in a program or in the first error, in time
// proportional to its length. What comes back is well formed (every name resolves, every counter
// and tensor is used inside its scope) but not yet verified: shapes, memories and types may not
// fit. `file_name` is what errors and SourceRefs call the text.
Result<Program> parse_text(std::string_view text, std::string file_name);

struct PrintOptions {
  bool placement = true;  // false: the body alone, nothing right of an `@`
};

// Writes a well formed program, one statement per line, with what stands right of an `@` in a
// column of its own.
std::string print_text(const Program& program, const PrintOptions& options = {});

// Bytes of a PSUM bank in the text form: `@ bank 3 + 64` means address 3 * 2048 + 64 on every core.
inline constexpr int64_t kTextBankBytes = 2048;

}  // namespace trainyard::isa
