// The line `next`: where a run loses the most time, and what may help.
#include "isa/operands.h"
#include "tools/run_screen.h"

namespace trainyard::tools {
namespace {

bool is_load(const isa::Program& program, const isa::Inst& inst) {
  if (!isa::is_dma(inst.op)) return false;
  bool load = false;
  isa::each_access(inst.op, [&](std::string_view, const isa::Access& a, isa::Role role) {
    load |= role != isa::Role::Read && program.tensors[a.tensor].memory == isa::Memory::Sbuf;
  });
  return load;
}

const sim::Wait& longest(const std::vector<sim::Wait>& waits) {
  return *std::max_element(waits.begin(), waits.end(),
                           [](const sim::Wait& a, const sim::Wait& b) { return a.time < b.time; });
}

// What an instruction waits for, and a way out where there is one.
std::string in_words(const isa::Program& program, const isa::Inst& waiter, bool often,
                     const sim::Wait& wait) {
  switch (wait.cause) {
    case sim::WaitCause::Edge: {
      const isa::Inst& producer = program.insts[wait.producer];
      const isa::InstPlace& place = program.placement.insts[wait.producer];
      const std::string who = fmt::format("{} {}", isa::name(producer.op), producer.label);
      if (is_load(program, waiter) && place.queue < 0)
        return who + " to free its slot; more slots let it run ahead";
      if (is_load(program, producer) && often) return who + "; an earlier load hides that";
      return fmt::format("{} on {}", who,
                         place.queue >= 0 ? fmt::format("queue {}", place.queue)
                                          : std::string(title(*place.engine)));
    }
    case sim::WaitCause::Semaphore:
      return "a semaphore";
    case sim::WaitCause::Barrier:
      return "the other engines at the end of an iteration";
    case sim::WaitCause::PortConflict:
      return "the SBUF port that Vector and GpSimd share";
    case sim::WaitCause::BankConflict:
      return "a PSUM bank that another engine uses; tiles in different banks do not meet";
    case sim::WaitCause::TableLoad:
      return "function tables; instructions with the same function in a row need one load";
    case sim::WaitCause::None:
      break;
  }
  return "its sequencer";
}

}  // namespace

std::string RunSummary::advice() const {
  constexpr double kAtTheRoof = 0.97;  // nothing is left to gain
  constexpr int64_t kWorthATime = 50;  // a fiftieth of the run
  const sim::TimeResult& t = *result.time;
  const isa::Program& program = kernel.program();
  const Bound b = bound();
  if (b.roof > kAtTheRoof * seconds(t.total)) return "";
  // Stores wait for what they store; only loads hold up the DMA engines.
  const auto decides = [&](size_t i) {
    const isa::InstPlace& place = program.placement.insts[i];
    if (b.name == "DMA") return is_load(program, program.insts[i]);
    return place.queue < 0 && title(*place.engine) == b.name;
  };
  isa::InstId worst = -1;
  for (size_t i = 0; i < t.insts.size(); ++i) {
    if (decides(i) && (worst < 0 || t.insts[i].waited > t.insts[worst].waited))
      worst = static_cast<isa::InstId>(i);
  }
  if (worst < 0 || t.insts[worst].waited.value * kWorthATime < t.total.value) return "";
  const isa::Inst& inst = program.insts[worst];
  const sim::Wait& wait = longest(t.insts[worst].waits);
  const Ticks all = t.insts[worst].waited;
  const std::string share =
      wait.time.value * 20 > all.value * 19
          ? ""
          : fmt::format(" in all, {} of it", tools::in_words(seconds(wait.time)));
  return fmt::format("{}: {} {} waits {}{} for {}", isa::place_of(program, inst.source).str(),
                     isa::name(inst.op), inst.label, tools::in_words(seconds(all)), share,
                     in_words(program, inst, t.insts[worst].count > 1, wait));
}

}  // namespace trainyard::tools
