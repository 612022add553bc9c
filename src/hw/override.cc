#include "hw/override.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "hw/fields.h"

namespace trainyard::hw {
namespace {

std::string_view wanted(FieldKind kind) {
  switch (kind) {
    case FieldKind::Integer:
    case FieldKind::Cycles:
      return "a whole number";
    case FieldKind::Real:
      return "a number";
    case FieldKind::Flag:
      return "true or false";
  }
  TY_CHECK(false);
}

bool has_type(const Given& given, FieldKind kind) {
  if (kind == FieldKind::Flag) return given.kind == Given::Kind::Flag;
  if (given.kind == Given::Kind::Integer) return true;
  if (given.kind != Given::Kind::Real) return false;
  // 2.4e9 is a natural way to write a clock.
  return kind == FieldKind::Real || given.number == std::floor(given.number);
}

Status set_lnc(Machine& machine, const Given& given) {
  if (given.kind != Given::Kind::Integer) {
    return error("TY-HW-004", "lnc = {}: must be a whole number", given.text);
  }
  const int64_t most = machine.chip.lnc_max.value;
  if (!(given.number >= 1 && given.number <= static_cast<double>(most))) {
    return error("TY-HW-005", "lnc = {}: must be from 1 to {} cores on {} (chip.lnc_max)",
                 given.text, most, machine.chip.name);
  }
  machine.lnc = static_cast<int>(given.number);
  return {};
}

std::vector<std::string> all_keys() {
  std::vector<std::string> keys = {"base", "name", "lnc"};
  for (const ChipField& field : chip_fields()) keys.emplace_back(field.key);
  for (const CoreField& field : core_fields()) keys.emplace_back(field.key);
  return keys;
}

}  // namespace

Status check_number(std::string_view key, FieldKind kind, double low, double high,
                    std::string_view unit, const Given& given) {
  if (!has_type(given, kind)) {
    return error("TY-HW-004", "{} = {}: must be {}", key, given.text, wanted(kind));
  }
  // Written so that NaN fails too.
  if (!(given.number >= low && given.number <= high)) {
    return error("TY-HW-005", "{} = {}: must be from {} to {}{}{}", key, given.text, low, high,
                 unit.empty() ? "" : " ", unit);
  }
  return {};
}

Status override_field(Machine& machine, std::string_view key, const Given& given,
                      std::string_view origin) {
  if (key == "lnc") return set_lnc(machine, given);
  if (const CoreField* field = find_field(core_fields(), key))
    return override_value(*field, machine.core, given, origin);
  if (const ChipField* field = find_field(chip_fields(), key))
    return override_value(*field, machine.chip, given, origin);
  return error("TY-HW-003", "there is no key '{}'{}; 'trainyard machine' lists all keys", key,
               did_you_mean(key, all_keys()));
}

}  // namespace trainyard::hw
