#pragma once
// What a row of the fidelity table measures in a timed run.
//
//   total          the time on the device: the run and the fixed overhead of a kernel
//   body           the run alone
//   slice L        the last instance of instruction L, from its start until its result is written
//   interval L     from the start of the last but one instance of L to the start of the last
//   dispatch L     of the last transfer L: from the start of its trigger to the first byte
//   payload L      from its first to its last byte, per engine
//   span L         the same over all engines, which do not start together
//   rate L         bytes per second over the second half of the transfers L
//   mark NAME      the last span of that name, such as act_table_load
//   busy E         how long engine E, or dma, was occupied
//   active E       how long at least one instruction of E was in flight, as profilers count
//   packets        the busy times of the DMA engines, summed
//   moved          bytes read from and written to HBM
//   intensity      floating-point operations per byte read from HBM
//   balance        the same at which the machine's array and HBM take equally long
//   X / Y          a ratio of two of them
//
// busy and active are shares of the run where the published figure is in percent.
#include <map>
#include <string>
#include <vector>

#include "runtime/kernel.h"
#include "tools/fidelity_rows.h"

namespace trainyard::tools {

// Keeps of a run what rows ask for.
class FidelityRecorder : public sim::TraceSink {
 public:
  explicit FidelityRecorder(const isa::Program& program) : insts_(program.insts.size()) {}

  struct Instruction {
    int64_t count = 0;
    Ticks start_before, start, end;  // of the last instance; of the one before it
    std::vector<Ticks> last_bytes;   // of transfers
    Ticks first_byte;
    int64_t bytes = 0;
  };

  void slice(const sim::Slice& slice) override;
  void transfer(const sim::Slice& slice, Ticks first_byte, Ticks last_byte, int64_t bytes) override;
  void touch(isa::TensorId, int64_t, Ticks, Ticks) override {}
  void mark(hw::Engine engine, const char* what, Ticks start, Ticks end) override;

  const Instruction& of(isa::InstId inst) const { return insts_[inst]; }
  Ticks active(hw::Engine engine) const { return active_[hw::index(engine)]; }
  const std::map<std::string, Ticks>& marks() const { return marks_; }

 private:
  std::vector<Instruction> insts_;
  std::array<Ticks, hw::kEngineCount> active_{}, until_{};
  std::map<std::string, Ticks> marks_;
};

struct FidelityRun {
  const runtime::Kernel& kernel;
  const sim::TimeResult& time;
  const FidelityRecorder& recorder;
};

// Our figure in seconds, bytes, percent or bare. TY-FID-002 if the measure names what the program
// lacks.
Result<double> measure(const FidelityRow& row, const FidelityRun& run);

}  // namespace trainyard::tools
