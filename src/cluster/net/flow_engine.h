#pragma once
// The event simulation under flow.h: flows of bytes that share resources.
//
// An actor (a rank, or one channel of it) goes through steps. When it enters a step, its flows of
// that step start after their latency; it enters the next one when all of them have arrived and all
// flows to it of the same step have arrived too. Time is in ns, rates in B/ns.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace trainyard::cluster {

inline constexpr uint32_t kNobody = std::numeric_limits<uint32_t>::max();
inline constexpr double kNever = std::numeric_limits<double>::infinity();

// What to simulate. Immutable while it is being run, so that several runs can share it.
struct FlowPlan {
  // `cost` bytes of the resource for each byte of the flow: 2 reads and a write of one memory
  // cost 3.
  struct Use {
    uint32_t resource;
    float cost;
  };
  struct Flow {
    double bytes = 0;
    float latency_ns = 0;
    float share = 1;  // weight at every resource: its DMA packet size
    uint32_t first_use = 0, use_count = 0;
    uint32_t to = kNobody;  // actor that waits for it
    uint32_t to_too = kNobody;
  };

  uint32_t actors = 0;
  uint32_t steps = 0;                // of every actor; a step may be empty
  std::vector<Flow> flows;           // by actor, then by step
  std::vector<uint32_t> first_flow;  // flows of step s of actor a: from [a * steps + s] to the next
  std::vector<Use> uses;
  std::vector<double> capacity;  // of each resource
  // Actor `after` starts no earlier than `before` ends.
  struct Order {
    uint32_t before, after;
  };
  std::vector<Order> orders;
};

// Irregularity that depends on nothing but these numbers.
struct Jitter {
  uint64_t seed = 0;
  double sigma = 0;  // relative deviation of each latency
};

// One run of a plan. Empty spans: no actor starts late, no resource is slower, nobody is dead.
struct FlowRun {
  std::span<const double> start_ns;         // of each actor
  std::span<const double> capacity_factor;  // of each resource
  std::span<const uint8_t> dead;            // of each actor: enters a step, never sends
  const Jitter* jitter = nullptr;
};

// Keeps its memory between runs.
class FlowEngine {
 public:
  explicit FlowEngine(const FlowPlan& plan);

  // When each actor ends; kNever if it is stuck. Valid until the next run.
  std::span<const double> run(const FlowRun& run);

  // After a run: the actors that had everything they need to go on and sent nothing. All that are
  // stuck wait for them, directly or through others.
  std::vector<uint32_t> culprits() const;

 private:
  struct Event {
    double time;
    uint32_t flow;
    uint32_t stamp;  // kBegin, or the number of the flow's newest end event
  };
  struct Active {
    double left = 0;  // bytes
    double rate = 0;
    double since = 0;  // time of `left`
    double end = 0;
    double queued = 0;  // time of the end event in the queue
    double limit = 0;   // of its tightest resource, before its share
    uint32_t tightest = 0;
    uint32_t stamp = 0;
  };
  struct Resource {
    double capacity = 0;
    double load = 0;              // sum of share * cost of the flows on it
    double fair = 0;              // capacity / load
    std::vector<uint32_t> users;  // indices of plan.uses
  };

  void reset(const FlowRun& run);
  void enter(uint32_t actor, double now);
  void release(uint32_t actor_step, double now);
  void begin(uint32_t flow, double now);
  void finish(uint32_t flow, double now);
  void lower(uint32_t resource, double now);
  void raise(uint32_t resource, double now);
  void set_rate(uint32_t flow, double now);
  void push(const Event& event);
  Event pop();

  const FlowPlan& plan_;
  std::vector<uint32_t> flow_of_use_;
  std::vector<uint32_t> actor_of_flow_;
  std::vector<uint32_t> initial_waits_;        // of each actor and step, and of its end
  std::vector<uint32_t> first_after_, after_;  // orders, by the actor before
  FlowRun run_;
  std::vector<uint32_t> waits_;
  std::vector<uint32_t> step_;  // that each actor has entered last
  std::vector<uint32_t> sent_;  // in which it has sent last
  std::vector<double> at_ns_;   // when it was last given something
  std::vector<double> end_ns_;
  std::vector<Active> active_;
  std::vector<uint32_t> place_;  // of each use in the resource's users
  std::vector<Resource> resources_;
  std::vector<Event> queue_;
};

}  // namespace trainyard::cluster
