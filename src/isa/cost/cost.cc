#include "isa/cost.h"

#include <algorithm>

#include "base/check.h"
#include "hw/level.h"
#include "isa/cost/formulas.h"
#include "isa/cost_dma.h"
#include "isa/operands.h"

namespace trainyard::isa {
namespace {

bool has_dynamic_address(const Instruction& op) {
  bool found = false;
  each_access(op, [&](std::string_view, const Access& a, Role) { found |= a.is_dynamic(); });
  return found;
}

Cost fixed_cost(Cycles cycles, hw::Trust trust) {
  return {.interval = cycles, .latency = cycles, .turn_interval = cycles, .trust = trust};
}

// One overload per instruction and no default, so that an instruction without a cost does not
// compile.
struct CostOf {
  const Program& program;
  const Inst& inst;
  Engine engine;
  const CostModel& model;
  const hw::CoreSpec& core = model.core;

  Cost operator()(const Matmul& i) const { return matmul_cost(program, i, core); }
  Cost operator()(const Transpose& i) const {
    return engine == Engine::Tensor ? array_transpose_cost(i, core) : vector_cost(program, i, core);
  }
  Cost operator()(const Activation& i) const { return scalar_cost(program, i, core); }
  Cost operator()(const TensorTensor& i) const {
    if (engine != Engine::Gpsimd) return vector_cost(program, i, core);
    const auto& rate = i.op == AluOp::Power ? core.pool.power : core.pool.tensor_tensor;
    return gpsimd_cost(i.dst.free_elements(), rate, core);
  }
  Cost operator()(const TensorScalar& i) const {
    if (engine == Engine::Scalar) return scalar_cost(program, i, core);
    if (engine == Engine::Vector) return vector_cost(program, i, core);
    const auto has = [&](AluOp op) { return i.op0 == op || i.op1 == op; };
    const auto& rate = has(AluOp::Power)   ? core.pool.power
                       : has(AluOp::Rsqrt) ? core.pool.rsqrt
                                           : core.pool.tensor_tensor;
    return gpsimd_cost(i.dst.free_elements(), rate, core);
  }
  Cost operator()(const ScalarTensorTensor& i) const { return vector_cost(program, i, core); }
  Cost operator()(const TensorTensorScan& i) const { return vector_cost(program, i, core); }
  Cost operator()(const TensorReduce& i) const { return vector_cost(program, i, core); }
  Cost operator()(const TensorCopy& i) const {
    if (engine == Engine::Scalar) return scalar_cost(program, i, core);
    if (engine == Engine::Vector) return vector_cost(program, i, core);
    return gpsimd_cost(i.dst.free_elements(), core.pool.copy, core);
  }
  Cost operator()(const TensorCopyPredicated& i) const { return vector_cost(program, i, core); }
  Cost operator()(const Select& i) const { return vector_cost(program, i, core); }
  Cost operator()(const Reciprocal& i) const { return vector_cost(program, i, core); }
  Cost operator()(const Memset& i) const {
    if (engine == Engine::Vector) return vector_cost(program, i, core);
    return gpsimd_cost(i.dst.free_elements(), core.pool.memset, core);
  }
  Cost operator()(const Iota& i) const {
    return gpsimd_cost(i.dst.free_elements(), core.pool.iota, core);
  }
  Cost operator()(const AffineSelect& i) const {
    return gpsimd_cost(i.dst.free_elements(), core.pool.affine_select, core);
  }
  Cost operator()(const BnStats& i) const { return vector_cost(program, i, core); }
  Cost operator()(const BnAggr& i) const { return vector_cost(program, i, core); }
  Cost operator()(const Max8& i) const { return vector_cost(program, i, core); }

  Cost operator()(const DmaCopy&) const { return trigger_cost(); }
  Cost operator()(const DmaTranspose&) const { return trigger_cost(); }
  Cost operator()(const SendRecv&) const { return trigger_cost(); }
  Cost operator()(const Collective&) const { return trigger_cost(); }

  Cost operator()(const GpsimdCall& i) const { return call_cost(program, i, core); }

  Cost operator()(const RegisterMove& i) const {
    if (std::holds_alternative<RegisterId>(i.value)) return control_cost(engine, model);
    const auto& move = core.seq.move_immediate_ns;
    return fixed_cost(cycles_from_ns(core, engine, move.value), move.trust);
  }
  Cost operator()(const RegisterAlu&) const { return control_cost(engine, model); }
  Cost operator()(const RegisterLoad&) const { return control_cost(engine, model); }
  Cost operator()(const RegisterStore&) const { return control_cost(engine, model); }
  Cost operator()(const Nop&) const { return control_cost(engine, model); }
  Cost operator()(const CoreBarrier&) const { return control_cost(engine, model); }

