#pragma once
// Which repeats have iterations that may run at the same time. [program 3]
#include <optional>
#include <string>
#include <vector>

#include "sim/values/plan.h"

namespace trainyard::sim {

// What a worker needs to run iterations of a loop on its own.
struct Independence {
  // Tensors declared outside that every iteration overwrites fully before it reads them: each
  // worker has its own, and the last iteration's contents stay.
  std::vector<isa::TensorId> own;
};

// Nothing if iterations of `loop` depend on each other, or if it cannot be shown that they do not:
// whatever one of them writes and another touches must be different elements, by the axes of the
// tensor. Loops with registers, run-time control or rendezvous inside are never independent.
std::optional<Independence> find_independence(const BodyPlan& plan, isa::LoopId loop);

// Marks the repeats of the tree that are independent and long enough to be worth sharing.
void find_parallel(const BodyPlan& plan, std::vector<Node>& nodes,
                   std::vector<std::string>& remarks);

}  // namespace trainyard::sim
