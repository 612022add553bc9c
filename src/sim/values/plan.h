#pragma once
// A values plan: the body as a tree of compiled steps.
#include <memory>
#include <string>
#include <vector>

#include "isa/structure.h"
#include "sim/values.h"
#include "sim/values/compile.h"
#include "sim/values/hbm_views.h"
#include "sim/values/matmul_step.h"
#include "sim/values/memory_plan.h"
#include "sim/values/uses.h"
#include "sim/values/watch.h"

namespace trainyard::sim {

// A statement of the body, ready to run.
struct Node {
  enum class Kind : uint8_t {
    Step,
    Tensor,
    Repeat,
    Counted,
    While,
    Branch,
    Exit,
    Product,  // a repeat over k of one matmul: one product
    Batch,    // a repeat whose iterations begin with a product: many products at once
  };
  Kind kind = Kind::Step;
  int32_t id = -1;  // InstId, TensorId (a root), LoopId, BranchId, RegisterId
  std::unique_ptr<Step> step;
  std::vector<WatchedOperand> watched;  // of a step, where the plan watches
  std::vector<OperandRef> psum_writes;  // of a step that is no matmul: what it writes in PSUM
  std::vector<isa::TensorId> changes;   // of a step: matmul operands that it writes
  // Of a loop: its body. Of a branch: its first arm. Of a batch: what follows the product.
  std::vector<Node> body;
  // Of a branch: its second arm. Of a batch: the tensors, then the product.
  std::vector<Node> other;
  const MatmulStep* matmul = nullptr;  // of a product or batch; it lives in a node inside
  bool is_parallel = false;            // of a repeat or batch: its iterations are independent
  bool has_parallel = false;           // a loop inside is
  std::vector<isa::TensorId> own;  // of a parallel loop: tensors that each worker has for itself
};

class BodyPlan final : public ValuePlan {
 public:
  BodyPlan(const isa::Program& program, const hw::CoreSpec& core, const ValueOptions& options);
  std::vector<std::string> remarks() const override { return remarks_; }
  int64_t scratch_bytes() const override;

  const isa::Program& program;
  const hw::CoreSpec& core;
  const ValueOptions options;
  const std::vector<Home> homes;
  const Uses uses;
  std::vector<std::optional<HbmView>> views;  // by TensorId
  Packing packing;
  MemoryPlan memory;
  std::vector<Node> nodes;

 private:
  std::vector<Node> build(const isa::Block& block);
  Node build_step(isa::InstId inst);

  std::vector<bool> tracked_psum_;  // by TensorId: a first_write matmul adds to it
  std::vector<isa::InstId> taken_;  // by TensorId: see Compiler
  std::vector<bool> is_packed_;     // by TensorId: a matmul reads it
  std::vector<std::string> remarks_;
};

}  // namespace trainyard::sim
