#pragma once
// Who touches which tensor, and where: the raw material of liveness, slots and edges.
#include <cstdint>
#include <vector>

#include "isa/operands.h"
#include "isa/program.h"
#include "isa/structure.h"

namespace trainyard::place {

// The part of a tensor that one operand touches. Views are resolved to the tensor that has the
// memory. Bytes count inside a partition on chip, in the whole tensor in HBM; the touched bytes lie
// in [offset + begin, offset + end).
struct Region {
  isa::Affine offset;  // in bytes
  int64_t begin = 0, end = 0;
  isa::Affine partition;
  int64_t partitions = 0;  // 0 in HBM
  bool dense = false;      // every byte of the hull, so a write replaces it all
};

struct Use {
  isa::InstId inst = -1;
  isa::TensorId tensor = -1;  // never a view
  isa::Role role = isa::Role::Read;
  Region region;

  bool writes() const { return role != isa::Role::Read; }
  bool reads() const { return role != isa::Role::Write; }
};

// The tensor with memory behind `tensor`, and the byte at which it begins there.
struct Storage {
  isa::TensorId tensor = -1;
  int64_t offset = 0;
};
Storage storage(const isa::Program& program, isa::TensorId tensor);

class Uses {
 public:
  Uses(const isa::Program& program, const isa::Structure& structure);

  // In body order; the operands of one instruction in the order of its fields.
  const std::vector<Use>& of_tensor(isa::TensorId tensor) const { return by_tensor_[tensor]; }
  const std::vector<Use>& of_inst(isa::InstId inst) const { return by_inst_[inst]; }
  // Largest value of a counter plus one; for loops at run time a large number.
  int64_t most_turns(isa::LoopId loop) const { return most_turns_[loop]; }
  // Executed instances of an instruction (run-time loops counted by their expected trips, else 4).
  double weight(isa::InstId inst) const { return weight_[inst]; }

  // Whether the two regions can overlap when the first `shared` enclosures of both have the same
  // counters and all others are free.
  bool may_overlap(const Use& a, const Use& b, int shared) const;
  // The same if loop `loop`, one of the shared ones, differs by at least one turn in either
  // direction.
  bool may_overlap_across(const Use& a, const Use& b, int shared, isa::LoopId loop) const;

  const isa::Program& program() const { return program_; }
  const isa::Structure& structure() const { return structure_; }

  struct Range {
    int64_t low = 0, high = 0;  // inclusive
  };
  // Values of `a` when the counters in `fixed` are taken as zero.
  Range range(const isa::Affine& a, const std::vector<char>& fixed) const;

 private:
  const isa::Program& program_;
  const isa::Structure& structure_;
  std::vector<std::vector<Use>> by_tensor_, by_inst_;
  std::vector<int64_t> most_turns_;
  std::vector<double> weight_;
};

}  // namespace trainyard::place
