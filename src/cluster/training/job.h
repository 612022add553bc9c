#pragma once
// A training job as a user asks for it, with what is left out filled in.
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cluster/training/step.h"

namespace trainyard::cluster {

// Zero or empty: not given.
struct JobRequest {
  Model model;
  hw::System system;
  int64_t nodes = 1;  // instances
  int64_t chips = 0;  // of a pod's slice, instead of nodes
  int64_t lnc = 0;
  int64_t tp = 1, pp = 1, vpp = 1, cp = 1, ep = 1;
  int64_t dp = 0;  // the rest of the ranks
  int64_t seq_len = 0, global_batch = 0, micro_batch = 0;
  std::string dtype, optimizer, recompute, sharding, overlap, software;
  std::optional<bool> sequence_parallel;
};

struct Job {
  Workload work;
  Layout layout;
  Batch batch;
  std::vector<std::string> notes;  // what was assumed, one each
};

// TY-CLU-222 no training on this chip, TY-CLU-221 a word that is not known (dtype, recompute, ...),
// TY-CLU-219 numbers out of range. Whether the layout is legal and fits is StepModel::step's
// answer.
Result<Job> resolve(const JobRequest& request);

// Tokens of a sequence if the user does not say: what the model fixes, else 4096, or fewer where it
// has fewer learned positions.
int64_t default_sequence(const Model& model);

// What runs on this chip if the user does not say: neuronx-distributed, Megatron-Core, MaxText; the
// newest.
Software default_software(const hw::System& system);
Result<Software> software_by_name(const std::string& text, const hw::System& system);

}  // namespace trainyard::cluster
