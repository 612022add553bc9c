#include "runtime/dump.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "compiler/ir/print.h"
#include "isa/text/text.h"
#include "runtime/compile_cache.h"

namespace trainyard::runtime {

Dump::Dump(const std::string& folder, std::span<const uint8_t> module) {
  if (folder.empty()) return;
  static std::atomic<int> programs = 0;
  folder_ = fmt::format("{}/{:04}", folder, programs++);
  std::error_code fault;
  std::filesystem::create_directories(folder_, fault);
  if (fault) {
    fmt::print(stderr, "trainyard: cannot write {}, which TRAINYARD_DUMP names: {}\n", folder_,
               fault.message());
    folder_.clear();
    return;
  }
  write("module.mlirbc", {reinterpret_cast<const char*>(module.data()), module.size()});
}

void Dump::write(const std::string& file, std::string_view text) {
  std::ofstream out(folder_ + "/" + file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void Dump::graph(std::string_view pass, const compiler::Module& module) {
  if (wanted()) write(fmt::format("{:02}-{}.txt", graphs_++, pass), compiler::print(module));
}

void Dump::program(const compiler::ExecutableFile& file) {
  if (!wanted()) return;
  const compiler::Executable& executable = file.executable;
  write("key.txt", in_words(file.origin));
  write("program.tyx", compiler::write_executable(file));
  write("body.tya", isa::print_text(executable.program));
  std::string remarks = executable.name + "\n";
  for (const std::string& remark : executable.remarks) remarks += remark + "\n";
  write("remarks.txt", remarks);
}

}  // namespace trainyard::runtime
