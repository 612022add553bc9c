// The rules that tie the numbers of a machine together.
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "hw/override.h"
#include "hw/tick_rate.h"

namespace trainyard::hw {
namespace {

Status settle_ticks(CoreSpec& core) {
  std::array<int64_t, kEngineCount> clocks;
  for (const Engine engine : kEngines) clocks[index(engine)] = clock_hz(core, engine).value;
  const auto rate = tick_rate(clocks);
  if (!rate) {
    return error("TY-HW-007",
                 "core.clock: {} Hz have no common tick below 10^12 Hz; choose clocks with a "
                 "larger common divisor, such as multiples of 10 MHz",
                 fmt::join(clocks, ", "));
  }
  core.tick_hz = rate->hz;
  core.engine_period = rate->period;
  return {};
}

bool set_by_user(std::string_view source) { return source.starts_with("user:"); }

// A larger SBUF needs a larger pitch, and PSUM must begin behind it. What the user fixed stays.
void settle_address_map(CoreSpec& core) {
  const auto move = [](Fact<int64_t>& fact, int64_t value, std::string_view source) {
    if (fact.value < value && !set_by_user(fact.source)) fact = {value, Trust::Assumed, source};
  };
  const Fact<int64_t>& sbuf = core.sbuf.partition_bytes;
  const Fact<int64_t>& psum = core.psum.partition_bytes;
  const auto pitch = [](int64_t bytes) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(bytes)));
  };
  move(core.sbuf.pitch_bytes, pitch(sbuf.value), sbuf.source);
  move(core.psum.pitch_bytes, pitch(psum.value), psum.source);
  const bool pitch_moved = set_by_user(core.sbuf.pitch_bytes.source);
  move(core.psum.window_base, core.limits.partitions.value * core.sbuf.pitch_bytes.value,
       pitch_moved ? core.sbuf.pitch_bytes.source : core.limits.partitions.source);
}

struct Rule {
  bool holds;
  std::string_view left;
  int64_t left_value;
  std::string_view relation;
  std::string_view right;
  int64_t right_value;
};

Status check_all(std::span<const Rule> rules) {
  for (const Rule& r : rules) {
    if (r.holds) continue;
    return error("TY-HW-006", "{} = {} must {} {} = {}; change one of the two", r.left,
                 r.left_value, r.relation, r.right, r.right_value);
  }
  return {};
}

Rule at_most(std::string_view left, int64_t a, std::string_view right, int64_t b) {
  return {a <= b, left, a, "be at most", right, b};
}
Rule divides(std::string_view left, int64_t a, std::string_view right, int64_t b) {
  return {b % a == 0, left, a, "divide", right, b};
}

Status check_memory(const CoreSpec& core) {
  const int64_t partitions = core.limits.partitions.value;
  const int64_t reserved =
      core.sbuf.dge_reserved_bytes.value + core.sbuf.system_reserved_bytes.value;
  const int64_t sbuf_end = partitions * core.sbuf.pitch_bytes.value;
  const int64_t bank_elements = core.psum_bank_bytes() / 4;
  const int64_t room =
      core.has.psum_span_banks.value ? bank_elements * core.psum.banks.value : bank_elements;
  const Rule rules[] = {
      at_most("core.sbuf.dge_reserved_bytes + core.sbuf.system_reserved_bytes", reserved,
              "core.sbuf.partition_bytes", core.sbuf.partition_bytes.value),
      at_most("core.sbuf.partition_bytes", core.sbuf.partition_bytes.value, "core.sbuf.pitch_bytes",
              core.sbuf.pitch_bytes.value),
      at_most("core.psum.partition_bytes", core.psum.partition_bytes.value, "core.psum.pitch_bytes",
              core.psum.pitch_bytes.value),
      at_most("core.limits.partitions * core.sbuf.pitch_bytes", sbuf_end, "core.psum.window_base",
              core.psum.window_base.value),
      divides("core.psum.banks", core.psum.banks.value, "core.psum.partition_bytes",
              core.psum.partition_bytes.value),
      at_most("core.limits.moving_free", core.limits.moving_free.value,
              "fp32 elements of PSUM that one matmul may write", room),
  };
  return check_all(rules);
}

Status check_shapes(const CoreSpec& core) {
  const int64_t partitions = core.limits.partitions.value;
  const Rule rules[] = {
      at_most("core.pe.rows", core.pe.rows.value, "core.limits.partitions", partitions),
      at_most("core.pe.cols", core.pe.cols.value, "core.limits.partitions", partitions),
      at_most("core.limits.stationary_free", core.limits.stationary_free.value, "core.pe.cols",
              core.pe.cols.value),
      at_most("core.limits.max8_min", core.limits.max8_min.value, "core.limits.max8_max",
              core.limits.max8_max.value),
      divides("core.limits.quadrant", core.limits.quadrant.value, "core.limits.partitions",
              partitions),
      divides("core.dma.engines", core.dma.engines.value, "core.limits.partitions", partitions),
      divides("core.pool.processors", core.pool.processors.value, "core.limits.partitions",
              partitions),
  };
  return check_all(rules);
}

Status check_rates(const CoreSpec& core) {
  const auto& dma = core.dma;
  if (dma.sustained_bytes_per_ns.value > dma.link_bytes_per_ns.value) {
    return error(
        "TY-HW-006",
        "core.dma.sustained_bytes_per_ns = {} must be at most core.dma.link_bytes_per_ns = "
        "{}; change one of the two",
        dma.sustained_bytes_per_ns.value, dma.link_bytes_per_ns.value);
  }
  if (dma.small_row_bytes.value > 0 && dma.small_row_bytes_per_ns.value <= 0) {
    return error("TY-HW-006",
                 "core.dma.small_row_bytes_per_ns = {} must be above 0 while "
                 "core.dma.small_row_bytes = {}; give the rate, or set the size to 0",
                 dma.small_row_bytes_per_ns.value, dma.small_row_bytes.value);
  }
  if (core.seq.kernel_lead_ns.value > core.seq.kernel_overhead_ns.value) {
    return error("TY-HW-006",
                 "core.seq.kernel_lead_ns = {} must be at most core.seq.kernel_overhead_ns = {}; "
                 "change one of the two",
                 core.seq.kernel_lead_ns.value, core.seq.kernel_overhead_ns.value);
  }
  return {};
}

Status check_chip(const Machine& machine) {
  const ChipSpec& chip = machine.chip;
  const int64_t served = chip.hbm_stacks.value * machine.core.hbm.cores_per_stack.value;
  const Rule rules[] = {
      {served == chip.cores.value, "chip.hbm_stacks * core.hbm.cores_per_stack", served, "equal",
       "chip.cores", chip.cores.value},
      at_most("lnc", machine.lnc, "chip.lnc_max", chip.lnc_max.value),
      divides("lnc", machine.lnc, "chip.cores", chip.cores.value),
  };
  return check_all(rules);
}

}  // namespace

Status settle(Machine& machine) {
  TY_TRY(settle_ticks(machine.core));
  settle_address_map(machine.core);
  TY_TRY(check_memory(machine.core));
  TY_TRY(check_shapes(machine.core));
  TY_TRY(check_rates(machine.core));
  return check_chip(machine);
}

}  // namespace trainyard::hw
