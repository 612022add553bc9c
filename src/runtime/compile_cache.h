#pragma once
// TRAINYARD_CACHE: a folder of executable files, one for each compilation, that later processes
// take instead of compiling again. The name of a file is its key: a digest of the module's bytes,
// the compiler, the machine and the options (compiler::Origin). The parts stand inside the file, so
// that a miss can be explained.
//
// Nothing is ever wrong because of the cache: a file that is damaged, or holds other parts than its
// name says, counts as absent; a folder that cannot be written is told once on stderr. Files appear
// whole, so that processes may share a folder. Nothing is deleted.
#include <optional>
#include <string>
#include <vector>

#include "compiler/file/executable_file.h"

namespace trainyard::runtime {

class CompileCache {
 public:
  // An empty folder means no cache.
  explicit CompileCache(std::string folder) : folder_(std::move(folder)) {}
  bool wanted() const { return !folder_.empty(); }

  std::optional<compiler::ExecutableFile> find(const compiler::Origin& origin) const;
  void add(const compiler::ExecutableFile& file) const;

  // Where the file of these parts lies, or would.
  std::string path(const compiler::Origin& origin) const;

  struct Entry {
    std::string path;
    size_t bytes = 0;
    Status status;  // why it cannot be used, where it cannot
    compiler::ExecutableFile file;
  };
  // All files of the folder, by name.
  std::vector<Entry> entries() const;

 private:
  std::string folder_;
};

// The parts of the key that a compilation of `module` for `machine` has now.
compiler::Origin origin_of(std::string_view module, const hw::Machine& machine);

// What JAX knows a program by.
uint64_t module_fingerprint(std::string_view module);

// One part a line, then the key: what TRAINYARD_DUMP and `trainyard cache` show.
std::string in_words(const compiler::Origin& origin);

}  // namespace trainyard::runtime
