#pragma once
// Every legal layout of a model on given machines, timed, priced and ranked.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cluster/plan/cost.h"
#include "cluster/plan/faults.h"
#include "cluster/training/step.h"

namespace trainyard::cluster {

// One kind of machine that may be rented.
struct Offer {
  hw::System system;
  Software software;
  std::string label;               // "trn2.48xlarge nxd"
  std::optional<UnitPrice> price;  // none: no cost is printed for it
};

struct PlanQuestion {
  Model model;
  Precision precision;
  Optimizer optimizer = Optimizer::AdamW;
  Overlap overlap = Overlap::Default;
  int64_t seq_len = 4096;
  int64_t global_batch = 1024;
  double tokens = 0;  // of the whole run
  std::vector<Offer> offers;
  int64_t nodes_low = 1, nodes_high = 64;
  bool spot = false;
  Save save = Save::Asynchronous;
  double deadline_h = 0;  // 0: none
  double budget_usd = 0;  // 0: none
  Calibration knobs = calibrated();
};

struct Plan {
  size_t offer = 0;  // index into the question's offers
  int64_t nodes = 0, chips = 0;
  Layout layout;
  Batch batch;
  Step step;
  double goodput = 1;
  double interval_s = 0;  // between checkpoints
  double wall_h = 0;
  double usd = 0, usd_low = 0, usd_high = 0;  // 0 without a price
  double usd_per_mtoken = 0;
  double kwh = 0;
  bool late = false, dear = false;  // misses the deadline, exceeds the budget
};

struct PlanAnswer {
  std::vector<Plan> best;   // the best of each machine and size first, then the rest, a few
  std::vector<Plan> front;  // nobody is both faster and cheaper; fastest first
  int64_t considered = 0;   // layouts that are legal
  int64_t out_of_memory = 0;
};

// Orders `best` by cost among plans that meet deadline and budget, else by time. Errors:
// TY-PLAN-001 nothing legal, TY-PLAN-002 nothing fits (with the nearest miss), TY-PLAN-003 bad
// numbers.
Result<PlanAnswer> search_plans(const PlanQuestion& question);

// All legal layouts for `nodes` of an offer; memory is not looked at.
void for_each_layout(const StepModel& model, const PlanQuestion& question,
                     const std::function<void(const Layout&, const Batch&)>& visit);

// A plan for one layout, timed and priced.
Plan make_plan(const StepModel& model, const PlanQuestion& question, size_t offer, int64_t nodes,
               const Layout& layout, const Batch& batch);

StepModel step_model(const PlanQuestion& question, size_t offer, int64_t nodes);

// Why `other` is worse, in words: "1.8 s more in tensor parallel", "price".
std::string why_worse(const Plan& best, const Plan& other);

}  // namespace trainyard::cluster
