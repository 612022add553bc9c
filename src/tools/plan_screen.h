#pragma once
// What `trainyard plan` shows: text and JSON.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cluster/plan/search.h"
#include "cluster/plan/sensitivity.h"
#include "cluster/training/band.h"

namespace trainyard::tools {

struct PlanReport {
  cluster::PlanQuestion question;
  cluster::PlanAnswer answer;
  // Of the best plan.
  cluster::Band band;
  cluster::FaultModel faults;
  cluster::RunOdds odds;
  std::vector<cluster::Swing> swings;
  // The best plan of each offer, with its band; nothing where none fits.
  std::vector<std::optional<cluster::Plan>> by_offer;
  std::vector<cluster::Band> offer_bands;
};

std::string plan_text(const PlanReport& report);
// Cost per million tokens on each machine, and the prices at which they are equal.
std::string compare_text(const PlanReport& report);
// One HTML file.
std::string plan_report(const PlanReport& report);
nlohmann::ordered_json plan_json(const PlanReport& report);

}  // namespace trainyard::tools
