// Lists the compiled programs of a cache, or says whether a module would be found and why.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "runtime/compile_cache.h"
#include "runtime/settings.h"
#include "tools/command.h"
#include "tools/mlir_text.h"
#include "tools/program_input.h"

namespace trainyard::tools {
namespace {

using runtime::CompileCache;

struct CacheCommand {
  std::string folder, module;
  ProgramInput machine;
};

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename(); }

void list(const std::string& folder, const std::vector<CompileCache::Entry>& entries) {
  size_t bytes = 0;
  for (const CompileCache::Entry& e : entries) {
    bytes += e.bytes;
    if (e.status.ok()) {
      fmt::print("{}  {:>9} B  {:>6} instructions  {}  {}\n", name_of(e.path), e.bytes,
                 e.file.executable.program.insts.size(), e.file.origin.machine,
                 e.file.executable.name);
    } else {
      fmt::print("{}  {:>9} B  not usable: {}\n", name_of(e.path), e.bytes, e.status.str());
    }
  }
  fmt::print("{} programs, {} bytes in {}\n", entries.size(), bytes, folder);
}

// The parts in which two origins differ, in words.
std::string differences(const compiler::Origin& now, const compiler::Origin& then) {
  std::string out;
  const auto compare = [&](std::string_view what, const std::string& a, const std::string& b) {
    if (a != b) out += fmt::format("  {}: it has {}, now it is {}\n", what, b, a);
  };
  compare("compiler", now.compiler, then.compiler);
  compare("machine", now.machine, then.machine);
  compare("options", now.options.empty() ? "none" : now.options,
          then.options.empty() ? "none" : then.options);
  return out;
}

Result<int> explain(const CacheCommand& command, const CompileCache& cache) {
  const Result<std::string> bytes = command.module.ends_with(".mlir")
                                        ? bytecode_of_text(command.module)
                                        : read_file(command.module);
  if (!bytes.ok()) return bytes.status();
  const Result<hw::Machine> machine = command.machine.find_machine("trn2");
  if (!machine.ok()) return machine.status();
  const compiler::Origin origin = runtime::origin_of(*bytes, *machine);
  fmt::print("{}", runtime::in_words(origin));
  if (cache.find(origin)) {
    fmt::print("found     {}\n", cache.path(origin));
    return 0;
  }
  fmt::print("not found {}\n", cache.path(origin));
  int same_module = 0;
  for (const CompileCache::Entry& e : cache.entries()) {
    if (e.path == cache.path(origin)) {
      fmt::print("The file is there and cannot be used: {}\n", e.status.str());
    } else if (e.status.ok() && e.file.origin.module == origin.module) {
      ++same_module;
      fmt::print("{} holds the same module, but differs in\n{}", name_of(e.path),
                 differences(origin, e.file.origin));
    }
  }
  if (same_module == 0) {
    fmt::print(
        "No program in it was compiled from this module. Its bytes hold shapes, constants and "
        "source lines; each change makes another module.\n");
  }
  return kExitFailed;
}

Result<int> run_cache(const CacheCommand& command) {
  const std::string folder =
      command.folder.empty() ? runtime::from_environment("cache") : command.folder;
  if (folder.empty()) {
    return error("TY-TOOL-023", "no cache is named. Set TRAINYARD_CACHE, or give --folder FOLDER.");
  }
  const CompileCache cache(folder);
  if (!command.module.empty()) return explain(command, cache);
  list(folder, cache.entries());
  return 0;
}

}  // namespace

Run declare_cache(CLI::App& app) {
  const auto command = std::make_shared<CacheCommand>();
  app.add_option("--folder", command->folder, "Folder of the cache (default: TRAINYARD_CACHE)");
  app.add_option(
      "--explain", command->module,
      "StableHLO (.mlirbc, .mlir): print its key, part by part, and whether it is found");
  app.add_option("--target", command->machine.target, "Machine to compile for (default: trn2)");
  app.add_option("--machine", command->machine.machine, "Machine file (TOML) instead of a target");
  return [command] { return run_cache(*command); };
}

}  // namespace trainyard::tools
