#pragma once
// Turns body instructions into steps: operands resolved to base tensor, bytes and pattern, the
// arithmetic chosen, loops of copies found. Everything that does not depend on the run is done
// here.
#include <memory>
#include <optional>
#include <vector>

#include "hw/core_spec.h"
#include "isa/engines.h"
#include "isa/program.h"
#include "isa/structure.h"
#include "sim/execute/tile/alu.h"
#include "sim/values/lane.h"

namespace trainyard::sim {

// Where a tensor lies on the host.
struct Home {
  isa::TensorId root = -1;  // itself, or what its views end in
  int64_t offset = 0;       // bytes into each partition of the root (HBM: into it)
  int64_t pitch = 0;        // bytes from partition to partition of the root
  int64_t bytes = 0;        // of the root in host memory
};
std::vector<Home> find_homes(const isa::Program& program);

struct HbmView;
class Packing;

// What the steps of a plan are made from. `views` is null without shortcuts.
struct Compiler {
  const isa::Program& program;
  const hw::CoreSpec& core;
  const ValueOptions& options;
  const std::vector<Home>& homes;
  const isa::Structure& structure;
  const std::vector<std::optional<HbmView>>* views = nullptr;
  Packing* packing = nullptr;
  isa::InstId inst = -1;  // the instruction that is compiled
  // By TensorId: the tensor_copy that takes a transposed tile out of PSUM at once; -1 for others.
  // The transpose then writes where the copy would. Null without shortcuts.
  const std::vector<isa::InstId>* taken = nullptr;

  OperandRef operand(const isa::Access& access) const;
  // The dims of an access in bytes, as written: partitions first on chip.
  std::vector<Stride> strides(const isa::Access& access) const;
  const isa::Tensor& tensor(const isa::Access& access) const {
    return program.tensors[access.tensor];
  }
  AluStage stage(isa::AluOp op, bool reverse = false) const {
    return {.op = op, .reverse = reverse, .propagate_nan = options.max_propagates_nan};
  }
};

// The step of the compiler's instruction; its bounds are filled in.
std::unique_ptr<Step> compile(const Compiler& compiler);

// By group; `arithmetic` is what the resolved engine computes with.
using Arithmetic = isa::Arithmetic;
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorTensor& i, Arithmetic a);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorScalar& i, Arithmetic a);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::ScalarTensorTensor& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorTensorScan& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorReduce& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorCopy& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::TensorCopyPredicated& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Select& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Reciprocal& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Memset& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Iota& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::AffineSelect& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::BnStats& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::BnAggr& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Max8& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Activation& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Matmul& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Transpose& i, isa::Engine engine);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::DmaCopy& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::DmaTranspose& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::RegisterMove& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::RegisterAlu& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::RegisterLoad& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::RegisterStore& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Nop& i);
std::unique_ptr<Step> compile_op(const Compiler& c, const isa::GpsimdCall& i);
// What must meet another core: faults when it is reached.
std::unique_ptr<Step> compile_meeting(const Compiler& c);

// The one element of `value` in dst's type. Integers stay exact where dst holds integers.
uint32_t stored_word(const isa::Operand& value, numerics::Dtype dtype,
                     const numerics::ConvertOptions& options);

// A fault of the machine at an instruction.
void raise(Lane& lane, const isa::Program& program, isa::InstId inst, Status status);

}  // namespace trainyard::sim
