// How fast the cluster models are: one row per bar with its name, our figure, the bar, and whether
// it is met. Everything runs on one thread; times are processor times, so that other work on the
// host does not count. The exit status is 1 if a bar is missed.
//   ./dev bench-cluster
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "cluster/net/flow.h"
#include "cluster/plan/search.h"
#include "cluster/training/job.h"
#include "cluster/training/model_list.h"

namespace trainyard::cluster {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The median of some runs.
template <class F>
double median_seconds(int runs, F&& run) {
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) {
    const double start = processor_seconds();
    run();
    seconds.push_back(processor_seconds() - start);
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

class Bars {
 public:
  void at_most(const std::string& name, double ours, double bar, const char* unit) {
    row(name, ours, "<=", bar, unit, ours <= bar);
  }
  void at_least(const std::string& name, double ours, double bar, const char* unit) {
    row(name, ours, ">=", bar, unit, ours >= bar);
  }
  bool all_met() const { return all_met_; }
  static void head() { fmt::print("{:<66} {:>14} {:>16}  {}\n", "name", "ours", "bar", "pass"); }

 private:
  static std::string number(double x, const char* unit) {
    return x >= 1000 ? fmt::format("{:.0f} {}", x, unit) : fmt::format("{:.3g} {}", x, unit);
  }
  void row(const std::string& name, double ours, const char* sign, double bar, const char* unit,
           bool met) {
    fmt::print("{:<66} {:>14} {:>16}  {}\n", name, number(ours, unit),
               fmt::format("{} {}", sign, number(bar, unit)), met ? "yes" : "NO");
    std::fflush(stdout);
    all_met_ = all_met_ && met;
  }
  bool all_met_ = true;
};

Communicator whole(int64_t chips) {
  const hw::System system = *hw::find_system("trn2.48xlarge");
  return *Communicator::make(*make_cluster(system, chips / system.instance.chips.value), Grid{});
}

// Group, schedule and simulation, as a user asks for them.
double flow_seconds(int64_t chips, int runs, const FlowOptions& options = {}) {
  return median_seconds(runs, [&] {
    const auto report = simulate(whole(chips), {Op::AllReduce, GiB}, options);
    TY_CHECK(report);
  });
}

void bench_flow(Bars& bars) {
  const double even = flow_seconds(8192, 9);
  bars.at_most("all-reduce of 1 GiB, 8,192 chips, flow grain", even, 0.2, "s");
  const double ten = flow_seconds(81920, 9);
  bars.at_most("  the same on 81,920 chips, against 8,192", ten / even, 2, "x");
  const FlowOptions rough{.jitter = true, .seed = 1, .slow = {{17, 5, 6, 0.5}}};
  bars.at_most("  8,192 chips with one link at half rate and jitter", flow_seconds(8192, 1, rough),
               10, "s");
}

void bench_closed(Bars& bars) {
  const Communicator group = whole(8192);
  const int64_t calls = 100'000;
  double sum = 0;
  const double seconds = median_seconds(3, [&] {
    for (int64_t i = 0; i < calls; ++i) {
      sum += collective_time(group, {Op::AllReduce, GiB + i})->total.value;
    }
  });
  TY_CHECK(sum > 0);
  bars.at_most("all-reduce, 8,192 chips, closed form, one call",
               seconds / static_cast<double>(calls) * 1e6, 10, "us");
}

// A 70B model with pipelines (neuronx-distributed) or sharded weights (JAX) on trn2.
Job job_of(int64_t nodes, const char* software) {
  const bool pipelined = std::string_view(software) == "nxd";
  JobRequest request;
  request.model = *find_model("llama3-70b");
  request.system = *hw::find_system("trn2.48xlarge");
  request.nodes = nodes;
  request.software = software;
  request.tp = pipelined ? 32 : 4;
  request.pp = pipelined ? 4 : 1;
  request.seq_len = 8192;
  request.micro_batch = 1;
  if (!pipelined) request.sharding = "fsdp";
  return *resolve(request);
}

// One step from nothing: groups, schedules and flows of every kind of collective in it.
double step_seconds(int64_t nodes, const char* software, int runs) {
  const Job job = job_of(nodes, software);
  return median_seconds(runs, [&] {
    Workload work = job.work;
    const auto times = std::make_shared<NetCollectives>(*make_cluster(work.system, nodes, work.lnc),
                                                        NetCollectives::Grain::Flows);
    work.collectives = times;
    const Step step = StepModel(work, calibrated()).evaluate(job.layout, job.batch);
    TY_CHECK(step.total > 0 && times->counts().simulated > 0);
    TY_CHECK(times->counts().not_simulated == 0);
  });
}

void bench_steps(Bars& bars) {
  for (const char* software : {"nxd", "jax"}) {
    const double step = step_seconds(64, software, 5);
    bars.at_most(fmt::format("step of a 70B model, 1,024 chips, {}, all flows", software), step,
                 0.5, "s");
    bars.at_most("  the same on 10,240 chips, against 1,024", step_seconds(640, software, 5) / step,
                 2, "x");
    bars.at_most("  the same on 100,000 chips", step_seconds(6250, software, 3), 1, "s");
  }
}

// Resident memory of a step in a process of its own.
void bench_memory(Bars& bars) {
  const pid_t child = fork();
  if (child == 0) {
    step_seconds(6250, "nxd", 1);
    step_seconds(6250, "jax", 1);
    _exit(0);
  }
  int status = 0;
  rusage use{};
  wait4(child, &status, 0, &use);
  TY_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  bars.at_most("step of a 70B model, 100,000 chips, peak memory",
               static_cast<double>(use.ru_maxrss) * 1024e-9, 1, "GB");
}

// Every legal layout on 1 to 64 instances: timed, checked against memory and priced.
void bench_plans(Bars& bars) {
  PlanQuestion question;
  question.model = *find_model("llama3-70b");
  question.tokens = 2e12;
  const hw::System system = *hw::find_system("trn2.48xlarge");
  const UnitPrice price = unit_price(*hw::default_price(hw::prices(), system.name), system);
  for (const Stack stack : {Stack::NeuronNxd, Stack::NeuronJax}) {
    question.offers.push_back({system, {.stack = stack}, system.name, price});
  }
  question.nodes_high = 128;
  int64_t plans = 0;
  const double seconds = median_seconds(5, [&] {
    const auto answer = search_plans(question);
    TY_CHECK(answer);
    plans = answer->considered;
  });
  bars.at_least(fmt::format("evaluated plans ({} of a 70B model)", plans),
                static_cast<double>(plans) / seconds, 100'000, "/s");
}

// All rows; whether every bar is met.
bool run_all() {
  Bars bars;
  Bars::head();
  bench_memory(bars);  // first: a child starts with the memory of its parent
  bench_flow(bars);
  bench_closed(bars);
  bench_steps(bars);
  bench_plans(bars);
  return bars.all_met();
}

}  // namespace
}  // namespace trainyard::cluster

int main() { return trainyard::cluster::run_all() ? 0 : 1; }
