#pragma once
// Small bodies for the tests of this folder: each call declares a tensor or adds an instruction.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/program.h"

namespace trainyard::isa {

struct SmallBody {
  Program program;
  std::vector<LoopId> open;  // repeats around what comes next

  TensorId declare(Memory memory, Dtype dtype, std::vector<int64_t> shape, Io io = Io::None) {
    const auto id = static_cast<TensorId>(program.tensors.size());
    program.tensors.push_back({.name = "t" + std::to_string(id),
                               .memory = memory,
                               .dtype = dtype,
                               .shape = std::move(shape),
                               .io = io});
    program.placement.tensors.emplace_back();
    block().push_back({Statement::Kind::Tensor, id});
    return id;
  }
  Access all(TensorId id) const { return whole(program.tensors[id], id); }
  Access sbuf(Dtype dtype, std::vector<int64_t> shape) {
    return all(declare(Memory::Sbuf, dtype, std::move(shape)));
  }
  Access psum(Dtype dtype, std::vector<int64_t> shape) {
    return all(declare(Memory::Psum, dtype, std::move(shape)));
  }
  Access hbm(Dtype dtype, std::vector<int64_t> shape) {
    return all(declare(Memory::Hbm, dtype, std::move(shape)));
  }

  Affine repeat(Affine count) {
    const auto id = static_cast<LoopId>(program.loops.size());
    program.loops.push_back(
        {.kind = Loop::Kind::Repeat, .name = "i" + std::to_string(id), .count = std::move(count)});
    block().push_back({Statement::Kind::Loop, id});
    open.push_back(id);
    return Affine::counter(id);
  }
  void end() { open.pop_back(); }

  RegisterId reg() {
    program.registers.push_back("r" + std::to_string(program.registers.size()));
    return static_cast<RegisterId>(program.registers.size()) - 1;
  }

  InstId add(Instruction op, std::optional<Engine> engine = {}) {
    const auto id = static_cast<InstId>(program.insts.size());
    program.insts.push_back({.label = "i" + std::to_string(id), .op = std::move(op)});
    program.insts.back().engine = engine;
    program.insts.back().source = {0, static_cast<int32_t>(id) + 1, 1};
    program.placement.insts.emplace_back();
    block().push_back({Statement::Kind::Instruction, id});
    return id;
  }
  const Inst& inst(InstId id) const { return program.insts[id]; }

  Block& block() { return open.empty() ? program.body : program.loops[open.back()].body; }

  SmallBody() { program.files = {"test.tya"}; }
};

}  // namespace trainyard::isa
