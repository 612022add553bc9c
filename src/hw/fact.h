#pragma once
// Numbers about the machine that know where they come from.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainyard::hw {

// How far a number may be trusted, strongest first. Every report prints the weakest Trust that went
// into it.
enum class Trust : uint8_t {
  Documented,  // stated in a public page of the vendor, current or older
  Derived,     // arithmetic on documented numbers
  Measured,    // read off a published profile, or timed by a third party
  Assumed,     // carried over from a neighbour, or guessed, or set by the user
};

constexpr std::string_view name(Trust trust) {
  constexpr std::array<std::string_view, 4> kNames = {"documented", "derived", "measured",
                                                      "assumed"};
  return kNames[static_cast<std::size_t>(trust)];
}

constexpr Trust weakest(Trust a, Trust b) { return std::max(a, b); }

// One number about the machine and the document it came from.
template <class T>
struct Fact {
  T value;
  Trust trust;
  std::string_view source;  // a key of docs/sources.md, or "user:<file>"; never owned

  friend constexpr bool operator==(const Fact&, const Fact&) = default;
};

}  // namespace trainyard::hw
