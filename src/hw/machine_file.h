#pragma once
// A machine of the user's own, as a TOML file that changes one of the catalogue:
//
//   base = "trn2"
//   name = "trn2-wide"
//   [core.sbuf]
//   partition_bytes = 458752
//
// Any number of the catalogue can be changed; everything else stays as in the base.
#include <string>
#include <string_view>

#include "base/status.h"
#include "hw/catalogue.h"

namespace trainyard::hw {

// The machine that `text` describes. `file` is its name in errors and in the sources of changed
// facts. Errors carry the line: TY-HW-002 not TOML, no base, or a base or name that is no text;
// TY-HW-001 unknown base; TY-HW-003 to 007 as in hw/override.h.
Result<Machine> parse_machine(std::string_view text, std::string_view file);

// The same from a file; TY-HW-008 if it cannot be read.
Result<Machine> load_machine(const std::string& path);

// Every number of the machine as a machine file, each with its meaning, trust and source as a
// comment. parse_machine of it gives an equal machine if `file` is the name that the machine's own
// overrides carry; under another name the sources of those differ, the numbers and trust do not.
std::string machine_to_toml(const Machine& machine);

}  // namespace trainyard::hw
