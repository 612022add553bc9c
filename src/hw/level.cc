#include "hw/level.h"

#include "base/check.h"
#include "hw/fields.h"

namespace trainyard::hw {
namespace {

// What takes the place of a calibrated constant, on every generation.
struct Fallback {
  std::string_view key;
  double value;
};

// The cost tables of the older API reference give one number for all generations [nki-isa-old].
// Fixed latencies are in none of them.
constexpr Fallback kFallbacks[] = {
    {"core.pe.mm_extra", 0},
    {"core.pe.fixed_latency", 0},
    {"core.dve.fixed_latency", 0},
    // The guides promise fast modes for 16-bit types only.
    {"core.dve.unary_fp32", 1},
    {"core.dve.unary_bf16_to_fp32", 1},
    {"core.dve.scan_tensor_initial_ns", 0},
    {"core.dve.shuffle_mask_ns", 0},
    {"core.dve.reciprocal", 8},
    {"core.dve.copy_predicated", 2},
    {"core.dve.copy_predicated_split", 1},
    {"core.dve.transpose_interval", 64},
    {"core.dve.transpose_turn", 64},
    {"core.dve.transpose_latency", 64},
    {"core.dve.memset", 1},
    {"core.dve.memset_zero_16bit", 0.5},
    {"core.dve.memset_extra_ns", 0},
    {"core.act.latency_function", 0},
    {"core.act.latency_copy", 0},
    {"core.act.latency_copy_psum", 0},
    {"core.act.operand_extra_ns", 0},
    {"core.act.stream_extra", 0},
    {"core.act.silu_psum", 1},
    {"core.act.read_accumulator_interval_ns", 0},
    {"core.act.read_accumulator_latency_ns", 0},
    {"core.dma.small_row_bytes", 0},
    {"core.dma.stagger_load_ns", 0},
    {"core.dma.stagger_store_ns", 0},
    {"core.dma.slope_load", 1},
    {"core.dma.slope_store", 1},
    {"core.dma.transfer_gap_ns", 0},
};

}  // namespace

CoreSpec at_level(const CoreSpec& core, Level level) {
  CoreSpec result = core;
  if (level == Level::Calibrated) return result;
  for (const Fallback& fallback : kFallbacks) {
    const CoreField* field = find_field(core_fields(), fallback.key);
    TY_CHECK(field != nullptr);
    if (field->get(core).source.starts_with("user:")) continue;
    if (field->get(core).value == fallback.value) continue;
    field->set(result, {fallback.value, Trust::Documented, "nki-isa-old"});
  }
  return result;
}

}  // namespace trainyard::hw
