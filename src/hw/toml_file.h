#pragma once
// What machine files and price files share: TOML from an untrusted source, with places for errors.
// Only for the files that read them; it pulls in toml++.
#include <string>
#include <string_view>

#include "base/status.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 8
// The library asserts in its parser what a file may well break ("[|x]"), and with NDEBUG lets the
// compiler believe it. It reports such files properly if it does neither.
#define TOML_ASSERT(expression) static_assert(true)
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace trainyard::hw {

// The table that `text` describes. `file` is its name in errors, `kind` what it should be ("machine
// file"), `code` the error code for what is not TOML or must not reach the library.
Result<toml::table> parse_toml(std::string_view text, std::string_view file, std::string_view kind,
                               std::string_view code);

// The bytes of a file, at most one more than parse_toml accepts; TY-HW-008 if it cannot be read.
Result<std::string> read_toml_file(const std::string& path, std::string_view kind);

SourcePlace place_in(std::string_view file, const toml::source_region& region);

}  // namespace trainyard::hw
