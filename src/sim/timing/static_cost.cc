#include "sim/timing/static_cost.h"

#include <algorithm>
#include <cmath>

#include "isa/cost_dma.h"
#include "isa/cost_work.h"
#include "isa/engines.h"
#include "isa/operands.h"

namespace trainyard::sim {
namespace {

PsumUse psum_use(const isa::Program& program, const isa::Access& access, const hw::CoreSpec& core) {
  const isa::Tensor* tensor = &program.tensors[access.tensor];
  isa::TensorId id = access.tensor;
  int64_t base = 0;
  while (tensor->view) {
    base += tensor->view->offset;
    id = tensor->view->base;
    tensor = &program.tensors[id];
  }
  const isa::TensorPlace& place = program.placement.tensors[id];
  const int64_t banks_bytes = core.psum_bank_bytes();
  const int64_t whole_banks = (tensor->free_bytes() + banks_bytes - 1) / banks_bytes * banks_bytes;
  const int64_t size = numerics::size_of(access.dtype);
  const isa::Hull h = isa::hull(access);
  return {.tensor = id,
          .base = base + place.address.value_or(0),
          .pitch = place.pitch > 0 ? place.pitch : whole_banks,
          .slots = std::max(1, place.slots),
          .offset = &access.offset,
          .element_bytes = size,
          .hull_begin = h.begin * size,
          .hull_end = h.end * size};
}

// Engines are streams 0 to 4, queues 8 to 23.
uint32_t stream_bit(const isa::InstPlace& place) {
  return place.queue >= 0 ? 1u << (8 + place.queue) : 1u << hw::index(*place.engine);
}

void add_transfer(StaticCost& out, const isa::Program& program, const isa::Inst& inst,
                  const hw::CoreSpec& core, isa::Level level, int sharing_cores) {
  const isa::DmaShape shape = isa::dma_shape(program, inst, core, level);
  out.is_dma = true;
  out.interval = shape.trigger;
  out.latency = shape.trigger;
  out.dispatch = shape.dispatch;
  out.generate = shape.generate;
  out.tail = shape.lag + shape.notify;
  out.gap = shape.gap;
  out.dge_block = shape.dge == isa::DgeMode::Hwdge;
  out.bytes = shape.bytes;
  out.hbm_read = shape.hbm_read_bytes;
  out.hbm_written = shape.hbm_write_bytes;
  out.descriptors = shape.descriptors;
  out.trust = hw::weakest(out.trust, shape.trust);
  // The engines together may ask the HBM stack for more than this core's share of it.
  const double share_bytes_per_tick =
      core.hbm.stack_bytes_per_ns.value * 1e9 / static_cast<double>(core.tick_hz) / sharing_cores;
  const double hbm_ticks =
      static_cast<double>(out.hbm_read + out.hbm_written) / share_bytes_per_tick;
  const double slow =
      std::max(1.0, hbm_ticks / std::max<double>(1.0, static_cast<double>(shape.payload.value)));
  for (int e = 0; e < kDmaEngines && e < static_cast<int>(shape.engines.size()); ++e) {
    const int64_t ticks = shape.engines[e].payload.value;
    const int64_t gap = shape.engines[e].descriptors > 0 ? shape.gap.value : 0;
    out.parts.work[e] = Ticks(std::llround(static_cast<double>(ticks) * slow) + gap);
    out.parts.uniform &= out.parts.work[e] == out.parts.work[0];
  }
}

}  // namespace

std::vector<StaticCost> static_costs(const isa::Program& program, const hw::CoreSpec& core,
                                     isa::Level level, int sharing_cores) {
  std::vector<StaticCost> out(program.insts.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const isa::Inst& inst = program.insts[i];
    StaticCost& c = out[i];
    c.stream_bit = stream_bit(program.placement.insts[i]);
    isa::each_access(inst.op, [&](std::string_view, const isa::Access& a, isa::Role) {
      isa::TensorId t = a.tensor;
      while (program.tensors[t].view) t = program.tensors[t].view->base;
      if (std::find(c.tensors.begin(), c.tensors.end(), t) == c.tensors.end())
        c.tensors.push_back(t);
    });
    if (isa::is_dma(inst.op)) {
      add_transfer(c, program, inst, core, level, sharing_cores);
      continue;
    }
    const hw::Engine engine = *program.placement.insts[i].engine;
    const Ticks period = core.period(engine);
    const isa::Cost cost = isa::cost(program, inst, engine, core, level);
    c.interval = cost.interval * period;
    c.latency = cost.latency * period;
    c.load = cost.load * period;
    c.turn_interval = cost.turn_interval * period;
    c.trust = cost.trust;
    const int64_t cells = core.pe.rows.value * core.pe.cols.value;
    c.pe_useful = Ticks(cost.cell_cycles * period.value / cells);
    c.macs = isa::work(program, inst, core).macs;
    if (const auto* act = std::get_if<isa::Activation>(&inst.op))
      c.table = isa::act_table(act->op).value_or(-1);
    int64_t elements = 0;
    isa::each_access(inst.op, [&](std::string_view, const isa::Access& a, isa::Role) {
      elements = std::max(elements, a.free_elements());
      const isa::Memory memory = program.tensors[a.tensor].memory;
      if (memory == isa::Memory::Psum) c.psum.push_back(psum_use(program, a, core));
      c.uses_sbuf |= memory == isa::Memory::Sbuf;
    });
    c.fast_mode = engine == hw::Engine::Vector && cost.work.value > 0 && cost.work.value < elements;
  }
  return out;
}

}  // namespace trainyard::sim
