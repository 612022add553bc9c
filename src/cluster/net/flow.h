#pragma once
// Collectives at flow grain: every transfer of the schedule competes for links, memories, DMA
// engines and NICs. Slower than the closed form (collective.h) and able to answer what it cannot:
// one slow link, jitter, a dead rank, two streams. Where all domains do the same, one is simulated
// for all.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cluster/net/collective.h"

namespace trainyard::cluster {

// Both directions of one link of one domain at a fraction of its rate.
struct SlowLink {
  int64_t node = 0;
  int32_t chip = 0;  // its ends
  int32_t other = 1;
  double factor = 0.5;  // above 0, at most 1
};

struct FlowOptions {
  bool jitter = false;  // latencies deviate, some starts are late: net.jitter_sigma, net.tail_*
  uint64_t seed = 0;    // of the jitter; same seed, same bytes
  std::vector<SlowLink> slow = {};
  std::vector<int64_t> dead = {};  // ranks of the (first) group that enter and never send
};

// Ranks that wait for ever.
struct Stuck {
  std::vector<int64_t> culprits;  // ranks of the group that could have gone on and did not
  int64_t waiting = 0;            // ranks that report status 1200 (stuck in a collective)
  Seconds reported;               // when they do: net.exec_timeout_s after the start
};
inline constexpr int kStatusStuckInCollective = 1200;  // of the runtime [neuron-rt-guide]

// How busy a link was.
struct LinkUse {
  int32_t from = 0, to = 0;  // chips; switches count on after them
  double busy = 0;           // share of the time, of the most loaded stage inside domains
};

struct FlowReport {
  Seconds total;
  Seconds earliest;  // when the first rank had its result
  Selection selection;
  int64_t steps = 0;
  int64_t flows = 0;             // simulated
  std::vector<LinkUse> busiest;  // links of a domain, most loaded first, at most four
  std::optional<Stuck> stuck;
};

// The errors of collective_time; TY-NET-007: too many flows to simulate; TY-NET-008: a link or rank
// in the options that does not exist.
Result<FlowReport> simulate(const Communicator& group, const Request& request,
                            const FlowOptions& options = {});

// One collective of several that run on one domain. Those of a stream follow each other on every
// rank; streams share the resources, each flow by its packet size.
struct Launch {
  Communicator group;
  Request request;
  int stream = 0;
  Seconds ready;             // when the program asks for it
  int64_t packet_bytes = 0;  // 0: net.cc_packet_bytes
};

// When each launch has ended on its last rank. TY-NET-008: groups that do not lie on one domain of
// the same cluster.
Result<std::vector<Seconds>> simulate_streams(std::span<const Launch> launches);

}  // namespace trainyard::cluster
