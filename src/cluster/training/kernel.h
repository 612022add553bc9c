#pragma once
// The pieces of compute that a rank runs, and who knows how long they take.
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "cluster/training/precision.h"

namespace trainyard::cluster {

enum class KernelKind : uint8_t { Gemm, Attention, Pass };

// One kernel on one rank. Which fields count depends on the kind.
struct Kernel {
  KernelKind kind = KernelKind::Pass;
  std::string_view name;
  Compute compute = Compute::Half;
  double count = 1;  // equal kernels

  // Gemm: out[m, n] = a[m, k] b[k, n]
  double m = 0, k = 0, n = 0;
  double in_bytes = 2, out_bytes = 2;  // per element; out_bytes also counts what is read to add to

  // Attention of `heads` pairs of query rows and key rows (all sequences of the micro batch).
  double heads = 0, queries = 0, keys = 0, head_dim = 0;
  double visible = 1;  // share of the scores that the mask leaves
  bool flash = false;
  bool fused = false;  // scores stay on the chip, all of them are computed
  bool backward = false;
  bool dropout = false;

  // Pass: element-wise work; vector and scalar passes over each element, bytes to and from memory.
  double elements = 0, vector = 0, scalar = 0, bytes = 0;
  bool resident = false;  // state that lives in memory: never kept on the chip between kernels
};

// Of the mathematics, masked scores included; 0 for a pass.
double flops(const Kernel& kernel);
// The least traffic with memory: each operand and result once.
double least_bytes(const Kernel& kernel);

// What a kernel waits for most.
enum class Limit : uint8_t { Tensor, Vector, Scalar, Memory, Overhead };
std::string_view name(Limit limit);  // "tensor", "vector", "scalar", "memory", "overhead"

// Time of one kernel and of each unit alone, in seconds. `total` is never less than the longest.
struct KernelTime {
  double total = 0;
  double tensor = 0, vector = 0, scalar = 0, memory = 0;
  Limit limit = Limit::Overhead;

  // All of it `factor` times as long: what a software stack adds or saves.
  KernelTime scaled(double factor) const {
    return {factor * total,  factor * tensor, factor * vector,
            factor * scalar, factor * memory, limit};
  }
};

// The seam to a device simulator: whoever can time a kernel better may stand in here.
class KernelTimer {
 public:
  virtual ~KernelTimer() = default;
  virtual KernelTime time(const Kernel& kernel) const = 0;
};

}  // namespace trainyard::cluster
