#include "cluster/training/job.h"

#include <algorithm>

namespace trainyard::cluster {
namespace {

Status unknown(std::string_view key, std::string_view value, std::string_view choices) {
  return error("TY-CLU-221", "{} = '{}' is not known; take one of {}", key, value, choices);
}

// "trn", "tpu" or "gpu", as parse_software tells them apart.
std::string_view family(const hw::System& system) {
  if (system.device) return "trn";
  return system.accelerator.name.starts_with("tpu") ? "tpu" : "gpu";
}

Status read_words(const JobRequest& r, Job& job) {
  const std::optional<Precision> precision = parse_precision(r.dtype);
  if (!precision) return unknown("dtype", r.dtype, "bf16, bf16+SR, fp16, fp8, tf32, fp32");
  job.work.precision = *precision;
  const std::optional<Optimizer> optimizer = parse_optimizer(r.optimizer);
  if (!optimizer) return unknown("optimizer", r.optimizer, "adamw, lamb, lion, sgd, adafactor");
  job.work.optimizer = *optimizer;
  if (!r.sharding.empty()) {
    const std::optional<Sharding> sharding = parse_sharding(r.sharding);
    if (!sharding) return unknown("sharding", r.sharding, "none, zero1, fsdp");
    job.layout.sharding = *sharding;
  } else if (job.layout.dp > 1) {
    job.layout.sharding = Sharding::Zero1;
    job.notes.push_back("sharding zero1");
  }
  if (!r.overlap.empty()) {
    const std::optional<Overlap> overlap = parse_overlap(r.overlap);
    if (!overlap) return unknown("overlap", r.overlap, "none, default, token, token+multistream");
    job.layout.overlap = *overlap;
  }
  if (!r.recompute.empty()) {
    const std::optional<Recompute> recompute = parse_recompute(r.recompute);
    if (!recompute) return unknown("recompute", r.recompute, "none, selective, partial, full");
    job.layout.recompute = *recompute;
  }
  return {};
}

Status read_sizes(const JobRequest& r, Job& job) {
  struct Size {
    const char* key;
    int64_t value;
  };
  for (const Size& s : {Size{"nodes", r.nodes}, Size{"tp", r.tp}, Size{"pp", r.pp},
                        Size{"vpp", r.vpp}, Size{"cp", r.cp}, Size{"ep", r.ep}}) {
    if (s.value < 1 || s.value > 10'000'000) {
      return error("TY-CLU-219", "{} = {}: from 1 to 10,000,000", s.key, s.value);
    }
  }
  for (const Size& s : {Size{"chips", r.chips}, Size{"dp", r.dp}, Size{"seq_len", r.seq_len},
                        Size{"global_batch", r.global_batch}, Size{"micro_batch", r.micro_batch}}) {
    if (s.value < 0 || s.value > 1'000'000'000) {
      return error("TY-CLU-219", "{} = {}: at most 1,000,000,000, and not negative", s.key,
                   s.value);
    }
  }
  const hw::System& system = r.system;
  if (r.lnc != 0 && (r.lnc < 1 || r.lnc > system.accelerator.lnc_max.value ||
                     system.accelerator.cores.value % r.lnc != 0)) {
    return error("TY-CLU-219", "lnc = {}: {} has logical cores of at most {} physical ones", r.lnc,
                 system.accelerator.name, system.accelerator.lnc_max.value);
  }
  Workload& w = job.work;
  w.lnc = r.lnc > 0 ? r.lnc : system.accelerator.lnc_default.value;
  w.chips = r.chips > 0 ? r.chips : r.nodes * system.instance.chips.value;
  const int64_t ranks = w.chips * (system.accelerator.cores.value / w.lnc);
  Layout& l = job.layout;
  l.tp = r.tp;
  l.pp = r.pp;
  l.vpp = r.vpp;
  l.cp = r.cp;
  l.ep = r.ep;
  const double others =
      static_cast<double>(r.tp) * static_cast<double>(r.pp) * static_cast<double>(r.cp);
  l.dp = r.dp > 0 ? r.dp : others <= static_cast<double>(ranks) ? ranks / (r.tp * r.pp * r.cp) : 1;
  l.sequence_parallel = r.sequence_parallel.value_or(l.tp > 1);
  if (r.dp == 0) job.notes.push_back(fmt::format("dp {}: the rest of {} ranks", l.dp, ranks));
  return {};
}

void read_batch(const JobRequest& r, Job& job) {
  Batch& b = job.batch;
  const Layout& l = job.layout;
  b.sequence = r.seq_len;
  if (b.sequence == 0) {
    b.sequence = default_sequence(r.model);
    job.notes.push_back(fmt::format("seq_len {}", b.sequence));
  }
  // About 4096 tokens, at most 64 samples at a time.
  b.micro = r.micro_batch > 0 ? r.micro_batch : 1;
  const int64_t piece = r.micro_batch > 0 ? b.micro : std::clamp<int64_t>(4096 / b.sequence, 1, 64);
  b.global = r.global_batch;
  if (b.global == 0) {
    b.global = piece * l.dp * (l.pp > 1 ? 8 * l.pp : 1);
    job.notes.push_back(fmt::format("global_batch {}", b.global));
  }
}

// The least recomputation and the largest micro batch that fit, where the user leaves them open.
void settle_memory(const JobRequest& r, Job& job) {
  const StepModel model(job.work, calibrated());
  const MemoryRules rules = model.memory_rules();
  const auto good = [&] {
    return fits(memory({job.work.model, job.layout, job.batch, job.work.precision,
                        job.work.optimizer, rules}),
                rules);
  };
  if (r.recompute.empty()) {
    for (const Recompute each : {Recompute::None, Recompute::Selective, Recompute::Full}) {
      job.layout.recompute = each;
      if (good()) break;
    }
    job.notes.push_back(
        fmt::format("recompute {}: the least that fits", name(job.layout.recompute)));
  }
  if (r.micro_batch > 0) return;
  const Layout& l = job.layout;
  for (int64_t micro = 2; micro <= 64; micro *= 2) {
    const int64_t each = job.batch.global / l.dp;
    if (each % micro != 0 || each / micro < (l.pp > 1 ? 4 * l.pp : 1)) break;
    const int64_t before = job.batch.micro;
    job.batch.micro = micro;
    if (good()) continue;
    job.batch.micro = before;
    break;
  }
  job.notes.push_back(fmt::format("micro_batch {}: the largest that fits", job.batch.micro));
}

}  // namespace

int64_t default_sequence(const Model& model) {
  if (model.fixed_sequence > 0) return model.fixed_sequence;
  return model.positions > 0 ? std::min<int64_t>(4096, model.positions) : 4096;
}

Software default_software(const hw::System& system) {
  const std::string_view kind = family(system);
  if (kind == "trn") return {.stack = Stack::NeuronNxd};
  return {.stack = kind == "tpu" ? Stack::MaxText : Stack::Megatron};
}

Result<Software> software_by_name(const std::string& text, const hw::System& system) {
  if (text.empty()) return default_software(system);
  const Software s = parse_software(text, "", family(system));
  const Software again = parse_software("?", "", family(system));
  const bool vague = s == again && text.find("neuronx-distributed") == std::string::npos &&
                     text.find("nxd") == std::string::npos && text != "maxtext" && text != "other";
  if (!vague) return s;
  return unknown("software", text,
                 "nxd, nemo-megatron, megatron-lm, jax, torch-neuronx (Trainium); megatron, "
                 "composer, torchtitan, jax, axlearn, other (GPU); maxtext, axlearn (TPU)");
}

Result<Job> resolve(const JobRequest& r) {
  const std::string_view chip = r.system.accelerator.name;
  if (chip.starts_with("inferentia")) {
    return error("TY-CLU-222",
                 "{} cannot train: the Neuron stack has no training on Inferentia; "
                 "take trn1, trn2 or trn3",
                 r.system.name);
  }
  if (r.system.accelerator.tflops_bf16.value <= 0) {
    return error("TY-CLU-222", "{} has no listed 16-bit peak", chip);
  }
  Job job;
  job.work.model = r.model;
  job.work.system = r.system;
  const Result<Software> software = software_by_name(r.software, r.system);
  if (!software) return software.status();
  job.work.software = *software;
  TY_TRY(read_sizes(r, job));
  TY_TRY(read_words(r, job));
  read_batch(r, job);
  settle_memory(r, job);
  return job;
}

}  // namespace trainyard::cluster
