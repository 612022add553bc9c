#include "tools/python_program.h"

#include <cstdlib>
#include <filesystem>

namespace trainyard::tools {

std::string python_program() {
  const char* chosen = std::getenv("TRAINYARD_PYTHON");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code failed;
  // build/release/bin/trainyard
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::filesystem::path own =
      self.parent_path().parent_path().parent_path().parent_path() / ".venv/bin/python";
  return !failed && std::filesystem::exists(own, failed) ? own.string() : "python3";
}

}  // namespace trainyard::tools
