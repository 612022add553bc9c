#include "sim/trace/perfetto_trace.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainyard::sim {
PerfettoTrace::PerfettoTrace(const isa::Program& program, const hw::CoreSpec& core)
    : program_(program), core_(core), lives_(program.tensors.size()) {
  const auto top = out_.add_track(fmt::format("{} on {}", program.name, core.name));
  for (const hw::Engine e : hw::kEngines) engines_.push_back(out_.add_track(hw::name(e), top));
  int queues = 0;
  for (const isa::InstPlace& place : program.placement.insts)
    queues = std::max(queues, place.queue + 1);
  queues_.assign(queues, 0);
  queue_end_.assign(queues, Ticks(0));
  for (int q = 0; q < queues; ++q) {
    const auto on = [&](const isa::InstPlace& place) { return place.queue == q; };
    const auto& insts = program.placement.insts;
    const auto it = std::find_if(insts.begin(), insts.end(), on);
    if (it != insts.end())
      queues_[q] = out_.add_track(fmt::format("queue {} by {}", q, hw::name(*it->engine)), top);
  }
  memory_ = top;
}

int64_t PerfettoTrace::ns(Ticks ticks) const {
  return std::llround(hw::seconds(core_, ticks) * 1e9);
}

std::string PerfettoTrace::source(isa::InstId inst) const {
  return isa::place_of(program_, program_.insts[inst].source).str();
}

void PerfettoTrace::slice(const Slice& s) {
  const isa::Inst& inst = program_.insts[s.inst];
  const auto track = engines_[hw::index(s.engine)];
  Mark& mark = marks_[hw::index(s.engine)];
  // What the engine does right before the instruction ends the wait for it.
  const Ticks waited = mark.what != nullptr && mark.end == s.start ? mark.start : s.start;
  if (mark.what != nullptr && mark.end <= s.ready) flush(s.engine);
  if (waited > s.ready && s.cause != WaitCause::None) {
    std::string name = fmt::format("wait: {}", words(s.cause));
    if (s.waited_for >= 0) name += fmt::format(" of {}", program_.insts[s.waited_for].label);
    out_.slice(track, name, "wait", ns(s.ready), ns(waited));
  }
  flush(s.engine);
  const std::string where = source(s.inst);
  const std::string instance = fmt::format("{}", s.instance);
  out_.slice(
      track, fmt::format("{} {}", isa::name(inst.op), inst.label),
      s.queue >= 0 ? "trigger" : "compute", ns(s.start), ns(s.free),
      {{"source", where}, {"instance", instance}, {"complete_ns", fmt::format("{}", ns(s.end))}});
}

void PerfettoTrace::transfer(const Slice& s, Ticks first_byte, Ticks last_byte, int64_t bytes) {
  const isa::Inst& inst = program_.insts[s.inst];
  const Ticks begin = std::max(first_byte, queue_end_[s.queue]);
  queue_end_[s.queue] = last_byte;
  const std::string where = source(s.inst);
  const std::string size = fmt::format("{}", bytes);
  const std::string seen = fmt::format("{}", ns(s.end));
  out_.slice(queues_[s.queue], fmt::format("{} {}", isa::name(inst.op), inst.label), "dma",
             ns(begin), ns(last_byte), {{"source", where}, {"bytes", size}, {"complete_ns", seen}});
}

// The viewer takes events of equal time in the order of the file, so a mark is held back until the
// wait before it is known.
void PerfettoTrace::mark(hw::Engine engine, const char* what, Ticks start, Ticks end) {
  flush(engine);
  marks_[hw::index(engine)] = {what, start, end};
}

void PerfettoTrace::flush(hw::Engine engine) {
  Mark& mark = marks_[hw::index(engine)];
  if (mark.what == nullptr) return;
  const bool wait = std::string_view(mark.what).starts_with("wait");
  out_.slice(engines_[hw::index(engine)], mark.what, wait ? "wait" : "machine", ns(mark.start),
             ns(mark.end));
  mark.what = nullptr;
}

void PerfettoTrace::touch(isa::TensorId tensor, int64_t instance, Ticks start, Ticks end) {
  auto& lives = lives_[tensor];
  // Instances come nearly in order; as many are open at a time as there are slots, or a few more
  // where an instruction is issued ahead.
  const int64_t open = 16 + program_.placement.tensors[tensor].slots;
  for (auto it = lives.rbegin(); it != lives.rend() && it - lives.rbegin() < open; ++it) {
    if (it->first != instance) continue;
    it->second.first = std::min(it->second.first, start);
    it->second.last = std::max(it->second.last, end);
    return;
  }
  lives.push_back({instance, {start, end}});
}

void PerfettoTrace::count_memory() {
  struct Change {
    int64_t ns;
    int64_t bytes;
  };
  for (const isa::Memory memory : {isa::Memory::Sbuf, isa::Memory::Psum, isa::Memory::Hbm}) {
    std::vector<Change> changes;
    for (size_t t = 0; t < program_.tensors.size(); ++t) {
      if (program_.tensors[t].memory != memory) continue;
      const int64_t bytes = program_.tensors[t].free_bytes();
      for (const auto& [instance, life] : lives_[t]) {
        changes.push_back({ns(life.first), bytes});
        changes.push_back({ns(life.last), -bytes});
      }
    }
    if (changes.empty()) continue;
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
      return a.ns != b.ns ? a.ns < b.ns : a.bytes < b.bytes;
    });
    const bool on_chip = memory != isa::Memory::Hbm;
    const auto track =
        out_.add_counter(fmt::format("{} live", memory == isa::Memory::Sbuf   ? "SBUF"
                                                : memory == isa::Memory::Psum ? "PSUM"
                                                                              : "HBM"),
                         on_chip ? "B per partition" : "B", memory_);
    int64_t live = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      live += changes[i].bytes;
      if (i + 1 == changes.size() || changes[i + 1].ns != changes[i].ns)
        out_.count(track, changes[i].ns, live);
    }
  }
}

std::string PerfettoTrace::finish() {
  for (const hw::Engine e : hw::kEngines) flush(e);
  count_memory();
  return out_.bytes();
}

}  // namespace trainyard::sim
