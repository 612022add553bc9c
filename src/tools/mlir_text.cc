#include "tools/mlir_text.h"

#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "tools/program_input.h"
#include "tools/python_program.h"

extern char** environ;

namespace trainyard::tools {
namespace {

// The exit code of a program, or -1 if it could not be run.
int run_program(const std::array<std::string, 5>& words) {
  std::array<char*, 6> arguments{};
  for (size_t i = 0; i < words.size(); ++i) arguments[i] = const_cast<char*>(words[i].c_str());
  pid_t child = -1;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
    return -1;
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// A file that is gone when its owner is.
class ScratchFile {
 public:
  ScratchFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "trainyardXXXXXX").string();
    folder_ = mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
  }
  ~ScratchFile() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  std::string path() const { return folder_ + "/module.mlirbc"; }

 private:
  std::string folder_;
};

}  // namespace

Result<std::string> bytecode_of_text(const std::string& file) {
  const Result<std::string> text = read_file(file);
  if (!text.ok()) return text.status();
  const std::string python = python_program();
  const ScratchFile scratch;
  const int code = run_program({python, "-m", "trainyard.mlir_text", file, scratch.path()});
  if (code != 0) {
    return error("TY-TOOL-022",
                 "{} is text, and {} -m trainyard.mlir_text could not turn it into bytecode; name "
                 "an interpreter that has jaxlib and trainyard in TRAINYARD_PYTHON",
                 file, python);
  }
  return read_file(scratch.path());
}

}  // namespace trainyard::tools
