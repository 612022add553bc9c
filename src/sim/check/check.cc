#include "sim/check/check.h"

#include <algorithm>
#include <numeric>

#include "sim/check/body.h"
#include "sim/check/capacity.h"
#include "sim/check/memory.h"
#include "sim/check/streams.h"

namespace trainyard::sim {

using isa::Enclosure;
using isa::InstId;

namespace {

Status incomplete(const isa::Program& program, const isa::SourceRef& source,
                  const std::string& what) {
  return error("TY-CHK-001", "{}. Run `place` on {} first, or write it into the placement.", what,
               program.name)
      .at(isa::place_of(program, source));
}

Status check_edge(const isa::Program& program, const isa::Structure& structure, InstId waiter,
                  const isa::Edge& edge) {
  const isa::Inst& inst = program.insts[waiter];
  if (edge.producer < 0 || edge.producer >= static_cast<InstId>(program.insts.size()))
    return incomplete(program, inst.source, inst.label + " waits for no instruction");
  const auto& path = structure.around(edge.producer);
  const auto shared = static_cast<size_t>(isa::Structure::shared(structure.around(waiter), path));
  if (edge.lag_loop >= 0) {
    const auto at = std::find(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(shared),
                              Enclosure{Enclosure::Kind::Loop, edge.lag_loop});
    if (at == path.begin() + static_cast<std::ptrdiff_t>(shared))
      return incomplete(program, inst.source, inst.label + " lags in a loop not around both");
  }
  if (!edge.at.empty() && edge.at.size() != path.size() - shared)
    return incomplete(program, inst.source, inst.label + " names the wrong number of counters");
  return {};
}

// What the walk needs to be there.
Status check_complete(const isa::Program& program, const isa::Structure& structure) {
  const isa::Placement& p = program.placement;
  if (!p.complete || p.insts.size() != program.insts.size() ||
      p.tensors.size() != program.tensors.size())
    return incomplete(program, {}, "The placement is not complete");
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    const isa::Tensor& tensor = program.tensors[t];
    if (tensor.on_chip() && !tensor.view && !p.tensors[t].address)
      return incomplete(program, tensor.source, tensor.name + " has no address");
  }
  std::array<std::optional<hw::Engine>, hazard::kQueues> trigger;
  for (size_t i = 0; i < program.insts.size(); ++i) {
    const isa::Inst& inst = program.insts[i];
    const isa::InstPlace& place = p.insts[i];
    if (!place.engine) return incomplete(program, inst.source, inst.label + " has no engine");
    if (isa::is_dma(inst.op) != (place.queue >= 0) || place.queue >= hazard::kQueues)
      return incomplete(program, inst.source, inst.label + " has the wrong queue or none");
    if (place.queue >= 0) {
      if (trigger[place.queue].value_or(*place.engine) != *place.engine) {
        return error("TY-CHK-002",
                     "queue {} is triggered by {} and by {}; the order of its transfers is not "
                     "known. Give {} another queue.",
                     place.queue, hw::name(*trigger[place.queue]), hw::name(*place.engine),
                     inst.label)
            .at(isa::place_of(program, inst.source));
      }
      trigger[place.queue] = place.engine;
    }
    for (const isa::Edge& e : place.after)
      TY_TRY(check_edge(program, structure, static_cast<InstId>(i), e));
  }
  return {};
}

// Each turn of a run-time loop ends in a barrier, so what a turn does depends on the turn before
// only through tensors outside the loop and through which slots are taken. One turn more than it
// takes the slots to come round shows all there is; with single slots that is two. Branches and
// loops inside may go differently in every turn, and semaphores count over the whole run: then all
// turns are walked.
isa::TripRecord enough_turns(const isa::Program& program, const isa::Structure& structure,
                             const isa::TripRecord& given) {
  constexpr int64_t kMostSlots = 64;
  isa::TripRecord trips = given;
  trips.loops.resize(program.loops.size());
  trips.branches.resize(program.branches.size());
  const auto inside = [](const std::vector<Enclosure>& around, size_t loop) {
    return std::find(around.begin(), around.end(),
                     Enclosure{Enclosure::Kind::Loop, static_cast<int32_t>(loop)});
  };
  for (size_t l = 0; l < program.loops.size() && program.semaphores.empty(); ++l) {
    if (program.loops[l].kind == isa::Loop::Kind::Repeat) continue;
    bool repeats_alike = true;
    for (size_t i = 0; i < program.insts.size(); ++i) {
      const auto& around = structure.around(static_cast<InstId>(i));
      auto it = inside(around, l);
      if (it == around.end()) continue;
      repeats_alike &= std::all_of(it + 1, around.end(), [&](const Enclosure& e) {
        return e.kind == Enclosure::Kind::Loop &&
               program.loops[e.id].kind == isa::Loop::Kind::Repeat;
      });
    }
    int64_t round = 1;
    for (size_t t = 0; t < program.tensors.size(); ++t) {
      const auto& around = structure.around_tensor(static_cast<isa::TensorId>(t));
      if (inside(around, l) == around.end()) continue;
      round = std::lcm(round, int64_t{std::max(1, program.placement.tensors[t].slots)});
      if (round > kMostSlots) repeats_alike = false, round = 1;
    }
    if (!repeats_alike) continue;
    for (isa::TripRecord::Run& run : trips.loops[l]) run.value = std::min(run.value, round + 1);
  }
  return trips;
}

}  // namespace

Result<CheckResult> check(const isa::Program& program, const hw::CoreSpec& core,
                          const isa::TripRecord& given, const CheckOptions& options) {
  const isa::Structure structure(program);
  TY_TRY(check_complete(program, structure));
  constexpr int64_t kMost = INT32_MAX;  // executions of one stream, as clocks count them
  if (structure.executed(program) > kMost) {
    return error(
        "TY-CHK-003",
        "{} executes {} instructions when its repeats are unrolled; check walks at most {}."
        " Check it with shorter repeats: they behave alike.",
        program.name, structure.executed(program), kMost);
  }
  const isa::TripRecord trips = enough_turns(program, structure, given);
  const hazard::Layout layout(program, core.psum_bank_bytes());
  hazard::Findings findings(program, structure, trips, layout, core, options.max_findings);
  hazard::check_capacity(program, layout, core, findings);
  const std::vector<uint8_t> masks = isa::engine_masks(program, structure);
  hazard::BodyWalk body(program, structure, trips, layout, masks, core, findings);
  const bool zero_region = options.zero_region || core.psum.zero_region_check.value;
  hazard::PlacedMemory memory(program, layout, core, zero_region, findings);
  hazard::StreamsWalk streams(program, structure, trips, masks, body, memory, findings);
  if (options.progress != nullptr) {
    options.progress->begin("check", structure.executed(program));
    streams.tell(options.progress);
  }
  if (streams.run()) memory.read_outputs(body);
  CheckResult result;
  result.instructions = streams.instructions();
  result.cells = body.cells() + memory.cells();
  result.findings = findings.take();
  return result;
}

}  // namespace trainyard::sim
