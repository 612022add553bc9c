#pragma once
// Runs the nodes of a plan in one lane.
#include "sim/values/plan.h"

namespace trainyard::sim {

// Lane `index` of `lanes` at the start of a run.
Lane new_lane(const BodyPlan& plan, int index, int lanes);

// The lanes of a run's workers. A worker of a parallel loop has no team of its own.
struct Team {
  const ParallelFor& parallel;
  std::vector<std::unique_ptr<Lane>> lanes;
};

class Walker {
 public:
  Walker(const BodyPlan& plan, Lane& lane, Team* team = nullptr)
      : plan_(plan), lane_(lane), team_(team) {}

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

  // Parts 0 ... parts - 1 of a loop, in any order and by any worker.
  using Part = std::function<Flow(Walker& walker, int64_t part)>;
  bool should_share(const Node& node, int64_t parts) const;
  Flow share(const Node& node, int64_t parts, const Part& part);
  void lend(Lane& worker, const Node& node) const;
  void collect(Lane& worker);
  bool in_bounds(const Step& step);
  bool too_many(isa::LoopId id, int64_t trips);
  int64_t value(const isa::RegisterOperand& operand) const;

  const BodyPlan& plan_;
  Lane& lane_;
  Team* team_;
};

}  // namespace trainyard::sim
