#include "cluster/training/memory.h"

#include <algorithm>
#include <cmath>

namespace trainyard::cluster {
namespace {

constexpr double kGb = 1e9;

double in_flight(const MemoryQuestion& q, int64_t stage) {
  const Layout& l = q.layout;
  const double m = static_cast<double>(micro_batches(l, q.batch));
  const double held = std::min<double>(static_cast<double>(l.pp - stage), std::max(m, 1.0));
  if (l.vpp == 1 || l.pp == 1) return held;
  return held * (1 + static_cast<double>(l.pp - 1) / (l.pp * l.vpp));
}

double activations(const MemoryQuestion& q, int64_t stage) {
  double bytes = 0;
  for (const Layer& layer : q.model.layers) {
    bytes += layer_activations(layer, q) * static_cast<double>(count(layer));
  }
  const double layers = static_cast<double>(layer_count(q.model));
  return bytes * std::ceil(layers / q.layout.pp) / layers * in_flight(q, stage);
}

double logits(const MemoryQuestion& q) {
  if (q.model.head == Head::None || q.model.head == Head::Classifier) return 0;
  const double tokens =
      static_cast<double>(q.batch.micro) * q.batch.sequence / q.layout.cp * q.model.head_positions;
  return 4 * tokens * q.model.vocab / q.layout.tp;
}

Memory stage_memory(const MemoryQuestion& q, int64_t stage) {
  const Layout& l = q.layout;
  const Precision& p = q.precision;
  const double all = stage_weights(q.model, l, stage).total();
  double layer = 0;  // the largest
  for (const Layer& each : q.model.layers) {
    layer = std::max(layer, rank_weights(each, l).total());
  }
  const double shards = static_cast<double>(l.shards());
  // A pipeline keeps gathered weights and gradients for all micro batches of a step.
  const double whole = l.sharding == Sharding::Fsdp && l.pp == 1 ? shards : 1;
  const double state = l.sharding == Sharding::None ? 1 : shards;
  Memory m;
  m.stage = stage;
  m.weights = all * p.weight / whole;
  m.gradients = all * p.gradient / whole;
  m.optimizer = all * (p.master + moments(q.optimizer) * p.moment) / state;
  m.activations = activations(q, stage);
  m.logits = stage == l.pp - 1 ? logits(q) : 0;
  m.gathered = l.sharding == Sharding::Fsdp && l.pp == 1 ? 2 * layer * p.weight : 0;
  m.buffers = l.dp > 1 ? std::min(q.rules.bucket, all * p.gradient) : 0;
  m.runtime = q.rules.runtime;
  return m;
}

// Bytes kept per token and unit of hidden size, after Korthikanti et al.: 34 without scores, of
// which 10 are not divided by tensor parallelism unless the sequence is. Each further expert that a
// token visits keeps the 19 of one more MLP.
double block_activations(const Block& b, const MemoryQuestion& q) {
  const Layout& l = q.layout;
  const double s = static_cast<double>(b.sequence > 0 ? b.sequence : q.batch.sequence) / l.cp;
  const double cells = s * static_cast<double>(q.batch.micro) * b.hidden;
  const double t = static_cast<double>(l.tp);
  const double experts = b.experts > 0 ? 19.0 * static_cast<double>(b.top_k - 1) : 0;
  if (l.recompute == Recompute::Full) return 2 * cells / (l.sequence_parallel ? t : 1);
  const double kept = l.sequence_parallel ? (34 + experts) / t : 10 + (24 + experts) / t;
  if (l.recompute == Recompute::Partial) return q.rules.partial_keep * kept * cells;
  const bool scores = l.recompute == Recompute::None && !q.rules.flash;
  return cells * kept + (scores ? 5.0 * b.heads * s * cells / b.hidden / t : 0);
}

}  // namespace

RankWeights rank_weights(const Layer& layer, const Layout& l) {
  const auto tp = static_cast<double>(l.tp);
  const auto* block = std::get_if<Block>(&layer);
  if (block == nullptr) {
    return {.common = std::visit([](const auto& any) { return parameters(any); }, layer) / tp};
  }
  if (block->experts == 0) return {.common = parameters(*block) / tp};
  Block none = *block;
  none.top_k = 0;
  const double common = active_parameters(none);
  return {.common = common / tp,
          .experts = (parameters(*block) - common) / tp / static_cast<double>(l.ep)};
}

RankWeights stage_weights(const Model& model, const Layout& l, int64_t stage) {
  RankWeights w;
  for (const Layer& layer : model.layers) {
    const RankWeights one = rank_weights(layer, l);
    w.common += one.common * static_cast<double>(count(layer));
    w.experts += one.experts * static_cast<double>(count(layer));
  }
  const double layers = static_cast<double>(layer_count(model));
  const double share = std::ceil(layers / static_cast<double>(l.pp)) / layers;
  w.common *= share;
  w.experts *= share;
  const auto tp = static_cast<double>(l.tp);
  if (stage == 0) w.common += embedding_parameters(model) / tp;
  if (stage == l.pp - 1 && (!model.tied || l.pp > 1)) w.common += head_parameters(model) / tp;
  return w;
}

std::string_view memory_kind(int kind) {
  constexpr std::array<std::string_view, kMemoryKinds> kNames = {
      "weights", "gradients", "optimizer", "activations",
      "logits",  "gathered",  "buffers",   "runtime"};
  return kNames[static_cast<size_t>(kind)];
}

std::array<double, kMemoryKinds> by_kind(const Memory& m) {
  return {m.weights, m.gradients, m.optimizer, m.activations,
          m.logits,  m.gathered,  m.buffers,   m.runtime};
}

double layer_activations(const Layer& layer, const MemoryQuestion& q) {
  const double samples = static_cast<double>(q.batch.micro);
  if (const auto* block = std::get_if<Block>(&layer)) return block_activations(*block, q);
  if (const auto* conv = std::get_if<Conv>(&layer)) {
    // Output before and after norm and activation, 2 bytes each.
    return samples * 6 * conv->out * conv->out_rows * conv->out_cols;
  }
  if (const auto* dense = std::get_if<Dense>(&layer)) return samples * 4 * dense->out * dense->rows;
  const auto& table = std::get<Table>(layer);
  return samples * 2 * table.width * table.lookups;
}

Memory memory(const MemoryQuestion& q) {
  const Memory first = stage_memory(q, 0);
  if (q.layout.pp == 1) return first;
  const Memory last = stage_memory(q, q.layout.pp - 1);
  return first.total() >= last.total() ? first : last;
}

bool fits(const Memory& memory, const MemoryRules& rules) {
  return memory.total() <= rules.usable * rules.hbm;
}

std::string table(const Memory& memory, const MemoryRules& rules) {
  std::string out;
  const auto kinds = by_kind(memory);
  for (int i = 0; i < kMemoryKinds; ++i) {
    if (kinds[i] == 0) continue;
    out += fmt::format("  {:<12} {:8.2f} GB  {:5.1f} %\n", memory_kind(i), kinds[i] / kGb,
                       100 * kinds[i] / rules.hbm);
  }
  return out +
         fmt::format("  {:<12} {:8.2f} GB of {:.2f}, of which {:.0f} % may be used; stage {}\n",
                     "total", memory.total() / kGb, rules.hbm / kGb, 100 * rules.usable,
                     memory.stage);
}

Status check_memory(const Memory& memory, const MemoryRules& rules) {
  if (fits(memory, rules)) return {};
  const auto kinds = by_kind(memory);
  const int most = static_cast<int>(std::ranges::max_element(kinds) - kinds.begin());
  constexpr std::array<std::string_view, kMemoryKinds> kRemedies = {
      "raise tp or pp, or shard with fsdp",
      "raise tp or pp, or shard with fsdp",
      "shard the optimiser with zero1 or fsdp, or raise dp",
      "recompute (selective, full), lower micro_batch, or raise tp with sequence parallelism",
      "lower micro_batch, or raise tp",
      "raise tp",
      "lower the bucket size",
      "lower the runtime reserve if you know better"};
  return error("TY-CLU-220", "out of memory: {:.2f} GB on a rank of {:.2f}; most is {}: {}\n{}",
               memory.total() / kGb, rules.hbm / kGb, memory_kind(most), kRemedies[most],
               table(memory, rules));
}

}  // namespace trainyard::cluster
