#pragma once
// Names in the text form: which words are reserved, how any other string is quoted, and which known
// name a misspelt one is nearest to.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::isa::text {

enum class NameKind { Tensor, Label, Loop, Register, Branch, Semaphore };
std::string_view words(NameKind kind);  // "tensor", "label", ...

// Whether the bare word means something else where a name of this kind may stand. Labels share
// their place with the items of a placement, so engines and queues (q0, q1, ...) are reserved
// there.
bool is_reserved(NameKind kind, std::string_view name);

// The roles of a call's operands.
inline constexpr std::string_view kRoleWords[] = {"read", "write", "update"};

// Whether `word` names a queue: 'q' and a number.
bool is_queue(std::string_view word);

// The name as the parser reads it back: bare if it can be, else in quotes.
std::string spelled(NameKind kind, std::string_view name);
// The same for names in places where no word is reserved (programs, targets).
std::string spelled(std::string_view name);

// " (did you mean 'nc_matmul'?)" if a candidate is near enough to `name`, else empty.
std::string hint(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace trainyard::isa::text
