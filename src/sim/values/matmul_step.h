#pragma once
// nc_matmul as a step, alone and in nests. [program 3: a shortcut keeps each instruction's blocks]
#include <memory>

#include "sim/values/packing.h"

namespace trainyard::sim {

class MatmulStep final : public Step {
 public:
  MatmulStep(const Compiler& compiler, const isa::Matmul& matmul);
  void run(Lane& lane) const override;

  const PackedOperand& stationary() const { return stationary_; }
  const PackedOperand& moving() const { return moving_; }
  const OperandRef& dst() const { return dst_; }
  GemmUnit unit() const { return unit_; }
  isa::Accumulate accumulate() const { return accumulate_; }

  // Whether products over several k may go to dst at once.
  bool can_nest(const ExecContext& context) const;
  // The state of dst under the lane's counters, which is then written.
  PsumState visit(Lane& lane, std::vector<uint8_t>& written) const;
  PsumTile tile(const Lane& lane) const;

 private:
  OperandRef dst_;
  GemmUnit unit_;
  PackedOperand stationary_, moving_;
  isa::Accumulate accumulate_;
  int64_t psum_bytes_ = 0;
};

// The instructions of a `repeat` over k that all add to one tile: as one product, the same bits.
void run_product(const MatmulStep& step, isa::LoopId k, int64_t count, Lane& lane);

}  // namespace trainyard::sim
