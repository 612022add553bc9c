#include "sim/values/plan.h"

#include "isa/operands.h"
#include "isa/verify.h"
#include "sim/values/independence.h"
#include "sim/values/products.h"

namespace trainyard::sim {
namespace {

using isa::Statement;

Node::Kind kind_of(isa::Loop::Kind kind) {
  switch (kind) {
    case isa::Loop::Kind::Repeat:
      return Node::Kind::Repeat;
    case isa::Loop::Kind::Counted:
      return Node::Kind::Counted;
    case isa::Loop::Kind::While:
      return Node::Kind::While;
  }
  return Node::Kind::Repeat;
}

std::vector<bool> find_tracked_psum(const isa::Program& program, const std::vector<Home>& homes) {
  std::vector<bool> tracked(program.tensors.size(), false);
  for (const isa::Inst& inst : program.insts) {
    const auto* mm = std::get_if<isa::Matmul>(&inst.op);
    if (mm != nullptr && mm->accumulate == isa::Accumulate::FirstWrite)
      tracked[homes[mm->dst.tensor].root] = true;
  }
  return tracked;
}

std::vector<bool> find_packed(const isa::Program& program, const std::vector<Home>& homes) {
  std::vector<bool> packed(program.tensors.size(), false);
  for (const isa::Inst& inst : program.insts) {
    if (const auto* mm = std::get_if<isa::Matmul>(&inst.op)) {
      packed[homes[mm->stationary.tensor].root] = true;
      packed[homes[mm->moving.tensor].root] = true;
    }
  }
  return packed;
}

// PSUM tiles that a transpose fills and the very next instruction copies out, all of it.
std::vector<isa::InstId> find_taken(const isa::Program& program, const Uses& uses) {
  std::vector<isa::InstId> taken(program.tensors.size(), -1);
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    const std::vector<Use>& of = uses.of[t];
    if (program.tensors[t].memory != isa::Memory::Psum || of.size() != 2) continue;
    const auto* turn = std::get_if<isa::Transpose>(&program.insts[of[0].inst].op);
    const auto* copy = std::get_if<isa::TensorCopy>(&program.insts[of[1].inst].op);
    if (turn == nullptr || copy == nullptr || of[0].access != &turn->dst) continue;
    const bool next = uses.structure.order(of[1].inst) == uses.structure.order(of[0].inst) + 1 &&
                      uses.structure.around(of[0].inst) == uses.structure.around(of[1].inst);
    if (next && copy->src == turn->dst && copy->dst.dtype == turn->dst.dtype &&
        copy->dst.elements() == turn->dst.elements() &&
        copy->dst.partitions == turn->dst.partitions && !copy->dst.is_dynamic()) {
      taken[t] = of[1].inst;
    }
  }
  return taken;
}

bool is_indexed_side(const isa::Instruction& op, const isa::Access& access) {
  const auto* dma = std::get_if<isa::DmaCopy>(&op);
  if (dma == nullptr) return false;
  return (&access == &dma->src && dma->src_index) || (&access == &dma->dst && dma->dst_index);
}

// Whether the old contents of an updated operand go into the result.
bool reads_old(const isa::Program& program, const isa::Instruction& op, const isa::Access& access) {
  if (const auto* mm = std::get_if<isa::Matmul>(&op)) return mm->accumulate == isa::Accumulate::Add;
  const auto* call = std::get_if<isa::GpsimdCall>(&op);
  if (call == nullptr) return false;
  const auto i = static_cast<size_t>(&access - call->operands.data());
  const std::vector<isa::gpsimd::Window>& windows = program.gpsimd[call->program].windows;
  return i < windows.size() && windows[i].use == isa::gpsimd::Window::Use::Update;
}

}  // namespace

ParallelFor serial() {
  return {1, [](int64_t n, const std::function<void(int64_t, int)>& work) {
            for (int64_t i = 0; i < n; ++i) work(i, 0);
          }};
}

