#pragma once
// "Did you mean": the known name nearest to one that is unknown, for error messages.
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, letter case aside; the first one wins a tie. Empty when even
// that one differs in more than a third of its letters: a wild guess helps nobody.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// " (did you mean 'x'?)" to append to a message, or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace trainyard
