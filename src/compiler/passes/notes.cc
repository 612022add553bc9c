#include "compiler/passes/notes.h"

#include <string>

namespace trainyard::compiler {

std::optional<int64_t> note(const Op& op, std::string_view name) {
  const Attribute* found = find(op.extra, name);
  const auto* number = found == nullptr ? nullptr : std::get_if<IntegerAttribute>(&found->kind);
  if (number == nullptr) return std::nullopt;
  return number->value;
}

void set_note(Op& op, std::string_view name, int64_t value) {
  clear_note(op, name);
  op.extra.push_back({std::string(name), {IntegerAttribute{.value = value}}});
}

void clear_note(Op& op, std::string_view name) {
  std::erase_if(op.extra, [&](const NamedAttribute& entry) { return entry.name == name; });
}

}  // namespace trainyard::compiler
