#pragma once
// A collective as the costs of its steps: all that the closed form needs. Made once for each
// operation and selection of a communicator and kept with it, because a planner asks again and
// again.
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cluster/net/step_cost.h"

namespace trainyard::cluster {

struct StageCost {
  double chunk_share = 1;  // bytes of a chunk for each byte of the request
  std::vector<StepCost> steps;
};

struct Profile {
  Status status;  // not ok: the group cannot run it
  int64_t steps = 0;
  std::vector<std::vector<StageCost>> parts;  // parts run at the same time, stage by stage
  double dma_bytes = 0;                       // of a chip, for each byte of the request
  double hbm_bytes = 0;
  hw::Trust trust = hw::Trust::Documented;
};

// Safe to use from several threads.
class ProfileCache {
 public:
  const Profile& get(const Communicator::Layout& layout, Op op, const Selection& selection) const;

 private:
  mutable std::mutex mutex_;
  mutable std::map<int, std::unique_ptr<const Profile>> known_;
};

// The same, kept with the layout.
const Profile& profile(const Communicator::Layout& layout, Op op, const Selection& selection);

// The closed form for a buffer of `bytes`, without the start. `spent`, if given, receives what the
// time went to, in us: index is Bound.
double profile_us(const Profile& profile, double bytes, std::array<double, 5>* spent = nullptr);

}  // namespace trainyard::cluster
