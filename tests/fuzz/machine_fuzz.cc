// Any bytes are a machine file that loads, or an error: never a crash. What loads must survive a
// dump, as a chip and as an instance.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "hw/machine_file.h"

namespace {

void load_as_system(std::string_view text) {
  const auto system = trainyard::hw::parse_system(text, "fuzz.toml");
  if (!system) return;
  const auto again =
      trainyard::hw::parse_system(trainyard::hw::system_to_toml(*system), "fuzz.toml");
  TY_CHECK(again.ok());
  TY_CHECK(*again == *system);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  load_as_system(text);
  const auto machine = trainyard::hw::parse_machine(text, "fuzz.toml");
  if (!machine) {
    TY_CHECK(machine.status().code().starts_with("TY-HW-"));
    return 0;
  }
  const auto again =
      trainyard::hw::parse_machine(trainyard::hw::machine_to_toml(*machine), "fuzz.toml");
  TY_CHECK(again.ok());
  TY_CHECK(*again == *machine);
  return 0;
}
