#include <fmt/format.h>

#include <memory>

#include "cluster/training/model_list.h"
#include "cluster/training/predict_table.h"
#include "tools/command.h"
#include "tools/job_options.h"
#include "tools/program_input.h"
#include "tools/step_screen.h"

namespace trainyard::tools {
namespace {

using namespace cluster;

struct Options {
  JobOptions job;
  std::string csv, out, trace, report;
  bool json = false, layers = false, list_models = false;
};

Result<int> predict_file(const Options& o) {
  const Result<CsvTable> table = load_csv(o.csv);
  if (!table) return table.status();
  const PredictedTable predicted = predict_table(*table);
  if (o.out.empty()) {
    fmt::print("{}", predicted.csv);
  } else {
    TY_TRY(write_file(o.out, predicted.csv));
    fmt::print("{} rows: {} predicted, {} refused; mean |ratio - 1| {:.1f} % over {} published\n",
               predicted.rows, predicted.rows - predicted.refused, predicted.refused,
               100 * predicted.mean_error, predicted.compared);
  }
  return 0;
}

Result<StepAnswer> answer_of(const Options& o) {
  const Result<JobRequest> request = read_job(o.job);
  if (!request) return request.status();
  const Result<Job> job = resolve(*request);
  if (!job) return job.status();
  const StepModel model(job->work, calibrated());
  const Result<Step> step = model.step(job->layout, job->batch);
  if (!step) return step.status();
  return StepAnswer{.job = *job,
                    .step = *step,
                    .band = step_band(job->work, job->layout, job->batch, calibrated()),
                    .lines = model.layer_lines(job->layout, job->batch),
                    .pipeline = model.pipeline(job->layout, job->batch),
                    .peak_flops = model.peak_flops(),
                    .rules = model.memory_rules()};
}

Result<int> step(const Options& o) {
  if (o.list_models) {
    for (const std::string& name : model_names()) fmt::print("{}\n", name);
    return 0;
  }
  if (!o.csv.empty()) return predict_file(o);
  const Result<StepAnswer> answer = answer_of(o);
  if (!answer) return answer.status();
  if (o.json) {
    fmt::print("{}\n", step_json(*answer).dump(2));
  } else {
    fmt::print("{}", step_text(*answer, o.layers));
  }
  if (!o.trace.empty()) TY_TRY(write_file(o.trace, step_trace(*answer)));
  if (!o.report.empty()) TY_TRY(write_file(o.report, step_report(*answer)));
  return 0;
}

}  // namespace

Run declare_step(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  add_model_options(app, o->job);
  add_layout_options(app, o->job);
  app.add_option("--csv", o->csv, "Predict every row of a table in the format of calibrate.csv");
  app.add_option("--out", o->out, "With --csv: write the table there");
  app.add_option("--trace", o->trace, "Write a Perfetto trace of the pipeline");
  app.add_option("--report", o->report, "Write an HTML report");
  app.add_flag("--layers", o->layers, "Print every kernel with what bounds it");
  app.add_flag("--json", o->json, "Print JSON");
  app.add_flag("--list-models", o->list_models, "Print the names of the built-in models");
  return [o] { return step(*o); };
}

}  // namespace trainyard::tools
