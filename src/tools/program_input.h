#pragma once
// What run, asm and disasm share: where the program and the machine come from.
#include <CLI/App.hpp>
#include <string>

#include "runtime/kernel.h"

namespace trainyard::tools {

struct ProgramInput {
  std::string file;
  std::string target;   // empty: the program's own
  std::string machine;  // a TOML file
  bool plain = false;

  void declare(CLI::App& app);
  // The machine: a file wins over a target, a target over the program's own word and
  // TRAINYARD_TARGET.
  Result<hw::Machine> find_machine(const std::string& program_target) const;
  Result<isa::Program> read() const;
  // Read, verified and placed.
  Result<runtime::Kernel> load() const;
};

Result<std::string> read_file(const std::string& path);
Status write_file(const std::string& path, std::string_view bytes);

}  // namespace trainyard::tools
