#pragma once
// Matmul operands are packed once for each contents of their tile and used many times. A static
// operand has a table of slots, one per value of the counters that its address depends on.
#include <cstdint>
#include <vector>

#include "sim/execute/tile/matmul.h"
#include "sim/values/compile.h"

namespace trainyard::sim {

// The tables of a plan. They live in the lanes; here is their sum, which is bounded.
struct Packing {
  bool keep = true;  // false: pack at every use
  int tables = 0;
  int64_t kept_bytes = 0;
};

// Host memory of one lane for packed operands that are kept. [program 3]
inline constexpr int64_t kPackBudget = int64_t{24} << 20;

// One operand of a matmul.
class PackedOperand {
 public:
  PackedOperand(const Compiler& compiler, const isa::Access& access, bool double_row,
                GemmLayout layout, GemmSide side);

  // The packed form under the lane's counters; packs it first if that is not done.
  template <GemmSide Side>
  PackedTile<Side> get(Lane& lane) const;

  // Whether every slot keeps its contents until the tile changes.
  bool is_kept() const { return kept_; }
  // Whether the address depends on the counter of `loop`.
  bool depends_on(isa::LoopId loop) const;
  // Whether the tiles of all iterations of `loop` lie beside each other.
  bool has_slots_of(isa::LoopId loop) const;
  const OperandRef& at() const { return at_; }
  isa::TensorId tile_tensor() const { return tensor_; }
  int64_t k() const { return tile_.k(); }

 private:
  struct SlotTerm {
    isa::LoopId loop = -1;
    int64_t stride = 0;
  };
  void plan_slots(const Compiler& compiler, const isa::Access& access);

  OperandRef at_;
  MatmulTile tile_;
  GemmLayout layout_;
  size_t bytes_ = 0;           // of one slot
  isa::TensorId tensor_ = -1;  // whose contents are packed
  int table_ = -1;
  std::vector<SlotTerm> slot_terms_;
  int64_t slots_ = 1;
  bool kept_ = false;
};

}  // namespace trainyard::sim
