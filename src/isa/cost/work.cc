#include "isa/cost_work.h"

#include <algorithm>

namespace trainyard::isa {
namespace {

// One overload per instruction and no default, as for costs.
struct WorkOf {
  const hw::CoreSpec& core;

  Work operator()(const Matmul& i) const {
    if (i.is_transpose) return per_element(i.dst, 0);
    const int64_t rows_at_once = i.perf_mode == PerfMode::DoubleRow ? 2 : 1;
    const int64_t m = i.stationary.free_elements() / rows_at_once;
    const int64_t n = i.moving.free_elements() / rows_at_once;
    Work w = per_element(i.dst, 0);
    w.macs = i.moving.partitions * rows_at_once * m * n;
    w.flops = 2 * w.macs;
    w.bf16_flops = static_cast<double>(w.flops) * weight(i.stationary.dtype, i.moving.dtype);
    return w;
  }
  Work operator()(const Transpose& i) const { return per_element(i.dst, 0); }
  Work operator()(const Activation& i) const {
    const int64_t scaled = i.scale == Operand(1.0f) ? 0 : 1;
    const int64_t summed = i.reduce_cmd == ReduceCmd::Idle ? 0 : 1;
    return per_element(i.dst, 1 + scaled + (i.bias ? 1 : 0) + summed);
  }
  Work operator()(const TensorTensor& i) const { return per_element(i.dst, count(i.op)); }
  Work operator()(const TensorScalar& i) const {
    return per_element(i.dst, count(i.op0) + count(i.op1));
  }
  Work operator()(const ScalarTensorTensor& i) const {
    return per_element(i.dst, count(i.op0) + count(i.op1));
  }
  Work operator()(const TensorTensorScan& i) const {
    return per_element(i.dst, count(i.op0) + count(i.op1));
  }
  Work operator()(const TensorReduce& i) const { return per_element(i.data, count(i.op)); }
  Work operator()(const TensorCopy& i) const { return per_element(i.dst, 0); }
  Work operator()(const TensorCopyPredicated& i) const { return per_element(i.dst, 0); }
  Work operator()(const Select& i) const { return per_element(i.dst, 0); }
  Work operator()(const Reciprocal& i) const { return per_element(i.dst, 1); }
  Work operator()(const Memset& i) const { return per_element(i.dst, 0); }
  Work operator()(const Iota& i) const { return per_element(i.dst, 0); }
  Work operator()(const AffineSelect& i) const { return per_element(i.dst, 0); }
  // Sum and sum of squares; four operations per tuple element to merge.
  Work operator()(const BnStats& i) const { return per_element(i.data, 3); }
  Work operator()(const BnAggr& i) const { return per_element(i.data, 4); }
  Work operator()(const Max8& i) const { return per_element(i.src, 1); }
  Work operator()(const DmaCopy& i) const { return moved(i.dst, i.src); }
  Work operator()(const DmaTranspose& i) const { return moved(i.dst, i.src); }
  Work operator()(const SendRecv& i) const { return moved(i.dst, i.src); }
  Work operator()(const Collective& i) const { return moved(i.dst, i.src); }
  // What a program computes is its own business; here its operands count.
  Work operator()(const GpsimdCall& i) const {
    Work w;
    for (const Access& a : i.operands) w.elements = std::max(w.elements, a.elements());
    return w;
  }
  Work operator()(const RegisterMove&) const { return {}; }
  Work operator()(const RegisterAlu&) const { return {}; }
  Work operator()(const RegisterLoad&) const { return {}; }
  Work operator()(const RegisterStore&) const { return {}; }
  Work operator()(const Nop&) const { return {}; }
  Work operator()(const CoreBarrier&) const { return {}; }

 private:
  static int64_t count(AluOp op) { return op == AluOp::Bypass ? 0 : 1; }

  static Work per_element(const Access& a, int64_t flops) {
    return {.flops = a.elements() * flops, .elements = a.elements()};
  }

  static Work moved(const Access& dst, const Access& src) {
    const int64_t n = std::max(dst.elements(), src.elements());
    return {.elements = n,
            .bytes = std::max(dst.elements() * numerics::size_of(dst.dtype),
                              src.elements() * numerics::size_of(src.dtype))};
  }

  double weight(Dtype a, Dtype b) const {
    if (a == Dtype::F32 || b == Dtype::F32) return core.pe.weight_fp32.value;
    if (numerics::size_of(a) == 1 && numerics::size_of(b) == 1) return core.pe.weight_fp8.value;
    return 1;
  }
};

}  // namespace

Work& Work::operator+=(const Work& o) {
  macs += o.macs;
  flops += o.flops;
  elements += o.elements;
  bytes += o.bytes;
  bf16_flops += o.bf16_flops;
  return *this;
}

Work work(const Program&, const Inst& inst, const hw::CoreSpec& core) {
  return std::visit(WorkOf{core}, inst.op);
}

}  // namespace trainyard::isa
