#pragma once
// Collectives of a cluster: what they are called, which algorithm runs them, how long they take.
//
//   auto system = hw::find_system("trn2.48xlarge");
//   auto cluster = make_cluster(*system, 4);                        // 4 instances, LNC 2
//   auto dp = Communicator::make(*cluster, {.size = 32, .stride = 8});
//   auto time = collective_time(*dp, {.op = Op::ReduceScatter, .bytes = 512'000'000});
//   time->total, time->bound, time->trust
//
// This is the closed form, a few additions per call: for planners. The flow-level simulation of the
// same schedules, with contention, jitter and faults, is in flow.h; a test holds the two within 10
// %.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "hw/systems/system.h"

namespace trainyard::cluster {

enum class Op : uint8_t {
  AllGather,
  ReduceScatter,
  AllReduce,
  AllToAll,
  Permute,    // every rank sends its buffer to the next one of the group
  Broadcast,  // from the first rank of the group
  SendRecv,   // from the first rank of the group to the second
};
inline constexpr int kOpCount = 7;

enum class Algorithm : uint8_t { Ring, KangaRing, Mesh, Rdh, SingleStep };
inline constexpr int kAlgorithmCount = 5;

// What a collective waits for most of its time.
enum class Bound : uint8_t { Latency, Link, Hbm, Dma, Efa };

std::string_view name(Op op);                // "all_reduce", as nccom-test spells it
std::string_view name(Algorithm algorithm);  // "ring", "kangaring", "mesh", "rdh", "single-step"
std::string_view name(Bound bound);          // "latency", "link", "hbm", "dma", "efa"
std::optional<Op> parse_op(std::string_view text);  // also allr, allg, redsct
std::optional<Algorithm> parse_algorithm(std::string_view text);

// Instances of one kind. Ranks count node by node, chip by chip, core by core.
struct Cluster {
  hw::System system;
  int64_t nodes = 1;  // instances or UltraServers: scale-up domains
  int64_t lnc = 1;    // physical cores of a rank

  int64_t chips() const { return nodes * system.instance.chips.value; }
  int64_t ranks_per_chip() const { return system.accelerator.cores.value / lnc; }
  int64_t ranks_per_node() const { return ranks_per_chip() * system.instance.chips.value; }
  int64_t ranks() const { return nodes * ranks_per_node(); }
};

// TY-NET-001: no nodes, or an LNC that the chip does not have. lnc = 0: the default of the chip.
Result<Cluster> make_cluster(const hw::System& system, int64_t nodes, int64_t lnc = 0);

// All groups {first + i * stride} that tile the cluster, as tensor, pipeline and data parallelism
// make them. They run at the same time and share links, memory and NICs. size 0: every rank.
struct Grid {
  int64_t size = 0;
  int64_t stride = 1;
};

// A rank of one instance and the one that it sends to in a Permute.
struct Pair {
  int64_t from, to;
};

// A set of equal groups of ranks, ready to be timed. Cheap to copy. Making one looks at the graph
// (microseconds to a millisecond), so keep it while bytes and operations vary.
class Communicator {
 public:
  // TY-NET-002: groups that do not tile the cluster, or lie unevenly on nodes or chips.
  static Result<Communicator> make(const Cluster& cluster, const Grid& grid);
  // One group alone, by global rank. TY-NET-003 names the node whose local ranks differ from those
  // of the first: the runtime takes only symmetric groups. TY-NET-004: a rank that does not exist,
  // or stands twice.
  static Result<Communicator> make(const Cluster& cluster, std::span<const int64_t> ranks);

  // Several groups that run at the same time, with the same errors; TY-NET-002 if their sizes
  // differ or instances hold different ones.
  static Result<Communicator> make(const Cluster& cluster,
                                   std::span<const std::vector<int64_t>> groups);
  // All ranks of one instance, of which those in `pairs` take part in a Permute. TY-NET-010: pairs
  // that form no closed rings, or join chips without a link.
  static Result<Communicator> make(const Cluster& cluster, std::span<const Pair> pairs);

  const Cluster& cluster() const;
  int64_t ranks() const;     // of one group
  int64_t nodes() const;     // scale-up domains that a group spans
  int64_t local() const;     // ranks of a group in one domain
  int64_t siblings() const;  // groups in one domain that run at the same time

  struct Layout;
  const Layout& layout() const { return *layout_; }

 private:
  static Result<Communicator> place(const Cluster& cluster, Layout&& layout);
  explicit Communicator(std::shared_ptr<const Layout> layout) : layout_(std::move(layout)) {}
  std::shared_ptr<const Layout> layout_;
};

// Which algorithm to take.
struct Choice {
  // Documented: the vendor's published sweet spots. Cost: the least predicted time.
  enum class Rule : uint8_t { Documented, Cost };
  Rule rule = Rule::Documented;
  std::optional<Algorithm> inside = std::nullopt;  // fixes the algorithm inside a domain
  std::optional<Algorithm> across = std::nullopt;  // and between domains
  bool flat = false;  // one ring through all ranks instead of a hierarchy
};

struct Request {
  Op op = Op::AllReduce;
  // The larger buffer of one rank: output of AllGather, input of ReduceScatter, the buffer of all
  // others.
  int64_t bytes = 0;
  Choice choice = {};
};

// What was chosen for a request. `inside` where the group has several ranks in a domain, `across`
// where it spans several domains; both: hierarchical.
struct Selection {
  std::optional<Algorithm> inside;
  std::optional<Algorithm> across;
  bool flat = false;

  bool hierarchical() const { return inside && across && !flat; }
  friend bool operator==(const Selection&, const Selection&) = default;
};

// "ring", "hier (kangaring + rdh)", "flat ring"
std::string text(const Selection& selection);

struct CollectiveTime {
  Seconds total;     // = start + latency + transfer
  Seconds start;     // trigger
  Seconds latency;   // steps
  Seconds transfer;  // bytes over the slowest resource of each step
  int64_t steps = 0;
  Bound bound = Bound::Latency;  // the largest part of `latency` and of `transfer` by resource
  Selection selection;
  // Moved on one chip by all groups of the communicator, for the tax on compute.
  double dma_bytes = 0;
  double hbm_bytes = 0;
  hw::Trust trust = hw::Trust::Assumed;  // the weakest that went in
};

// TY-NET-005: bytes that cannot be divided over the ranks. TY-NET-006: an algorithm that this group
// or operation cannot use, with the reason.
Result<CollectiveTime> collective_time(const Communicator& group, const Request& request);

// The selection alone, with the same errors.
Result<Selection> select_algorithm(const Communicator& group, const Request& request);

// busbw = algbw * bus_factor: all_reduce 2(n-1)/n; all_gather, reduce_scatter, all_to_all (n-1)/n;
// else 1.
double bus_factor(Op op, int64_t ranks);

}  // namespace trainyard::cluster
