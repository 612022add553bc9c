#pragma once
// Everything that the simulator, the verifier and the compiler know about one NeuronCore.
//
// The fields are listed once, in core_fields.inc: group, name, type, unit, allowed range, meaning.
// `core.pe.mm_floor.value` in C++ is `mm_floor` under `[core.pe]` in a machine file and
// `pe.mm_floor` in `trainyard explain`. The values of each generation are in chips/.
#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.h"
#include "hw/engine.h"
#include "hw/fact.h"

namespace trainyard::hw {

enum class Generation : uint8_t { V2, V3, V4 };

constexpr std::string_view name(Generation generation) {
  constexpr std::array<std::string_view, 3> kNames = {"v2", "v3", "v4"};
  return kNames[static_cast<std::size_t>(generation)];
}

struct CoreSpec {
  std::string_view name;  // "NeuronCore-v3"
  Generation generation;
  // One tick is a time step in which every engine has a whole period, so engines with different
  // clocks are compared in integers, never in floats. Both follow from the `clock` group.
  int64_t tick_hz;
  std::array<Ticks, kEngineCount> engine_period;

#define TY_GROUP(group, Type, meaning) struct Type {
#define TY_FIELD(group, field, T, unit, low, high, meaning) Fact<T> field;
#define TY_GROUP_END(group, Type)                             \
  friend bool operator==(const Type&, const Type&) = default; \
  }                                                           \
  group;
#include "hw/core_fields.inc"
#undef TY_GROUP
#undef TY_FIELD
#undef TY_GROUP_END

  Ticks period(Engine engine) const { return engine_period[index(engine)]; }
  // SBUF bytes of one partition that a kernel may allocate.
  int64_t sbuf_usable_bytes() const {
    return sbuf.partition_bytes.value - sbuf.dge_reserved_bytes.value -
           sbuf.system_reserved_bytes.value;
  }
  int64_t psum_bank_bytes() const { return psum.partition_bytes.value / psum.banks.value; }

  friend bool operator==(const CoreSpec&, const CoreSpec&) = default;
};

// The clock of `engine` in Hz, and how far it is to be trusted.
const Fact<int64_t>& clock_hz(const CoreSpec& core, Engine engine);

// `ns` as ticks, rounded to the nearest (halves away from zero). This is the only place where a
// nanosecond constant becomes machine time.
Ticks ticks_from_ns(const CoreSpec& core, double ns);

double seconds(const CoreSpec& core, Ticks ticks);

// What the array multiplies, as far as its rate depends on it.
enum class MatmulMode : uint8_t { Bits16, Fp8, DoubleRow, Mx, Sparse, Fp32, Int8 };

// Peak rate of one core in FLOP/s, 1 MAC = 2 FLOP: 2 * rows * columns * clock * multiplier.
// 0 if the core does not have the mode.
double peak_flops(const CoreSpec& core, MatmulMode mode);

extern const CoreSpec kNeuronCoreV2;  // Trainium1, Inferentia2
extern const CoreSpec kNeuronCoreV3;  // Trainium2
extern const CoreSpec kNeuronCoreV4;  // Trainium3

const CoreSpec& core_spec(Generation generation);

}  // namespace trainyard::hw
