#include "tools/run_screen.h"

#include <algorithm>

namespace trainyard::tools {
namespace {

constexpr int kBar = 20;  // characters at 100 %

std::string bar(double share) {
  return std::string(static_cast<size_t>(std::clamp(share, 0.0, 1.0) * kBar + 0.5), '#');
}

std::string kib(int64_t bytes) { return fmt::format("{:.1f}", static_cast<double>(bytes) / KiB); }

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

}  // namespace

std::string in_words(double s) {
  if (s < 1e-6) return fmt::format("{:.0f} ns", s * 1e9);
  if (s < 1e-3) return fmt::format("{:.1f} us", s * 1e6);
  if (s < 1) return fmt::format("{:.3f} ms", s * 1e3);
  return fmt::format("{:.3f} s", s);
}

double RunSummary::seconds(Ticks t) const { return hw::seconds(kernel.core(), t); }

Bound RunSummary::bound() const {
  const sim::TimeResult& t = *result.time;
  const double total = seconds(t.total);
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
  if (result.time) print_time();
  if (!trace_file.empty()) fmt::print("trace    {}   open in ui.perfetto.dev\n", trace_file);
}

void RunSummary::print_values() const {
  if (!result.ran_values) return;
  fmt::print("values   ok       {} instructions in {} on {} host thread{}\n", result.executed,
             in_words(result.values_seconds), threads, threads == 1 ? "" : "s");
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
    fmt::print(
        "hazards  none     {} instructions, every read sees the writer that the body names\n",
        result.check->instructions);
  }
  for (const sim::Finding& f : findings) {
    fmt::print("{}{}\n", f.status.str(),
               f.times > 1 ? fmt::format("\n    and {} more times", f.times - 1) : "");
  }
  if (!findings.empty())
    fmt::print("{} problem{}\n", findings.size(), findings.size() == 1 ? "" : "s");
  if (!result.ran_values)
    fmt::print("         without inputs, indices and function ranges are not checked\n");
}

void RunSummary::print_memory() const {
  const place::Report& p = kernel.placement();
  fmt::print("memory   SBUF {} of {} KiB per partition   PSUM {} of {} banks   HBM {:.1f} MiB\n",
             kib(p.sbuf_bytes), kib(kernel.core().sbuf_usable_bytes()), p.psum_banks,
             kernel.core().psum.banks.value, static_cast<double>(p.hbm_bytes) / MiB);
}

void RunSummary::print_time() const {
  const sim::TimeResult& t = *result.time;
  const double total = seconds(t.total);
  const Bound b = bound();
  fmt::print("time     {}   bound by {}   (plus {} to start a kernel)\n\n", in_words(total), b.name,
             in_words(seconds(t.kernel_overhead)));
  fmt::print("  engine   busy\n");
  const auto row = [&](std::string_view name, double busy, const std::string& note) {
    fmt::print("  {:<7}  {:>3.0f} %  {:<20}  {}\n", name, 100 * busy / total, bar(busy / total),
               note);
  };
  const double moved = static_cast<double>(t.hbm_read + t.hbm_written);
  row("DMA", seconds(t.dma_busy),
      fmt::format("{:.1f} MiB at {:.0f} GB/s", moved / MiB, moved / total / 1e9));
  for (const hw::Engine e :
       {hw::Engine::Tensor, hw::Engine::Vector, hw::Engine::Scalar, hw::Engine::Gpsimd}) {
    const sim::EngineTime& et = t.engines[hw::index(e)];
    std::string note = et.instructions > 0 ? fmt::format("{} instructions", et.instructions) : "";
    if (e == hw::Engine::Tensor && t.macs > 0) {
      const double peak = hw::peak_flops(kernel.core(), hw::MatmulMode::Bits16);
      note += fmt::format(", {:.1f} % of peak", 200.0 * static_cast<double>(t.macs) / total / peak);
      if (t.pe_throttled_ticks > 0) {
        note += fmt::format(", {} at half rate (power ramp)",
                            in_words(seconds(Ticks(t.pe_throttled_ticks))));
      }
    }
    if (e == hw::Engine::Scalar && t.table_loads > 0)
      note += fmt::format(", {} table loads", t.table_loads);
    row(title(e), seconds(et.busy), note);
  }
  fmt::print("\nroof     {} ({})   this run is at {:.0f} %\n", in_words(b.roof), b.name,
             100 * b.roof / total);
  if (const std::string words = advice(); !words.empty()) fmt::print("next     {}\n", words);
  fmt::print("trust    {}, level {}{}\n", hw::name(t.trust), isa::name(level),
             t.trust == hw::Trust::Assumed
                 ? " (`trainyard explain constant NAME` tells which and why)"
                 : "");
  for (const std::string& a : t.assumptions) fmt::print("         {}\n", a);
}

