#include "sim/values/compile.h"

#include "isa/operands.h"
#include "sim/values/hbm_views.h"

namespace trainyard::sim {
namespace {

using isa::Access;
using isa::Inst;
using isa::Tensor;
using isa::TensorId;

// Rows that lie a multiple of a page apart fall into the same sets of the first-level cache; PSUM
// rows, which matmuls walk together, already half a page apart.
int64_t host_pitch(const Tensor& tensor) {
  constexpr int64_t kPage = 4096, kLine = 64;
  const int64_t bytes = tensor.free_bytes();
  const int64_t apart = tensor.memory == isa::Memory::Psum ? kPage / 2 : kPage;
  return bytes % apart == 0 ? bytes + kLine : bytes;
}

bool is_meeting(const isa::Instruction& op) {
  return std::holds_alternative<isa::CoreBarrier>(op) ||
         std::holds_alternative<isa::SendRecv>(op) || std::holds_alternative<isa::Collective>(op);
}

// Calls the right overload with what it needs.
struct Dispatch {
  const Compiler& c;

  std::unique_ptr<Step> operator()(const isa::TensorTensor& i) const {
    return compile_op(c, i, arithmetic());
  }
  std::unique_ptr<Step> operator()(const isa::TensorScalar& i) const {
    return compile_op(c, i, arithmetic());
  }
  std::unique_ptr<Step> operator()(const isa::Transpose& i) const {
    return compile_op(c, i, engine());
  }
  std::unique_ptr<Step> operator()(const isa::CoreBarrier&) const { return compile_meeting(c); }
  std::unique_ptr<Step> operator()(const isa::SendRecv&) const { return compile_meeting(c); }
  std::unique_ptr<Step> operator()(const isa::Collective&) const { return compile_meeting(c); }
  template <class I>
  std::unique_ptr<Step> operator()(const I& i) const {
    return compile_op(c, i);
  }

 private:
  const Inst& inst() const { return c.program.insts[c.inst]; }
  isa::Engine engine() const { return isa::resolve_engine(c.program, inst(), c.core); }
  Arithmetic arithmetic() const { return isa::arithmetic(c.program, inst(), engine()); }
};

Bound bound_of(const Compiler& c, std::string_view name, const Access& a) {
  const Tensor& t = c.tensor(a);
  const int64_t size = numerics::size_of(a.dtype);
  return {.operand = name,
          .tensor = a.tensor,
          .partition = a.partition,
          .offset = a.offset,
          .partitions = a.partitions,
          .hull = isa::hull(a),
          .partition_limit = t.partitions(),
          .element_limit = t.free_bytes() / size};
}

}  // namespace

std::vector<Home> find_homes(const isa::Program& program) {
  std::vector<Home> homes(program.tensors.size());
  for (size_t id = 0; id < homes.size(); ++id) {
    Home& home = homes[id];
    home.root = static_cast<TensorId>(id);
    while (program.tensors[home.root].view) {
      home.offset += program.tensors[home.root].view->offset;
      home.root = program.tensors[home.root].view->base;
    }
    const Tensor& root = program.tensors[home.root];
    home.pitch = root.on_chip() ? host_pitch(root) : 0;
    home.bytes = root.on_chip() ? home.pitch * root.partitions() : root.total_bytes();
  }
  return homes;
}

std::vector<Stride> Compiler::strides(const Access& access) const {
  std::vector<Stride> out;
  if (tensor(access).on_chip()) out.push_back({homes[access.tensor].pitch, access.partitions});
  const int64_t size = numerics::size_of(access.dtype);
  for (const isa::Dim& d : access.dims) out.push_back({d.step * size, d.count});
  return out;
}

OperandRef Compiler::operand(const Access& access) const {
  if (views != nullptr && (*views)[access.tensor]) {
    const HbmView& view = *(*views)[access.tensor];
    std::optional<OperandRef> there =
        view_operand(program, homes, view, access, structure.around(inst));
    TY_CHECK(there.has_value());  // find_hbm_views tried every read
    return *std::move(there);
  }
  const Home& home = homes[access.tensor];
  const int64_t size = numerics::size_of(access.dtype);
  isa::Affine bytes = access.offset * size;
  const bool on_chip = tensor(access).on_chip();
  if (on_chip) bytes += access.partition * home.pitch;
  std::vector<Stride> dims = strides(access);
  if (on_chip) dims.erase(dims.begin());
  return {.root = home.root,
          .constant = bytes.constant + home.offset,
          .terms = bytes.terms,
          .pattern = make_pattern(access.dtype, on_chip ? access.partitions : 1,
                                  on_chip ? home.pitch : 0, std::move(dims))};
}

std::unique_ptr<Step> compile(const Compiler& compiler) {
  const Inst& inst = compiler.program.insts[compiler.inst];
  std::unique_ptr<Step> step = std::visit(Dispatch{compiler}, inst.op);
  step->inst = compiler.inst;
  if (is_meeting(inst.op)) return step;
  isa::each_access(inst.op, [&](std::string_view name, const Access& a, isa::Role) {
    if (a.is_dynamic()) step->bounds.push_back(bound_of(compiler, name, a));
  });
  if (const auto* dma = std::get_if<isa::DmaCopy>(&inst.op))
    step->skip_out_of_bounds = dma->oob_mode == isa::OobMode::Skip;
  return step;
}

void raise(Lane& lane, const isa::Program& program, isa::InstId inst, Status status) {
  if (lane.stopped()) return;
  lane.fault = status.at(isa::place_of(program, program.insts[inst].source));
  lane.fault_inst = inst;
}

}  // namespace trainyard::sim