BodyPlan::BodyPlan(const isa::Program& program, const hw::CoreSpec& core,
                   const ValueOptions& options)
    : program(program),
      core(core),
      options(options),
      homes(find_homes(program)),
      uses(program, homes),
      views(program.tensors.size()),
      packing(options.shortcuts && !options.watch) {
  const bool shortcuts = options.shortcuts && !options.watch;
  tracked_psum_ = find_tracked_psum(program, homes);
  is_packed_ = find_packed(program, homes);
  if (shortcuts) views = find_hbm_views(program, homes, uses);
  if (shortcuts) taken_ = find_taken(program, uses);
  for (size_t id = 0; id < views.size(); ++id) {
    if (!views[id]) continue;
    remarks_.push_back(fmt::format("{}: {} {}", program.insts[views[id]->load].label,
                                   views[id]->is_store ? "writes" : "view of",
                                   program.tensors[views[id]->tensor].name));
  }
  memory = options.share_memory && !options.watch
               ? shared_memory(program, homes, uses, views, taken_)
               : separate_memory(program);
  nodes = build(program.body);
  packing.assign();
  if (shortcuts) find_products(*this, nodes, remarks_);
  if (!options.watch) find_parallel(*this, nodes, remarks_);
}

Node BodyPlan::build_step(isa::InstId id) {
  const isa::Instruction& op = program.insts[id].op;
  const Compiler compiler{program,
                          core,
                          options,
                          homes,
                          uses.structure,
                          &views,
                          &packing,
                          id,
                          taken_.empty() ? nullptr : &taken_};
  Node node{.kind = Node::Kind::Step, .id = id, .step = compile(compiler)};
  const bool is_matmul = std::holds_alternative<isa::Matmul>(op);
  isa::each_access(op, [&](std::string_view name, const isa::Access& a, isa::Role role) {
    if (options.watch && !is_indexed_side(op, a))
      node.watched.push_back({name, compiler.operand(a), role, reads_old(program, op, a)});
    if (!is_matmul && role != isa::Role::Read && tracked_psum_[homes[a.tensor].root])
      node.psum_writes.push_back(compiler.operand(a));
    if (role != isa::Role::Read && is_packed_[homes[a.tensor].root])
      node.changes.push_back(homes[a.tensor].root);
  });
  return node;
}

std::vector<Node> BodyPlan::build(const isa::Block& block) {
  std::vector<Node> out;
  for (const Statement& s : block) {
    switch (s.kind) {
      case Statement::Kind::Instruction:
        out.push_back(build_step(s.id));
        break;
      case Statement::Kind::Tensor:
        // A view has no memory of its own.
        if (!program.tensors[s.id].view) out.push_back({.kind = Node::Kind::Tensor, .id = s.id});
        break;
      case Statement::Kind::Loop: {
        const isa::Loop& loop = program.loops[s.id];
        out.push_back({.kind = kind_of(loop.kind), .id = s.id, .body = build(loop.body)});
        break;
      }
      case Statement::Kind::Branch: {
        const isa::Branch& branch = program.branches[s.id];
        out.push_back({.kind = Node::Kind::Branch,
                       .id = s.id,
                       .body = build(branch.then_block),
                       .other = build(branch.else_block)});
        break;
      }
      case Statement::Kind::ExitUnless:
        out.push_back({.kind = Node::Kind::Exit, .id = s.id});
        break;
    }
  }
  return out;
}

int64_t BodyPlan::scratch_bytes() const {
  int64_t bytes = memory.hbm_bytes;
  for (size_t id = 0; id < program.tensors.size(); ++id) {
    const isa::Tensor& t = program.tensors[id];
    const bool inside = !t.on_chip() && t.io == isa::Io::None && !t.view;
    if (inside && memory.offset[id] < 0) bytes += t.total_bytes();
  }
  return bytes;
}

Result<std::shared_ptr<const ValuePlan>> ValuePlan::make(const isa::Program& program,
                                                         const hw::CoreSpec& core,
                                                         const ValueOptions& options) {
  TY_TRY(isa::verify(program, core));
  return std::shared_ptr<const ValuePlan>(std::make_shared<BodyPlan>(program, core, options));
}

}  // namespace trainyard::sim
