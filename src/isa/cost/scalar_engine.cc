// The Scalar engine: one element per cycle and lane, whatever the function; what differs is the
// latency behind it.
#include <algorithm>

#include "isa/cost/formulas.h"

namespace trainyard::isa {
namespace {

struct Act {
  const hw::CoreSpec& core;
  FactReader fact;

  Cycles ns(const hw::Fact<double>& t) { return cycles_from_ns(core, Engine::Scalar, fact(t)); }

  Cost finish(int64_t elements, const hw::Fact<double>& rate, Cycles fixed) {
    const auto& act = core.act;
    Cost c;
    c.work = streaming(elements, fact(rate));
    // Short instructions cannot follow each other at the streaming rate.
    Cycles extra;
    if (elements <= fact(act.stream_extra_free)) extra = fact(act.stream_extra);
    c.interval = std::max(fact(act.min_interval), c.work + extra);
    c.latency = std::max(c.interval, c.work + fixed);
    c.turn_interval = c.interval;
    return c;
  }

  Cycles copy_latency(const OperandStream& src) {
    return fact(src.psum() ? core.act.latency_copy_psum : core.act.latency_copy);
  }

  // Each scale or bias that is a tile delays the result.
  Cycles operand_latency(std::initializer_list<const Operand*> operands) {
    Cycles sum;
    for (const Operand* o : operands) {
      if (o != nullptr && std::holds_alternative<Access>(*o)) sum += ns(core.act.operand_extra_ns);
    }
    return sum;
  }

  const hw::Fact<double>& copy_rate(const OperandStream& dst, const OperandStream& src) {
    const auto fast = [&](const OperandStream& s) {
      return s.is16() || (s.is8() && fact(core.has.vector_fast_fp8));
    };
    return fast(dst) && fast(src) ? core.act.copy_16bit : core.act.copy;
  }
};

}  // namespace

Cost scalar_cost(const Program& program, const Activation& i, const hw::CoreSpec& core) {
  Act act{core, {}};
  const OperandStream data = stream_of(program, i.data);
  const bool silu = i.op == Function::Silu;
  const auto& rate = !silu         ? core.act.function
                     : data.psum() ? core.act.silu_psum
                                   : core.act.silu_sbuf;
  const Cycles function =
      i.op == Function::Copy ? act.copy_latency(data) : act.fact(core.act.latency_function);
  const Cycles operands = act.operand_latency({&i.scale, i.bias ? &*i.bias : nullptr});
  Cost c = act.finish(data.elements, rate, function + operands);
  // reduce_res is read out by a second instruction behind this one.
  if (i.reduce_res) {
    const Cycles measured = act.ns(core.act.read_accumulator_interval_ns);
    const Cycles late = act.ns(core.act.read_accumulator_latency_ns);
    c.latency = std::max(c.latency, c.interval + late);
    c.interval += std::max(act.fact(core.act.reduce_readout), measured);
    c.latency = std::max(c.latency, c.interval);
    c.turn_interval = c.interval;
  }
  c.trust = act.fact.trust();
  return c;
}

Cost scalar_cost(const Program& program, const TensorCopy& i, const hw::CoreSpec& core) {
  Act act{core, {}};
  const OperandStream dst = stream_of(program, i.dst), src = stream_of(program, i.src);
  Cost c = act.finish(src.elements, act.copy_rate(dst, src), act.copy_latency(src));
  c.trust = act.fact.trust();
  return c;
}

Cost scalar_cost(const Program& program, const TensorScalar& i, const hw::CoreSpec& core) {
  Act act{core, {}};
  const OperandStream dst = stream_of(program, i.dst), src = stream_of(program, i.data);
  const Cycles operands = act.operand_latency({&i.operand0, &i.operand1});
  Cost c = act.finish(src.elements, act.copy_rate(dst, src), act.copy_latency(src) + operands);
  c.trust = act.fact.trust();
  return c;
}

}  // namespace trainyard::isa
