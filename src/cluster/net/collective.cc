// Names and small facts about collectives.
#include "cluster/net/collective.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cluster {
namespace {

constexpr std::array<std::string_view, kOpCount> kOps = {
    "all_gather", "reduce_scatter", "all_reduce", "alltoall", "permute", "broadcast", "sendrecv"};
constexpr std::array<std::string_view, kAlgorithmCount> kAlgorithms = {"ring", "kangaring", "mesh",
                                                                       "rdh", "single-step"};
constexpr std::array<std::string_view, 5> kBounds = {"latency", "link", "hbm", "dma", "efa"};

struct Alias {
  std::string_view text;
  Op op;
};
constexpr Alias kAliases[] = {{"allr", Op::AllReduce},
                              {"allg", Op::AllGather},
                              {"redsct", Op::ReduceScatter},
                              {"all_to_all", Op::AllToAll},
                              {"send_recv", Op::SendRecv}};

}  // namespace

std::string_view name(Op op) { return kOps[static_cast<size_t>(op)]; }
std::string_view name(Algorithm algorithm) { return kAlgorithms[static_cast<size_t>(algorithm)]; }
std::string_view name(Bound bound) { return kBounds[static_cast<size_t>(bound)]; }

std::optional<Op> parse_op(std::string_view text) {
  const auto found = std::ranges::find(kOps, text);
  if (found != kOps.end()) return static_cast<Op>(found - kOps.begin());
  const auto* alias = std::ranges::find(kAliases, text, &Alias::text);
  return alias == std::end(kAliases) ? std::nullopt : std::optional(alias->op);
}

std::optional<Algorithm> parse_algorithm(std::string_view text) {
  const auto found = std::ranges::find(kAlgorithms, text);
  if (found == kAlgorithms.end()) return std::nullopt;
  return static_cast<Algorithm>(found - kAlgorithms.begin());
}

std::string text(const Selection& selection) {
  if (selection.flat) return "flat ring";
  if (selection.hierarchical()) {
    return fmt::format("hier ({} + {})", name(*selection.inside), name(*selection.across));
  }
  if (selection.inside) return std::string(name(*selection.inside));
  if (selection.across) return std::string(name(*selection.across));
  return "none";
}

double bus_factor(Op op, int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  switch (op) {
    case Op::AllReduce:
      return 2 * (n - 1) / n;
    case Op::AllGather:
    case Op::ReduceScatter:
    case Op::AllToAll:
      return (n - 1) / n;
    case Op::Permute:
    case Op::Broadcast:
    case Op::SendRecv:
      return 1;
  }
  return 1;
}

}  // namespace trainyard::cluster
