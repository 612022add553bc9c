#pragma once
// Matmul nests that run as one host operation. Derived from the instructions alone; each dst
// element keeps its order of sums, so that the bits are those of the instructions one by one.
#include <string>
#include <vector>

#include "sim/values/plan.h"

namespace trainyard::sim {

// Turns `repeat k { nc_matmul }` that adds to one PSUM tile into a Product, and a repeat whose
// iterations begin with such a product of a tile of their own into a Batch.
void find_products(const BodyPlan& plan, std::vector<Node>& nodes,
                   std::vector<std::string>& remarks);

}  // namespace trainyard::sim
