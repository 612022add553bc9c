#pragma once
// What one rank computes for one layer and one micro batch.
#include <array>

#include "base/check.h"
#include "cluster/training/kernel.h"
#include "cluster/training/layout.h"
#include "cluster/training/model.h"

namespace trainyard::cluster {

// The share of a rank.
struct Shard {
  double sequences = 1;  // of the micro batch
  double sequence = 0;   // tokens of a whole sequence
  double tp = 1, cp = 1, ep = 1;
  bool sequence_parallel = false;
  bool flash = false;
  bool fused = false;        // softmax that keeps its scores on the chip
  bool accumulates = false;  // gradients are added to those of earlier micro batches
  Precision precision;
};

// A short list without a heap: planners make millions of them.
class KernelList {
 public:
  void add(const Kernel& kernel) {
    TY_CHECK(size_ < items_.size());
    items_[size_++] = kernel;
  }
  const Kernel* begin() const { return items_.data(); }
  const Kernel* end() const { return items_.data() + size_; }
  size_t size() const { return size_; }

 private:
  std::array<Kernel, 32> items_;
  size_t size_ = 0;
};

// Forward and backward of one layer. Backward holds the gradients of inputs and of weights.
KernelList forward_kernels(const Layer& layer, const Shard& shard);
KernelList backward_kernels(const Layer& layer, const Shard& shard);

// Token embedding, and the head with its loss.
KernelList embedding_kernels(const Model& model, const Shard& shard);
KernelList head_forward_kernels(const Model& model, const Shard& shard);
KernelList head_backward_kernels(const Model& model, const Shard& shard);

// The update of `weights` weights on one rank.
Kernel optimizer_kernel(double weights, const Precision& precision, Optimizer optimizer);

}  // namespace trainyard::cluster
