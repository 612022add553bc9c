#include "cluster/training/kernel.h"

namespace trainyard::cluster {

std::string_view name(Limit limit) {
  constexpr std::array<std::string_view, 5> kNames = {"tensor", "vector", "scalar", "memory",
                                                      "overhead"};
  return kNames[static_cast<size_t>(limit)];
}

}  // namespace trainyard::cluster