// Where the engine that decides loses the most time.
std::string RunSummary::advice() const {
  const sim::TimeResult& t = *result.time;
  const Bound b = bound();
  isa::InstId worst = -1;
  for (size_t i = 0; i < t.insts.size(); ++i) {
    const isa::InstPlace& place = kernel.program().placement.insts[i];
    const bool decides =
        b.name == "DMA" ? place.queue >= 0 : place.queue < 0 && title(*place.engine) == b.name;
    if (decides && (worst < 0 || t.insts[i].waited > t.insts[worst].waited))
      worst = static_cast<isa::InstId>(i);
  }
  if (worst < 0 || t.insts[worst].waited.value * 50 < t.total.value) return "";
  const isa::Inst& inst = kernel.program().insts[worst];
  return fmt::format("{}: {} {} waits {} in all",
                     isa::place_of(kernel.program(), inst.source).str(), isa::name(inst.op),
                     inst.label, in_words(seconds(t.insts[worst].waited)));
}

nlohmann::ordered_json RunSummary::json() const {
  nlohmann::ordered_json out;
  const place::Report& p = kernel.placement();
  out["program"] = kernel.program().name;
  out["machine"] = kernel.machine().name;
  out["mode"] = runtime::name(mode);
  if (result.ran_values) {
    out["values"] = {{"instructions", result.executed},
                     {"host_seconds", result.values_seconds},
                     {"threads", threads}};
    for (const auto& [name, digest] : digests)
      out["values"]["xxh3"][name] = fmt::format("{:016x}", digest);
  }
  out["memory"] = {{"sbuf_bytes_per_partition", p.sbuf_bytes},
                   {"sbuf_usable_bytes", kernel.core().sbuf_usable_bytes()},
                   {"psum_banks", p.psum_banks},
                   {"hbm_bytes", p.hbm_bytes}};
  const auto finding = [](const Status& s, int64_t times) {
    return nlohmann::ordered_json{
        {"code", s.code()}, {"place", s.place().str()}, {"message", s.message()}, {"times", times}};
  };
  for (const sim::ValueEvent& e : result.events)
    out["events"].push_back(finding(e.status, e.times));
  if (result.check) {
    out["check"]["instructions"] = result.check->instructions;
    out["check"]["findings"] = nlohmann::ordered_json::array();
    for (const sim::Finding& f : result.check->findings)
      out["check"]["findings"].push_back(finding(f.status, f.times));
  }
  if (!result.time) return out;
  const sim::TimeResult& t = *result.time;
  const Bound b = bound();
  auto& time = out["time"];
  time = {{"ticks", t.total.value},
          {"seconds", seconds(t.total)},
          {"kernel_overhead_seconds", seconds(t.kernel_overhead)},
          {"level", isa::name(level)},
          {"trust", hw::name(t.trust)},
          {"assumptions", t.assumptions},
          {"bound_by", b.name},
          {"roof_seconds", b.roof},
          {"executed", t.executed},
          {"macs", t.macs},
          {"hbm_read_bytes", t.hbm_read},
          {"hbm_written_bytes", t.hbm_written},
          {"dma_busy_seconds", seconds(t.dma_busy)},
          {"pe_throttled_seconds", seconds(Ticks(t.pe_throttled_ticks))},
          {"act_table_loads", t.table_loads}};
  for (const hw::Engine e : hw::kEngines) {
    const sim::EngineTime& et = t.engines[hw::index(e)];
    time["engines"][std::string(hw::name(e))] = {{"busy_seconds", seconds(et.busy)},
                                                 {"waiting_seconds", seconds(et.waiting)},
                                                 {"instructions", et.instructions}};
  }
  for (size_t i = 0; i < t.insts.size(); ++i) {
    const isa::Inst& inst = kernel.program().insts[i];
    time["instructions"].push_back({{"label", inst.label},
                                    {"name", isa::name(inst.op)},
                                    {"source", isa::place_of(kernel.program(), inst.source).str()},
                                    {"count", t.insts[i].count},
                                    {"busy_seconds", seconds(t.insts[i].busy)},
                                    {"waited_seconds", seconds(t.insts[i].waited)}});
  }
  if (!trace_file.empty()) out["trace"] = trace_file;
  return out;
}

}  // namespace trainyard::tools
