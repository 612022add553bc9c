#pragma once
// How a model is spread over ranks, and which layouts cannot be. [cluster 5.1, 5.2]
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cluster/training/model.h"
#include "cluster/training/precision.h"

namespace trainyard::cluster {

// What data-parallel ranks share out among themselves.
enum class Sharding : uint8_t {
  None,   // every rank holds all; gradients are all-reduced
  Zero1,  // optimiser state; gradients reduce-scattered, weights all-gathered once per step
  Fsdp,   // weights, gradients and optimiser; weights gathered per layer (ZeRO-3)
};
// What is computed again in the backward pass instead of kept.
enum class Recompute : uint8_t { None, Selective, Partial, Full };
// How collectives that may run beside compute are ordered. [cluster 4.6]
enum class Overlap : uint8_t { None, Default, Token, TokenMultistream };

std::string_view name(Sharding sharding);    // "none", "zero1", "fsdp"
std::string_view name(Recompute recompute);  // "none", "selective", "partial", "full"
std::string_view name(Overlap overlap);      // "none", "default", "token", "token+multistream"
std::optional<Sharding> parse_sharding(std::string_view text);
std::optional<Recompute> parse_recompute(std::string_view text);
std::optional<Overlap> parse_overlap(std::string_view text);

struct Layout {
  int64_t tp = 1;           // tensor parallel
  int64_t pp = 1;           // pipeline stages
  int64_t vpp = 1;          // model chunks of each stage (interleaved 1F1B)
  int64_t cp = 1;           // context parallel (ring attention)
  int64_t ep = 1;           // expert parallel, inside dp
  int64_t dp = 1;           // data parallel
  int64_t shard_group = 0;  // ranks of one FSDP group; 0: dp * cp
  bool sequence_parallel = false;
  bool manual_cuts = false;  // stages may differ by one layer
  Sharding sharding = Sharding::None;
  Recompute recompute = Recompute::None;
  Overlap overlap = Overlap::Default;

  int64_t ranks() const { return tp * pp * cp * dp; }
  int64_t shards() const { return shard_group > 0 ? shard_group : dp * cp; }
  friend bool operator==(const Layout&, const Layout&) = default;
};

// "tp8 pp4 dp32 zero1 selective"
std::string text(const Layout& layout);

struct Batch {
  int64_t global = 0;    // sequences of one step
  int64_t micro = 1;     // sequences that one data-parallel rank takes at a time
  int64_t sequence = 0;  // tokens

  friend bool operator==(const Batch&, const Batch&) = default;
};

// Micro batches of one data-parallel rank in one step.
inline int64_t micro_batches(const Layout& layout, const Batch& batch) {
  return batch.global / (batch.micro * layout.dp);
}

// What the machine allows.
struct RankLimits {
  int64_t ranks = 0;         // in all
  int64_t domain_ranks = 0;  // joined by scale-up links
  bool neuron = false;  // tensor-parallel groups of the Neuron runtime are powers of two up to 64
};

// Ok, or why the layout can never run. TY-CLU-210 to TY-CLU-219, each names the number to change.
Status check_layout(const Model& model, const Layout& layout, const Batch& batch,
                    const RankLimits& limits);

}  // namespace trainyard::cluster
