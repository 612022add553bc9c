#pragma once
// The options that describe a training job, shared by `step` and `plan`. Their names are those of
// the columns of published tables: --seq-len is seq_len.
#include <CLI/App.hpp>
#include <string>

#include "base/status.h"
#include "cluster/training/job.h"

namespace trainyard::tools {

struct JobOptions {
  std::string model, machine, instance = "trn2.48xlarge";
  cluster::JobRequest request;
  bool no_sequence_parallel = false;
};

// Everything but the layout.
void add_model_options(CLI::App& app, JobOptions& options);
void add_layout_options(CLI::App& app, JobOptions& options);

// Reads the model and the machine.
Result<cluster::JobRequest> read_job(const JobOptions& options);

// "trn2" is an instance of it with all its links: trn2.48xlarge. Also v5p, h100, a100.
std::string instance_of(const std::string& name);

}  // namespace trainyard::tools
