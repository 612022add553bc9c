#include "isa/text/context.h"

namespace trainyard::isa::text {
namespace {

std::vector<std::string_view> keys(const Names& names) {
  std::vector<std::string_view> out;
  for (const auto& [name, id] : names) out.push_back(name);
  return out;
}

int32_t find(const Names& names, std::string_view name) {
  const auto it = names.find(name);
  return it == names.end() ? -1 : it->second;
}

}  // namespace

void Context::fail_unknown(const Token& name, std::string_view what, const Names& known) {
  if (!in.ok()) return;
  in.fail_at(name, "TY-TXT-003",
             fmt::format("no {} is called '{}'{}", what, shown(name.spelled()),
                         hint(name.spelled(), keys(known))));
}

int Context::declared_line(NameKind kind, int32_t id) const {
  switch (kind) {
    case NameKind::Tensor:
      return program.tensors[id].source.line;
    case NameKind::Label:
      return program.insts[id].source.line;
    case NameKind::Loop:
      return program.loops[id].source.line;
    case NameKind::Branch:
      return program.branches[id].source.line;
    case NameKind::Register:
    case NameKind::Semaphore:
      return 0;
  }
  return 0;
}

void Context::declare(NameKind kind, const Token& name, int32_t id) {
  if (!in.ok()) return;
  if (name.kind == Token::Kind::Name && is_reserved(kind, name.text)) {
    in.fail_at(name, "TY-TXT-012",
               fmt::format("'{0}' is a word of the language and cannot name a {1}; choose another "
                           "name, or write \"{0}\" in quotes",
                           name.text, words(kind)));
    return;
  }
  Names* names = nullptr;
  switch (kind) {
    case NameKind::Tensor:
      names = &tensors;
      break;
    case NameKind::Label:
      names = &labels;
      break;
    case NameKind::Loop:
      names = &loops;
      break;
    case NameKind::Register:
      names = &registers;
      break;
    case NameKind::Branch:
      names = &branches;
      break;
    case NameKind::Semaphore:
      names = &semaphores;
      break;
  }
  const Names* other = names == &loops ? &registers : names == &registers ? &loops : nullptr;
  const bool clash = other != nullptr && other->contains(name.spelled());
  const auto [at, is_new] = names->emplace(name.spelled(), id);
  if (clash || !is_new) {
    const int line = clash ? 0 : declared_line(kind, at->second);
    in.fail_at(
        name, "TY-TXT-004",
        fmt::format("the name '{}' is taken{}; names are unique in a program",
                    shown(name.spelled()), line > 0 ? fmt::format(" since line {}", line) : ""));
  }
}

std::string Context::declare(NameKind kind, int32_t id) {
  const Token name = in.name(fmt::format("the name of a {}", words(kind)));
  declare(kind, name, id);
  return std::string(name.spelled());
}

TensorId Context::tensor() {
  const Token name = in.name("a tensor");
  const TensorId id = find(tensors, name.spelled());
  if (id < 0) {
    fail_unknown(name, "tensor", tensors);
  } else if (!tensor_open[id]) {
    in.fail_at(name, "TY-TXT-005",
               fmt::format("the tensor '{}' belongs to the block that ended before; declare it in "
                           "a block around both uses",
                           shown(name.spelled())));
  }
  return in.ok() ? id : -1;
}

LoopId Context::open_repeat(const Token& name, LoopId id) {
  if (program.loops[id].kind != Loop::Kind::Repeat) {
    in.fail_at(name, "TY-TXT-005",
               fmt::format("'{}' is a run-time loop and has no counter; use its register",
                           shown(name.spelled())));
  } else if (!loop_open[id]) {
    in.fail_at(
        name, "TY-TXT-005",
        fmt::format("the counter '{}' is used outside of its repeat", shown(name.spelled())));
  }
  return in.ok() ? id : -1;
}

LoopId Context::open_repeat() {
  const Token name = in.name("the counter of a repeat");
  const LoopId id = find(loops, name.spelled());
  if (id >= 0) return open_repeat(name, id);
  fail_unknown(name, "repeat", loops);
  return -1;
}

RegisterId Context::reg() {
  const Token name = in.name("a register");
  const RegisterId id = find(registers, name.spelled());
  if (id < 0) fail_unknown(name, "register", registers);
  return id;
}

SemaphoreId Context::semaphore() {
  const Token name = in.name("a semaphore");
  const SemaphoreId id = find(semaphores, name.spelled());
  if (id < 0) fail_unknown(name, "semaphore", semaphores);
  return id;
}

int32_t Context::gpsimd() {
  const Token name = in.name("a gpsimd program");
  const int32_t id = find(gpsimd_programs, name.spelled());
  if (id < 0) fail_unknown(name, "gpsimd program above", gpsimd_programs);
  return id;
}

Affine Context::variable() {
  const Token name = in.name("a number, a counter or a register");
  if (const LoopId loop = find(loops, name.spelled()); loop >= 0) {
    return open_repeat(name, loop) < 0 ? Affine() : Affine::counter(loop);
  }
  if (const RegisterId id = find(registers, name.spelled()); id >= 0) return Affine::reg(id);
  Names both = loops;
  both.insert(registers.begin(), registers.end());
  fail_unknown(name, "counter or register", both);
  return {};
}

}  // namespace trainyard::isa::text
