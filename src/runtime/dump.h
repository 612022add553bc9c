#pragma once
// TRAINYARD_DUMP: what the compiler makes of each program, as files to read.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/file/executable_file.h"
#include "compiler/ir/graph.h"

namespace trainyard::runtime {

// Writes FOLDER/NNNN/{module.mlirbc, key.txt, 00-read.txt, 01-PASS.txt, ..., body.tya, program.tyx,
// remarks.txt}, a new
// number for each program of the process. A folder that cannot be written is told once on stderr
// and is no error: it must not change what the program does.
class Dump {
 public:
  Dump(const std::string& folder, std::span<const uint8_t> module);
  bool wanted() const { return !folder_.empty(); }
  void graph(std::string_view pass, const compiler::Module& module);
  void program(const compiler::ExecutableFile& file);

 private:
  void write(const std::string& file, std::string_view text);

  std::string folder_;  // of this program; empty: nothing is wanted
  int graphs_ = 0;
};

}  // namespace trainyard::runtime
