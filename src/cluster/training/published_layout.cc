// The layout and the batch of a published row, with the rules for what it leaves out.
#include <algorithm>
#include <regex>

#include "cluster/training/published_fields.h"

namespace trainyard::cluster {
namespace {

Result<int64_t> degree(const RowFields& row, std::string_view column) {
  const auto value = row.integer(column);
  if (!value) return value.status();
  return std::max<int64_t>(1, value->value_or(1));
}

Sharding read_sharding(const RowFields& row, const Software& software) {
  const std::string word = row.word("sharding");
  if (contains(word, "fsdp") || contains(word, "zero3") || contains(word, "zero-3")) {
    return Sharding::Fsdp;
  }
  if (contains(word, "zero1") || contains(word, "zero-1") || contains(word, "distributed opt") ||
      contains(word, "zero2") || contains(word, "zero-2")) {
    return Sharding::Zero1;
  }
  if (!word.empty()) return Sharding::None;
  return software.stack == Stack::Megatron && software.year >= 2023 ? Sharding::Zero1
                                                                    : Sharding::None;
}

// What the column says; nothing where the rules decide.
std::optional<Recompute> stated_recompute(const std::string& word) {
  if (word.empty() || contains(word, "unknown")) return std::nullopt;
  if (contains(word, "selective")) return Recompute::Selective;
  if (contains(word, "full")) return Recompute::Full;
  if (contains(word, "none")) return Recompute::None;
  return Recompute::Partial;  // "minimal", "custom", "qkv offloaded", "remat: save ..."
}

StepModel model_of(const PublishedRun& run) { return {run.workloads.front(), calibrated()}; }

bool fits(const StepModel& model, const PublishedRun& run) {
  const MemoryRules rules = model.memory_rules();
  const Workload& w = model.workload();
  return fits(memory({w.model, run.layout, run.batch, w.precision, w.optimizer, rules}), rules);
}

Status settle_degrees(const RowFields& row, PublishedRun& run, int64_t ranks) {
  Layout& l = run.layout;
  struct Column {
    const char* name;
    int64_t* value;
  };
  for (const Column& c :
       {Column{"tp", &l.tp}, Column{"pp", &l.pp}, Column{"cp", &l.cp}, Column{"ep", &l.ep}}) {
    const Result<int64_t> value = degree(row, c.name);
    if (!value) return value.status();
    *c.value = *value;
  }
  if (contains(row.word("vpp"), "interleaved")) {
    l.vpp = 2;
    run.notes.push_back("vpp 2 for 'interleaved'");
  } else {
    const Result<int64_t> vpp = degree(row, "vpp");
    if (!vpp) return vpp.status();
    l.vpp = l.pp > 1 ? *vpp : 1;
  }
  const double used =
      static_cast<double>(l.tp) * static_cast<double>(l.pp) * static_cast<double>(l.cp);
  if (used > static_cast<double>(ranks) || ranks % (l.tp * l.pp * l.cp) != 0) {
    return error("TY-CLU-210", "tp {} x pp {} x cp {} does not divide {} ranks; change one of them",
                 l.tp, l.pp, l.cp, ranks);
  }
  l.dp = ranks / (l.tp * l.pp * l.cp);
  return {};
}

// The smallest pipeline that fits, where a model-parallel row does not say.
void settle_pipeline(const RowFields& row, PublishedRun& run, int64_t ranks) {
  Layout& l = run.layout;
  if (!row.text("pp").empty() || l.sharding == Sharding::Fsdp || l.tp == 1) return;
  const StepModel model = model_of(run);
  for (int64_t pp = 1; pp <= 64; pp *= 2) {
    if (ranks % (l.tp * pp * l.cp) != 0) break;
    l.pp = pp;
    l.dp = ranks / (l.tp * pp * l.cp);
    run.batch.micro = 1;
    if (fits(model, run)) break;
  }
  run.notes.push_back(fmt::format("pp {}: the smallest that fits", l.pp));
}

void settle_micro_batch(const RowFields& row, PublishedRun& run) {
  Batch& b = run.batch;
  const Layout& l = run.layout;
  const Software& software = run.workloads.front().software;
  const int64_t each = std::max<int64_t>(1, b.global / l.dp);
  const bool given = !row.text("micro_batch").empty();
  if (is_jax(software) || (!given && l.sharding == Sharding::Fsdp && l.pp == 1)) {
    // JAX takes the whole share of a rank at once; MaxText's tables give it per chip.
    const std::string notes = row.word("notes");
    std::smatch match;
    int64_t pieces = 1;
    if (std::regex_search(notes, match, std::regex("grad_acc ([0-9]+)"))) {
      pieces = std::max<int64_t>(1, std::strtoll(match[1].str().c_str(), nullptr, 10));
    }
    b.micro = std::max<int64_t>(1, each / pieces);
    if (!given) run.notes.push_back(fmt::format("micro_batch {}: global / dp", b.micro));
    return;
  }
  if (given) return;
  const StepModel model = model_of(run);
  b.micro = 1;
  for (int64_t micro = 2; micro <= each; micro *= 2) {
    if (each % micro != 0 || each / micro < 4 * l.pp) break;
    const int64_t before = b.micro;
    b.micro = micro;
    if (fits(model, run)) continue;
    b.micro = before;
    break;
  }
  run.notes.push_back(fmt::format("micro_batch {}: the largest that fits", b.micro));
}

void settle_recompute(const RowFields& row, PublishedRun& run) {
  const Software& software = run.workloads.front().software;
  const std::optional<Recompute> stated = stated_recompute(row.word("recompute"));
  if (stated) {
    run.layout.recompute = *stated;
    if (*stated == Recompute::Partial) run.recompute_doubt = 0.5;
    return;
  }
  run.recompute_doubt = 1;
  if (software.stack == Stack::Megatron) {
    run.layout.recompute = Recompute::None;
    run.recompute_doubt = 0.3;
  } else if (is_jax(software)) {
    run.layout.recompute = Recompute::Partial;
  } else {
    const StepModel model = model_of(run);
    for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full}) {
      run.layout.recompute = r;
      if (fits(model, run)) break;
    }
  }
  run.notes.push_back(fmt::format("recompute {}: assumed", name(run.layout.recompute)));
}

}  // namespace

