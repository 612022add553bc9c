// How long the network model takes. Prints one line per measure: name, ours, bar. Everything runs
// on one thread; times are processor times, so that other work on the host does not count.
//   ./dev bench-cluster
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string_view>
#include <vector>

#include "cluster/net/flow.h"

namespace trainyard::cluster {
namespace {

// The median of some runs, in seconds of the processor.
template <class F>
double median_seconds(int runs, F&& run) {
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) {
    const std::clock_t start = std::clock();
    run();
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

bool all_good = true;

void line(std::string_view name, std::string_view ours, std::string_view bar, bool good) {
  fmt::print("{:<58} {:>12}   {:>12}   {}\n", name, ours, bar, good ? "ok" : "MISSED");
  all_good = all_good && good;
}

Communicator whole(int64_t chips) {
  const hw::System system = *hw::find_system("trn2.48xlarge");
  return *Communicator::make(*make_cluster(system, chips / system.instance.chips.value), Grid{});
}

// Group and simulation, as a user asks for them.
double flow_seconds(int64_t chips, int runs, const FlowOptions& options = {}) {
  return median_seconds(runs, [&] {
    const auto report = simulate(whole(chips), {Op::AllReduce, GiB}, options);
    if (!report) fmt::print("{}\n", report.status().str());
  });
}

void bench_flow() {
  const double even = flow_seconds(8192, 9);
  line("all-reduce, 8,192 chips, flow grain", fmt::format("{:.4f} s", even), "<= 0.2 s",
       even <= 0.2);
  const double ten = flow_seconds(81920, 9);
  line("all-reduce, 81,920 chips against 8,192", fmt::format("{:.2f} x", ten / even), "<= 2 x",
       ten <= 2 * even);
  const FlowOptions rough{.jitter = true, .seed = 1, .slow = {{17, 5, 6, 0.5}}};
  const double uneven = flow_seconds(8192, 1, rough);
  line("all-reduce, 8,192 chips, slow link and jitter", fmt::format("{:.2f} s", uneven), "<= 10 s",
       uneven <= 10);
}

void bench_closed() {
  const Communicator group = whole(8192);
  const int64_t calls = 100'000;
  double sum = 0;
  const double seconds = median_seconds(3, [&] {
    for (int64_t i = 0; i < calls; ++i) {
      sum += collective_time(group, {Op::AllReduce, GiB + i})->total.value;
    }
  });
  const double us = seconds / static_cast<double>(calls) * 1e6;
  line("all-reduce, 8,192 chips, closed form, one call", fmt::format("{:.2f} us", us), "<= 10 us",
       us <= 10 && sum > 0);
}

}  // namespace
}  // namespace trainyard::cluster

int main() {
  fmt::print("{:<58} {:>12}   {:>12}\n", "name", "ours", "bar");
  trainyard::cluster::bench_flow();
  trainyard::cluster::bench_closed();
  return trainyard::cluster::all_good ? 0 : 1;
}
