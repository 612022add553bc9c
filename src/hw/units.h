#pragma once
// The units of a NeuronCore in words: what each does, what it reaches, what surprises newcomers.
// The numbers stand in the tables of the pages that are made from it (hw/explain.h).
#include <span>
#include <string_view>

namespace trainyard::hw {

struct Unit {
  std::string_view name;                         // "tensor"; the page is docs/machine/tensor.md
  std::string_view title;                        // "Tensor engine (PE)"
  std::span<const std::string_view> aliases;     // other names that find it, lower case
  std::span<const std::string_view> groups;      // groups of core_fields.inc shown on its page
  std::span<const std::string_view> paragraphs;  // plain text, no markup
};

// In the order in which one reads about the machine. Every group of fields is on one page.
std::span<const Unit> units();

}  // namespace trainyard::hw
