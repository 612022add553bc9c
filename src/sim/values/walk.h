#pragma once
// Runs the nodes of a plan in one lane.
#include "sim/values/plan.h"

namespace trainyard::sim {

class Walker {
 public:
  Walker(const BodyPlan& plan, Lane& lane) : plan_(plan), lane_(lane) {}

  // Runs nodes in order until their end, a fault, or an exit whose condition is 0.
  void run(const std::vector<Node>& nodes) { static_cast<void>(block(nodes)); }

 private:
  enum class Flow : uint8_t { Next, Exit, Stop };

  Flow block(const std::vector<Node>& nodes);
  Flow node(const Node& node);
  void step(const Node& node);
  void tensor(isa::TensorId id);
  Flow repeat(const Node& node);
  Flow counted(const Node& node);
  Flow endless(const Node& node);
  Flow branch(const Node& node);
  Flow batch(const Node& node);
  Flow batch_part(const Node& node, int64_t first, int64_t count);
  bool in_bounds(const Step& step);
  bool too_many(isa::LoopId id, int64_t trips);
  int64_t value(const isa::RegisterOperand& operand) const;

  const BodyPlan& plan_;
  Lane& lane_;
};

}  // namespace trainyard::sim
