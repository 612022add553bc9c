#include "cluster/training/layout.h"

#include <algorithm>
#include <array>

namespace trainyard::cluster {
namespace {

constexpr std::array<std::string_view, 3> kShardings = {"none", "zero1", "fsdp"};
constexpr std::array<std::string_view, 4> kRecomputes = {"none", "selective", "partial", "full"};
constexpr std::array<std::string_view, 4> kOverlaps = {"none", "default", "token",
                                                       "token+multistream"};

template <class Enum, size_t N>
std::optional<Enum> parse(std::string_view text, const std::array<std::string_view, N>& names) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

// Beyond this a degree or size is a slip of the keyboard, and products of them could overflow.
constexpr int64_t kAbsurd = 1'000'000'000;

Status check_degrees(const Layout& l, const RankLimits& limits) {
  struct Degree {
    const char* key;
    int64_t value;
  };
  for (const Degree& d : {Degree{"tp", l.tp}, Degree{"pp", l.pp}, Degree{"vpp", l.vpp},
                          Degree{"cp", l.cp}, Degree{"ep", l.ep}, Degree{"dp", l.dp}}) {
    if (d.value >= 1 && d.value <= 10'000'000) continue;
    return error("TY-CLU-219", "{} = {}: a degree of parallelism is from 1 to 10,000,000", d.key,
                 d.value);
  }
  const double product = static_cast<double>(l.tp) * l.pp * l.cp * l.dp;
  if (product != static_cast<double>(limits.ranks)) {
    return error("TY-CLU-210",
                 "tp {} x pp {} x cp {} x dp {} = {:.0f} ranks, the machine has {}; change the "
                 "degrees, or the number of nodes",
                 l.tp, l.pp, l.cp, l.dp, product, limits.ranks);
  }
  const bool power = (l.tp & (l.tp - 1)) == 0;
  if (limits.neuron && (l.tp > 64 || !power)) {
    return error("TY-CLU-216", "tp = {}: on Neuron 1, 2, 4, 8, 16, 32 or 64", l.tp);
  }
  if (l.tp > limits.domain_ranks) {
    return error("TY-CLU-216",
                 "tp = {}: a tensor-parallel group must fit into the {} ranks that scale-up links "
                 "join; use pp for the rest",
                 l.tp, limits.domain_ranks);
  }
  return {};
}

Status check_batch(const Layout& l, const Batch& b) {
  struct Size {
    const char* key;
    int64_t value;
  };
  for (const Size& s : {Size{"global_batch", b.global}, Size{"micro_batch", b.micro},
                        Size{"seq_len", b.sequence}}) {
    if (s.value >= 1 && s.value <= kAbsurd) continue;
    return error("TY-CLU-219", "{} = {}: from 1 to {}", s.key, s.value, kAbsurd);
  }
  if (b.global % (b.micro * l.dp) != 0) {
    return error(
        "TY-CLU-213",
        "global_batch {} is no multiple of micro_batch {} x dp {}; the nearest below is {}",
        b.global, b.micro, l.dp, b.global / (b.micro * l.dp) * (b.micro * l.dp));
  }
  const int64_t m = micro_batches(l, b);
  if (m < l.pp) {
    return error("TY-CLU-213",
                 "{} micro batches for {} pipeline stages: at least one each; raise global_batch "
                 "to {} or lower pp",
                 m, l.pp, l.pp * b.micro * l.dp);
  }
  if (l.vpp > 1 && m % l.pp != 0) {
    return error("TY-CLU-214",
                 "interleaved stages (vpp {}) need micro batches in multiples of pp {}: {} is "
                 "none; change the batch or take vpp 1",
                 l.vpp, l.pp, m);
  }
  if (l.sequence_parallel && (l.tp == 1 || b.sequence % (l.tp * l.cp) != 0)) {
    return error("TY-CLU-215",
                 "sequence parallelism needs tp > 1 (is {}) and seq_len {} divisible "
                 "by tp x cp = {}",
                 l.tp, b.sequence, l.tp * l.cp);
  }
  if (b.sequence % l.cp != 0) {
    return error("TY-CLU-215", "seq_len {} is not divisible by cp {}; take a divisor", b.sequence,
                 l.cp);
  }
  return {};
}

Status check_block(const Block& block, const Layout& l) {
  if (block.heads % l.tp != 0) {
    return error("TY-CLU-211",
                 "{} attention heads cannot be divided over tp {}; take a divisor of "
                 "{}",
                 block.heads, l.tp, block.heads);
  }
  if (block.kv_heads % l.tp != 0 && l.tp % block.kv_heads != 0) {
    return error(
        "TY-CLU-211",
        "{} key-value heads: tp {} is neither a divisor nor a multiple (kv_replicator); take one",
        block.kv_heads, l.tp);
  }
  if (l.ep > 1 && (block.experts == 0 || block.experts % l.ep != 0)) {
    return error("TY-CLU-217",
                 "ep = {}: the layer '{}' has {} experts; take an ep that divides them", l.ep,
                 block.name, block.experts);
  }
  return {};
}

}  // namespace

std::string_view name(Sharding sharding) { return kShardings[static_cast<size_t>(sharding)]; }
std::string_view name(Recompute recompute) { return kRecomputes[static_cast<size_t>(recompute)]; }
std::string_view name(Overlap overlap) { return kOverlaps[static_cast<size_t>(overlap)]; }
std::optional<Sharding> parse_sharding(std::string_view text) {
  return parse<Sharding>(text, kShardings);
}
std::optional<Recompute> parse_recompute(std::string_view text) {
  return parse<Recompute>(text, kRecomputes);
}
std::optional<Overlap> parse_overlap(std::string_view text) {
  return parse<Overlap>(text, kOverlaps);
}

std::string text(const Layout& l) {
  std::string out = fmt::format("tp{}", l.tp);
  if (l.pp > 1) out += fmt::format(" pp{}", l.pp);
  if (l.vpp > 1) out += fmt::format(" vpp{}", l.vpp);
  if (l.cp > 1) out += fmt::format(" cp{}", l.cp);
  if (l.ep > 1) out += fmt::format(" ep{}", l.ep);
  out += fmt::format(" dp{}", l.dp);
  if (l.sharding != Sharding::None) out += fmt::format(" {}", name(l.sharding));
  if (l.sharding == Sharding::Fsdp && l.shards() != l.dp * l.cp) {
    out += fmt::format("{}", l.shards());
  }
  if (l.recompute != Recompute::None) out += fmt::format(" {} recompute", name(l.recompute));
  return out;
}

Status check_layout(const Model& model, const Layout& layout, const Batch& batch,
                    const RankLimits& limits) {
  TY_TRY(check_degrees(layout, limits));
  TY_TRY(check_batch(layout, batch));
  if (model.positions > 0 && model.fixed_sequence == 0 && batch.sequence > model.positions) {
    return error("TY-CLU-219", "seq_len = {}: {} has {} learned positions; take at most as many",
                 batch.sequence, model.name, model.positions);
  }
  for (const Layer& layer : model.layers) {
    if (const auto* block = std::get_if<Block>(&layer)) TY_TRY(check_block(*block, layout));
  }
  const int64_t layers = layer_count(model), chunks = layout.pp * layout.vpp;
  if (chunks > layers || (layers % chunks != 0 && !layout.manual_cuts)) {
    return error(
        "TY-CLU-212",
        "{} layers cannot be cut into pp {} x vpp {} equal chunks; take divisors of {}, or "
        "allow manual cuts",
        layers, layout.pp, layout.vpp, layers);
  }
  if (layout.ep > 1 && layout.dp % layout.ep != 0) {
    return error("TY-CLU-217", "ep = {} must divide dp = {}; take a smaller ep or more nodes",
                 layout.ep, layout.dp);
  }
  if (layout.shard_group > 0 && (layout.dp * layout.cp) % layout.shard_group != 0) {
    return error("TY-CLU-218",
                 "an FSDP group of {} ranks does not divide the {} data-parallel "
                 "ranks",
                 layout.shard_group, layout.dp * layout.cp);
  }
  return {};
}

}  // namespace trainyard::cluster
