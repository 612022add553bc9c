#pragma once
// What `trainyard step` shows: text, JSON, a Perfetto trace.
#include <nlohmann/json.hpp>
#include <string>

#include "cluster/training/band.h"
#include "cluster/training/job.h"

namespace trainyard::tools {

struct StepAnswer {
  cluster::Job job;
  cluster::Step step;
  cluster::Band band;
  std::vector<cluster::LayerLine> lines;
  cluster::PipelineShape pipeline;
  double peak_flops = 0;
  cluster::MemoryRules rules;
};

std::string step_text(const StepAnswer& answer, bool layers);
nlohmann::ordered_json step_json(const StepAnswer& answer);
// One HTML file.
std::string step_report(const StepAnswer& answer);
// Perfetto: a track per pipeline stage, per kind of collective, and per engine of one micro batch.
std::string step_trace(const StepAnswer& answer);

}  // namespace trainyard::tools
