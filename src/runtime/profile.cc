#include "runtime/profile.h"

#include <algorithm>
#include <map>

#include "isa/cost_work.h"
#include "isa/engines.h"
#include "isa/gpsimd/work.h"
#include "isa/operands.h"

namespace trainyard::runtime {
namespace {

// Below this share of the time, what works longest does not bound the program.
constexpr double kMostlyWaits = 0.5;

// The compiler labels instructions "dot_general_17" or "dot_general_17_load_2": kind, number, part.
std::string operation_of(const std::string& label) {
  for (size_t i = 0; i + 1 < label.size(); ++i) {
    if (label[i] == '_' && label[i + 1] >= '0' && label[i + 1] <= '9') return label.substr(0, i);
  }
  return label;
}

bool touches_floats(const isa::Instruction& op) {
  bool found = false;
  isa::each_access(op, [&](std::string_view, const isa::Access& a, isa::Role) {
    found |= numerics::is_float(a.dtype);
  });
  return found;
}

// Work of one instance of an instruction.
EngineWork work_of(const isa::Program& program, const isa::Inst& inst, const hw::CoreSpec& core) {
  if (const auto* call = std::get_if<isa::GpsimdCall>(&inst.op)) {
    const isa::gpsimd::CallWork w = isa::gpsimd::call_work(program.gpsimd[call->program]);
    return {.contraction = w.contraction, .floats = w.floats};
  }
  const isa::Work w = isa::work(program, inst, core);
  if (w.macs > 0) return {.contraction = 2.0 * static_cast<double>(w.macs)};
  return {.floats = touches_floats(inst.op) ? static_cast<double>(w.flops) : 0};
}

void add(EngineWork& sum, const EngineWork& one, int64_t count, double busy) {
  const auto times = static_cast<double>(count);
  sum.busy_seconds += busy;
  sum.instructions += count;
  sum.contraction += one.contraction * times;
  sum.floats += one.floats * times;
}

void find_bound(Profile& profile) {
  double longest = profile.dma_seconds;
  profile.bound_by = "dma";
  for (const hw::Engine e : hw::kEngines) {
    const double busy = profile.engines[hw::index(e)].busy_seconds;
    if (busy <= longest) continue;
    longest = busy;
    profile.bound_by = hw::name(e);
  }
  profile.mostly_waits = longest < kMostlyWaits * profile.seconds;
}

}  // namespace

std::string_view OperationProfile::runs_on() const {
  const auto most = std::ranges::max_element(engines, {}, &EngineWork::busy_seconds);
  if (most->busy_seconds < dma_seconds || most->instructions == 0) return "dma";
  return hw::name(hw::kEngines[static_cast<size_t>(most - engines.begin())]);
}

double OperationProfile::busy_seconds() const {
  const auto most = std::ranges::max_element(engines, {}, &EngineWork::busy_seconds);
  return std::max(most->busy_seconds, dma_seconds);
}

Profile profile(const isa::Program& program, const hw::CoreSpec& core,
                const sim::TimeResult& time) {
  Profile out;
  out.seconds = hw::seconds(core, time.total);
  out.dma_seconds = hw::seconds(core, time.dma_busy);
  out.peak_flops = hw::peak_flops(core, hw::MatmulMode::Bits16);
  std::map<std::pair<std::string, std::string>, size_t> known;
  for (size_t i = 0; i < time.insts.size(); ++i) {
    const sim::InstTime& t = time.insts[i];
    if (t.count == 0) continue;
    const isa::Inst& inst = program.insts[i];
    std::string place = isa::place_of(program, inst.source).str();
    std::string operation = operation_of(inst.label);
    const auto [row, added] = known.try_emplace({place, operation}, out.operations.size());
    if (added) out.operations.push_back({.place = place, .operation = operation, .engines = {}});
    OperationProfile& o = out.operations[row->second];
    const double busy = hw::seconds(core, t.busy);
    o.waited_seconds += hw::seconds(core, t.waited);
    if (isa::is_dma(inst.op)) {
      o.dma_seconds += busy;
      continue;
    }
    const hw::Engine engine = program.placement.insts[i].engine.value_or(hw::Engine::Sync);
    const EngineWork one = work_of(program, inst, core);
    add(o.engines[hw::index(engine)], one, t.count, busy);
    add(out.engines[hw::index(engine)], one, t.count, 0);
    out.compiled_floats[hw::index(isa::resolve_engine(program, inst, core))] +=
        one.floats * static_cast<double>(t.count);
  }
  for (const hw::Engine e : hw::kEngines) {
    out.engines[hw::index(e)].busy_seconds = hw::seconds(core, time.engines[hw::index(e)].busy);
  }
  std::ranges::stable_sort(out.operations, std::ranges::greater{}, &OperationProfile::busy_seconds);
  find_bound(out);
  return out;
}

}  // namespace trainyard::runtime
