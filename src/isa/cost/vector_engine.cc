// The Vector engine: cycles per element by type, memory and contiguity. The fast modes are
// automatic; on NeuronCore-v2 their rates are those of the plain modes.
#include <algorithm>
#include <initializer_list>

#include "isa/cost/formulas.h"

namespace trainyard::isa {
namespace {

class Dve {
 public:
  Dve(const Program& program, const hw::CoreSpec& core) : program_(program), core_(core) {}

  FactReader fact;

  OperandStream stream(const Access& a) const { return stream_of(program_, a); }

  // Whether the type belongs to the fast 16-bit class.
  bool fast(const OperandStream& s) {
    return s.is16() || (s.is8() && fact(core_.has.vector_fast_fp8));
  }

  // Streaming time of one pass: a port halves its rate where its innermost step is too long.
  Cycles pass(int64_t elements, const hw::Fact<double>& rate,
              std::initializer_list<OperandStream> ports) {
    double factor = 1;
    for (const OperandStream& port : ports) {
      if (port.step_bytes > fact(core_.dve.stride_bytes)) factor = fact(core_.dve.stride_slowdown);
    }
    return streaming(elements, fact(rate), factor);
  }

  // `extra` delays this instruction and the next, `late` this one alone.
  Cost finish(Cycles work, Cycles extra = {}, Cycles late = {}) {
    Cost c;
    c.work = work;
    c.interval = std::max(fact(core_.dve.min_interval), work + extra);
    c.latency = std::max(c.interval, work + extra + late + fact(core_.dve.fixed_latency));
    c.turn_interval = c.interval;
    c.trust = fact.trust();
    return c;
  }

  Cycles ns(const hw::Fact<double>& t) { return cycles_from_ns(core_, Engine::Vector, fact(t)); }

  // Rate of a copy or of an operation with numbers. [nki-trn2]
  const hw::Fact<double>& unary_rate(const OperandStream& dst, const OperandStream& src,
                                     bool copy) {
    const auto& dve = core_.dve;
    const bool sbuf = !dst.psum() && !src.psum();
    const bool contiguous = dst.contiguous && src.contiguous;
    if (fast(dst) && fast(src)) {
      if (sbuf) return contiguous ? dve.unary_16bit_contiguous : dve.unary_16bit;
      return contiguous && dst.psum() != src.psum() ? dve.unary_16bit : dve.unary_psum;
    }
    if (!sbuf) return dve.unary_psum;
    const bool widens = src.dtype == Dtype::BF16 && dst.dtype == Dtype::F32;
    return copy && widens ? dve.unary_bf16_to_fp32 : dve.unary_fp32;
  }

