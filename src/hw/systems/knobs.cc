// The defaults of the knobs and their likely ranges.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "hw/systems/knobs.h"

namespace trainyard::hw {

using enum Trust;

namespace {

constexpr Knobs kDefaults = {
    .net =
        {
            .alpha_local_us = {1.5, Derived, "neuron-cc-intra"},
            .alpha_net_us = {15, Documented, "neuron-cc"},
            .t_start_us = {3, Derived, "neuron-sys-tools"},
            .route_hop_us = {0.3, Assumed, "trainyard"},
            .switch_hop_us = {0.3, Assumed, "trainyard"},
            .spine_us = {3, Assumed, "trainyard"},
            .eff_link = {0.85, Assumed, "trainyard"},
            .eff_hbm = {0.9, Assumed, "trainyard"},
            .eff_efa_one = {0.77, Measured, "cluster-threads"},
            .eff_efa_all = {0.69, Measured, "cluster-threads"},
            .congestion_mesh = {0.5, Assumed, "trainyard"},
            .congestion_rdh = {0.8, Assumed, "trainyard"},
            .congestion_ring = {0.95, Assumed, "trainyard"},
            .oversubscription = {1, Assumed, "trainyard"},
            .leaf_nodes = {32, Assumed, "trainyard"},
            .mesh_below_bytes = {1'000'000, Documented, "neuron-cc-intra"},
            .kangaring_above_bytes = {56'000'000, Documented, "neuron-cc-intra"},
            .kangaring_ranks = {64, Derived, "neuron-sys-tools"},
            .far_mesh_below_bytes = {1'000'000, Assumed, "neuron-cc-inter"},
            .far_mesh_nodes = {16, Assumed, "neuron-cc-inter"},
            .far_rdh_nodes = {8, Assumed, "neuron-cc-inter"},
            .far_ring_nodes = {64, Assumed, "trainyard"},
            .flat_ring_above_bytes = {256'000'000, Assumed, "neuron-cc-inter"},
            .cc_packet_bytes = {65'536, Documented, "neuron-overlap"},
            .compute_packet_bytes = {4'096, Documented, "neuron-overlap"},
            .jitter_sigma = {0.01, Assumed, "trainyard"},
            .tail_probability = {0.005, Assumed, "cluster-threads"},
            .tail_factor = {10, Assumed, "cluster-threads"},
            .exec_timeout_s = {30, Documented, "neuron-rt-guide"},
        },
    .run =
        {
            .storage_read_bytes_per_ns = {5, Assumed, "trainyard"},
            .storage_write_bytes_per_ns = {2, Assumed, "trainyard"},
            .interruptions_per_hour = {0.0003, Assumed, "aws-news"},
            .spot_losses_per_hour = {0.05, Assumed, "trainyard"},
            .compile_cold_s = {1'500, Assumed, "neuronx-cc"},
            .compile_warm_s = {60, Assumed, "trainyard"},
            .launch_gap_us = {13, Measured, "cluster-threads"},
            .async_depth = {3, Documented, "neuron-rt-guide"},
            .runtime_reserve_bytes = {1'500'000'000, Assumed, "trainyard"},
            .usable_hbm = {0.92, Assumed, "trainyard"},
            .compute_sigma = {0.01, Assumed, "trainyard"},
            .replace_node_s = {270, Measured, "aws-samples"},
            .restart_s = {285, Measured, "aws-samples"},
            .restart_replaced_s = {458, Measured, "aws-samples"},
            .spot_notice_s = {120, Documented, "aws-news"},
            .block_notice_s = {1'800, Assumed, "trainyard"},
        },
};

constexpr KnobRange kRanges[] = {
#define TY_GROUP(group, Type, meaning)
#define TY_KNOB(group, field, T, unit, low, high, likely_low, likely_high, meaning) \
  {#group "." #field, likely_low, likely_high},
#define TY_GROUP_END(group, Type)
#include "hw/systems/knob_fields.inc"
#undef TY_GROUP
#undef TY_KNOB
#undef TY_GROUP_END
};

// Samples M3, M9, M5 and M4 of docs/cluster/network.md, less the steps of their algorithm.
constexpr RuntimeEra kEras[] = {
    {"2022", {145, Measured, "neuron-sys-tools"}},
    {"2024", {95, Measured, "neuron-sys-tools"}},
    {"2025", {7, Measured, "neuron-sys-tools"}},
    {"2026", {3, Measured, "neuron-sys-tools"}},
};

}  // namespace

const Knobs& default_knobs() { return kDefaults; }
std::span<const KnobRange> knob_ranges() { return kRanges; }
std::span<const RuntimeEra> runtime_eras() { return kEras; }

Status set_era(Knobs& knobs, std::string_view era) {
  const auto* found = std::ranges::find(kEras, era, &RuntimeEra::name);
  if (found == std::end(kEras)) {
    std::vector<std::string> names;
    for (const RuntimeEra& e : kEras) names.emplace_back(e.name);
    return error("TY-HW-011", "there is no runtime era '{}'; eras are {}", era,
                 fmt::join(names, ", "));
  }
  knobs.net.t_start_us = found->t_start_us;
  return {};
}

}  // namespace trainyard::hw
