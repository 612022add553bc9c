#include <cmath>

#include "cluster/net/flow.h"
#include "cluster/training/collective_times.h"

namespace trainyard::cluster {
namespace {

// A transfer at the full rate of what bounds it: the shares that a runtime reaches are calibrated
// in knobs of their own.
double at_full_rate(double seconds, bool network, const hw::Knobs& knobs) {
  return seconds * (network ? knobs.net.eff_efa_all.value : knobs.net.eff_link.value);
}

}  // namespace

const Communicator* NetCollectives::communicator(const RankGroup& group) const {
  const int64_t key = group.size * (int64_t{1} << 32) + group.stride;
  const auto found = groups_.find(key);
  if (found != groups_.end()) return found->second.get();
  Result<Communicator> made = Communicator::make(cluster_, {group.size, group.stride});
  auto kept = made ? std::make_unique<Communicator>(std::move(*made)) : nullptr;
  return groups_.emplace(key, std::move(kept)).first->second.get();
}

CollectiveCost NetCollectives::simulated(const Communicator& members, const Request& request,
                                         const RankGroup& group) const {
  const std::string key = fmt::format("{} {} {} {}", static_cast<int>(request.op), request.bytes,
                                      group.size, group.stride);
  const auto found = simulated_.find(key);
  if (found != simulated_.end()) return found->second;
  const Result<CollectiveTime> closed = collective_time(members, request);
  const Result<FlowReport> flows = simulate(members, request);
  ++(flows ? counts_.simulated : counts_.not_simulated);
  CollectiveCost cost;
  if (closed) {
    const double total = flows ? flows->total.value : closed->total.value;
    cost.latency = closed->start.value + closed->latency.value;
    cost.network = closed->bound == Bound::Efa;
    cost.transfer =
        at_full_rate(std::max(0.0, total - cost.latency), cost.network, cluster_.system.knobs);
  }
  return simulated_.emplace(key, cost).first->second;
}

CollectiveCost NetCollectives::time(Op op, double bytes, const RankGroup& group) const {
  if (group.size <= 1 || bytes <= 0) return {};
  const std::lock_guard lock(mutex_);
  const Communicator* members = communicator(group);
  if (members == nullptr) {
    ++counts_.not_simulated;
    return fallback_.time(op, bytes, group);
  }
  const double ranks = static_cast<double>(group.size);
  const Request request{.op = op, .bytes = static_cast<int64_t>(std::ceil(bytes / ranks) * ranks)};
  if (grain_ == Grain::Flows) return simulated(*members, request, group);
  const Result<CollectiveTime> time = collective_time(*members, request);
  if (!time) return fallback_.time(op, bytes, group);
  const bool network = time->bound == Bound::Efa;
  return {.latency = time->start.value + time->latency.value,
          .transfer = at_full_rate(time->transfer.value, network, cluster_.system.knobs),
          .network = network};
}

}  // namespace trainyard::cluster
