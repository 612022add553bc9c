// Writes a machine or a system as a machine file.
#include <fmt/format.h>

#include "hw/fields.h"
#include "hw/machine_file.h"
#include "hw/systems/system_fields.h"

namespace trainyard::hw {
namespace {

// TOML tells whole numbers from others by the point.
std::string number(const FactView& fact, FieldKind kind) {
  const std::string text = value_text(fact.value, kind);
  const bool needs_point = kind == FieldKind::Real && text.find_first_of(".e") == std::string::npos;
  return needs_point ? text + ".0" : text;
}

template <class Spec>
std::string line(const Field<Spec>& field, const Spec& spec) {
  const FactView fact = field.get(spec);
  return fmt::format("# {}{}{}; {}, {}\n{} = {}\n", field.unit, field.unit.empty() ? "" : "; ",
                     field.meaning, name(fact.trust), fact.source, field.name,
                     number(fact, field.kind));
}

// A TOML basic string: quotes, backslashes and control characters are escaped.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", c);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// The groups of a chip and its cores; `lnc` stands before any group.
std::string device_text(const Machine& machine) {
  std::string out = fmt::format("lnc = {}\n\n[chip]\n", machine.lnc);
  for (const ChipField& field : chip_fields()) out += line(field, machine.chip);
  for (const FieldGroup& group : core_groups()) {
    out += fmt::format("\n# {}\n[core.{}]\n", group.meaning, group.name);
    for (const CoreField& field : core_fields()) {
      if (field.group == group.name) out += line(field, machine.core);
    }
  }
  return out;
}

}  // namespace

std::string machine_to_toml(const Machine& machine) {
  return fmt::format("base = {}\nname = {}\n", quoted(machine.chip.name), quoted(machine.name)) +
         device_text(machine);
}

std::string system_to_toml(const System& system) {
  std::string out =
      fmt::format("base = {}\nname = {}\n", quoted(system.instance.name), quoted(system.name));
  if (system.device) out += device_text(*system.device);
  out += "\n# The chip as a cluster sees it\n[accelerator]\n";
  for (const AcceleratorField& field : accelerator_fields()) out += line(field, system.accelerator);
  out += "\n# What is rented as one unit\n[instance]\n";
  for (const InstanceField& field : instance_fields()) out += line(field, system.instance);
  for (const FieldGroup& group : knob_groups()) {
    out += fmt::format("\n# {}\n[{}]\n", group.meaning, group.name);
    for (const KnobField& field : knob_fields()) {
      if (field.group == group.name) out += line(field, system.knobs);
    }
  }
  return out;
}

}  // namespace trainyard::hw
