#pragma once
// Device memory of one rank, by kind. [cluster 5.3]
#include <array>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cluster/training/layout.h"
#include "cluster/training/model.h"

namespace trainyard::cluster {

// Bytes on one rank of the pipeline stage that needs most.
struct Memory {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;
  double logits = 0;
  double gathered = 0;  // weights of the two layers that FSDP holds whole
  double buffers = 0;   // buckets of collectives
  double runtime = 0;   // microcode, rings, scratchpad
  int64_t stage = 0;

  double total() const {
    return weights + gradients + optimizer + activations + logits + gathered + buffers + runtime;
  }
};

inline constexpr int kMemoryKinds = 8;
// "weights", ... in the order of the struct.
std::string_view memory_kind(int kind);
std::array<double, kMemoryKinds> by_kind(const Memory& memory);

// Weights of one rank: those that every data-parallel rank has, and experts, which ep ranks share
// out.
struct RankWeights {
  double common = 0, experts = 0;
  double total() const { return common + experts; }
};
RankWeights rank_weights(const Layer& layer, const Layout& layout);
// Of the first or last pipeline stage, with embedding and head.
RankWeights stage_weights(const Model& model, const Layout& layout, int64_t stage);

// What the model, the layout and the formats leave open.
struct MemoryRules {
  double hbm = 0;             // bytes of one rank
  double usable = 1;          // share of them that may be filled
  double runtime = 0;         // bytes that the runtime keeps
  double bucket = 0;          // bytes of one collective bucket
  double partial_keep = 0.4;  // share of the activations that partial recomputation keeps
  bool flash = false;         // attention scores are never stored
};

struct MemoryQuestion {
  const Model& model;
  const Layout& layout;
  const Batch& batch;
  const Precision& precision;
  Optimizer optimizer;
  MemoryRules rules;
};

// Of the first and of the last stage, the one that needs more.
Memory memory(const MemoryQuestion& question);

// Activation bytes that one layer keeps for one micro batch until its backward pass.
double layer_activations(const Layer& layer, const MemoryQuestion& question);

bool fits(const Memory& memory, const MemoryRules& rules);

// Ok, or TY-CLU-220 with the table and the kind to cut first.
Status check_memory(const Memory& memory, const MemoryRules& rules);

// One line per kind, GB and share.
std::string table(const Memory& memory, const MemoryRules& rules);

}  // namespace trainyard::cluster
