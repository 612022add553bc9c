#include "sim/timing/completions.h"

#include <algorithm>

namespace trainyard::sim {

void Completions::Ring::grow() {
  std::vector<Ticks> larger(times.size() * 2);
  const int64_t oldest = std::max<int64_t>(0, count - static_cast<int64_t>(times.size()));
  for (int64_t i = oldest; i < count; ++i) {
    larger[static_cast<size_t>(i) & (larger.size() - 1)] =
        times[static_cast<size_t>(i) & (times.size() - 1)];
  }
  times = std::move(larger);
}

void Completions::complete_replica(Ring& r, int64_t instance, Ticks seen) {
  const auto index = static_cast<size_t>(instance - r.count);
  if (r.partial.size() <= index) r.partial.resize(index + 1, {0, Ticks(0)});
  auto& [engines, latest] = r.partial[index];
  ++engines;
  latest = std::max(latest, seen);
  while (!r.partial.empty() && r.partial.front().first == r.replicas) {
    r.push(r.partial.front().second);
    r.partial.erase(r.partial.begin());
  }
}

}  // namespace trainyard::sim
