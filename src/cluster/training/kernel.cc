#include "cluster/training/kernel.h"

namespace trainyard::cluster {

double flops(const Kernel& k) {
  if (k.kind == KernelKind::Gemm) return 2 * k.m * k.k * k.n * k.count;
  if (k.kind == KernelKind::Attention) {
    return 4 * k.heads * k.queries * k.keys * k.head_dim * (k.backward ? 2 : 1);
  }
  return 0;
}

double least_bytes(const Kernel& k) {
  if (k.kind == KernelKind::Gemm) {
    return k.count * ((k.m * k.k + k.k * k.n) * k.in_bytes + k.m * k.n * k.out_bytes);
  }
  if (k.kind == KernelKind::Attention) {
    // Queries, keys, values and the result, 16-bit; backward their gradients too.
    return 2 * k.heads * (2 * k.queries + 2 * k.keys) * k.head_dim * (k.backward ? 2 : 1);
  }
  return k.bytes * k.elements * k.count;
}

std::string_view name(Limit limit) {
  constexpr std::array<std::string_view, 5> kNames = {"tensor", "vector", "scalar", "memory",
                                                      "overhead"};
  return kNames[static_cast<size_t>(limit)];
}

}  // namespace trainyard::cluster
