#include "cluster/plan/faults.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cluster/plan/cost.h"

namespace trainyard::cluster {
namespace {

constexpr double kHour = 3600;
// A save must end this long before a spot node goes.
constexpr double kSpotMargin = 10;

}  // namespace

double checkpoint_bytes(const Workload& work) {
  const Precision& p = work.precision;
  return parameters(work.model) * (p.weight + p.master + moments(work.optimizer) * p.moment);
}

FaultModel fault_model(const Workload& work, double nodes, bool spot, Save save) {
  const auto& run = work.system.knobs.run;
  FaultModel f;
  f.nodes = nodes;
  f.rate = run.interruptions_per_hour.value / kHour;
  f.spot_rate = spot ? run.spot_losses_per_hour.value / kHour : 0;
  f.detect = work.system.knobs.net.exec_timeout_s.value;
  f.restart = run.restart_s.value;
  f.replace = run.restart_replaced_s.value;
  f.notice = run.spot_notice_s.value;
  const double bytes = checkpoint_bytes(work);
  f.write = bytes / (nodes * 1e9 * run.storage_write_bytes_per_ns.value);
  // Asynchronous: the job stops only while the state goes to the hosts.
  const double chips = static_cast<double>(work.chips);
  const double copy = bytes / chips / (1e9 * work.system.accelerator.host_bytes_per_ns.value);
  f.save = save == Save::Synchronous ? f.write : copy;
  return f;
}

double young_daly(const FaultModel& f) {
  return f.lambda() > 0 ? std::sqrt(2 * std::max(f.save, 1e-3) / f.lambda()) : 24 * kHour;
}

double goodput(const FaultModel& f, double interval) {
  return 1 / (1 + f.save / interval +
              f.lambda() * (f.detect + f.replace + std::max(interval, f.write) / 2));
}

double best_interval(const FaultModel& f) {
  // One maximum: golden section over the logarithm. No more often than a checkpoint can be written.
  double low = std::log(std::max({kShortestInterval, f.save, f.write})),
         high = std::log(7 * 24 * kHour);
  if (low >= high) return std::exp(low);
  constexpr double kGolden = 0.6180339887498949;
  for (int i = 0; i < 80; ++i) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    if (goodput(f, std::exp(a)) < goodput(f, std::exp(b))) {
      low = a;
    } else {
      high = b;
    }
  }
  return std::exp((low + high) / 2);
}

namespace {

// SplitMix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  double uniform() {  // in (0, 1]
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return (static_cast<double>(z >> 11) + 1) * 0x1p-53;
  }
  double exponential(double rate) { return -std::log(uniform()) / rate; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  uint64_t state_;
};

struct OneRun {
  double wall = 0;
  double interruptions = 0;
};

// Faults that one simulated stretch of work may have before it counts as never ending.
constexpr double kMostFaults = 1'000'000;

// Progress comes in pieces of `interval`, each closed by a save. A fault throws back to the last
// safe save; a spot node that gives notice in time loses nothing.
OneRun simulate(const FaultModel& f, double work, double interval, Random& random,
                double most_faults = kMostFaults) {
  OneRun run;
  const double lambda = f.lambda();
  const double spot_share = lambda > 0 ? f.spot_rate / (f.rate + f.spot_rate) : 0;
  const bool savable = f.write < f.notice - kSpotMargin;
  double next = lambda > 0 ? random.exponential(lambda) : 1e300;
  double done = 0;
  while (done < work) {
    const double piece = std::min(interval, work - done);
    const double cost = piece + f.save;
    if (next > cost) {
      next -= cost;
      run.wall += cost;
      done += piece;
      continue;
    }
    ++run.interruptions;
    const bool spot = random.uniform() <= spot_share;
    if (spot && savable) {
      done += std::min(piece, next);
      run.wall += next + f.replace;
    } else {
      run.wall += next + f.detect + f.replace;
    }
    next = random.exponential(lambda);
    // Faults come while the job restarts, too: more than this many and it never ends.
    if (run.interruptions > most_faults || run.wall > 1e4 * work + 1e7) {
      run.wall = std::max(run.wall, most_faults < kMostFaults ? 1e4 * work : 0);
      break;
    }
  }
  return run;
}

// Saves and faults that a run is expected to have.
double expected_events(const FaultModel& f, double work, double interval) {
  // A piece is tried until no fault falls into it.
  const double tries = std::exp(std::min(f.lambda() * (interval + f.save), 50.0));
  return std::max(1.0, work / interval) * tries;
}

// Runs that are too long to follow event by event. Equal stretches of one are independent of each
// other, so their sum is normal, with a mean and a deviation that a sample of stretches gives.
class LongRuns {
 public:
  LongRuns(const FaultModel& f, double work, double interval, Random& random) {
    constexpr double kEvents = 1000;
    constexpr int kSample = 4096;
    constexpr double kFaults = 10'000;
    const double pieces =
        std::max(1.0, std::floor(work / interval * kEvents / expected_events(f, work, interval)));
    work_ = pieces * interval;
    double squares = 0;
    for (int i = 0; i < kSample; ++i) {
      const OneRun run = simulate(f, work_, interval, random, kFaults);
      wall_ += run.wall / kSample;
      squares += run.wall * run.wall / kSample;
      interruptions_ += run.interruptions / kSample;
    }
    deviation_ = std::sqrt(std::max(0.0, squares - wall_ * wall_));
  }

  OneRun draw(double work, Random& random) const {
    const double stretches = work / work_;
    const double wall = stretches * wall_ + std::sqrt(stretches) * deviation_ * random.normal();
    return {std::max(wall, work), stretches * interruptions_};
  }

 private:
  double work_ = 0;  // of a stretch
  double wall_ = 0, deviation_ = 0, interruptions_ = 0;
};

}  // namespace

RunOdds simulate_runs(const FaultModel& f, const RunQuestion& q) {
  Random random(q.seed);
  std::vector<double> walls;
  RunOdds odds;
  const double interval = q.interval_s > 0 ? q.interval_s : best_interval(f);
  // About a second of simulation; a year with a save every ten minutes is below.
  constexpr double kMostEvents = 60'000;
  std::optional<LongRuns> long_runs;
  if (expected_events(f, q.work_s, interval) > kMostEvents)
    long_runs.emplace(f, q.work_s, interval, random);
  for (int i = 0; i < q.runs; ++i) {
    const double work = q.work_s * std::exp(q.rate_band * random.normal());
    const OneRun run =
        long_runs ? long_runs->draw(work, random) : simulate(f, work, interval, random);
    walls.push_back(run.wall);
    odds.mean_s += run.wall / q.runs;
    odds.interruptions += run.interruptions / q.runs;
    odds.goodput += work / run.wall / q.runs;
    if (q.deadline_s > 0 && run.wall > q.deadline_s) odds.miss += 1.0 / q.runs;
  }
  std::ranges::sort(walls);
  const auto quantile = [&](double share) {
    return walls[static_cast<size_t>(share * static_cast<double>(walls.size() - 1))];
  };
  odds.p10_s = quantile(0.1);
  odds.p50_s = quantile(0.5);
  odds.p90_s = quantile(0.9);
  return odds;
}

}  // namespace trainyard::cluster
