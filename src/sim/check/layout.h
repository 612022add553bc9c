#pragma once
// Where the operands of a placed program lie, worked out once per static instruction.
//
// SBUF and PSUM are one plane each: partitions and bytes. HBM has a plane for each group of tensors
// that share bytes, which is mostly one tensor; its rows are chosen so that tiles of a matrix are
// few rectangles.
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/gpsimd_call.h"
#include "isa/operands.h"
#include "isa/program.h"
#include "sim/check/footprint.h"

namespace trainyard::sim::hazard {

inline constexpr size_t kMostOperands = isa::kMostCallOperands;  // tensors of one instruction
inline constexpr int kUsualOperands = 6;                         // of all but gpsimd_call

struct Plane {
  isa::Memory memory = isa::Memory::Sbuf;
  int64_t base = 0;   // HBM: the byte at which row 0 begins
  int64_t pitch = 0;  // HBM: bytes of a row; 0: all bytes are one row
};

// A tensor that has memory.
struct TensorLayout {
  int plane = -1;
  int64_t address = 0, partition = 0;
  int64_t partitions = 1;  // 1 in HBM
  int64_t bytes = 0;       // in one partition, in HBM of the whole tensor
  int slots = 1;
  int64_t slot_pitch = 0;
  bool initialised = false;  // the caller writes it before the run
};

struct OperandPlan {
  std::string_view name;
  isa::Role role = isa::Role::Read;
  isa::TensorId tensor = -1;    // with memory
  isa::TensorId declared = -1;  // as the body names it, maybe a view
  isa::Affine offset;           // bytes from the tensor's beginning
  isa::Affine partition;
  int64_t partitions = 1;
  std::vector<Run> runs;
  // Some bytes of it, not known which: an address in a register, an index tile, or a pattern with
  // too many pieces.
  bool weak = false;
  bool bounded = true;        // the address is known, so it can be compared with the limits
  bool scatters = false;      // an index tile that says where rows go
  bool repeats = false;       // a transfer writes an element more than once
  int64_t low = 0, high = 0;  // bytes that the declared tensor has
  int64_t declared_partitions = 1;
  mutable std::unordered_map<int64_t, std::vector<Box>> rows;  // by first byte in a row
};

struct InstPlan {
  std::vector<OperandPlan> operands;
  bool matmul = false;
  isa::Accumulate accumulate = isa::Accumulate::Overwrite;
  isa::HiddenState hidden;
};

class Layout {
 public:
  Layout(const isa::Program& program, int64_t psum_bank_bytes);

  const InstPlan& inst(isa::InstId inst) const { return insts_[inst]; }
  const TensorLayout& tensor(isa::TensorId tensor) const { return tensors_[tensor]; }
  const std::vector<Plane>& planes() const { return planes_; }

  // Whether the access stays inside the tensor that the body names.
  bool inside(const OperandPlan& o, const int64_t* counters) const;

  // Calls f(box) for the rectangles that the operand touches if its tensor is in `slot`.
  template <class F>
  void boxes(const OperandPlan& o, const int64_t* counters, int64_t slot, F&& f) const {
    const TensorLayout& t = tensors_[o.tensor];
    const Plane& plane = planes_[t.plane];
    const int64_t byte = t.address + slot * t.slot_pitch + o.offset.value(counters) - plane.base;
    if (plane.pitch > 0) {
      const int64_t row = byte / plane.pitch;
      for (const Box& b : in_rows(o, byte - row * plane.pitch, plane.pitch))
        f(Box{row + b.row, row + b.row_end, b.begin, b.end});
      return;
    }
    const int64_t row = t.partition + o.partition.value(counters);
    for (const Run& r : o.runs) f(Box{row, row + o.partitions, byte + r.begin, byte + r.end});
  }

  // The same rectangle if the tensor is in `slot` instead of slot 0.
  Box moved(const Box& box, isa::TensorId tensor, int64_t slot) const;

  // Calls f(box) for all of a tensor in slot 0.
  template <class F>
  void whole(isa::TensorId tensor, F&& f) const {
    const TensorLayout& t = tensors_[tensor];
    const Plane& plane = planes_[t.plane];
    const int64_t byte = t.address - plane.base;
    if (plane.pitch == 0) {
      f(Box{t.partition, t.partition + t.partitions, byte, byte + t.bytes});
      return;
    }
    for (const Box& b : boxes_in_rows({{0, t.bytes}}, byte, plane.pitch)) f(b);
  }

 private:
  void lay_tensor(const isa::Program& program, isa::TensorId tensor, int64_t psum_bank_bytes);
  void plan_inst(const isa::Program& program, isa::InstId inst);
  void group_hbm(const isa::Program& program);
  using OperandsOf = std::vector<std::vector<const OperandPlan*>>;  // by tensor
  int64_t choose_pitch(const std::vector<isa::TensorId>& members, int64_t base,
                       const OperandsOf& of_tensor) const;
  static const std::vector<Box>& in_rows(const OperandPlan& o, int64_t first, int64_t pitch);

  std::vector<TensorLayout> tensors_;
  std::vector<InstPlan> insts_;
  std::vector<Plane> planes_;
};

}  // namespace trainyard::sim::hazard
