#pragma once
// From the command line of `plan` to its question: machines, prices, ranges.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cluster/plan/search.h"
#include "tools/job_options.h"

namespace trainyard::tools {

struct PlanOptions {
  JobOptions job;
  std::string on = "trn2.48xlarge", tokens, nodes = "1..64", deadline, budget, market, prices;
  std::vector<std::string> price;  // trn2=2.25/chip-hour
  bool spot = false, synchronous = false;
};

void add_plan_options(CLI::App& app, PlanOptions& options);

// Errors of the model, the machines and prices; TY-PLAN-004 for a quantity, TY-PLAN-005 for a
// price.
Result<cluster::PlanQuestion> read_question(const PlanOptions& options);

}  // namespace trainyard::tools