 private:
  const Program& program_;
  const hw::CoreSpec& core_;
};

}  // namespace

Cost vector_cost(const Program& program, const Transpose& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream data = dve.stream(i.data);
  Cost c = dve.finish(dve.pass(data.elements, core.dve.transpose, {data}));
  c.interval = std::max(c.interval, dve.fact(core.dve.transpose_interval));
  c.turn_interval = std::max(c.interval, dve.fact(core.dve.transpose_turn));
  c.latency = std::max(c.interval, dve.fact(core.dve.transpose_latency));
  c.trust = dve.fact.trust();
  return c;
}

Cost vector_cost(const Program& program, const TensorTensor& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream a = dve.stream(i.data1), b = dve.stream(i.data2), d = dve.stream(i.dst);
  const bool cheap = i.op == AluOp::Add || i.op == AluOp::Multiply || i.op == AluOp::Subtract;
  const bool contiguous = a.contiguous && b.contiguous && d.contiguous;
  const auto& rate = a.psum() || b.psum() ? core.dve.binary_psum
                     : cheap && contiguous && dve.fast(a) && dve.fast(b) && dve.fast(d)
                         ? core.dve.binary_16bit
                         : core.dve.binary_fp32;
  return dve.finish(dve.pass(a.elements, rate, {a, b, d}));
}

Cost vector_cost(const Program& program, const TensorScalar& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream d = dve.stream(i.dst), s = dve.stream(i.data);
  return dve.finish(dve.pass(s.elements, dve.unary_rate(d, s, /*copy=*/false), {d, s}));
}

Cost vector_cost(const Program& program, const ScalarTensorTensor& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream a = dve.stream(i.data), b = dve.stream(i.operand1), d = dve.stream(i.dst);
  const bool bf16 = a.dtype == Dtype::BF16 && b.dtype == Dtype::BF16;
  const bool fused = bf16 && i.op0 == AluOp::Subtract && i.op1 == AluOp::Multiply;
  const auto& rate = fused && a.elements % 2 == 0 ? core.dve.scalar_tensor_tensor_fast
                                                  : core.dve.scalar_tensor_tensor;
  return dve.finish(dve.pass(a.elements, rate, {a, b, d}));
}

Cost vector_cost(const Program& program, const TensorTensorScan& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream a = dve.stream(i.data0), b = dve.stream(i.data1), d = dve.stream(i.dst);
  Cycles late;
  if (std::holds_alternative<Access>(i.initial)) late = dve.ns(core.dve.scan_tensor_initial_ns);
  return dve.finish(dve.pass(a.elements, core.dve.scan, {a, b, d}), {}, late);
}

Cost vector_cost(const Program& program, const TensorReduce& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream s = dve.stream(i.data), d = dve.stream(i.dst);
  const bool bf16 = s.dtype == Dtype::BF16 && d.dtype == Dtype::BF16;
  const bool halved = bf16 && (i.op == AluOp::Add || i.op == AluOp::Max);
  return dve.finish(dve.pass(s.elements, halved ? core.dve.reduce_bf16 : core.dve.reduce, {s, d}));
}

Cost vector_cost(const Program& program, const TensorCopy& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream d = dve.stream(i.dst), s = dve.stream(i.src);
  return dve.finish(dve.pass(s.elements, dve.unary_rate(d, s, /*copy=*/true), {d, s}));
}

// With a number as source only the predicate is streamed in, as if the two came through different
// memories.
Cost vector_cost(const Program& program, const TensorCopyPredicated& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream d = dve.stream(i.dst), p = dve.stream(i.predicate);
  const Access* tile = std::get_if<Access>(&i.src);
  const OperandStream s = tile ? dve.stream(*tile) : p;
  const bool both_sbuf = tile && !s.psum() && !p.psum();
  const auto& rate = both_sbuf ? core.dve.copy_predicated : core.dve.copy_predicated_split;
  return dve.finish(dve.pass(d.elements, rate, {d, p, s}));
}

// The engine has two input streams. A third tile is paid for as a copy before the predicated one.
Cost vector_cost(const Program& program, const Select& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream d = dve.stream(i.dst), p = dve.stream(i.predicate), t = dve.stream(i.on_true);
  const Access* other = std::get_if<Access>(&i.on_false);
  if (other == nullptr || other->free_elements() == 1) {
    return dve.finish(dve.pass(d.elements, core.dve.select, {d, p, t}));
  }
  const OperandStream f = dve.stream(*other);
  const Cost first = dve.finish(dve.pass(d.elements, dve.unary_rate(d, f, /*copy=*/true), {d, f}));
  Cost c = vector_cost(program, TensorCopyPredicated{i.dst, i.on_true, i.predicate}, core);
  c.interval += first.interval;
  c.turn_interval = c.interval;
  c.latency += first.interval;
  c.work += first.work;
  c.trust = hw::weakest(c.trust, first.trust);
  return c;
}

Cost vector_cost(const Program& program, const Reciprocal& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream s = dve.stream(i.data), d = dve.stream(i.dst);
  return dve.finish(dve.pass(s.elements, core.dve.reciprocal, {s, d}));
}

Cost vector_cost(const Program& program, const Memset& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream d = dve.stream(i.dst);
  const float* real = std::get_if<float>(&i.value);
  const int64_t* whole = std::get_if<int64_t>(&i.value);
  const bool zero = (real && *real == 0) || (whole && *whole == 0);
  const bool narrow = zero && numerics::size_of(d.dtype) == 2;
  const auto& rate = narrow ? core.dve.memset_zero_16bit : core.dve.memset;
  return dve.finish(dve.pass(d.elements, rate, {d}), dve.ns(core.dve.memset_extra_ns));
}

Cost vector_cost(const Program& program, const BnStats& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream s = dve.stream(i.data);
  return dve.finish(dve.pass(s.elements, core.dve.bn_stats, {s}));
}

Cost vector_cost(const Program& program, const BnAggr& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream s = dve.stream(i.data);
  return dve.finish(dve.pass(s.elements / 3, core.dve.bn_aggr_tuple, {s}));
}

Cost vector_cost(const Program& program, const Max8& i, const hw::CoreSpec& core) {
  Dve dve(program, core);
  const OperandStream s = dve.stream(i.src);
  return dve.finish(dve.pass(s.elements, core.dve.max8, {s}));
}

}  // namespace trainyard::isa
