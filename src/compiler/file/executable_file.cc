#include "compiler/file/executable_file.h"

#include <algorithm>

#include "compiler/file/container.h"
#include "compiler/file/type_codes.h"
#include "isa/binary/parts.h"
#include "isa/binary/program.h"

namespace trainyard::compiler {
namespace {

using file::Kind;
using file::Section;
using isa::binary::Reader;
using isa::binary::Ref;
using isa::binary::Writer;

// The interface, described once for both directions.
template <class A>
void part(A& a, Ref<A, TensorType> type) {
  a.code(type.element);
  isa::binary::numbers<A>(a, type.shape);
}

template <class A>
void part(A& a, Ref<A, Argument> argument) {
  part<A>(a, argument.type);
  a.number(argument.tensor);
  a.text(argument.name);
  a.flag(argument.donated);
  isa::binary::part<A>(a, argument.alias);
}

template <class A>
void part(A& a, Ref<A, Output> output) {
  part<A>(a, output.type);
  a.number(output.tensor);
  a.text(output.name);
}

struct ConstantEntry {
  isa::TensorId tensor = -1;
  uint64_t bytes = 0;
};

struct Interface {
  std::vector<ConstantEntry> constants;
};

template <class A>
void part(A& a, Ref<A, ExecutableFile> f, Ref<A, Interface> interface) {
  a.text(f.executable.name);
  a.text(f.origin.compiler);
  a.text(f.origin.module);
  a.text(f.origin.machine);
  a.text(f.origin.options);
  a.bits(f.fingerprint);
  a.list(f.executable.arguments, [&](auto& x) { part<A>(a, x); });
  a.list(f.executable.outputs, [&](auto& x) { part<A>(a, x); });
  a.list(interface.constants, [&](auto& c) {
    a.number(c.tensor);
    a.bits(c.bytes);
  });
  isa::binary::texts<A>(a, f.executable.remarks);
}

std::vector<uint8_t> strings_section(const isa::binary::StringTable& table) {
  isa::binary::StringTable unused;
  Writer out(unused);
  out.bits(table.strings().size());
  for (const std::string& text : table.strings()) {
    out.bits(text.size());
    out.raw({text.begin(), text.end()});
  }
  return out.bytes();
}

// The section, whose bytes must be stored as they are, or an empty one at the end of the file.
Result<Section> find(std::span<const Section> sections, Kind kind) {
  const auto found = std::ranges::find(sections, static_cast<uint32_t>(kind), &Section::kind);
  if (found != sections.end() && !found->compressed) return *found;
  return error("TY-EXE-005", "at byte 24: section {} is {}. Write the file again.",
               static_cast<uint32_t>(kind), found == sections.end() ? "missing" : "packed");
}

class FileReader {
 public:
  FileReader(std::span<const Section> sections, size_t file_bytes)
      : sections_(sections), context_(file_bytes) {}

  Result<ExecutableFile> run() {
    TY_TRY(read(Kind::Strings, [&](Reader& in) { strings(in); }));
    TY_TRY(read(Kind::Programs, [&](Reader& in) { programs(in); }));
    if (cores_ != 1) {
      return error("TY-EXE-009",
                   "the file holds programs for {} cores; a program for one core is run. Compile "
                   "it for one.",
                   cores_);
    }
    Interface interface;
    TY_TRY(read(Kind::Interface, [&](Reader& in) { part<Reader>(in, file_, interface); }));
    TY_TRY(constants(interface));
    const auto caller =
        std::ranges::find(sections_, static_cast<uint32_t>(Kind::Caller), &Section::kind);
    if (caller != sections_.end() && !caller->compressed) {
      file_.caller.assign(caller->bytes.begin(), caller->bytes.end());
    }
    return std::move(file_);
  }

 private:
  template <class F>
  Status read(Kind kind, F&& parse) {
    const Result<Section> section = find(sections_, kind);
    if (!section.ok()) return section.status();
    Reader in(section->bytes, section->offset, context_);
    parse(in);
    if (in.ok() && !in.at_end()) in.fail("{} bytes are left over", in.left());
    return in.status();
  }

  void strings(Reader& in) {
    in.list(context_.strings, [&](std::string& text) {
      uint64_t size = 0;
      in.bits(size);
      const std::span<const uint8_t> bytes = in.raw(size);
      text.assign(bytes.begin(), bytes.end());
    });
  }

  // All are read, so that the error tells how many there are only when they are sound.
  void programs(Reader& in) {
    in.bits(cores_);
    for (uint64_t i = 0; i < cores_ && in.ok(); ++i) {
      file_.executable.program = isa::binary::read_program(in);
    }
  }

  Status constants(const Interface& interface) {
    const auto found =
        std::ranges::find(sections_, static_cast<uint32_t>(Kind::Constants), &Section::kind);
    const uint64_t stored = found == sections_.end() ? 0 : found->raw_bytes;
    uint64_t named = 0;
    bool fit = true;
    for (const ConstantEntry& c : interface.constants) {
      fit &= c.bytes <= stored - named;
      named += fit ? c.bytes : 0;
    }
    if (!fit || named != stored) {
      return error("TY-EXE-005",
                   "at byte {}: the constants take {} bytes, the file holds {}. Write it again.",
                   found == sections_.end() ? 24 : found->offset, fit ? named : stored + 1, stored);
    }
    if (stored == 0) return empty_constants(interface);
    const Result<std::vector<uint8_t>> bytes = file::unpack(*found);
    if (!bytes.ok()) return bytes.status();
    auto at = bytes->begin();
    for (const ConstantEntry& c : interface.constants) {
      const auto end = at + static_cast<std::ptrdiff_t>(c.bytes);
      file_.executable.constants.push_back({c.tensor, std::vector<uint8_t>(at, end)});
      at = end;
    }
    return {};
  }

  Status empty_constants(const Interface& interface) {
    for (const ConstantEntry& c : interface.constants) {
      file_.executable.constants.push_back({c.tensor, {}});
    }
    return {};
  }

  std::span<const Section> sections_;
  isa::binary::ReadContext context_;
  ExecutableFile file_;
  uint64_t cores_ = 0;
};

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

std::string write_executable(const ExecutableFile& f) {
  isa::binary::StringTable table;
  Writer programs(table), described(table);
  programs.bits(1);
  isa::binary::write_program(programs, f.executable.program);
  Interface interface;
  std::vector<uint8_t> data;
  for (const ConstantData& c : f.executable.constants) {
    interface.constants.push_back({c.tensor, c.bytes.size()});
    data.insert(data.end(), c.bytes.begin(), c.bytes.end());
  }
  part<Writer>(described, f, interface);
  const std::vector<uint8_t> strings = strings_section(table);
  std::vector<file::NewSection> sections = {{Kind::Strings, strings},
                                            {Kind::Programs, programs.bytes()},
                                            {Kind::Interface, described.bytes()}};
  if (!data.empty()) sections.push_back({Kind::Constants, data, /*pack=*/true});
  if (!f.caller.empty()) sections.push_back({Kind::Caller, bytes_of(f.caller)});
  return file::write_container(sections);
}

Result<ExecutableFile> read_executable(std::span<const uint8_t> bytes) {
  const Result<std::vector<Section>> sections = file::read_container(bytes);
  if (!sections.ok()) return sections.status();
  return FileReader(*sections, bytes.size()).run();
}

Result<ExecutableFile> read_executable(std::string_view bytes) {
  return read_executable(bytes_of(bytes));
}

bool is_executable_file(std::string_view bytes) { return bytes.starts_with(file::kMagic); }

}  // namespace trainyard::compiler
