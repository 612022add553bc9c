// The time of a collective from the costs of its steps.
#include <algorithm>

#include "cluster/net/collective.h"
#include "cluster/net/profile.h"

namespace trainyard::cluster {

Result<CollectiveTime> collective_time(const Communicator& group, const Request& request) {
  const Communicator::Layout& layout = group.layout();
  const auto selection = select_algorithm(group, request);
  if (!selection) return selection.status();
  CollectiveTime time;
  time.selection = *selection;
  if (layout.ranks == 1) return time;
  const Profile& costs = profile(layout, request.op, *selection);
  const auto bytes = static_cast<double>(request.bytes);
  const double start = layout.cluster.system.knobs.net.t_start_us.value;
  std::array<double, 5> spent{};
  const double us = profile_us(costs, bytes, &spent);
  const double latency = spent[static_cast<size_t>(Bound::Latency)];
  time.start = Seconds::from_us(start);
  time.latency = Seconds::from_us(latency);
  time.total = Seconds::from_us(start + us);
  time.transfer = Seconds::from_us(us - latency);
  time.steps = costs.steps;
  spent[static_cast<size_t>(Bound::Latency)] += start;
  time.bound = static_cast<Bound>(std::ranges::max_element(spent) - spent.begin());
  time.trust = costs.trust;
  time.dma_bytes = costs.dma_bytes * bytes;
  time.hbm_bytes = costs.hbm_bytes * bytes;
  return time;
}

}  // namespace trainyard::cluster
