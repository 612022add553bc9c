#include "hw/override.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "hw/fields.h"
#include "hw/intern.h"

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

template <class Spec>
Status set(const Field<Spec>& field, Spec& spec, const Given& given, std::string_view origin) {
  if (!has_type(given, field.kind)) {
    return error("TY-HW-004", "{} = {}: must be {}", field.key, given.text, wanted(field.kind));
  }
  // Written so that NaN fails too.
  if (!(given.number >= field.low && given.number <= field.high)) {
    return error("TY-HW-005", "{} = {}: must be from {} to {}{}{}", field.key, given.text,
                 field.low, field.high, field.unit.empty() ? "" : " ", field.unit);
  }
  if (field.get(spec).value != given.number) {
    field.set(spec, {given.number, Trust::Assumed, intern("user:" + std::string(origin))});
  }
  return {};
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

Status override_field(Machine& machine, std::string_view key, const Given& given,
                      std::string_view origin) {
  if (key == "lnc") return set_lnc(machine, given);
  if (const CoreField* field = find_field(core_fields(), key))
    return set(*field, machine.core, given, origin);
  if (const ChipField* field = find_field(chip_fields(), key))
    return set(*field, machine.chip, given, origin);
  return error("TY-HW-003", "there is no key '{}'{}; 'trainyard machine' lists all keys", key,
               did_you_mean(key, all_keys()));
}

}  // namespace trainyard::hw
