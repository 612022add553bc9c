#pragma once
// How long collectives take, as the step model asks for it: latency and transfer apart, because a
// runtime's fixed cost and its share of the links are calibrated apart.
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cluster/net/collective.h"
#include "hw/systems/system.h"

namespace trainyard::cluster {

// Ranks first + i * stride, all such groups at once.
struct RankGroup {
  int64_t size = 1;
  int64_t stride = 1;
};

struct CollectiveCost {
  double latency = 0;    // steps and start, in seconds
  double transfer = 0;   // bytes over the slowest resource at its full rate
  bool network = false;  // that resource is the network between nodes

  CollectiveCost& operator+=(const CollectiveCost& o) {
    latency += o.latency;
    transfer += o.transfer;
    network = network || o.network;
    return *this;
  }
};

class CollectiveTimes {
 public:
  virtual ~CollectiveTimes() = default;
  // `bytes`: the larger buffer of one rank, as in cluster/net/collective.h.
  virtual CollectiveCost time(Op op, double bytes, const RankGroup& group) const = 0;
};

// Bandwidth bounds of the links between a group's ranks. Good for any machine of the catalogue, at
// any size; the algorithms behind the bounds are in cluster/net.
struct LinkModel {
  int64_t ranks_per_chip = 1;
  int64_t chips_per_node = 1;     // joined by scale-up links
  double chip_bytes_per_s = 0;    // scale-up, one direction, all links of a chip
  double inside_bytes_per_s = 0;  // between ranks of one chip
  double node_bytes_per_s = 0;    // network, one direction, all NICs of a node
  bool torus = false;             // a group of few chips reaches few of a chip's links
  bool staged = false;            // levels of a hierarchical collective follow each other
  double alpha_local = 1.5e-6;
  double alpha_network = 15e-6;
};

LinkModel link_model(const hw::System& system, int64_t lnc, int64_t chips_per_domain);

class LinkCollectives final : public CollectiveTimes {
 public:
  explicit LinkCollectives(const LinkModel& links) : links_(links) {}
  CollectiveCost time(Op op, double bytes, const RankGroup& group) const override;

 private:
  LinkModel links_;
};

// The algorithms of cluster/net on a Trainium cluster, closed form or flow by flow. Groups that the
// runtime would refuse fall back to the bounds of the links. Remembers groups (and, where they are
// simulated, times), so keep one for many questions; safe for several threads.
class NetCollectives final : public CollectiveTimes {
 public:
  enum class Grain : uint8_t { ClosedForm, Flows };
  NetCollectives(Cluster cluster, Grain grain)
      : cluster_(std::move(cluster)),
        grain_(grain),
        fallback_(link_model(cluster_.system, cluster_.lnc, cluster_.system.instance.chips.value)) {
  }

  CollectiveCost time(Op op, double bytes, const RankGroup& group) const override;

  // Different collectives that Grain::Flows has simulated, and those that it could not.
  struct Counts {
    int64_t simulated = 0, not_simulated = 0;
  };
  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  const Communicator* communicator(const RankGroup& group) const;
  CollectiveCost simulated(const Communicator& members, const Request& request,
                           const RankGroup& group) const;

  Cluster cluster_;
  Grain grain_;
  LinkCollectives fallback_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<int64_t, std::unique_ptr<Communicator>> groups_;  // null: refused
  mutable std::unordered_map<std::string, CollectiveCost> simulated_;
  mutable Counts counts_;
};

}  // namespace trainyard::cluster
