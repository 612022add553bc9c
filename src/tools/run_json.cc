#include "tools/run_screen.h"

namespace trainyard::tools {

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
    for (const ProvenFor& p : proven_for()) {
      nlohmann::ordered_json entry = {{"kind", p.what}, {"name", p.name}};
      if (p.least) entry["least"] = *p.least, entry["most"] = *p.most;
      out["check"]["proven_for"].push_back(entry);
    }
    out["check"]["findings"] = nlohmann::ordered_json::array();
    for (const sim::Finding& f : result.check->findings)
      out["check"]["findings"].push_back(finding(f.status, f.times));
  }
  if (!result.notes.empty()) out["notes"] = result.notes;
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
    for (const sim::Wait& w : t.insts[i].waits) {
      nlohmann::ordered_json wait = {{"for", sim::words(w.cause)}, {"seconds", seconds(w.time)}};
      if (w.producer >= 0) wait["of"] = kernel.program().insts[w.producer].label;
      time["instructions"].back()["waits"].push_back(wait);
    }
  }
  if (!trace_file.empty()) out["trace"] = trace_file;
  return out;
}

}  // namespace trainyard::tools
