#pragma once
// Checkpoints and faults: how much of the time a run makes progress. [cluster 7]
#include <cstdint>
#include <vector>

#include "cluster/training/step.h"
#include "hw/systems/system.h"

namespace trainyard::cluster {

// What happens to a synchronous job: every node stops when one is lost.
struct FaultModel {
  double nodes = 1;
  double rate = 0;       // faults per node-second
  double spot_rate = 0;  // nodes taken back per node-second
  double save = 0;       // seconds that a checkpoint stops the job
  double write = 0;      // seconds until it is safe, in the background or not
  double detect = 30;    // until a fault is noticed
  double restart = 285;  // to the first step, same nodes
  double replace = 458;  // to the first step, with a new node
  double notice = 120;   // before a spot node goes

  double lambda() const { return nodes * (rate + spot_rate); }  // faults of the job per second
};

// Bytes of a checkpoint: weights, masters and moments.
double checkpoint_bytes(const Workload& work);

enum class Save : uint8_t { Synchronous, Asynchronous };

FaultModel fault_model(const Workload& work, double nodes, bool spot, Save save);

// Checkpoints closer than this fill storage and help nobody.
inline constexpr double kShortestInterval = 300;

// sqrt(2 save / lambda), after Young and Daly.
double young_daly(const FaultModel& faults);

// 1 / (1 + save / interval + lambda (detect + restart + interval / 2))
double goodput(const FaultModel& faults, double interval);

// The interval with the best goodput, found by search.
double best_interval(const FaultModel& faults);

struct RunOdds {
  double mean_s = 0, p10_s = 0, p50_s = 0, p90_s = 0;
  double miss = 0;           // share of runs that end after the deadline
  double interruptions = 0;  // mean
  double goodput = 0;        // mean
};

struct RunQuestion {
  double work_s = 0;      // seconds of undisturbed progress
  double rate_band = 0;   // standard deviation of the logarithm of the step time
  double deadline_s = 0;  // 0: none
  double interval_s = 0;
  uint64_t seed = 1;
  int runs = 4000;
};

// Simulated runs: faults at random times, work since the last safe checkpoint is lost. The same
// seed gives the same answer on every host. Runs with more than 60,000 saves and faults are drawn
// as sums of sampled stretches, so that any amount of work takes about as long.
RunOdds simulate_runs(const FaultModel& faults, const RunQuestion& question);

}  // namespace trainyard::cluster
