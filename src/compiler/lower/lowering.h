#pragma once
// The state of lowering one function to a body.
//
// A block is cut into kernels (lower/kernels.h); each kernel reads dense HBM tensors and writes
// dense HBM tensors, and everything between stays inside of it. A value that only renames another's
// bytes (a reshape) shares its tensor: accesses are flat, so the shape of a tensor does not matter.
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "compiler/executable.h"
#include "compiler/ir/graph.h"
#include "compiler/lower/storage.h"
#include "hw/core_spec.h"
#include "isa/builder.h"

namespace trainyard::compiler {

// A value that is a pattern over another's bytes: element (i0, i1, ...) lies at
// offset + sum(steps[d] * i[d]), in elements of the graph's type.
struct StridedView {
  isa::TensorId tensor = -1;
  int64_t offset = 0;
  std::vector<int64_t> steps;  // one per dimension of the value
};

class Lowering {
 public:
  Lowering(const Module& module, const Function& function, const hw::CoreSpec& core,
           Executable& executable);

  const Module& module;
  const Function& function;
  const hw::CoreSpec& core;
  isa::ProgramBuilder body;
  Executable& executable;

  // The HBM tensor that holds `value`. It must have been defined; a constant gets one on first use.
  // -1 for a value without elements.
  isa::TensorId hbm(ValueId value);
  // A value that is only a view is copied to a dense tensor of the open block.
  // Declares the tensor of a result of a kernel, or gives the one that was reserved for it.
  isa::TensorId define(ValueId value);
  // The same without binding: `value` can still be read as a view meanwhile.
  isa::TensorId allocate(ValueId value);
  // `value` lies in `tensor` (all of it).
  void bind(ValueId value, isa::TensorId tensor) { tensors_[value] = tensor; }
  bool is_bound(ValueId value) const { return tensors_.contains(value); }
  // `define(value)` will give `tensor`: an output, or the state of a loop.
  void reserve(ValueId value, isa::TensorId tensor) { reserved_[value] = tensor; }
  bool is_reserved(ValueId value) const { return reserved_.contains(value); }
  // True when `op`, the only reader of `value`, may keep and change its tensor: made by a kernel of
  // the same block, and nobody else's.
  bool may_take_over(ValueId value, const Op& op);
  // A register for conditions of loops and branches; dead once the loop or arm is entered.
  isa::RegisterId condition_register(size_t which);

  // Where the elements of `value` lie: its own tensor, or through transposes, broadcasts, slices
  // and reversals (lower/views.h) another's. No copy is made.
  StridedView view(ValueId value);
  isa::Access access(const StridedView& view, ElementType element, isa::Affine offset,
                     std::vector<isa::Dim> dims) const;

  // Elements [offset + sum(step * index)] of the value's tensor; all numbers in elements of the
  // graph's type, whose words are added here.
  isa::Access access(ValueId value, isa::Affine offset, std::vector<isa::Dim> dims);
  // All of it, in order: one dim.
  isa::Access whole(ValueId value);
  // Copies all bytes of one tensor to another of the same size.
  void copy(isa::TensorId dst, isa::TensorId src, std::string_view label);

  const TensorType& type(ValueId value) const { return *function.type(value).tensor(); }
  int64_t elements(ValueId value) const { return *type(value).elements(); }
  // The data of a constant, or null.
  const Constant* constant(ValueId value) const;
  // A tensor that holds the number 1.
  isa::TensorId one(isa::Dtype dtype);
  // The operation that makes `value`, or null for an argument.
  const Op* maker(ValueId value) const;

  // Whether an operation other than `ops` reads `value`, inside blocks further in, too.
  bool is_used_outside(ValueId value, const std::vector<OpId>& ops) const;
  // Register `i` for an address: free again once the instruction that uses it is there.
  isa::RegisterId address_register(size_t i);

  // Later statements come from the user's line of `op`.
  void set_source(const Op& op);
  SourcePlace place(const Op& op) const { return user_place(module, function, op.location); }
  // A short name for labels: "add_12".
  static std::string label(const Op& op, OpId id);
  void remark(const Op& op, std::string_view text);

 private:
  std::vector<std::vector<OpId>> users_;  // by ValueId
  std::unordered_map<ValueId, isa::TensorId> tensors_;
  std::unordered_map<ValueId, isa::TensorId> reserved_;
  std::unordered_map<ConstantId, isa::TensorId> constants_;
  std::map<isa::Dtype, isa::TensorId> ones_;
  std::unordered_map<std::string, int32_t> files_;
  std::vector<int32_t> uses_;      // of each value, as an operand anywhere; filled on demand
  std::vector<BlockId> block_of_;  // of each operation
  std::array<isa::RegisterId, 2> condition_registers_ = {-1, -1};
  std::vector<isa::RegisterId> address_registers_;
};

// Lowers the operations of a block up to its terminator. The values that the terminator hands over
// are bound afterwards.
Status lower_block(Lowering& lowering, BlockId block);

// The whole of `main`: declares arguments and outputs, lowers the body, hands the outputs over.
Result<Executable> lower(const Module& module, const hw::CoreSpec& core, std::string_view target);

}  // namespace trainyard::compiler
