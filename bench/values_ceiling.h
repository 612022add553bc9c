#pragma once
// What a plain loop over arrays reaches: the limit of element-wise work on tiles in the cache.
#include <cstddef>

namespace trainyard::bench {

// y[i] = a * x[i] + z[i] on the host's widest vectors.
void axpy_ceiling(float a, const float* x, const float* z, float* y, size_t n);

}  // namespace trainyard::bench
