#include "tools/run_screen.h"

#include <algorithm>

namespace trainyard::tools {
namespace {

constexpr int kBar = 20;  // characters at 100 %
// Below this share of the time, the resource that works longest does not bound the run.
constexpr double kMostlyWaits = 0.5;

std::string bar(double share) {
  return std::string(static_cast<size_t>(share > 0 ? std::min(share, 1.0) * kBar + 0.5 : 0), '#');
}

std::string kib(int64_t bytes) { return fmt::format("{:.1f}", static_cast<double>(bytes) / KiB); }

std::string counted(int64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

std::string_view title(hw::Engine e) {
  switch (e) {
    case hw::Engine::Tensor:
      return "Tensor";
    case hw::Engine::Vector:
      return "Vector";
    case hw::Engine::Scalar:
      return "Scalar";
    case hw::Engine::Gpsimd:
      return "GpSimd";
    case hw::Engine::Sync:
      return "Sync";
  }
  return "";
}

std::string in_words(double s) {
  if (s < 1e-6) return fmt::format("{:.0f} ns", s * 1e9);
  if (s < 1e-3) return fmt::format("{:.1f} us", s * 1e6);
  if (s < 1) return fmt::format("{:.3f} ms", s * 1e3);
  return fmt::format("{:.3f} s", s);
}

double RunSummary::seconds(Ticks t) const { return hw::seconds(kernel.core(), t); }

Bound RunSummary::bound() const {
  const sim::TimeResult& t = *result.time;
  // A program without work takes no time; every share of it is then 0.
  const double total = std::max(seconds(t.total), 1e-12);
  Bound best;
  const auto offer = [&](std::string name, double busy, double roof) {
    if (roof <= best.roof) return;
    best = {std::move(name), total > 0 ? busy / total : 0, roof};
  };
  for (const hw::Engine e : hw::kEngines) {
    const double busy = seconds(t.engines[hw::index(e)].busy);
    // At half rate the array is busy twice as long as its work needs.
    const double extra = e == hw::Engine::Tensor ? seconds(Ticks(t.pe_throttled_ticks)) *
                                                       (1 - kernel.core().pe.throttle_ratio.value)
                                                 : 0;
    offer(std::string(title(e)), busy, busy - extra);
  }
  const Ticks dma = *std::max_element(t.dma_engine_busy.begin(), t.dma_engine_busy.end());
  offer("DMA", seconds(t.dma_busy), seconds(dma));
  return best;
}

void RunSummary::print() const {
  print_values();
  print_hazards();
  print_memory();
  for (const std::string& remark : kernel.placement().remarks) fmt::print("note     {}\n", remark);
  for (const std::string& note : result.notes) fmt::print("note     {}\n", note);
  if (result.time) print_time();
  if (!trace_file.empty()) fmt::print("trace    {}   open in ui.perfetto.dev\n", trace_file);
}

void RunSummary::print_values() const {
  if (!result.ran_values) return;
  fmt::print("values   ok       {} in {} on {}\n", counted(result.executed, "instruction"),
             in_words(result.values_seconds), counted(threads, "host thread"));
  for (const auto& [name, digest] : digests)
    fmt::print("         {}  xxh3 {:016x}\n", name, digest);
}

void RunSummary::print_hazards() const {
  for (const sim::ValueEvent& e : result.events) {
    fmt::print("data     {}{}\n", e.status.str(),
               e.times > 1 ? fmt::format("  ({} times)", e.times) : "");
  }
  if (!result.check) return;
  const auto& findings = result.check->findings;
  if (findings.empty() && result.events.empty()) {
    fmt::print("hazards  none     {}, every read sees the writer that the body names\n",
               counted(result.check->instructions, "instruction"));
    if (const std::string words = proven_in_words(); !words.empty())
      fmt::print("         proven for {}; not for others\n", words);
  }
  for (const sim::Finding& f : findings) {
    fmt::print("{}{}\n", f.status.str(),
               f.times > 1 ? fmt::format("\n    and {} more times", f.times - 1) : "");
  }
  if (!findings.empty())
    fmt::print("{}\n", counted(static_cast<int64_t>(findings.size()), "problem"));
  if (!result.ran_values)
    fmt::print("         without inputs, indices and function ranges are not checked\n");
}

std::vector<ProvenFor> RunSummary::proven_for() const {
  std::vector<ProvenFor> out;
  const auto add = [&](std::string_view what, const std::string& name,
                       const std::vector<isa::TripRecord::Run>& runs) {
    ProvenFor p{what, name};
    for (const isa::TripRecord::Run& run : runs) {
      p.least = std::min(p.least.value_or(run.value), run.value);
      p.most = std::max(p.most.value_or(run.value), run.value);
    }
    out.push_back(p);
  };
  const isa::Program& program = kernel.program();
  for (size_t i = 0; i < program.loops.size() && i < result.trips.loops.size(); ++i) {
    if (program.loops[i].kind != isa::Loop::Kind::Repeat)
      add("loop", program.loops[i].name, result.trips.loops[i]);
  }
  for (size_t i = 0; i < program.branches.size() && i < result.trips.branches.size(); ++i)
    add("branch", program.branches[i].name, result.trips.branches[i]);
  return out;
}

// "loop newton with 3 to 5 turns, branch short taken"
std::string RunSummary::proven_in_words() const {
  std::string words;
  for (const ProvenFor& p : proven_for()) {
    if (!words.empty()) words += ", ";
    words += fmt::format("{} {} ", p.what, p.name);
    if (!p.least) {
      words += "never reached";
    } else if (p.what == "branch") {
      words += *p.least != *p.most ? "taken and not taken" : *p.least != 0 ? "taken" : "not taken";
    } else if (*p.least != *p.most) {
      words += fmt::format("with {} to {} turns", *p.least, *p.most);
    } else {
      words += "with " + counted(*p.least, "turn");
    }
  }
  return words;
}

void RunSummary::print_memory() const {
  const place::Report& p = kernel.placement();
  fmt::print("memory   SBUF {} of {} KiB per partition   PSUM {} of {} banks   HBM {:.1f} MiB\n",
             kib(p.sbuf_bytes), kib(kernel.core().sbuf_usable_bytes()), p.psum_banks,
             kernel.core().psum.banks.value, static_cast<double>(p.hbm_bytes) / MiB);
}

void RunSummary::print_time() const {
  const sim::TimeResult& t = *result.time;
  // A program without work takes no time; every share of it is then 0.
  const double total = std::max(seconds(t.total), 1e-12);
  const Bound b = bound();
  const std::string reason = b.name.empty() ? "nothing to do"
                             : b.roof < kMostlyWaits * total
                                 ? fmt::format("most of it waits; {} works longest", b.name)
                                 : fmt::format("bound by {}", b.name);
  fmt::print("time     {}   {}   (plus {} to start a kernel)\n\n", in_words(seconds(t.total)),
             reason, in_words(seconds(t.kernel_overhead)));
  print_engines();
  fmt::print("\n");
  if (!b.name.empty()) {
    fmt::print("roof     {}: {}; this run is at {:.0f} %\n", in_words(b.roof), roof_in_words(b),
               100 * b.roof / total);
  }
  if (const std::string words = advice(); !words.empty()) fmt::print("next     {}\n", words);
  fmt::print("trust    {}, level {}{}\n", hw::name(t.trust), isa::name(level),
             t.trust == hw::Trust::Assumed
                 ? "   (`trainyard explain dma` shows how far each number is trusted)"
                 : "");
  for (const std::string& a : t.assumptions) fmt::print("         {}\n", a);
}

// What the resource that decides would do in that time.
std::string RunSummary::roof_in_words(const Bound& b) const {
  const sim::TimeResult& t = *result.time;
  if (b.name == "DMA") {
    return fmt::format("the DMA engines move {:.1f} MiB in no less",
                       static_cast<double>(t.dma_bytes) / MiB);
  }
  if (b.name == title(hw::Engine::Tensor)) return "the array at its full rate needs that long";
  return fmt::format("{} alone needs that long", b.name);
}

// The engines, the busiest first.
void RunSummary::print_engines() const {
  const sim::TimeResult& t = *result.time;
  // A program without work takes no time; every share of it is then 0.
  const double total = std::max(seconds(t.total), 1e-12);
  struct Row {
    std::string_view name;
    double busy;
    std::string note;
  };
  const double moved = static_cast<double>(t.hbm_read + t.hbm_written);
  std::vector<Row> rows = {
      {"DMA", seconds(t.dma_busy),
       fmt::format("{:.1f} MiB at {:.0f} GB/s", moved / MiB, moved / total / 1e9)}};
  for (const hw::Engine e :
       {hw::Engine::Tensor, hw::Engine::Vector, hw::Engine::Scalar, hw::Engine::Gpsimd})
    rows.push_back({title(e), seconds(t.engines[hw::index(e)].busy), engine_note(e)});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.busy > b.busy; });
  fmt::print("  engine   busy\n");
  for (const Row& row : rows) {
    const std::string line = fmt::format("  {:<7}  {:>3.0f} %  {:<20}  {}", row.name,
                                         100 * row.busy / total, bar(row.busy / total), row.note);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

std::string RunSummary::engine_note(hw::Engine e) const {
  const sim::TimeResult& t = *result.time;
  // A program without work takes no time; every share of it is then 0.
  const double total = std::max(seconds(t.total), 1e-12);
  const int64_t instructions = t.engines[hw::index(e)].instructions;
  if (instructions == 0) return "";
  std::string note = counted(instructions, "instruction");
  if (e == hw::Engine::Tensor && t.macs > 0) {
    const double peak = hw::peak_flops(kernel.core(), hw::MatmulMode::Bits16);
    note += fmt::format(", {:.1f} % of peak", 200.0 * static_cast<double>(t.macs) / total / peak);
    if (t.pe_throttled_ticks > 0) {
      note += fmt::format(", {} at half rate (power ramp)",
                          in_words(seconds(Ticks(t.pe_throttled_ticks))));
    }
    return note;
  }
  if (const isa::Inst* most = busiest(e)) note += ", mostly " + most->label;
  if (e == hw::Engine::Scalar && t.table_loads > 0)
    note += ", " + counted(t.table_loads, "table load");
  return note;
}

// The instruction that takes more than half of an engine's work, if there is more than one.
const isa::Inst* RunSummary::busiest(hw::Engine e) const {
  const sim::TimeResult& t = *result.time;
  int kinds = 0;
  isa::InstId most = -1;
  for (size_t i = 0; i < t.insts.size(); ++i) {
    const isa::InstPlace& place = kernel.program().placement.insts[i];
    if (place.engine != e || t.insts[i].count == 0) continue;
    ++kinds;
    if (most < 0 || t.insts[i].busy > t.insts[most].busy) most = static_cast<isa::InstId>(i);
  }
  if (kinds < 2 || t.insts[most].busy.value * 2 <= t.engines[hw::index(e)].busy.value)
    return nullptr;
  return &kernel.program().insts[most];
}

}  // namespace trainyard::tools
