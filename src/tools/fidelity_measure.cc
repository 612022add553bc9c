#include "tools/fidelity_measure.h"

#include <algorithm>
#include <numeric>

#include "isa/cost_dma.h"

namespace trainyard::tools {

void FidelityRecorder::slice(const sim::Slice& s) {
  Instruction& i = insts_[s.inst];
  ++i.count;
  i.start_before = i.start;
  i.start = s.start;
  i.end = s.end;
  Ticks& until = until_[hw::index(s.engine)];
  if (s.end > until) active_[hw::index(s.engine)] += s.end - std::max(s.start, until);
  until = std::max(until, s.end);
}

void FidelityRecorder::transfer(const sim::Slice& s, Ticks first_byte, Ticks last_byte,
                                int64_t bytes) {
  Instruction& i = insts_[s.inst];
  i.start = s.start;
  i.first_byte = first_byte;
  i.last_bytes.push_back(last_byte);
  i.bytes = bytes;
}

void FidelityRecorder::mark(hw::Engine, const char* what, Ticks start, Ticks end) {
  marks_[what] = end - start;
}

namespace {

class Meter {
 public:
  Meter(const FidelityRow& row, const FidelityRun& run)
      : row_(row), run_(run), core_(run.kernel.core()) {}

  Result<double> read(const std::string& text) {
    const size_t slash = text.find(" / ");
    if (slash != std::string::npos) {
      Result<double> above = read(text.substr(0, slash));
      Result<double> below = read(text.substr(slash + 3));
      if (!above.ok()) return above;
      if (!below.ok()) return below;
      return *above / *below * (row_.published.unit == "%" ? 100 : 1);
    }
    const size_t space = text.find(' ');
    const std::string what = text.substr(0, space);
    if (space == std::string::npos) return whole(what);
    const std::string name = text.substr(space + 1);
    if (what == "busy" || what == "active") return engine(what, name);
    if (what == "mark") return mark(name);
    return instruction(what, name);
  }

 private:
  double seconds(Ticks t) const { return hw::seconds(core_, t); }
  double share_or_seconds(Ticks t) const {
    if (row_.published.unit != "%") return seconds(t);
    return 100 * seconds(t) / seconds(run_.time.total);
  }
  Status lacks(const std::string& name) const {
    return error(
               "TY-FID-002",
               "the measure '{}' names {}, which is not in the run of {}. Take a label, an engine "
               "or a measure of src/tools/fidelity_measure.h.",
               row_.measure, name, run_.kernel.program().name)
        .at(row_.place);
  }

  Result<double> whole(const std::string& what) const {
    const sim::TimeResult& t = run_.time;
    const double flops = 2 * static_cast<double>(t.macs);
    if (what == "total") return seconds(t.total + t.kernel_overhead);
    if (what == "body") return seconds(t.total);
    if (what == "packets")
      return seconds(std::accumulate(t.dma_engine_busy.begin(), t.dma_engine_busy.end(), Ticks(0)));
    if (what == "moved") return static_cast<double>(t.hbm_read + t.hbm_written);
    if (what == "intensity") return flops / static_cast<double>(t.hbm_read);
    if (what == "balance")
      return hw::peak_flops(core_, hw::MatmulMode::Bits16) /
             (core_.hbm.stack_bytes_per_ns.value * 1e9);
    return lacks(what);
  }

  Result<double> engine(const std::string& what, const std::string& name) const {
    if (what == "busy" && name == "dma") return share_or_seconds(run_.time.dma_busy);
    for (const hw::Engine e : hw::kEngines) {
      if (hw::name(e) != name) continue;
      return share_or_seconds(what == "busy" ? run_.time.engines[hw::index(e)].busy
                                             : run_.recorder.active(e));
    }
    return lacks(name);
  }

  Result<double> mark(const std::string& name) const {
    const auto at = run_.recorder.marks().find(name);
    if (at == run_.recorder.marks().end()) return lacks(name);
    return seconds(at->second);
  }

  Result<double> instruction(const std::string& what, const std::string& label) const {
    const auto& insts = run_.kernel.program().insts;
    const auto at = std::find_if(insts.begin(), insts.end(),
                                 [&](const isa::Inst& inst) { return inst.label == label; });
    if (at == insts.end()) return lacks(label);
    const auto id = static_cast<isa::InstId>(at - insts.begin());
    const FidelityRecorder::Instruction& i = run_.recorder.of(id);
    if (i.count == 0) return lacks(label);
    if (what == "slice") return seconds(i.end - i.start);
    if (what == "interval" && i.count > 1) return seconds(i.start - i.start_before);
    if (i.last_bytes.empty()) return lacks(what + " " + label);
    if (what == "dispatch") return seconds(i.first_byte - i.start);
    if (what == "payload") return seconds(i.last_bytes.back() - i.first_byte);
    if (what == "span") {
      const isa::DmaShape shape = isa::dma_shape(run_.kernel.program(), *at, core_, isa::Level::C);
      return seconds(i.last_bytes.back() + shape.lag - i.first_byte);
    }
    const size_t half = i.last_bytes.size() / 2, last = i.last_bytes.size() - 1;
    if (what == "rate" && last > half)
      return static_cast<double>(i.bytes) * static_cast<double>(last - half) /
             seconds(i.last_bytes[last] - i.last_bytes[half]);
    return lacks(what + " " + label);
  }

  const FidelityRow& row_;
  const FidelityRun& run_;
  const hw::CoreSpec& core_;
};

}  // namespace

Result<double> measure(const FidelityRow& row, const FidelityRun& run) {
  return Meter(row, run).read(row.measure);
}

}  // namespace trainyard::tools
