#pragma once
// Matmul operands are packed once for each contents of their tile and used many times. A static
// operand has a slot for each value of the counters that its address depends on.
#include <cstdint>
#include <vector>

#include "sim/execute/tile/matmul.h"
#include "sim/values/compile.h"

namespace trainyard::sim {

// Host memory of one lane for packed operands that are kept. [program 3]
inline constexpr int64_t kPackBudget = int64_t{24} << 20;
// And for those that are used at once, in a nest.
inline constexpr int64_t kPassingBudget = int64_t{4} << 20;

// The slots of one operand.
struct PackSlots {
  struct Term {
    isa::LoopId loop = -1;
    int64_t stride = 0;
  };
  std::vector<Term> terms;
  int64_t count = 1;

  int64_t at(const Lane& lane) const {
    int64_t slot = 0;
    for (const Term& t : terms) slot += t.stride * lane.counters[t.loop];
    return slot;
  }
  bool has(isa::LoopId loop) const;
};

// Where kept operands of a plan lie in the arena of a lane. Tiles of blocks side by side never live
// at the same time, so they lie over each other.
class Packing {
 public:
  explicit Packing(bool keep) : keep_(keep) {}

  // A table of `bytes` for a tile that is declared in `block`; -1 if nothing is kept.
  int add(const std::vector<isa::Enclosure>& block, int64_t bytes);
  // After the last add: gives places to as many tables as the budget allows.
  void assign();

  int tables() const { return static_cast<int>(tables_.size()); }
  int64_t arena_bytes() const { return arena_bytes_; }
  // Of a table; -1 if it has no place.
  int64_t offset(int table) const { return table < 0 ? -1 : tables_[table].offset; }

 private:
  struct Table {
    std::vector<isa::Enclosure> block;
    int64_t bytes = 0;
    int64_t offset = -1;
  };
  bool keep_;
  std::vector<Table> tables_;
  int64_t arena_bytes_ = 0;
};

// One operand of a matmul.
class PackedOperand {
 public:
  PackedOperand(const Compiler& compiler, const isa::Access& access, bool double_row,
                GemmLayout layout, GemmSide side);

  // The packed form under the lane's counters; packs it first if that is not done.
  template <GemmSide Side>
  PackedTile<Side> get(Lane& lane) const;

  // Whether the address depends on the counter of `loop`.
  bool depends_on(isa::LoopId loop) const;
  // Whether the tiles of all iterations of `loop` can be packed at the same time.
  bool has_slots_of(isa::LoopId loop) const;
  const OperandRef& at() const { return at_; }
  isa::TensorId tile_tensor() const { return tensor_; }

 private:
  void plan_slots(const Compiler& compiler, const isa::Access& access);
  bool is_kept() const { return packing_->offset(table_) >= 0; }
  const PackSlots& slots() const { return is_kept() ? kept_ : passing_; }

  OperandRef at_;
  MatmulTile tile_;
  GemmLayout layout_;
  size_t bytes_ = 0;           // of one slot
  isa::TensorId tensor_ = -1;  // whose contents are packed
  const Packing* packing_ = nullptr;
  int table_ = -1;
  PackSlots kept_, passing_;
};

}  // namespace trainyard::sim
