// Transfers, registers, and what must meet another core.
#include <cstring>

#include "sim/execute/tile/copy.h"
#include "sim/execute/tile/indirect.h"
#include "sim/values/column_ref.h"
#include "sim/values/compile.h"
#include "sim/values/hbm_views.h"
#include "sim/values/watch.h"

namespace trainyard::sim {
namespace {

using isa::RegisterOp;

int64_t wrapped(int64_t v) { return static_cast<int32_t>(static_cast<uint32_t>(v)); }

int64_t value_of(const isa::RegisterOperand& o, const Lane& l) {
  if (const int64_t* number = std::get_if<int64_t>(&o)) return wrapped(*number);
  return l.registers[std::get<isa::RegisterId>(o)];
}

int64_t shifted(uint32_t v, int64_t by, bool left) {
  if (by < 0 || by > 31) return 0;
  return wrapped(left ? v << by : v >> by);
}

int64_t computed(RegisterOp op, int64_t a, int64_t b) {
  switch (op) {
    case RegisterOp::Add:
      return wrapped(a + b);
    case RegisterOp::Subtract:
      return wrapped(a - b);
    case RegisterOp::Multiply:
      return wrapped(a * b);
    case RegisterOp::And:
      return a & b;
    case RegisterOp::Or:
      return a | b;
    case RegisterOp::Xor:
      return a ^ b;
    case RegisterOp::ShiftLeft:
      return shifted(static_cast<uint32_t>(a), b, true);
    case RegisterOp::ShiftRight:
      return shifted(static_cast<uint32_t>(a), b, false);
    case RegisterOp::Min:
      return std::min(a, b);
    case RegisterOp::Max:
      return std::max(a, b);
    case RegisterOp::Less:
      return a < b;
    case RegisterOp::Equal:
      return a == b;
  }
  return 0;
}

// The rows of an access whose leading dim is indexed.
IndexedSide indexed_side(const Compiler& c, const isa::Access& access) {
  isa::Access row = access;
  row.dims.erase(row.dims.begin());
  const int64_t size = numerics::size_of(access.dtype);
  const isa::Hull hull = isa::hull(row);
  return {.row = c.operand(row).pattern,
          .step = access.dims.front().step * size,
          .lowest = hull.begin * size,
          .highest = hull.end * size,
          .begin = c.homes[access.tensor].offset,
          .end = c.homes[access.tensor].offset + c.tensor(access).total_bytes()};
}

struct IndexedRef {
  OperandRef at;
  std::optional<OperandRef> index;
  std::optional<IndexedSide> side;

  IndexedRows rows(const Lane& l) const {
    IndexedRows r{.side = side ? &*side : nullptr, .view = at.view(l), .offset = at.offset(l)};
    if (index) r.index = index->view(l);
    return r;
  }
};

IndexedRef indexed_ref(const Compiler& c, const isa::Access& access,
                       const std::optional<isa::Access>& index) {
  IndexedRef ref{.at = c.operand(access)};
  if (!index) {
    ref.at.pattern = as_one_row(ref.at.pattern);
    return ref;
  }
  ref.index = c.operand(*index);
  ref.side = indexed_side(c, access);
  return ref;
}

std::unique_ptr<Step> compile_indexed(const Compiler& c, const isa::DmaCopy& i) {
  const isa::InstId id = c.inst;
  const IndexedRef dst = indexed_ref(c, i.dst, i.dst_index);
  const IndexedRef src = indexed_ref(c, i.src, i.src_index);
  const bool skip = i.oob_mode == isa::OobMode::Skip;
  const isa::Program& program = c.program;
  return make_step([=, &program](Lane& l) {
    if (l.watch != nullptr)
      l.watch->indexed_copy(id, {dst.at.root, dst.rows(l)}, {src.at.root, src.rows(l)}, l);
    const std::optional<BadIndex> bad = indexed_copy(dst.rows(l), src.rows(l), skip, l.exec);
    if (!bad) return;
    raise(l, program, id,
          error("TY-RUN-011",
                "{}: index {} of row {} leads outside the {} bytes of the tensor; correct the "
                "index tile, or drop such rows with oob_mode=skip",
                program.insts[id].label, bad->index, bad->row, bad->tensor_bytes));
  });
}

}  // namespace

uint32_t stored_word(const isa::Operand& value, numerics::Dtype dtype,
                     const numerics::ConvertOptions& options) {
  if (numerics::is_integer(dtype)) {
    if (const int64_t* whole = std::get_if<int64_t>(&value)) return static_cast<uint32_t>(*whole);
  }
  const float number = number_of(value);
  uint32_t word = 0;
  numerics::narrow(dtype, &number, &word, 1, options);
  return word;
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::DmaCopy& i) {
  if (i.src_index || i.dst_index) return compile_indexed(c, i);
  // The tile is a view of HBM: there is nothing to load.
  if (c.views != nullptr && (*c.views)[i.dst.tensor]) return make_step([](Lane&) {});
  // Or its instructions have written HBM already.
  if (c.views != nullptr && (*c.views)[i.src.tensor] && (*c.views)[i.src.tensor]->is_store &&
      (*c.views)[i.src.tensor]->load == c.inst) {
    return make_step([](Lane&) {});
  }
  const OperandRef dst = c.operand(i.dst), src = c.operand(i.src);
  const CopyPlan plan = plan_copy(dst.pattern, src.pattern);
  return make_step([=](Lane& l) { run_copy(plan, dst.data(l), src.data(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::DmaTranspose& i) {
  const OperandRef dst = c.operand(i.dst), src = c.operand(i.src);
  const CopyPlan plan = plan_dma_transpose(i.dst.dtype, c.strides(i.dst), c.strides(i.src));
  return make_step([=](Lane& l) { run_copy(plan, dst.data(l), src.data(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler&, const isa::RegisterMove& i) {
  return make_step([i](Lane& l) { l.registers[i.dst.id] = value_of(i.value, l); });
}

std::unique_ptr<Step> compile_op(const Compiler&, const isa::RegisterAlu& i) {
  return make_step(
      [i](Lane& l) { l.registers[i.dst.id] = computed(i.op, value_of(i.a, l), value_of(i.b, l)); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::RegisterLoad& i) {
  const OperandRef src = c.operand(i.src);
  const isa::RegisterId to = i.dst.id;
  return make_step(
      [=](Lane& l) { l.registers[to] = wrapped(read_integer(src.pattern.dtype, src.data(l))); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::RegisterStore& i) {
  const OperandRef dst = c.operand(i.dst);
  const isa::RegisterOperand value = i.value;
  return make_step([=](Lane& l) {
    const auto word = static_cast<uint32_t>(value_of(value, l));
    write_words(dst.view(l), 0, 0, 1, &word);
  });
}

std::unique_ptr<Step> compile_op(const Compiler&, const isa::Nop&) {
  return make_step([](Lane&) {});
}

std::unique_ptr<Step> compile_meeting(const Compiler& c) {
  const isa::Program& program = c.program;
  const isa::InstId id = c.inst;
  return make_step([&program, id](Lane& l) {
    const isa::Inst& inst = program.insts[id];
    raise(l, program, id,
          error("TY-RUN-012",
                "{}: {} must meet another core, and one core runs alone; take it out, or run the "
                "part before it",
                inst.label, isa::name(inst.op)));
  });
}

}  // namespace trainyard::sim
