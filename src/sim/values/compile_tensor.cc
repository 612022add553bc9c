// The array and the Scalar engine.
#include "sim/execute/tile/activation.h"
#include "sim/execute/tile/copy.h"
#include "sim/execute/tile/matmul.h"
#include "sim/values/column_ref.h"
#include "sim/values/compile.h"

namespace trainyard::sim {
namespace {

// A matmul operand: its address, and the tile behind it.
struct MatmulRef {
  OperandRef at;
  MatmulTile tile;
};

MatmulRef matmul_operand(const Compiler& c, const isa::Access& access, bool double_row) {
  MatmulRef ref{c.operand(access), {}};
  if (!double_row) {
    ref.tile.pattern = ref.at.pattern;
    return ref;
  }
  isa::Access half = access;
  const int64_t size = numerics::size_of(access.dtype);
  ref.tile.double_row = true;
  ref.tile.fold_pitch = half.dims.front().step * size;
  half.dims.erase(half.dims.begin());
  ref.tile.pattern = c.operand(half).pattern;
  return ref;
}

std::unique_ptr<Step> compile_transpose_mode(const Compiler& c, const isa::Matmul& i) {
  const OperandRef dst = c.operand(i.dst), data = c.operand(i.stationary);
  if (i.dst.dtype != i.stationary.dtype)
    return make_step([=](Lane& l) { matmul_transpose(dst.view(l), data.view(l)); });
  const CopyPlan plan = plan_transpose(dst.pattern, data.pattern);
  return make_step([=](Lane& l) { run_copy(plan, dst.data(l), data.data(l), l.exec); });
}

PsumState state_of(const isa::Accumulate accumulate, const OperandRef& dst, int64_t tensor_bytes,
                   Lane& l, std::vector<uint8_t>& written) {
  switch (accumulate) {
    case isa::Accumulate::Overwrite:
      l.psum[dst.root].visit(dst.pattern, dst.offset(l), tensor_bytes, written);
      return PsumState::Fresh;
    case isa::Accumulate::Add:
      l.psum[dst.root].visit(dst.pattern, dst.offset(l), tensor_bytes, written);
      return PsumState::Written;
    case isa::Accumulate::FirstWrite:
      return l.psum[dst.root].visit(dst.pattern, dst.offset(l), tensor_bytes, written);
  }
  return PsumState::Fresh;
}

}  // namespace

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Matmul& i) {
  if (i.is_transpose && c.core.has.transpose_mode.value) return compile_transpose_mode(c, i);
  const bool double_row = i.perf_mode == isa::PerfMode::DoubleRow;
  const OperandRef dst = c.operand(i.dst);
  const MatmulRef stationary = matmul_operand(c, i.stationary, double_row);
  const MatmulRef moving = matmul_operand(c, i.moving, double_row);
  const GemmUnit unit = choose_unit(i.stationary.dtype, i.moving.dtype,
                                    c.options.strict ? GemmOrder::Strict : GemmOrder::Default);
  const GemmLayout layout = layout_of(unit);
  const auto bytes = [&](const MatmulRef& r, GemmSide side) {
    return packed_bytes(layout, side, r.tile.k(), r.tile.pattern.count);
  };
  const size_t stationary_bytes = bytes(stationary, GemmSide::Stationary);
  const size_t moving_bytes = bytes(moving, GemmSide::Moving);
  const isa::Accumulate accumulate = i.accumulate;
  const int64_t psum_bytes = c.homes[i.dst.tensor].bytes;
  return make_step([=](Lane& l) {
    std::vector<uint8_t> written;
    l.pack_stationary.reserve(stationary_bytes);
    l.pack_moving.reserve(moving_bytes);
    const MatmulWork work{
        pack_stationary(stationary.tile, stationary.at.data(l), layout,
                        {l.pack_stationary.data(), stationary_bytes}),
        pack_moving(moving.tile, moving.at.data(l), layout, {l.pack_moving.data(), moving_bytes}),
        unit};
    const PsumState state = state_of(accumulate, dst, psum_bytes, l, written);
    matmul(work, dst.view(l), state, written.data(), l.exec);
  });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Transpose& i, isa::Engine engine) {
  const OperandRef dst = c.operand(i.dst), data = c.operand(i.data);
  const bool exact = engine != isa::Engine::Tensor || c.core.has.transpose_mode.value;
  if (!exact && numerics::is_float(i.data.dtype)) {
    return make_step([=](Lane& l) { transpose_by_identity(dst.view(l), data.view(l), l.exec); });
  }
  const CopyPlan plan = plan_transpose(dst.pattern, data.pattern);
  return make_step([=](Lane& l) { run_copy(plan, dst.data(l), data.data(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Activation& i) {
  OperandRef dst = c.operand(i.dst), data = c.operand(i.data);
  const ColumnRef scale(c, i.scale), bias(c, i.bias.value_or(isa::Operand(0.0f)));
  const ActivationOp op{.function = i.op,
                        .param = i.relu_param,
                        .reduce = i.reduce_cmd,
                        .has_bias = i.bias.has_value()};
  if (!scale.is_tile() && !bias.is_tile() && i.reduce_cmd == isa::ReduceCmd::Idle)
    fold_rows({&dst.pattern, &data.pattern});
  const isa::Affine lane = i.data.partition;
  std::optional<OperandRef> result;
  if (i.reduce_res) result = c.operand(*i.reduce_res);
  return make_step([=](Lane& l) {
    ActivationOp at = op;
    at.first_lane = lane.value(l.counters.data(), l.registers.data());
    activation(at, dst.view(l), data.view(l), scale.column(l), bias.column(l), l.exec);
    if (result) read_registers(result->view(l), at.first_lane, l.exec);
  });
}

}  // namespace trainyard::sim
