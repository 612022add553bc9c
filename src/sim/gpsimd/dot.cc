// Products of matrices in any type: the fallback of the array.
#include <algorithm>
#include <array>
#include <cstring>

#include "sim/gpsimd/primitives.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

namespace {

// The elements of a window in another type.
template <class T>
std::vector<T> converted(const WindowData& w, Type to) {
  std::vector<T> out(w.elements);
  for (int64_t i = 0; i < w.elements; i += kMostLanes) {
    apply_convert(w.type(), to, w.at(i), out.data() + i, std::min(kMostLanes, w.elements - i));
  }
  return out;
}

// acc[j] += a * y[j]. Integers are unsigned here and wrap.
template <class T>
void add_row(T* acc, T a, const T* y, int64_t n) {
  for (int64_t j = 0; j < n; ++j) acc[j] = static_cast<T>(acc[j] + static_cast<T>(a * y[j]));
}

template <class T>
void product(const Work& w, Type sum) {
  const WindowData &x = *w.windows[0], &y = *w.windows[1];
  WindowData& z = *w.windows[2];
  const std::vector<T> a = converted<T>(x, sum), b = converted<T>(y, sum);
  const auto& shape = x.window->shape;
  const int64_t m = shape[1], k = shape[2], n = y.window->shape[2];
  std::vector<T> acc(n);
  for (int64_t row = 0; row < shape[0] * m; ++row) {
    const T* const right = b.data() + row / m * k * n;
    std::fill(acc.begin(), acc.end(), T{});
    for (int64_t i = 0; i < k; ++i) add_row(acc.data(), a[row * k + i], right + i * n, n);
    if constexpr (std::is_floating_point_v<T>) {
      for (T& value : acc) value = canonical(value);
    }
    for (int64_t j = 0; j < n; j += kMostLanes) {
      apply_convert(sum, z.type(), acc.data() + j, z.at(row * n + j), std::min(kMostLanes, n - j));
    }
  }
}

}  // namespace

void run_dot(const Work& w) {
  const Type type = w.windows[2]->type();
  if (type == Type::F64) return product<double>(w, type);
  if (is_float(type)) return product<float>(w, Type::F32);
  // A product of unsigned numbers has the same low bits; 32 bits hold the low bits of fewer.
  if (size_of(type) == 8) return product<uint64_t>(w, type);
  product<uint32_t>(w, is_signed(type) ? Type::S32 : Type::U32);
}

}  // namespace trainyard::sim::gpsimd