Status read_layout(const RowFields& row, PublishedRun& run) {
  const Model& model = run.workloads.front().model;
  const auto sequence = model.fixed_sequence > 0 && row.text("seq_len").empty()
                            ? Result<int64_t>(model.fixed_sequence)
                            : row.required("seq_len");
  if (!sequence) return sequence.status();
  const auto micro = row.integer("micro_batch"), global = row.integer("global_batch");
  if (!micro) return micro.status();
  if (!global) return global.status();
  run.batch = {.global = global->value_or(0),
               .micro = std::max<int64_t>(1, micro->value_or(1)),
               .sequence = *sequence};
  const Software& software = run.workloads.front().software;
  const int64_t ranks = model_of(run).limits().ranks;
  TY_TRY(settle_degrees(row, run, ranks));
  Layout& l = run.layout;
  if (run.batch.global < 1) {
    // The rate hardly depends on it once the pipeline is full.
    run.batch.global = run.batch.micro * l.dp * (l.pp > 1 ? 8 * l.pp : 1);
    run.notes.push_back(fmt::format("global_batch {}: assumed", run.batch.global));
  }
  l.manual_cuts = true;
  l.sequence_parallel =
      l.tp > 1 && has_sequence_parallel(software) && *sequence % (l.tp * l.cp) == 0;
  l.sharding = read_sharding(row, software);
  if (l.sharding == Sharding::Fsdp && contains(row.word("sharding"), "in slice")) {
    l.shard_group = std::max<int64_t>(1, run.workloads.front().chips_per_domain / l.tp);
  }
  // Without a word on recomputation the least that fits is taken, so the batch comes first.
  settle_pipeline(row, run, ranks);
  settle_micro_batch(row, run);
  settle_recompute(row, run);
  if (run.batch.global % (run.batch.micro * l.dp) != 0 && run.batch.global >= l.dp) {
    // Published batches need not divide: round the number of micro batches.
    const int64_t m = std::max<int64_t>(1, run.batch.global / (run.batch.micro * l.dp));
    run.batch.micro = std::max<int64_t>(1, run.batch.global / (m * l.dp));
    run.notes.push_back(fmt::format("micro_batch {} to divide the global batch", run.batch.micro));
  }
  if (run.batch.global < l.dp * run.batch.micro) {
    // Ranks that share a sequence: the rate is that of one sequence each.
    run.batch.global = l.dp * run.batch.micro;
    run.notes.push_back(fmt::format("global_batch {}: one for each rank", run.batch.global));
  }
  return {};
}

}  // namespace trainyard::cluster
