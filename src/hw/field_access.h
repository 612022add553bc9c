#pragma once
// How the tables of fields read and write a Fact of any type. Only for the files that make tables.
#include <cstdint>
#include <type_traits>

#include "base/units.h"
#include "hw/fields.h"

namespace trainyard::hw {

template <class T>
constexpr FieldKind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return FieldKind::Flag;
  if constexpr (std::is_same_v<T, double>) return FieldKind::Real;
  if constexpr (std::is_same_v<T, Cycles>) return FieldKind::Cycles;
  return FieldKind::Integer;
}

template <class T>
FactView view(const Fact<T>& fact) {
  if constexpr (std::is_same_v<T, Cycles>) {
    return {static_cast<double>(fact.value.value), fact.trust, fact.source};
  } else {
    return {static_cast<double>(fact.value), fact.trust, fact.source};
  }
}

template <class T>
void assign(Fact<T>& fact, const FactView& v) {
  if constexpr (std::is_same_v<T, Cycles>) {
    fact = {Cycles{static_cast<int64_t>(v.value)}, v.trust, v.source};
  } else {
    fact = {static_cast<T>(v.value), v.trust, v.source};
  }
}

}  // namespace trainyard::hw
