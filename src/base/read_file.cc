#include "base/read_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace trainyard {

std::optional<std::string> read_whole(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  // An empty file gives nothing to insert, which the stream takes for a failure.
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (in.bad() || text.fail()) return std::nullopt;
  return text.str();
}

std::string unreadable(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return "It is a folder; name a file in it.";
  if (!std::filesystem::exists(path, none)) return "Check the path.";
  return "Check its rights.";
}

}  // namespace trainyard
