#pragma once
// Whole files. A folder opens like a file and reads as an empty one, so it is told apart here.
#include <optional>
#include <string>

namespace trainyard {

// Nothing if it cannot be read, or is a folder.
std::optional<std::string> read_whole(const std::string& path);

// Why not, and what to do: "It is a folder; name a file in it."
std::string unreadable(const std::string& path);

}  // namespace trainyard
