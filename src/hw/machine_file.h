#pragma once
// A machine of the user's own, as a TOML file that changes one of the catalogue:
//
//   base = "trn2"                     base = "trn2.48xlarge"
//   name = "trn2-wide"                name = "twice-the-network"
//   [core.sbuf]                       [instance]
//   partition_bytes = 458752          nics = 32
//
// Any number of the catalogue can be changed; everything else stays as in the base. A chip has the
// keys chip.* and core.*; an instance has those of its chip and accelerator.*, instance.*, net.*,
// run.* beside them.
#include <string>
#include <string_view>

#include "base/status.h"
#include "hw/catalogue.h"
#include "hw/systems/system.h"

namespace trainyard::hw {

// The machine that `text` describes. `file` is its name in errors and in the sources of changed
// facts. Errors carry the line: TY-HW-002 not TOML, no base, or a base or name that is no text;
// TY-HW-001 unknown base; TY-HW-003 to 007 as in hw/override.h. If the base is an instance, its
// chip; TY-HW-010 if the device simulator does not know that chip.
Result<Machine> parse_machine(std::string_view text, std::string_view file);

// The system that `text` describes, with the same errors; TY-HW-009 if the base is a chip.
Result<System> parse_system(std::string_view text, std::string_view file);

// The same from a file; TY-HW-008 if it cannot be read.
Result<Machine> load_machine(const std::string& path);
Result<System> load_system(const std::string& path);

// Every number of the machine as a machine file, each with its meaning, trust and source as a
// comment. parse_machine of it gives an equal machine if `file` is the name that the machine's own
// overrides carry; under another name the sources of those differ, the numbers and trust do not.
std::string machine_to_toml(const Machine& machine);
std::string system_to_toml(const System& system);

}  // namespace trainyard::hw
