#include "cluster/training/fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cluster/training/dense_solve.h"

namespace trainyard::cluster {
namespace {

std::vector<size_t> fitted_knobs() {
  std::vector<size_t> free;
  const auto table = knob_table();
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].spread > 0) free.push_back(i);
  }
  return free;
}

double log_ratio(const PublishedRun& run, const Calibration& knobs) {
  return std::log(predict(run, knobs).tokens_per_s / run.tokens_per_s);
}

Calibration moved(const Calibration& from, const std::vector<size_t>& free,
                  const std::vector<double>& step) {
  Calibration to = from;
  for (size_t k = 0; k < free.size(); ++k) {
    const KnobInfo& info = knob_table()[free[k]];
    // No more than a third at once: the model is not linear.
    const double factor = std::exp(std::clamp(step[k], -0.33, 0.33));
    to.values[free[k]] = std::clamp(from.values[free[k]] * factor, info.low, info.high);
  }
  return to;
}

// The linear model around one calibration.
struct Linear {
  std::vector<double> residual;            // log ratio of each run
  std::vector<std::vector<double>> slope;  // by run, then by fitted knob
};

Linear linearize(std::span<const PublishedRun> runs, const Calibration& knobs,
                 const std::vector<size_t>& free) {
  Linear l;
  constexpr double kStep = 0.02;
  for (const PublishedRun& run : runs) l.residual.push_back(log_ratio(run, knobs));
  l.slope.assign(runs.size(), std::vector<double>(free.size(), 0));
  for (size_t k = 0; k < free.size(); ++k) {
    Calibration other = knobs;
    other.values[free[k]] *= std::exp(kStep);
    for (size_t i = 0; i < runs.size(); ++i) {
      l.slope[i][k] = (log_ratio(runs[i], other) - l.residual[i]) / kStep;
    }
  }
  return l;
}

class Fitter {
 public:
  Fitter(std::span<const PublishedRun> runs, const FitOptions& options)
      : runs_(runs), options_(options), free_(fitted_knobs()) {
    for (const PublishedRun& run : runs) ++sizes_[run.config_key];
  }

  // Normal equations of the rows and the priors; rows of configuration `without` do not count.
  void equations(const Linear& l, const Calibration& at, const std::string* without, Matrix& a,
                 std::vector<double>& b) const {
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (without != nullptr && runs_[i].config_key == *without) continue;
      const double weight = row_weight(i, l.residual[i]);
      for (size_t j = 0; j < free_.size(); ++j) {
        if (l.slope[i][j] == 0) continue;
        b[j] -= weight * l.slope[i][j] * l.residual[i];
        for (size_t k = 0; k < free_.size(); ++k) {
          a.at(j, k) += weight * l.slope[i][j] * l.slope[i][k];
        }
      }
    }
    for (size_t j = 0; j < free_.size(); ++j) {
      const KnobInfo& info = knob_table()[free_[j]];
      const double weight = 1 / (info.spread * info.spread);
      a.at(j, j) += weight;
      b[j] -= weight * std::log(at.values[free_[j]] / info.prior);
    }
  }

  Calibration improve(const Calibration& from, const std::string* without) const {
    return improve(linearize(runs_, from, free_), from, without);
  }

  Calibration improve(const Linear& l, const Calibration& from, const std::string* without) const {
    Matrix a(free_.size());
    std::vector<double> b(free_.size(), 0);
    equations(l, from, without, a, b);
    return moved(from, free_, solve(cholesky(a), b));
  }

  // How far the knobs, as the other rows leave them, let the prediction of run `i` move.
  double spread(const Linear& l, const Calibration& at, size_t i) const {
    Matrix a(free_.size());
    std::vector<double> b(free_.size(), 0);
    equations(l, at, &runs_[i].config_key, a, b);
    const std::vector<double> x = solve(cholesky(a), l.slope[i]);
    double variance = 0;
    for (size_t k = 0; k < free_.size(); ++k) variance += l.slope[i][k] * x[k];
    return std::sqrt(variance);
  }

  // Standard deviations of the knobs, given all rows.
  Calibration doubts(const Linear& l, const Calibration& at) const {
    Matrix a(free_.size());
    std::vector<double> b(free_.size(), 0);
    equations(l, at, nullptr, a, b);
    const Matrix lower = cholesky(a);
    Calibration doubt{};
    for (size_t k = 0; k < free_.size(); ++k) {
      std::vector<double> unit(free_.size(), 0);
      unit[k] = 1;
      doubt.values[free_[k]] = std::sqrt(solve(lower, unit)[k]);
    }
    return doubt;
  }

  const std::vector<size_t>& free() const { return free_; }

 private:
  // Rows of one configuration share one vote and a half; far outliers pull with constant force.
  double row_weight(size_t i, double residual) const {
    const double vote = 1 / std::sqrt(sizes_.at(runs_[i].config_key));
    const double deviations = std::abs(residual) / options_.noise;
    const double robust = deviations > options_.huber ? options_.huber / deviations : 1;
    return vote * robust / (options_.noise * options_.noise);
  }

  std::span<const PublishedRun> runs_;
  FitOptions options_;
  std::vector<size_t> free_;
  std::map<std::string, double> sizes_;
};

}  // namespace

Prediction predict(const PublishedRun& run, const Calibration& knobs) {
  Prediction mean;
  for (const Workload& work : run.workloads) {
    const StepModel model(work, knobs);
    const Step step = model.evaluate(run.layout, run.batch);
    const double share = 1 / static_cast<double>(run.workloads.size());
    mean.step_s += share * step.total;
    mean.tokens_per_s += share * step.tokens_per_s;
    mean.memory_bytes += share * step.memory.total();
    mean.fits = mean.fits && step.fits;
  }
  return mean;
}

FitResult fit(std::span<const PublishedRun> runs, const Calibration& start,
              const FitOptions& options) {
  const Fitter fitter(runs, options);
  FitResult result{.knobs = start, .doubt = {}};
  for (int i = 0; i < options.iterations; ++i) {
    result.knobs = fitter.improve(result.knobs, nullptr);
  }
  const Linear around = linearize(runs, result.knobs, fitter.free());
  result.doubt = fitter.doubts(around, result.knobs);
  result.log_ratio = around.residual;
  result.log_ratio_left.resize(runs.size());
  result.spread_left.resize(runs.size());
  std::map<std::string, Calibration> left;
  for (size_t i = 0; i < runs.size(); ++i) {
    auto found = left.find(runs[i].config_key);
    if (found == left.end()) {
      // From the full fit the way is short: its slopes hold for the first step.
      Calibration without = fitter.improve(around, result.knobs, &runs[i].config_key);
      for (int k = 1; k < options.iterations_left; ++k) {
        without = fitter.improve(without, &runs[i].config_key);
      }
      found = left.emplace(runs[i].config_key, without).first;
    }
    result.log_ratio_left[i] = log_ratio(runs[i], found->second);
    result.spread_left[i] = fitter.spread(around, result.knobs, i);
  }
  return result;
}

}  // namespace trainyard::cluster
