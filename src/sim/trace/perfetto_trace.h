#pragma once
// Turns a timed run into a Perfetto trace: a track per engine and DMA queue, waits with their
// cause, source lines, and SBUF, PSUM and HBM use.
#include <array>
#include <string>
#include <vector>

#include "base/perfetto.h"
#include "sim/timing/time.h"

namespace trainyard::sim {

class PerfettoTrace : public TraceSink {
 public:
  // Program and core must outlive the trace.
  PerfettoTrace(const isa::Program& program, const hw::CoreSpec& core);

  void slice(const Slice& slice) override;
  void transfer(const Slice& slice, Ticks first_byte, Ticks last_byte, int64_t bytes) override;
  void mark(hw::Engine engine, const char* what, Ticks start, Ticks end) override;
  void touch(isa::TensorId tensor, int64_t instance, Ticks start, Ticks end) override;

  // The file's bytes; call once, after the run.
  std::string finish();

 private:
  struct Life {
    Ticks first, last;
  };
  struct Mark {
    const char* what = nullptr;  // none if there is none to write
    Ticks start, end;
  };
  int64_t ns(Ticks ticks) const;
  void flush(hw::Engine engine);
  std::string source(isa::InstId inst) const;
  void count_memory();

  const isa::Program& program_;
  const hw::CoreSpec& core_;
  PerfettoWriter out_;
  std::vector<PerfettoWriter::Track> engines_;
  std::vector<PerfettoWriter::Track> queues_;  // 0 where the program has none
  std::vector<Ticks> queue_end_;
  std::array<Mark, hw::kEngineCount> marks_{};
  PerfettoWriter::Track memory_ = 0;
  std::vector<std::vector<std::pair<int64_t, Life>>>
      lives_;  // per tensor: instance, from first to last touch
};

}  // namespace trainyard::sim
