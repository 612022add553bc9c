#include "isa/builder.h"

#include <utility>

namespace trainyard::isa {

ProgramBuilder::ProgramBuilder(std::string name, std::string target) {
  program_.name = std::move(name);
  program_.target = std::move(target);
}

std::string ProgramBuilder::unique(Taken& taken, std::string_view wish,
                                   std::string_view otherwise) {
  const std::string_view base = wish.empty() ? otherwise : wish;
  const auto [it, is_new] = taken.emplace(base, 1);
  if (is_new) return std::string(base);
  std::string name;
  do {
    name = fmt::format("{}_{}", base, it->second++);
  } while (!taken.emplace(name, 1).second);
  return name;
}

Block& ProgramBuilder::block() {
  const Open& o = open_.back();
  switch (o.kind) {
    case Open::Kind::Body:
      break;
    case Open::Kind::Loop:
      return program_.loops[o.id].body;
    case Open::Kind::Then:
      return program_.branches[o.id].then_block;
    case Open::Kind::Else:
      return program_.branches[o.id].else_block;
  }
  return program_.body;
}

TensorId ProgramBuilder::global(Tensor tensor) {
  const TensorId id = declare(std::move(tensor));
  block().pop_back();
  program_.body.insert(program_.body.begin(), {Statement::Kind::Tensor, id});
  return id;
}

int32_t ProgramBuilder::add_gpsimd(gpsimd::Program program) {
  program.name = unique(gpsimd_, program.name, "program");
  program_.gpsimd.push_back(std::move(program));
  return static_cast<int32_t>(program_.gpsimd.size()) - 1;
}

TensorId ProgramBuilder::declare(Tensor tensor) {
  TY_CHECK(!tensor.on_chip() || !tensor.shape.empty());
  const auto id = static_cast<TensorId>(program_.tensors.size());
  tensor.name = unique(tensors_, tensor.name, "t");
  tensor.source = source_;
  program_.tensors.push_back(std::move(tensor));
  program_.placement.tensors.emplace_back();
  add(Statement::Kind::Tensor, id);
  return id;
}

TensorId ProgramBuilder::hbm(std::string_view name, Dtype dtype, std::vector<int64_t> shape,
                             Io io) {
  return declare({.name = std::string(name),
                  .memory = Memory::Hbm,
                  .dtype = dtype,
                  .shape = std::move(shape),
                  .io = io});
}

TensorId ProgramBuilder::sbuf(std::string_view name, Dtype dtype, std::vector<int64_t> shape) {
  return declare({.name = std::string(name),
                  .memory = Memory::Sbuf,
                  .dtype = dtype,
                  .shape = std::move(shape)});
}

TensorId ProgramBuilder::psum(std::string_view name, Dtype dtype, std::vector<int64_t> shape) {
  return declare({.name = std::string(name),
                  .memory = Memory::Psum,
                  .dtype = dtype,
                  .shape = std::move(shape)});
}

TensorId ProgramBuilder::view(std::string_view name, TensorId base, Dtype dtype,
                              std::vector<int64_t> shape, int64_t offset) {
  return declare({.name = std::string(name),
                  .memory = program_.tensors[base].memory,
                  .dtype = dtype,
                  .shape = std::move(shape),
                  .view = Tensor::View{base, offset}});
}

RegisterId ProgramBuilder::reg(std::string_view name) {
  program_.registers.push_back(unique(variables_, name, "r"));
  return static_cast<RegisterId>(program_.registers.size()) - 1;
}

SemaphoreId ProgramBuilder::semaphore(std::string_view name) {
  program_.semaphores.push_back(unique(semaphores_, name, "s"));
  return static_cast<SemaphoreId>(program_.semaphores.size()) - 1;
}

LoopId ProgramBuilder::open_loop(Loop loop) {
  const auto id = static_cast<LoopId>(program_.loops.size());
  loop.name = unique(variables_, loop.name, "i");
  loop.source = source_;
  add(Statement::Kind::Loop, id);
  program_.loops.push_back(std::move(loop));
  open_.push_back({Open::Kind::Loop, id});
  return id;
}

Affine ProgramBuilder::repeat(std::string_view name, Affine count) {
  TY_CHECK(!count.has_register());
  return Affine::counter(open_loop(
      {.kind = Loop::Kind::Repeat, .name = std::string(name), .count = std::move(count)}));
}

LoopId ProgramBuilder::loop(std::string_view name, RegisterId counter, RegisterOperand from,
                            RegisterOperand to, int64_t step, Trips trips) {
  return open_loop({.kind = Loop::Kind::Counted,
                    .name = std::string(name),
                    .count = {},
                    .counter = counter,
                    .from = from,
                    .to = to,
                    .step = step,
                    .trips = trips});
}

LoopId ProgramBuilder::loop_until_exit(std::string_view name, Trips trips) {
  Loop loop{.kind = Loop::Kind::While, .name = std::string(name)};
  loop.trips = trips;
  return open_loop(std::move(loop));
}

void ProgramBuilder::exit_unless(RegisterId condition) {
  const Open& o = open_.back();
  TY_CHECK(o.kind == Open::Kind::Loop && program_.loops[o.id].kind == Loop::Kind::While);
  add(Statement::Kind::ExitUnless, condition);
}

BranchId ProgramBuilder::branch(std::string_view name, RegisterId condition,
                                std::optional<bool> expected) {
  const auto id = static_cast<BranchId>(program_.branches.size());
  Branch branch;
  branch.name = unique(branches_, name, "branch");
  branch.condition = condition;
  if (expected) branch.taken.expected = *expected ? 1 : 0;
  branch.source = source_;
  add(Statement::Kind::Branch, id);
  program_.branches.push_back(std::move(branch));
  open_.push_back({Open::Kind::Then, id});
  return id;
}

void ProgramBuilder::otherwise() {
  TY_CHECK(open_.back().kind == Open::Kind::Then);
  open_.back().kind = Open::Kind::Else;
}

void ProgramBuilder::end() {
  TY_CHECK(open_.size() > 1);
  open_.pop_back();
}

InstId ProgramBuilder::emit(Instruction op, std::string_view label, std::optional<Engine> engine) {
  const auto id = static_cast<InstId>(program_.insts.size());
  Inst inst;
  inst.label = unique(labels_, label, name(op));
  inst.op = std::move(op);
  inst.engine = engine;
  inst.source = source_;
  program_.insts.push_back(std::move(inst));
  program_.placement.insts.emplace_back();
  add(Statement::Kind::Instruction, id);
  return id;
}

Access ProgramBuilder::all(TensorId tensor) const {
  return whole(program_.tensors[tensor], tensor);
}

Access ProgramBuilder::at(TensorId tensor, std::span<const Subscript> axes) const {
  const Tensor& t = program_.tensors[tensor];
  return subscript(t, tensor, t.dtype, axes).value();
}

Access ProgramBuilder::at(TensorId tensor, std::initializer_list<Subscript> axes) const {
  return at(tensor, std::span(axes.begin(), axes.size()));
}

int32_t ProgramBuilder::add_file(std::string name) {
  program_.files.push_back(std::move(name));
  return static_cast<int32_t>(program_.files.size()) - 1;
}

Program ProgramBuilder::finish() {
  TY_CHECK(open_.size() == 1);
  return std::exchange(program_, {});
}

}  // namespace trainyard::isa
