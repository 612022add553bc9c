#pragma once
// Collects findings, one per kind and pair of instructions, and puts them into words.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hw/core_spec.h"
#include "isa/program.h"
#include "isa/structure.h"
#include "sim/check/cells.h"
#include "sim/check/check.h"
#include "sim/check/layout.h"

namespace trainyard::sim::hazard {

inline constexpr isa::InstId kNobody = -1;
inline constexpr isa::InstId kCaller = -2;  // who binds the inputs

// One use of a tensor by one executed instruction.
struct Touch {
  isa::InstId inst = kNobody;
  int32_t stream = 0;
  int32_t index = 0;  // in its stream, from 1
  isa::TensorId tensor = -1;
  int64_t instance = 0;         // of the instruction
  int64_t tensor_instance = 0;  // of the tensor
  int64_t order = 0;            // in the body, unrolled

  bool same_tensor_instance(const Touch& o) const {
    return tensor == o.tensor && tensor_instance == o.tensor_instance;
  }
};

// Who did what to which part of memory.
struct Party {
  Touch touch;
  const OperandPlan* operand = nullptr;  // null: the other party, of which only the Touch is kept
  bool writes = false;
};

class Findings {
 public:
  Findings(const isa::Program& program, const isa::Structure& structure,
           const isa::TripRecord& trips, const Layout& layout, const hw::CoreSpec& core,
           int64_t most);

  // The two touch `box` and nothing orders them. `me` comes later in the walk.
  void race(const Party& me, const Party& other, const Box& box);
  // `me` sees what `got` wrote, where the body names `wanted`, of the same tensor instance.
  void wrong_writer(const Party& me, const Touch& got, const Touch& wanted, const Box& box);
  // `me` reads bytes that hold what `other` wrote for another tensor or instance.
  void wrong_contents(const Party& me, const Touch& other, const Box& box);
  // Two results of one instruction lie in the same bytes.
  void two_results(const Touch& me, const Touch& before, const Box& box);
  // The caller would read what `got` wrote into an output, where the body names `wanted`.
  void lost_output(isa::TensorId tensor, const Touch& got, const Touch& wanted, const Box& box);
  void hidden_order(const Touch& me, const Touch& other);
  void uninitialised(const Touch& me, const OperandPlan& operand, const Box& box);
  void out_of_bounds(const Touch& me, const OperandPlan& operand, int64_t byte, int64_t partition);
  void group_without_start(const Touch& me, const Box& box);
  void group_on_other_write(const Touch& me, const Touch& writer, const Box& box);
  void group_beside_open(const Touch& me, const Touch& open, const Box& box);
  void duplicate_index(const Touch& me, const Touch& writer, std::string_view why);
  void repeated_destination(const Touch& me);
  void deadlock(isa::InstId inst, int64_t instance, const std::string& who);
  // Already worded.
  void add(FindingKind kind, Status status);

  std::vector<Finding> take();

 private:
  using Key = std::tuple<FindingKind, std::string_view, isa::InstId, isa::InstId>;

  // The finding to fill, or null if the pair is known already or there are too many.
  Finding* open(FindingKind kind, std::string_view code, const Touch& me, const Touch& other);
  void close(Finding& f, std::string_view code, const std::string& text);

  std::string who(const Touch& t, bool with_line) const;
  std::string where(const Box& box, isa::TensorId tensor) const;
  std::string instance_of(const Touch& t) const;
  const std::string& tensor_name(const Touch& t) const;
  std::string counters(const Touch& t) const;
  std::vector<int64_t> counter_values(isa::InstId inst, int64_t instance) const;
  std::string edge_that_orders(const Touch& first, const Touch& second) const;
  const std::string& label(isa::InstId inst) const { return program_.insts[inst].label; }

  const isa::Program& program_;
  const isa::Structure& structure_;
  const isa::TripRecord& trips_;
  const Layout& layout_;
  const hw::CoreSpec& core_;
  int64_t most_;
  std::map<Key, size_t> known_;
  std::vector<Finding> all_;
  std::vector<int64_t> last_;  // instance that was counted last, per finding
};

}  // namespace trainyard::sim::hazard
