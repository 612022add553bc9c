#include "sim/execute/tile/elementwise.h"

#include "sim/execute/tile/iota.h"
#include "sim/execute/tile/reduce.h"
#include "sim/execute/tile/statistics.h"
#include "sim/values/column_ref.h"
#include "sim/values/compile.h"

namespace trainyard::sim {
namespace {

std::vector<Stride> ramp_dims(const std::vector<isa::Dim>& pattern) {
  std::vector<Stride> dims;
  for (const isa::Dim& d : pattern) dims.push_back({d.step, d.count});
  return make_pattern(Dtype::S32, 1, 0, std::move(dims)).dims;
}

}  // namespace

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorTensor& i, Arithmetic how) {
  OperandRef dst = c.operand(i.dst), a = c.operand(i.data1), b = c.operand(i.data2);
  fold_rows({&dst.pattern, &a.pattern, &b.pattern});
  const AluStage stage = c.stage(i.op);
  const auto run = how == Arithmetic::Fp32    ? tensor_tensor
                   : how == Arithmetic::Int32 ? tensor_tensor_exact
                                              : tensor_tensor_bits;
  return make_step([=](Lane& l) { run(stage, dst.view(l), a.view(l), b.view(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorScalar& i, Arithmetic how) {
  OperandRef dst = c.operand(i.dst), a = c.operand(i.data);
  const ColumnRef c0(c, i.operand0), c1(c, i.operand1);
  const TwoStages stages{c.stage(i.op0, i.reverse0), c.stage(i.op1, i.reverse1)};
  if (!c0.is_tile() && !c1.is_tile()) fold_rows({&dst.pattern, &a.pattern});
  if (how == Arithmetic::Fp32) {
    return make_step([=](Lane& l) {
      tensor_scalar(stages, dst.view(l), a.view(l), c0.column(l), c1.column(l), l.exec);
    });
  }
  const auto run = how == Arithmetic::Int32 ? tensor_scalar_exact : tensor_scalar_bits;
  return make_step([=](Lane& l) {
    run(stages, dst.view(l), a.view(l), c0.integers(l), c1.integers(l), l.exec);
  });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::ScalarTensorTensor& i) {
  OperandRef dst = c.operand(i.dst), a = c.operand(i.data), b = c.operand(i.operand1);
  const ColumnRef c0(c, i.operand0);
  const TwoStages stages{c.stage(i.op0, i.reverse0), c.stage(i.op1, i.reverse1)};
  if (!c0.is_tile()) fold_rows({&dst.pattern, &a.pattern, &b.pattern});
  return make_step([=](Lane& l) {
    scalar_tensor_tensor(stages, dst.view(l), a.view(l), c0.column(l), b.view(l), l.exec);
  });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorTensorScan& i) {
  const OperandRef dst = c.operand(i.dst), a = c.operand(i.data0), b = c.operand(i.data1);
  const ColumnRef initial(c, i.initial);
  const TwoStages stages{c.stage(i.op0, i.reverse0), c.stage(i.op1, i.reverse1)};
  return make_step([=](Lane& l) {
    tensor_tensor_scan(stages, dst.view(l), a.view(l), b.view(l), initial.column(l), l.exec);
  });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorReduce& i) {
  const OperandRef dst = c.operand(i.dst), data = c.operand(i.data);
  ReduceOp op{.stage = c.stage(i.op), .negate = i.negate};
  for (size_t d = i.data.dims.size() - i.axes; d < i.data.dims.size(); ++d)
    op.length *= i.data.dims[d].count;
  const auto run = isa::is_bitwise(i.op) ? tensor_reduce_bits : tensor_reduce;
  return make_step([=](Lane& l) { run(op, dst.view(l), data.view(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorCopy& i) {
  // A transpose wrote it there already.
  if (c.taken != nullptr && (*c.taken)[i.src.tensor] == c.inst) return make_step([](Lane&) {});
  OperandRef dst = c.operand(i.dst), a = c.operand(i.src);
  fold_rows({&dst.pattern, &a.pattern});
  return make_step([=](Lane& l) { tensor_copy(dst.view(l), a.view(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorCopyPredicated& i) {
  const OperandRef dst = c.operand(i.dst), where = c.operand(i.predicate);
  const bool reverse = i.reverse_pred;
  if (const auto* tile = std::get_if<isa::Access>(&i.src)) {
    const OperandRef a = c.operand(*tile);
    return make_step(
        [=](Lane& l) { copy_predicated(dst.view(l), where.view(l), a.view(l), reverse, l.exec); });
  }
  const uint32_t word = stored_word(i.src, i.dst.dtype, c.options.convert);
  const Pattern one = make_pattern(i.dst.dtype, dst.pattern.rows, 0, {{0, dst.pattern.count}});
  return make_step([=](Lane& l) {
    uint32_t value = word;
    const View a{reinterpret_cast<std::byte*>(&value), &one};
    copy_predicated(dst.view(l), where.view(l), a, reverse, l.exec);
  });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Select& i) {
  const OperandRef dst = c.operand(i.dst), where = c.operand(i.predicate),
                   yes = c.operand(i.on_true);
  const auto* tile = std::get_if<isa::Access>(&i.on_false);
  if (tile != nullptr && (tile->free_elements() > 1 || i.dst.free_elements() == 1)) {
    const OperandRef no = c.operand(*tile);
    return make_step([=](Lane& l) {
      select(dst.view(l), where.view(l), yes.view(l), {{}, no.view(l)}, l.exec);
    });
  }
  const ColumnRef no(c, i.on_false);
  return make_step([=](Lane& l) {
    select(dst.view(l), where.view(l), yes.view(l), {no.column(l), {}}, l.exec);
  });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Reciprocal& i) {
  OperandRef dst = c.operand(i.dst), a = c.operand(i.data);
  fold_rows({&dst.pattern, &a.pattern});
  return make_step([=](Lane& l) { reciprocal(dst.view(l), a.view(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Memset& i) {
  OperandRef dst = c.operand(i.dst);
  fold_rows({&dst.pattern});
  const uint32_t word = stored_word(i.value, i.dst.dtype, c.options.convert);
  return make_step([=](Lane& l) { fill(dst.view(l), word); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Iota& i) {
  const OperandRef dst = c.operand(i.dst);
  const isa::Affine offset = i.offset;
  const Ramp ramp{ramp_dims(i.pattern), i.channel_multiplier};
  return make_step([=](Lane& l) {
    iota(ramp, offset.value(l.counters.data(), l.registers.data()), dst.view(l), l.exec);
  });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::AffineSelect& i) {
  const OperandRef dst = c.operand(i.dst), yes = c.operand(i.on_true_tile);
  const isa::Affine offset = i.offset;
  const AffineChoice choice{
      {ramp_dims(i.pattern), i.channel_multiplier}, i.cmp_op, i.on_false_value};
  return make_step([=](Lane& l) {
    const int64_t at = offset.value(l.counters.data(), l.registers.data());
    affine_select(choice, at, dst.view(l), yes.view(l), l.exec);
  });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::BnStats& i) {
  const OperandRef dst = c.operand(i.dst), data = c.operand(i.data);
  return make_step([=](Lane& l) { bn_stats(dst.view(l), data.view(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::BnAggr& i) {
  const OperandRef dst = c.operand(i.dst), data = c.operand(i.data);
  return make_step([=](Lane& l) { bn_aggr(dst.view(l), data.view(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Max8& i) {
  const OperandRef dst = c.operand(i.dst), src = c.operand(i.src);
  return make_step([=](Lane& l) { max8(dst.view(l), src.view(l), l.exec); });
}

}  // namespace trainyard::sim
