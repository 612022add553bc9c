#pragma once
// Changing a machine: one number at a time, checked; then all of them against each other.
#include <string_view>

#include "base/status.h"
#include "hw/catalogue.h"
#include "hw/fields.h"
#include "hw/intern.h"

namespace trainyard::hw {

// A number as a user wrote it, before it is known which field it is for.
struct Given {
  enum class Kind : uint8_t { Integer, Real, Flag, Other };
  Kind kind = Kind::Other;
  double number = 0;      // a flag is 0 or 1
  std::string_view text;  // what to show in an error
};

// Sets the field `key` ("core.pe.mm_floor", "chip.cores", "lnc") of `machine`. A changed number
// becomes Assumed with source "user:<origin>"; one equal to what is there keeps its source.
//
// TY-HW-003: no such key. TY-HW-004: wrong type. TY-HW-005: outside the allowed range.
// The machine may be inconsistent until `settle` has been called.
Status override_field(Machine& machine, std::string_view key, const Given& given,
                      std::string_view origin);

// Makes a changed machine whole: derives the tick rate from the clocks and moves the address map
// where a larger SBUF no longer fits. TY-HW-006: numbers that contradict each other.
// TY-HW-007: clocks without a common tick.
Status settle(Machine& machine);

// Whether a field of that type and range may have the value: TY-HW-004, TY-HW-005.
Status check_number(std::string_view key, FieldKind kind, double low, double high,
                    std::string_view unit, const Given& given);

// Sets one field of any spec, with the rules of override_field.
template <class Spec>
Status override_value(const Field<Spec>& field, Spec& spec, const Given& given,
                      std::string_view origin) {
  TY_TRY(check_number(field.key, field.kind, field.low, field.high, field.unit, given));
  if (field.get(spec).value != given.number) {
    field.set(spec, {given.number, Trust::Assumed, intern("user:" + std::string(origin))});
  }
  return {};
}

}  // namespace trainyard::hw
