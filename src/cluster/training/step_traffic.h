#pragma once
// The collectives of a training step, and how much of them compute hides. [cluster 4.6, 5.4]
#include "cluster/training/collective_times.h"
#include "cluster/training/knobs.h"
#include "cluster/training/layout.h"
#include "cluster/training/memory.h"
#include "cluster/training/model.h"

namespace trainyard::cluster {

struct Workload;

// Exposed seconds of one layer and one micro batch, forward and backward.
struct LayerTraffic {
  double tensor = 0, context = 0, expert = 0, fsdp = 0;
};

class StepTraffic {
 public:
  StepTraffic(const Workload& work, const Calibration& knobs);

  // `forward` and `backward` are the layer's kernels, behind which transfers may hide.
  LayerTraffic layer(const Layer& layer, const Layout& l, const Batch& b, double forward,
                     double backward) const;
  // Boundary tensors of one slot, both directions.
  double boundary(const Layout& l, const Batch& b) const;
  // What the host does for each micro batch: PyTorch/XLA traces it anew and launches its programs.
  // JAX compiles the whole step once.
  double slot_host(const Layout& l) const;
  // Gradients and weights between data-parallel ranks, once per step. `window` is the backward
  // pass of one micro batch.
  double data_parallel(const Layout& l, const RankWeights& weights, double window) const;
  double host() const;

 private:
  double seconds(const CollectiveCost& cost) const;
  double tensor(const Block& block, const Layout& l, const Batch& b) const;
  double context(const Block& block, const Layout& l, const Batch& b, double window) const;
  double expert(const Block& block, const Layout& l, const Batch& b) const;
  // All gradients of `weights` weights of a rank, between ranks {replicas, stride}.
  double gradients(const Layout& l, double weights, const RankGroup& group, double window) const;
  double fsdp(double weights, const Layout& l, double forward, double backward) const;

  const Workload& work_;
  const Calibration& knobs_;
  const CollectiveTimes& collectives_;
  bool neuron_;
  bool pipeline_before_data_;  // order of ranks: tp, pp, dp instead of tp, dp, pp
};

}  // namespace trainyard::cluster
