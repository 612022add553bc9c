#pragma once
// The time of one training step: kernels of every layer, collectives between ranks, the pipeline,
// the optimiser. [cluster 5.5, 12.1]
//
//   T = (m + (pp - 1) / vpp) slot + T_dp + T_optimizer + T_host
//
// slot is what the slowest stage does for one micro batch, forward and backward.
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "cluster/training/collective_times.h"
#include "cluster/training/kernel.h"
#include "cluster/training/knobs.h"
#include "cluster/training/layer_kernels.h"
#include "cluster/training/layout.h"
#include "cluster/training/memory.h"
#include "cluster/training/model.h"
#include "cluster/training/pipeline.h"
#include "cluster/training/software.h"
#include "hw/systems/system.h"

namespace trainyard::cluster {

// What runs where. The layout and the batch are asked separately, many times.
struct Workload {
  Model model;
  hw::System system;
  int64_t chips = 0;             // in all
  int64_t chips_per_domain = 0;  // joined by scale-up links; 0: those of the instance
  int64_t lnc = 0;               // 0: the default of the chip
  Software software;
  Precision precision;
  Optimizer optimizer = Optimizer::AdamW;
  double hbm_bytes = 0;  // of one chip, if not as in the catalogue
  // Null: the closed form of cluster/net on Trainium, bounds of the links elsewhere. Sharing one
  // between equal machines saves the time of looking at their groups again.
  std::shared_ptr<const CollectiveTimes> collectives;
};

// The collectives of a machine: what a null `collectives` stands for.
std::shared_ptr<const CollectiveTimes> default_collectives(const Workload& work);

// Where the seconds of a step go. They add up to Step::total.
struct StepParts {
  double compute = 0;    // kernels, forward and backward, all micro batches
  double recompute = 0;  // forward kernels again
  double tensor = 0;     // tensor-parallel collectives
  double context = 0;    // ring attention's exchange
  double expert = 0;     // all-to-all of experts
  double fsdp = 0;       // gathers and scatters of sharded weights that nothing hides
  double pipeline = 0;   // boundary tensors
  double bubble = 0;     // stages that wait for others
  double data = 0;       // gradients between data-parallel ranks, what nothing hides
  double optimizer = 0;
  double host = 0;  // of the step and of each micro batch

  double total() const {
    return compute + recompute + tensor + context + expert + fsdp + pipeline + bubble + data +
           optimizer + host;
  }
};
inline constexpr int kStepParts = 11;
std::string_view step_part(int part);
std::array<double, kStepParts> by_part(const StepParts& parts);

struct Step {
  StepParts parts;
  double total = 0;  // seconds
  double tokens_per_s = 0;
  double mfu = 0;   // model FLOPs over the listed peak, attention not halved
  double hfu = 0;   // with recomputation
  double slot = 0;  // of the slowest stage
  int64_t micro_batches = 0;
  Memory memory;
  bool fits = false;
};

// One line of a layer's time.
struct LayerLine {
  std::string layer;  // "layer", "head"
  std::string kernel;
  double times = 1;  // per step on one rank
  Kernel shape;
  KernelTime time;
};

class StepModel {
 public:
  // The workload must outlive nothing: it is copied.
  StepModel(const Workload& workload, const Calibration& calibration);
  ~StepModel();
  StepModel(StepModel&&) noexcept;

  // The step, or why there is none: TY-CLU-210 to 220.
  Result<Step> step(const Layout& layout, const Batch& batch) const;
  // The same without checks, for layouts known to be legal. Does not allocate.
  Step evaluate(const Layout& layout, const Batch& batch) const;

  // The pipeline as its schedule sees it: one chunk, with collectives and recomputation.
  PipelineShape pipeline(const Layout& layout, const Batch& batch) const;

  // Every kernel of one micro batch with what bounds it.
  std::vector<LayerLine> layer_lines(const Layout& layout, const Batch& batch) const;

  MemoryRules memory_rules() const;
  RankLimits limits() const;
  double peak_flops() const;  // of the whole machine, as listed, at the run's precision
  const Workload& workload() const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace trainyard::cluster
