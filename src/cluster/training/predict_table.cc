#include "cluster/training/predict_table.h"

#include <cmath>

#include "cluster/training/fidelity.h"

namespace trainyard::cluster {
namespace {

constexpr int kAdded = 9;

std::string joined(const std::vector<std::string>& notes) {
  std::string out;
  for (const std::string& note : notes) out += (out.empty() ? "" : "; ") + note;
  return out;
}

struct RowAnswer {
  std::vector<std::string> fields;
  double ratio = 0;
};

RowAnswer answer(const PublishedRun& run) {
  const Prediction p = predict(run, calibrated());
  const Band band = run_band(run, calibrated());
  const Workload& work = run.workloads.front();
  const double flops =
      static_cast<double>(run.batch.global) * model_flops(work.model, run.batch.sequence);
  const double peak = run.peak_tflops > 0 ? 1e12 * run.peak_tflops * static_cast<double>(work.chips)
                                          : StepModel(work, calibrated()).peak_flops();
  RowAnswer a;
  a.ratio = run.tokens_per_s > 0 ? p.tokens_per_s / run.tokens_per_s : 0;
  std::vector<std::string> notes = run.notes;
  if (!p.fits) notes.push_back("memory: more than the model thinks there is");
  a.fields = {fmt::format("{:.1f}", p.tokens_per_s),
              fmt::format("{:.4f}", p.step_s),
              fmt::format("{:.2f}", 100 * flops / (p.step_s * peak)),
              fmt::format("{:.2f}", p.memory_bytes / 1e9),
              fmt::format("{:.1f}", p.tokens_per_s * band.low),
              fmt::format("{:.1f}", p.tokens_per_s * band.high),
              a.ratio > 0 ? fmt::format("{:.4f}", a.ratio) : "",
              "ok",
              joined(notes)};
  return a;
}

}  // namespace

PredictedTable predict_table(const CsvTable& table) {
  PredictedTable out;
  std::vector<std::string> header = table.header;
  for (const char* name :
       {"predicted_tokens_per_s", "predicted_step_time_s", "predicted_mfu_pct",
        "predicted_memory_gb", "predicted_low", "predicted_high", "ratio", "status", "assumed"}) {
    header.emplace_back(name);
  }
  out.csv = csv_line(header);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::string> fields = table.rows[i];
    const Result<PublishedRun> run = published_run(table, i);
    ++out.rows;
    if (run) {
      const RowAnswer a = answer(*run);
      fields.insert(fields.end(), a.fields.begin(), a.fields.end());
      if (a.ratio > 0) {
        out.mean_error += std::abs(a.ratio - 1);
        ++out.compared;
      }
    } else {
      ++out.refused;
      fields.resize(fields.size() + kAdded);
      fields[fields.size() - 2] = run.status().code();
      fields.back() = run.status().message();
    }
    out.csv += csv_line(fields);
  }
  if (out.compared > 0) out.mean_error /= out.compared;
  return out;
}

}  // namespace trainyard::cluster
