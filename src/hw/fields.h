#pragma once
// The fields of a spec as data: what a machine file may set, what `explain` shows, what a dump
// writes. Made from core_fields.inc and chip_fields.inc, so no field can be missing.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hw/chip_spec.h"
#include "hw/core_spec.h"
#include "hw/fact.h"

namespace trainyard::hw {

enum class FieldKind : uint8_t { Integer, Real, Cycles, Flag };

// A fact of any type. Integers are exact: no range of a field reaches beyond 2^53.
struct FactView {
  double value;
  Trust trust;
  std::string_view source;

  friend bool operator==(const FactView&, const FactView&) = default;
};

template <class Spec>
struct Field {
  std::string_view group;    // "pe"
  std::string_view name;     // "mm_floor"
  std::string_view key;      // "core.pe.mm_floor", as in a machine file
  std::string_view unit;     // "cycles"; empty for flags and ratios
  std::string_view meaning;  // one line
  FieldKind kind;
  double low;  // the allowed range, both ends included
  double high;
  FactView (*get)(const Spec&);
  void (*set)(Spec&, const FactView&);
};

using CoreField = Field<CoreSpec>;
using ChipField = Field<ChipSpec>;

// A group of fields, one per unit of the core.
struct FieldGroup {
  std::string_view name;
  std::string_view meaning;
};

// In the order of the .inc files.
std::span<const CoreField> core_fields();
std::span<const FieldGroup> core_groups();
std::span<const ChipField> chip_fields();

// "64", "0.5", "true": as one writes it; reads back exactly.
std::string value_text(double value, FieldKind kind);

// The field with exactly that key; null if there is none.
template <class Spec>
const Field<Spec>* find_field(std::span<const Field<Spec>> fields, std::string_view key) {
  const auto found =
      std::ranges::find_if(fields, [&](const Field<Spec>& field) { return field.key == key; });
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace trainyard::hw
