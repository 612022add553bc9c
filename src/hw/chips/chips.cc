// Trainium1, Inferentia2, Trainium2, Trainium3.
#include "hw/chip_spec.h"

namespace trainyard::hw {

using enum Trust;

namespace {

constexpr ChipSpec kChips[] = {
    {
        .name = "trn1",
        .product = "Trainium1",
        .generation = Generation::V2,
        .cores = {2, Documented, "neuron-hw"},
        .hbm_stacks = {2, Documented, "nki-trn1"},
        .lnc_max = {1, Documented, "neuron-dtypes"},
        .cc_cores = {6, Documented, "neuron-hw"},
        .link_ports = {4, Documented, "neuron-hw"},
        // Listed twice as high for trn1n, which has the same chip.
        .link_node_bytes_per_ns = {384, Documented, "neuron-hw"},
        .link_far_bytes_per_ns = {0, Documented, "neuron-hw"},
        .host_bytes_per_ns = {16, Assumed, "nki-trn2"},
        .listed_hbm_bytes_per_ns = {820, Documented, "neuron-hw"},
        .listed_dma_bytes_per_ns = {1'000, Documented, "neuron-hw"},
        .listed_tflops_16bit = {190, Documented, "neuron-hw"},
        .listed_tflops_fp8 = {190, Documented, "neuron-hw"},
        .listed_tflops_mx = {0, Documented, "neuron-hw"},
        .listed_tflops_sparse = {0, Documented, "neuron-hw"},
        .listed_tflops_fp32 = {47.5, Documented, "neuron-hw"},
        .listed_tops_int8 = {380, Documented, "neuron-hw"},
    },
    {
        .name = "inf2",
        .product = "Inferentia2",
        .generation = Generation::V2,
        .cores = {2, Documented, "neuron-hw"},
        .hbm_stacks = {2, Documented, "nki-trn1"},
        .lnc_max = {1, Documented, "neuron-dtypes"},
        .cc_cores = {6, Documented, "neuron-hw"},
        .link_ports = {2, Documented, "neuron-hw"},
        .link_node_bytes_per_ns = {192, Documented, "neuron-hw"},
        .link_far_bytes_per_ns = {0, Documented, "neuron-hw"},
        .host_bytes_per_ns = {16, Assumed, "nki-trn2"},
        .listed_hbm_bytes_per_ns = {820, Documented, "neuron-hw"},
        .listed_dma_bytes_per_ns = {1'000, Documented, "neuron-hw"},
        .listed_tflops_16bit = {190, Documented, "neuron-hw"},
        .listed_tflops_fp8 = {190, Documented, "neuron-hw"},
        .listed_tflops_mx = {0, Documented, "neuron-hw"},
        .listed_tflops_sparse = {0, Documented, "neuron-hw"},
        .listed_tflops_fp32 = {47.5, Documented, "neuron-hw"},
        .listed_tops_int8 = {380, Documented, "neuron-hw"},
    },
    {
        .name = "trn2",
        .product = "Trainium2",
        .generation = Generation::V3,
        .cores = {8, Documented, "neuron-hw"},
        .hbm_stacks = {4, Documented, "nki-trn2"},
        .lnc_max = {2, Documented, "neuron-dtypes"},
        // The architecture guide has 20; the device page says 2 per core.
        .cc_cores = {16, Documented, "neuron-hw"},
        .link_ports = {4, Documented, "neuron-hw"},
        .link_node_bytes_per_ns = {1'024, Documented, "neuron-hw"},
        .link_far_bytes_per_ns = {256, Documented, "neuron-hw"},
        .host_bytes_per_ns = {16, Measured, "nki-trn2"},
        .listed_hbm_bytes_per_ns = {2'900, Documented, "neuron-hw"},
        .listed_dma_bytes_per_ns = {3'500, Documented, "neuron-hw"},
        // More than eight cores: the totals seem to add the other engines.
        .listed_tflops_16bit = {667, Documented, "neuron-hw"},
        .listed_tflops_fp8 = {1'299, Documented, "neuron-hw"},
        .listed_tflops_mx = {0, Documented, "neuron-hw"},
        .listed_tflops_sparse = {2'563, Documented, "neuron-hw"},
        .listed_tflops_fp32 = {181, Documented, "neuron-hw"},
        .listed_tops_int8 = {0, Documented, "neuron-hw"},
    },
    {
        .name = "trn3",
        .product = "Trainium3",
        .generation = Generation::V4,
        .cores = {8, Documented, "neuron-hw"},
        .hbm_stacks = {4, Documented, "nki-trn3"},
        .lnc_max = {2, Documented, "neuron-dtypes"},
        .cc_cores = {16, Documented, "neuron-hw"},
        .link_ports = {4, Documented, "neuron-hw"},
        // The headline. The link description gives 256 + 320 + 128; the cluster model uses that.
        .link_node_bytes_per_ns = {2'560, Documented, "neuron-hw"},
        .link_far_bytes_per_ns = {0, Documented, "neuron-hw"},
        .host_bytes_per_ns = {16, Assumed, "nki-trn2"},
        .listed_hbm_bytes_per_ns = {4'900, Documented, "neuron-hw"},
        .listed_dma_bytes_per_ns = {4'900, Documented, "neuron-hw"},
        .listed_tflops_16bit = {671, Documented, "neuron-hw"},
        .listed_tflops_fp8 = {2'517, Documented, "neuron-hw"},
        .listed_tflops_mx = {2'517, Documented, "neuron-hw"},
        .listed_tflops_sparse = {2'517, Documented, "neuron-hw"},
        .listed_tflops_fp32 = {183, Documented, "neuron-hw"},
        .listed_tops_int8 = {0, Documented, "neuron-hw"},
    },
};

}  // namespace

std::span<const ChipSpec> chips() { return kChips; }

}  // namespace trainyard::hw
