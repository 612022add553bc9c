#pragma once
// The memories as the placement uses them: who wrote each cell last, and who has read it since.
//
// An access is compared with what is in its cells. It must be ordered behind them, or follow in the
// same stream, where that is enough for a write. What it reads must have been written by the
// execution that the body names, and for the tensor instance that it means.
#include <cstdint>
#include <vector>

#include "sim/check/body.h"
#include "sim/check/clocks.h"
#include "sim/check/findings.h"

namespace trainyard::sim::hazard {

class PlacedMemory {
 public:
  PlacedMemory(const isa::Program& program, const Layout& layout, const hw::CoreSpec& core,
               bool zero_region, Findings& findings);

  // One executed instruction, `me` being its stream, index and instance. `known` is what has
  // completed for sure when it starts; `walker` stands at it.
  void execute(const Touch& me, const Expected& expected, const Clock& known,
               const isa::StreamWalker& walker);

  // After the run: the caller reads the outputs.
  void read_outputs(const BodyWalk& body);

  int64_t cells() const;

 private:
  struct State {
    Touch writer;
    bool by_matmul = false;
    std::vector<Touch> readers;  // since then, the last one of each stream
    Touch first_reader;
  };
  struct Access {  // of one operand
    const OperandPlan& operand;
    int index = 0;
    Touch touch;
    int64_t slot = 0;
    bool on_tensor_engine = false, is_matmul = false;
  };

  void read(const Access& a, const Expected& e, const Clock& known, const int64_t* counters);
  void check_writer(const Access& a, const Expected& e, const Clock& known, const Box& box,
                    const State& s);
  void note_reader(const Access& a, State& s);
  void write(const Access& a, const Clock& known, const int64_t* counters);
  void check_overwrite(const Access& a, const Clock& known, const Box& box, const State& s);
  void check_zero_region(const Access& a, const Clock& known, const Box& box);
  void check_sums(const Touch& me, const Expected& expected);
  void compare_writer(const Access& a, const Touch& got, const Writer& wanted, const Box& box);

  template <class F>
  void each_cell(const Access& a, const int64_t* counters, F&& f) {
    Cells<State>& plane = planes_[layout_.tensor(a.operand.tensor).plane];
    layout_.boxes(a.operand, counters, a.slot, [&](const Box& b) { plane.visit(b, f); });
  }

  const isa::Program& program_;
  const Layout& layout_;
  int64_t bank_bytes_;
  bool zero_region_;
  Findings& findings_;
  std::vector<Cells<State>> planes_;
  Touch summed_;  // who wrote the reduce registers last
};

}  // namespace trainyard::sim::hazard
