#pragma once
// Random small bodies, as text: nested repeats, loops and branches, tensors of every scope, slices
// by counters, sums in PSUM, transfers through HBM. Every tensor is written before it is read.
#include <cstdint>
#include <string>

namespace trainyard::check_test {

struct BodyOptions {
  bool control = false;  // with loops at run time and branches
  int statements = 14;   // about how many
};

std::string random_body(uint64_t seed, const BodyOptions& options);

}  // namespace trainyard::check_test
