#include "cluster/net/profile.h"

#include <algorithm>

namespace trainyard::cluster {
namespace {

using Layout = Communicator::Layout;

int key_of(Op op, const Selection& selection) {
  const auto code = [](const std::optional<Algorithm>& a) {
    return a ? static_cast<int>(*a) + 1 : 0;
  };
  constexpr int kBase = kAlgorithmCount + 1;
  const int algorithms = code(selection.inside) * kBase + code(selection.across);
  return (static_cast<int>(op) * kBase * kBase + algorithms) * 2 + (selection.flat ? 1 : 0);
}

hw::Trust trust_of(const Layout& layout, const Program& program) {
  const hw::System& system = layout.cluster.system;
  const hw::Knobs::Net& net = system.knobs.net;
  hw::Trust trust = hw::weakest(net.t_start_us.trust, net.eff_hbm.trust);
  trust = hw::weakest(trust, system.accelerator.hbm_bytes_per_ns.trust);
  for (const Part& part : program.parts) {
    for (const Stage& stage : part.stages) {
      const bool network = stage.where == Stage::Where::Network;
      trust = hw::weakest(trust, network ? net.alpha_net_us.trust : net.alpha_local_us.trust);
      trust = hw::weakest(trust, network ? net.eff_efa_all.trust : net.eff_link.trust);
      trust = hw::weakest(trust, network ? system.instance.nic_bytes_per_ns.trust
                                         : system.instance.link_bytes_per_ns.trust);
    }
  }
  return trust;
}

Profile make_profile(const Layout& layout, Op op, const Selection& selection) {
  Profile profile;
  const auto program = make_program(layout, op, selection);
  if (!program) {
    profile.status = program.status();
    return profile;
  }
  profile.steps = program->steps();
  profile.trust = trust_of(layout, *program);
  const auto parts = static_cast<int64_t>(program->parts.size());
  for (const Part& part : program->parts) {
    std::vector<StageCost>& stages = profile.parts.emplace_back();
    for (const Stage& stage : part.stages) {
      const Rates rate = rates(layout, stage);
      stages.push_back({stage.chunk_share, step_costs(layout, stage, parts)});
      for (const StepCost& cost : stages.back().steps) {
        // The costs of a part hold the memory traffic of all parts.
        const double bytes = cost.repeat * stage.chunk_share / static_cast<double>(parts);
        profile.dma_bytes += bytes * cost.dma * rate.dma;
        profile.hbm_bytes += bytes * cost.hbm * rate.hbm;
      }
    }
  }
  return profile;
}

// Where the time of a stage goes, in us.
std::array<double, 5> stage_us(const StageCost& stage, double bytes) {
  std::array<double, 5> spent{};
  for (const StepCost& cost : stage.steps) {
    spent[static_cast<size_t>(Bound::Latency)] += cost.repeat * cost.latency_us;
    const std::array<double, 5> load = {0, cost.link, cost.hbm, cost.dma, cost.efa};
    const auto worst = std::ranges::max_element(load);
    const double us = *worst * bytes * stage.chunk_share * 1e-3;
    const bool hidden = cost.hidden_us <= us;
    const auto bound = hidden ? static_cast<size_t>(worst - load.begin()) : size_t{0};
    spent[bound] += cost.repeat * std::max(us, cost.hidden_us);
  }
  return spent;
}

double sum(const std::array<double, 5>& spent) {
  double total = 0;
  for (const double us : spent) total += us;
  return total;
}

}  // namespace

const Profile& ProfileCache::get(const Layout& layout, Op op, const Selection& selection) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<const Profile>& slot = known_[key_of(op, selection)];
  if (!slot) slot = std::make_unique<const Profile>(make_profile(layout, op, selection));
  return *slot;
}

const Profile& profile(const Layout& layout, Op op, const Selection& selection) {
  return layout.profiles->get(layout, op, selection);
}

double profile_us(const Profile& profile, double bytes, std::array<double, 5>* spent) {
  size_t stages = 0;
  for (const auto& part : profile.parts) stages = std::max(stages, part.size());
  double total = 0;
  for (size_t i = 0; i < stages; ++i) {
    // Parts run at the same time: each stage takes as long as its slowest part.
    std::array<double, 5> slowest{};
    for (const auto& part : profile.parts) {
      const std::array<double, 5> us = stage_us(part[i], bytes);
      if (sum(us) > sum(slowest)) slowest = us;
    }
    total += sum(slowest);
    if (spent == nullptr) continue;
    for (size_t b = 0; b < slowest.size(); ++b) (*spent)[b] += slowest[b];
  }
  return total;
}

}  // namespace trainyard::cluster
