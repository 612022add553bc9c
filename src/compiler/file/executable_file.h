#pragma once
// The executable file (.tyx): what the compiler made of a module, with where it came from.
//
// A file may come from anybody. Reading it gives an Executable or an error that names the byte;
// verify_executable then says whether a core can run it. Only after that may anything else look at
// it.
#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "compiler/executable.h"
#include "hw/catalogue.h"

namespace trainyard::compiler {

// What an executable was made from and by whom. These are also the parts of its key in a cache: two
// compilations with equal parts give the same file.
struct Origin {
  std::string compiler;  // version and digest of the compiler's sources
  std::string module;    // digest of the module's bytes; empty: not made from a module
  std::string machine;   // name and digest of the machine
  std::string options;   // those that change what the compiler makes; empty: none
  friend bool operator==(const Origin&, const Origin&) = default;
};

struct ExecutableFile {
  Executable executable;
  Origin origin;
  uint64_t fingerprint = 0;  // of the module
  std::string caller;        // what the caller keeps beside the program, in its own form
};

// Equal contents give equal bytes.
std::string write_executable(const ExecutableFile& file);

// TY-EXE-001 to -010, each with the byte. Nothing is verified but the form.
Result<ExecutableFile> read_executable(std::span<const uint8_t> bytes);
Result<ExecutableFile> read_executable(std::string_view bytes);

// Whether the bytes begin like an executable file.
bool is_executable_file(std::string_view bytes);

// Whether `core` can run it (isa::verify), and whether arguments, results and constants fit the
// tensors that they name: TY-EXE-008.
Status verify_executable(const Executable& executable, const hw::CoreSpec& core);

// "trainyard 0.1.0, sources 1f2e3d4c5b6a7988"
const std::string& compiler_name();
// "trn2, 1f2e3d4c5b6a7988": every number of the machine counts.
std::string machine_digest(const hw::Machine& machine);
// 32 digits of the bytes.
std::string digest(std::string_view bytes);
// The name of the entry in a cache: a digest of all parts.
std::string cache_key(const Origin& origin);

}  // namespace trainyard::compiler
