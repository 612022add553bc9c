#include "runtime/compile_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/read_file.h"

namespace trainyard::runtime {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kSuffix = ".tyx";

void complain(const std::string& path, const std::string& why) {
  static std::atomic<bool> told = false;
  if (told.exchange(true)) return;
  fmt::print(stderr, "trainyard: cannot write {}, which TRAINYARD_CACHE names: {}\n", path, why);
}

// Other processes see the whole file or none.
void write_whole(const std::string& path, std::string_view bytes) {
  static std::atomic<int> count = 0;
  const std::string part = fmt::format("{}.{}-{}.part", path, ::getpid(), count++);
  std::ofstream out(part, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code fault;
  if (out) fs::rename(part, path, fault);
  if (out && !fault) return;
  complain(path, fault ? fault.message() : "check the path and the space left");
  fs::remove(part, fault);
}

}  // namespace

std::string CompileCache::path(const compiler::Origin& origin) const {
  return fmt::format("{}/{}{}", folder_, compiler::cache_key(origin), kSuffix);
}

std::optional<compiler::ExecutableFile> CompileCache::find(const compiler::Origin& origin) const {
  if (!wanted()) return std::nullopt;
  const std::optional<std::string> bytes = read_whole(path(origin));
  if (!bytes) return std::nullopt;
  Result<compiler::ExecutableFile> file = compiler::read_executable(*bytes);
  if (!file.ok() || file->origin != origin) return std::nullopt;
  return std::move(*file);
}

void CompileCache::add(const compiler::ExecutableFile& file) const {
  if (!wanted()) return;
  std::error_code fault;
  fs::create_directories(folder_, fault);
  if (fault) return complain(folder_, fault.message());
  write_whole(path(file.origin), compiler::write_executable(file));
}

std::vector<CompileCache::Entry> CompileCache::entries() const {
  std::vector<std::string> paths;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder_, fault)) {
    if (entry.path().extension() == kSuffix) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Entry> entries;
  for (const std::string& path : paths) {
    Entry& entry = entries.emplace_back();
    entry.path = path;
    const std::string bytes = read_whole(path).value_or("");
    entry.bytes = bytes.size();
    Result<compiler::ExecutableFile> file = compiler::read_executable(bytes);
    if (file.ok()) {
      entry.file = std::move(*file);
    } else {
      entry.status = file.status();
    }
  }
  return entries;
}

compiler::Origin origin_of(std::string_view module, const hw::Machine& machine) {
  return {.compiler = compiler::compiler_name(),
          .module = compiler::digest(module),
          .machine = compiler::machine_digest(machine),
          .options = {}};
}

uint64_t module_fingerprint(std::string_view module) {
  return XXH3_64bits(module.data(), module.size());
}

std::string in_words(const compiler::Origin& origin) {
  return fmt::format("module    {}\ncompiler  {}\nmachine   {}\noptions   {}\nkey       {}\n",
                     origin.module, origin.compiler, origin.machine,
                     origin.options.empty() ? "none" : origin.options, compiler::cache_key(origin));
}

}  // namespace trainyard::runtime
