#pragma once
// What run, asm and disasm share: where the program and the machine come from.
#include <CLI/App.hpp>
#include <string>

#include "compiler/file/executable_file.h"
#include "runtime/kernel.h"

namespace trainyard::tools {

struct LoadedProgram {
  runtime::Kernel kernel;
  // Of an executable file: its arguments, results and constants. The program is in the kernel.
  compiler::ExecutableFile file;
};

struct ProgramInput {
  std::string file;
  std::string target;   // empty: the program's own
  std::string machine;  // a TOML file
  bool plain = false;

  void declare(CLI::App& app);
  // The machine: a file wins over a target, a target over the program's own word and
  // TRAINYARD_TARGET.
  Result<hw::Machine> find_machine(const std::string& program_target) const;
  // A program in text form, or an executable file: its first bytes decide.
  Result<compiler::ExecutableFile> read() const;
  // Read, verified and placed.
  Result<LoadedProgram> load() const;
};

inline constexpr std::string_view kExecutableSuffix = ".tyx";

Result<std::string> read_file(const std::string& path);
Status write_file(const std::string& path, std::string_view bytes);

}  // namespace trainyard::tools
