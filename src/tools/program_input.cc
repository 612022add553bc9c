#include "tools/program_input.h"

#include <cstdlib>
#include <fstream>

#include "base/read_file.h"
#include "hw/machine_file.h"
#include "isa/text/text.h"

namespace trainyard::tools {

Result<std::string> read_file(const std::string& path) {
  std::optional<std::string> text = read_whole(path);
  if (!text) return error("TY-TOOL-003", "cannot read {}. {}", path, unreadable(path));
  return std::move(*text);
}

Status write_file(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush())
    return error("TY-TOOL-004", "cannot write {}. Check the path and the space left.", path);
  return Status();
}

void ProgramInput::declare(CLI::App& app) {
  app.add_option("program", file, "Program in text form (.tya), or an executable file (.tyx)")
      ->required();
  app.add_option("--target", target,
                 "Machine to run on: trn1, inf2, trn2, trn3 (default: the program's own)");
  app.add_option("--machine", machine, "Machine file (TOML) instead of a target");
  app.add_flag("--plain", plain,
               "Place in body order, one slot each, nothing ahead: a baseline to compare with");
}

Result<hw::Machine> ProgramInput::find_machine(const std::string& program_target) const {
  const char* env_machine = std::getenv("TRAINYARD_MACHINE");
  const char* env_target = std::getenv("TRAINYARD_TARGET");
  if (!machine.empty()) return hw::load_machine(machine);
  if (!target.empty()) return hw::find_target(target);
  if (env_machine != nullptr && *env_machine != '\0') return hw::load_machine(env_machine);
  if (env_target != nullptr && *env_target != '\0') return hw::find_target(env_target);
  return hw::find_target(program_target);
}

Result<compiler::ExecutableFile> ProgramInput::read() const {
  const Result<std::string> bytes = read_file(file);
  if (!bytes.ok()) return bytes.status();
  if (compiler::is_executable_file(*bytes) || file.ends_with(kExecutableSuffix)) {
    Result<compiler::ExecutableFile> read = compiler::read_executable(*bytes);
    if (!read.ok()) return read.status().at({.file = file});
    return read;
  }
  Result<isa::Program> program = isa::parse_text(*bytes, file);
  if (!program.ok()) return program.status();
  compiler::ExecutableFile text;
  text.executable.name = program->name;
  text.executable.program = std::move(*program);
  return text;
}

Result<LoadedProgram> ProgramInput::load() const {
  Result<compiler::ExecutableFile> read = this->read();
  if (!read.ok()) return read.status();
  isa::Program& program = read->executable.program;
  Result<hw::Machine> found = find_machine(program.target);
  if (!found.ok()) return found.status();
  Result<runtime::Kernel> kernel =
      runtime::Kernel::make(std::move(program), std::move(*found), {.plain = plain});
  if (!kernel.ok()) return kernel.status();
  program = {};
  return LoadedProgram{std::move(*kernel), std::move(*read)};
}

}  // namespace trainyard::tools
