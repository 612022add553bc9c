#include "tools/step_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard::tools {

using namespace cluster;

namespace {

std::string bar(double share, int width = 24) {
  const int full = static_cast<int>(std::lround(share * width));
  return std::string(static_cast<size_t>(std::clamp(full, 0, width)), '#');
}

std::string parts_text(const Step& step) {
  std::string out;
  const auto parts = by_part(step.parts);
  for (int i = 0; i < kStepParts; ++i) {
    const double share = parts[static_cast<size_t>(i)] / step.total;
    if (share < 0.0005) continue;
    out += fmt::format("  {:<17} {:9.4f} s {:5.1f} %  {}\n", step_part(i),
                       parts[static_cast<size_t>(i)], 100 * share, bar(share));
  }
  return out;
}

std::string shape_text(const Kernel& k) {
  if (k.kind == KernelKind::Gemm) {
    return k.count > 1 ? fmt::format("{:.0f} x [{:.0f} x {:.0f} x {:.0f}]", k.count, k.m, k.k, k.n)
                       : fmt::format("[{:.0f} x {:.0f} x {:.0f}]", k.m, k.k, k.n);
  }
  if (k.kind == KernelKind::Attention) {
    return fmt::format("{:.0f} heads {:.0f} x {:.0f} x {:.0f}{}", k.heads, k.queries, k.keys,
                       k.head_dim, k.flash ? " flash" : "");
  }
  return fmt::format("{:.3g} elements", k.elements);
}

std::string lines_text(const StepAnswer& a) {
  std::string out = fmt::format("{:<10} {:<20} {:>10} {:>10}  {:<9} {}\n", "layer", "kernel",
                                "us each", "s per step", "bound by", "shape");
  for (const LayerLine& line : a.lines) {
    out += fmt::format("{:<10} {:<20} {:>10.1f} {:>10.4f}  {:<9} {}\n", line.layer, line.kernel,
                       1e6 * line.time.total, line.times * line.time.total, name(line.time.limit),
                       shape_text(line.shape));
  }
  return out;
}

// Seconds of compute by what bounds them.
std::string bounds_text(const StepAnswer& a) {
  std::array<double, 5> by_limit{};
  double all = 0;
  for (const LayerLine& line : a.lines) {
    by_limit[static_cast<size_t>(line.time.limit)] += line.times * line.time.total;
    all += line.times * line.time.total;
  }
  std::string out;
  for (size_t i = 0; i < by_limit.size(); ++i) {
    if (by_limit[i] < 0.001 * all) continue;
    out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", name(static_cast<Limit>(i)),
                       100 * by_limit[i] / all);
  }
  return out;
}

std::string rate_text(double tokens) {
  if (tokens >= 1e6) return fmt::format("{:.2f} M", tokens / 1e6);
  if (tokens >= 1e3) return fmt::format("{:.1f} k", tokens / 1e3);
  return fmt::format("{:.1f} ", tokens);
}

}  // namespace

std::string step_text(const StepAnswer& a, bool layers) {
  const Workload& w = a.job.work;
  const Step& s = a.step;
  std::string out = fmt::format("{}, {:.2f} B parameters, on {} chips of {}\n", w.model.name,
                                parameters(w.model) / 1e9, w.chips, w.system.name);
  out += fmt::format("layout    {}; {} micro batches of {} x {} tokens\n", text(a.job.layout),
                     s.micro_batches, a.job.batch.micro, a.job.batch.sequence);
  out += fmt::format("step      {:.3f} s ({:.3f} to {:.3f})   {}tokens/s\n", s.total,
                     s.total / a.band.high, s.total / a.band.low, rate_text(s.tokens_per_s));
  out += fmt::format("MFU       {:.1f} % of {:.4g} PFLOPS {}; with recomputation {:.1f} %\n",
                     100 * s.mfu, a.peak_flops / 1e15, name(w.precision.compute), 100 * s.hfu);
  out += parts_text(s);
  out += fmt::format("kernels   bound by {}\n", bounds_text(a));
  out += fmt::format("memory    {:.2f} of {:.2f} GB per rank, stage {}\n{}", s.memory.total() / 1e9,
                     a.rules.hbm / 1e9, s.memory.stage, table(s.memory, a.rules));
  out += fmt::format("software  {}; trust assumed: calibrated knobs (docs/cluster/step-model.md)\n",
                     name(w.software.stack));
  for (const std::string& note : a.job.notes) out += fmt::format("assumed   {}\n", note);
  if (layers) out += "\n" + lines_text(a);
  return out;
}

nlohmann::ordered_json step_json(const StepAnswer& a) {
  using Json = nlohmann::ordered_json;
  const Workload& w = a.job.work;
  const Layout& l = a.job.layout;
  Json out = {{"model", w.model.name},
              {"parameters", parameters(w.model)},
              {"system", w.system.name},
              {"chips", w.chips},
              {"software", name(w.software.stack)},
              {"precision", w.precision.name},
              {"optimizer", name(w.optimizer)},
              {"layout",
               {{"tp", l.tp},
                {"pp", l.pp},
                {"vpp", l.vpp},
                {"cp", l.cp},
                {"ep", l.ep},
                {"dp", l.dp},
                {"sharding", name(l.sharding)},
                {"recompute", name(l.recompute)},
                {"overlap", name(l.overlap)},
                {"sequence_parallel", l.sequence_parallel}}},
              {"seq_len", a.job.batch.sequence},
              {"global_batch", a.job.batch.global},
              {"micro_batch", a.job.batch.micro},
              {"micro_batches", a.step.micro_batches},
              {"step_time_s", a.step.total},
              {"step_time_low_s", a.step.total / a.band.high},
              {"step_time_high_s", a.step.total / a.band.low},
              {"tokens_per_s", a.step.tokens_per_s},
              {"mfu_pct", 100 * a.step.mfu},
              {"hfu_pct", 100 * a.step.hfu},
              {"peak_flops", a.peak_flops}};
  const auto parts = by_part(a.step.parts);
  for (int i = 0; i < kStepParts; ++i) {
    out["seconds"][std::string(step_part(i))] = parts[static_cast<size_t>(i)];
  }
  const auto kinds = by_kind(a.step.memory);
  for (int i = 0; i < kMemoryKinds; ++i) {
    out["memory_bytes"][std::string(memory_kind(i))] = kinds[static_cast<size_t>(i)];
  }
  out["memory_bytes"]["total"] = a.step.memory.total();
  out["memory_bytes"]["capacity"] = a.rules.hbm;
  out["assumed"] = a.job.notes;
  Json kernels = Json::array();
  for (const LayerLine& line : a.lines) {
    kernels.push_back({{"layer", line.layer},
                       {"kernel", line.kernel},
                       {"times", line.times},
                       {"seconds", line.time.total},
                       {"bound", name(line.time.limit)},
                       {"shape", shape_text(line.shape)}});
  }
  out["kernels"] = std::move(kernels);
  return out;
}

}  // namespace trainyard::tools