 private:
  Cost trigger_cost() const {
    const DmaShape shape = dma_shape(program, inst, model);
    return fixed_cost(cycles_from_ticks(core, engine, shape.trigger), shape.trust);
  }
};

}  // namespace

std::string_view name(Level level) { return level == Level::D ? "D" : "C"; }

CostModel::CostModel(const hw::CoreSpec& spec, Level l)
    : core(hw::at_level(spec, l == Level::D ? hw::Level::Documented : hw::Level::Calibrated)),
      level(l) {}

OperandStream stream_of(const Program& program, const Access& access) {
  OperandStream s{.memory = program.tensors[access.tensor].memory,
                  .dtype = access.dtype,
                  .elements = access.free_elements()};
  for (size_t i = access.dims.size(); i-- > 0;) {
    if (access.dims[i].count == 1) continue;
    const int64_t step = access.dims[i].step;
    s.step_bytes = std::abs(step) * numerics::size_of(access.dtype);
    s.contiguous = step == 1;
    break;
  }
  return s;
}

Cost gpsimd_cost(int64_t elements, const hw::Fact<double>& rate, const hw::CoreSpec& core) {
  FactReader fact;
  const Cycles work = streaming(elements, fact(rate));
  Cost c = fixed_cost(fact(core.pool.startup) + work, fact.trust());
  c.work = work;
  return c;
}

Cost control_cost(Engine engine, const CostModel& model) {
  const auto& control = model.core.seq.control_op;
  const Ticks ticks = control.value * model.core.period(Engine::Sync);
  return fixed_cost(cycles_from_ticks(model.core, engine, ticks), control.trust);
}

Cost cost(const Program& program, const Inst& inst, Engine engine, const CostModel& model) {
  Cost c = std::visit(CostOf{program, inst, engine, model}, inst.op);
  const bool datapath = !is_dma(inst.op) && !std::holds_alternative<RegisterLoad>(inst.op) &&
                        !std::holds_alternative<RegisterStore>(inst.op);
  if (datapath && has_dynamic_address(inst.op)) {
    const auto& floor = model.core.seq.dynamic_address_floor;
    c.interval = std::max(c.interval, floor.value);
    c.turn_interval = std::max(c.turn_interval, floor.value);
    c.latency = std::max(c.latency, c.interval);
    c.trust = hw::weakest(c.trust, floor.trust);
  }
  return c;
}

Cost throttled(const Cost& cost, const hw::CoreSpec& core) {
  const auto stretch = [&](Cycles c) {
    return Cycles{
        ceil_divide_wide(Wide{c.value} * kMillion, millionths(core.pe.throttle_ratio.value))};
  };
  Cost c = cost;
  const Cycles fixed = cost.latency - cost.work;
  c.work = stretch(cost.work);
  c.interval = stretch(cost.interval);
  c.turn_interval = stretch(cost.turn_interval);
  c.load = stretch(cost.load);
  c.latency = std::max(c.interval, c.work + fixed);
  c.trust = hw::weakest(cost.trust, core.pe.throttle_ratio.trust);
  return c;
}

std::optional<int> act_table(Function function) {
  switch (function) {
    case Function::Copy:
    case Function::Square:
    case Function::Relu:
    case Function::Sign:
    case Function::Abs:
      return std::nullopt;
    case Function::Sigmoid:
    case Function::Prelu:
    case Function::Gelu:
    case Function::GeluDx:
    case Function::GeluApprxTanh:
    case Function::GeluApprxSigmoid:
    case Function::GeluApprxSigmoidDx:
    case Function::Silu:
    case Function::SiluDx:
    case Function::Tanh:
    case Function::Softplus:
    case Function::Mish:
    case Function::Erf:
    case Function::ErfDx:
    case Function::Exp:
    case Function::Log:
    case Function::Sin:
    case Function::Arctan:
    case Function::Sqrt:
    case Function::Rsqrt:
    case Function::Reciprocal:
      return static_cast<int>(function);
  }
  return std::nullopt;
}

Cost table_load_cost(const CostModel& model) {
  const auto& load = model.core.act.table_load_ns;
  return fixed_cost(cycles_from_ns(model.core, Engine::Scalar, load.value), load.trust);
}

}  // namespace trainyard::isa
