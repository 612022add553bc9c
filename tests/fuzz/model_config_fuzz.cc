// Any bytes are a model that can be timed, or an error with a code: never a crash, never a time
// that is no number.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "cluster/training/job.h"
#include "cluster/training/model_config.h"

namespace {

using namespace trainyard;

const hw::System& machine() {
  static const hw::System kSystem = *hw::find_system("trn1.32xlarge");
  return kSystem;
}

void time_one_step(const cluster::Model& model) {
  const Result<cluster::Job> job = cluster::resolve({.model = model, .system = machine()});
  if (!job) {
    TY_CHECK(job.status().code().starts_with("TY-CLU-"));
    return;
  }
  const cluster::StepModel steps(job->work, cluster::calibrated());
  const Result<cluster::Step> step = steps.step(job->layout, job->batch);
  if (!step) {
    TY_CHECK(step.status().code().starts_with("TY-CLU-"));
    return;
  }
  TY_CHECK(std::isfinite(step->total) && step->total > 0);
  TY_CHECK(std::isfinite(step->memory.total()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const bool numbers = text.starts_with("layers=");
  const Result<cluster::Model> model =
      numbers ? cluster::parse_model_numbers(text) : cluster::parse_model_config(text, "fuzz.json");
  if (!model) {
    TY_CHECK(model.status().code().starts_with("TY-CLU-20"));
    return 0;
  }
  const double weights = cluster::parameters(*model);
  TY_CHECK(weights > 0 && weights < 1e16);
  TY_CHECK(std::isfinite(cluster::model_flops(*model, 4096)));
  time_one_step(*model);
  return 0;
}
