#pragma once
// A values plan: the body as a tree of compiled steps.
#include <memory>
#include <string>
#include <vector>

#include "isa/structure.h"
#include "sim/values.h"
#include "sim/values/compile.h"
#include "sim/values/watch.h"

namespace trainyard::sim {

// A statement of the body, ready to run.
struct Node {
  enum class Kind : uint8_t { Step, Tensor, Repeat, Counted, While, Branch, Exit };
  Kind kind = Kind::Step;
  int32_t id = -1;  // InstId, TensorId (a root), LoopId, BranchId, RegisterId
  std::unique_ptr<Step> step;
  std::vector<WatchedOperand> watched;  // of a step, where the plan watches
  std::vector<OperandRef> psum_writes;  // of a step that is no matmul: what it writes in PSUM
  std::vector<Node> body, other;        // of a loop; of the arms of a branch
};

class BodyPlan final : public ValuePlan {
 public:
  BodyPlan(const isa::Program& program, const hw::CoreSpec& core, const ValueOptions& options);
  std::vector<std::string> remarks() const override { return remarks_; }

  const isa::Program& program;
  const hw::CoreSpec& core;
  const ValueOptions options;
  const std::vector<Home> homes;
  std::vector<Node> nodes;

 private:
  std::vector<Node> build(const isa::Block& block);
  Node build_step(isa::InstId inst);

  std::vector<bool> tracked_psum_;  // by TensorId: a first_write matmul adds to it
  std::vector<std::string> remarks_;
};

}  // namespace trainyard::sim
