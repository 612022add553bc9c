#pragma once
// What one core of this host can do at best on a tile of floats: a*x+y, exp, memcpy. Written for
// the widest vectors that the host has and for nothing else; shares no code with src/.
#include <cstddef>

namespace trainyard::bench {

// y[i] = a * x[i] + y[i]
void axpy(float a, const float* x, float* y, size_t n);
// y[i] = exp(x[i]) by a polynomial with about 1e-7 relative error, no special cases.
void fast_exp(const float* x, float* y, size_t n);

}  // namespace trainyard::bench
