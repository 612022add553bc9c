#include "sim/values/uses.h"

#include <algorithm>

namespace trainyard::sim {

Uses::Uses(const isa::Program& program, const std::vector<Home>& homes)
    : structure(program), of(program.tensors.size()), has_views(program.tensors.size(), false) {
  for (const isa::InstId id : structure.in_order()) {
    isa::each_access(program.insts[id].op,
                     [&](std::string_view, const isa::Access& a, isa::Role role) {
                       of[homes[a.tensor].root].push_back({id, &a, role});
                     });
  }
  for (const Home& home : homes) {
    const auto id = static_cast<isa::TensorId>(&home - homes.data());
    if (home.root != id) has_views[home.root] = true;
  }
}

bool is_inside(const std::vector<isa::Enclosure>& inner, const std::vector<isa::Enclosure>& outer) {
  return inner.size() >= outer.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

}  // namespace trainyard::sim
