#pragma once
// The body in its own order: what each read must see, and what is wrong without any placement.
//
// Each tensor has cells of its own. In body order only one instance of a tensor is alive, so a cell
// remembers for which instance it was written. Coordinates are those of slot 0.
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "isa/stream.h"
#include "sim/check/findings.h"

namespace trainyard::sim::hazard {

// Who wrote something last, in body order.
struct Writer {
  isa::InstId inst = kNobody;
  int64_t instance = 0;
  int64_t order = -1;  // which one it is: no two executions have the same
};

// What the body says about one executed instruction.
struct Expected {
  struct Part {
    int operand = 0;
    Box box;  // as in slot 0
    Writer writer;
  };
  int64_t order = 0;                           // in the body, unrolled
  uint64_t skip = 0;                           // operands outside their tensor, already reported
  uint64_t whole = 0;                          // first operands that one execution wrote all of:
  std::array<Writer, kUsualOperands> writers;  // that one
  std::vector<Part> parts;                     // parts of the others that have been written
  int64_t sum_order = -1;  // of who wrote the reduce registers last, if it reads them
  int replicas = 1;        // engines that have not executed it yet
};

class BodyWalk {
 public:
  BodyWalk(const isa::Program& program, const isa::Structure& structure,
           const isa::TripRecord& trips, const Layout& layout, const std::vector<uint8_t>& masks,
           const hw::CoreSpec& core, Findings& findings);

  // The next instruction of the body, which expected() has not passed by; false at the end.
  bool next(isa::StreamItem& item);

  // What the body says about an instance that was not forgotten; walks on as far as it must.
  const Expected& expected(isa::InstId inst, int64_t instance);
  // One engine has executed it.
  void executed(isa::InstId inst, int64_t instance);

  // Calls f(box, writer) for what was written to a tensor of the whole program, as in slot 0.
  template <class F>
  void written(isa::TensorId tensor, F&& f) const {
    layout_.whole(tensor, [&](const Box& all) {
      cells_[tensor].look(all, [&](const Box& box, const State& s) {
        if (s.instance == 0) f(box, writer_of(s));
      });
    });
  }

  int64_t cells() const;

 private:
  struct State {
    int64_t instance = -1;  // of the tensor, for which it was written; -1: never
    Touch writer;
    bool by_array = false;  // written by the Tensor engine, so a matmul may add to it
    bool open = false;      // a sum in PSUM that no other engine has read yet
  };
  struct Waiting {  // of one instruction
    std::deque<Expected> expected;
    int64_t first = 0;  // instance of expected.front()
  };

  bool step();
  void read(int k, const OperandPlan& o, Expected& e);
  void read_some(int k, const OperandPlan& o, Expected& e);
  void read_sum(int k, const OperandPlan& o, Expected& e);
  void write(const OperandPlan& o);
  void check_scatter(const OperandPlan& o);
  template <class F>
  void each_cell(const OperandPlan& o, F&& f) {
    layout_.boxes(o, walker_.counters(), 0, [&](const Box& b) {
      cells_[o.tensor].visit(b, [&](const Box& c, State& s) { f(c, s); });
    });
  }
  Touch touch(const OperandPlan& o) const {
    Touch t = now_;
    t.tensor = o.tensor;
    t.tensor_instance = walker_.tensor_instance(o.tensor);
    return t;
  }
  static Writer writer_of(const State& s) {
    return {s.writer.inst, s.writer.instance, s.writer.order};
  }
  void expect_parts(int k, Expected& e, size_t seen);

  const isa::Program& program_;
  const Layout& layout_;
  const std::vector<uint8_t>& masks_;
  bool sums_on_any_write_;  // the core may add onto what another engine wrote
  Findings& findings_;
  isa::Program plain_;  // without edges, which the body does not need
  isa::StreamWalker walker_;
  std::vector<Cells<State>> cells_;  // by tensor
  std::vector<Waiting> waiting_;     // by instruction
  std::deque<isa::StreamItem> passed_;
  Touch now_;
  bool on_tensor_engine_ = false;
  int64_t order_ = 0, sum_order_ = -1;
  std::vector<Expected::Part> parts_;  // of one operand; reused
};

}  // namespace trainyard::sim::hazard
