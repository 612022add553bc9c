#pragma once
// What the checks share. Each returns Ok or the first thing that is wrong. Internal to isa/verify/.
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "hw/core_spec.h"
#include "isa/program.h"
#include "isa/structure.h"

namespace trainyard::isa {

// An instruction under examination. `around` is null when it is looked at by itself.
struct Subject {
  const Program& program;
  const Inst& inst;
  const hw::CoreSpec& core;
  Engine engine;
  const std::vector<Enclosure>* around = nullptr;

  const Tensor& tensor(const Access& a) const { return program.tensors[a.tensor]; }
  Memory memory(const Access& a) const { return tensor(a).memory; }
  bool psum(const Access& a) const { return memory(a) == Memory::Psum; }

  // "nc_matmul 'mm': " and the rest, at the user's line.
  template <class... Args>
  Status refuse(std::string_view code, fmt::format_string<Args...> text, Args&&... args) const {
    return Status(code,
                  fmt::format("{} '{}': {}", name(inst.op), inst.label,
                              fmt::format(text, std::forward<Args>(args)...)),
                  place_of(program, inst.source));
  }
};

// An operand as messages name it.
struct Named {
  std::string_view name;
  const Access& access;
};

// The tensor whose memory `id` lies in, and its placement (the default one if none is given).
TensorId root_of(const Program& program, TensorId id);
const TensorPlace& place_of_root(const Program& program, TensorId id);

// The first partition that an operand touches: placement of its tensor plus its own offset.
Affine start_partition(const Program& program, const Access& access);

// ---------------------------------------------------------------- operands (operands.cc)

// Memory, partitions, start partition, pattern, type and bounds of every tensor operand.
Status verify_operands(const Subject& s);
// Whether every element that the operand touches lies in its tensor, in all iterations.
Status verify_bounds(const Subject& s, const Named& operand);

// Pieces that instructions combine.
Status same_shape(const Subject& s, const Named& a, const Named& b);  // partitions and elements
Status same_partitions(const Subject& s, const Named& a, const Named& b);
Status elements_are(const Subject& s, const Named& a, int64_t elements, std::string_view why);
Status not_both_psum(const Subject& s, const Named& a, const Named& b);
// A number, or one element per partition of `like`.
Status column_or_number(const Subject& s, std::string_view name, const Operand& operand,
                        const Access& like);
Status column(const Subject& s, const Named& a, const Access& like);
// The operand's type is one of `allowed`.
Status type_is(const Subject& s, const Named& a, std::initializer_list<Dtype> allowed);
Status same_type(const Subject& s, const Named& a, const Named& b);

// Dims of the pattern that the hardware walks: without counts of 1, neighbours merged.
std::vector<Dim> coalesced(const std::vector<Dim>& dims);

// ---------------------------------------------------------------- instructions

Status verify_engine(const Subject& s);  // the instruction exists on that engine

Status verify_op(const Subject& s, const Matmul& i);
Status verify_op(const Subject& s, const Transpose& i);
Status verify_op(const Subject& s, const Activation& i);
Status verify_op(const Subject& s, const TensorTensor& i);
Status verify_op(const Subject& s, const TensorScalar& i);
Status verify_op(const Subject& s, const ScalarTensorTensor& i);
Status verify_op(const Subject& s, const TensorTensorScan& i);
Status verify_op(const Subject& s, const TensorReduce& i);
Status verify_op(const Subject& s, const TensorCopy& i);
Status verify_op(const Subject& s, const TensorCopyPredicated& i);
Status verify_op(const Subject& s, const Select& i);
Status verify_op(const Subject& s, const Reciprocal& i);
Status verify_op(const Subject& s, const Memset& i);
Status verify_op(const Subject& s, const Iota& i);
Status verify_op(const Subject& s, const AffineSelect& i);
Status verify_op(const Subject& s, const BnStats& i);
Status verify_op(const Subject& s, const BnAggr& i);
Status verify_op(const Subject& s, const Max8& i);
Status verify_op(const Subject& s, const DmaCopy& i);
Status verify_op(const Subject& s, const DmaTranspose& i);
Status verify_op(const Subject& s, const RegisterMove& i);
Status verify_op(const Subject& s, const RegisterAlu& i);
Status verify_op(const Subject& s, const RegisterLoad& i);
Status verify_op(const Subject& s, const RegisterStore& i);
Status verify_op(const Subject& s, const Nop& i);
Status verify_op(const Subject& s, const CoreBarrier& i);
Status verify_op(const Subject& s, const SendRecv& i);
Status verify_op(const Subject& s, const Collective& i);
Status verify_op(const Subject& s, const GpsimdCall& i);

// ---------------------------------------------------------------- the program as a whole

// Ids, the statement tree, names, scopes, affine expressions. After it everything may be indexed.
std::vector<Status> verify_structure(const Program& program, const hw::CoreSpec& core);
// Axes and extents; after it sizes may be computed.
Status verify_shape(const Program& program, TensorId id);
Status verify_tensor(const Program& program, TensorId id, const hw::CoreSpec& core);
Status verify_loop(const Program& program, const Structure& structure, LoopId id);
Status verify_tensor_place(const Program& program, TensorId id, const hw::CoreSpec& core);
Status verify_inst_place(const Program& program, const Structure& structure, InstId id,
                         const hw::CoreSpec& core);
// The GpSimd programs: each fits the core, and no two have the same name.
Status verify_gpsimd_programs(const Program& program, const hw::CoreSpec& core);
// Every queue has one trigger engine.
Status verify_queues(const Program& program);

}  // namespace trainyard::isa
