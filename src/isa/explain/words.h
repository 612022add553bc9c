#pragma once
// What people are told about each instruction. Internal to isa/explain/.
//
// {pe.mm_floor} stands for the value of that constant on the machine at hand, and puts the constant
// into the table of the page. N is the number of elements
// per partition of the main input.
#include <string_view>
#include <type_traits>

#include "isa/movement.h"

namespace trainyard::isa {

struct InstructionWords {
  std::string_view title;     // one line
  std::string_view computes;  // what, on which engines
  std::string_view limits;
  std::string_view cost;
};

// One overload per instruction: one without words does not compile.
InstructionWords words(std::type_identity<Matmul>);
InstructionWords words(std::type_identity<Transpose>);
InstructionWords words(std::type_identity<Activation>);
InstructionWords words(std::type_identity<TensorTensor>);
InstructionWords words(std::type_identity<TensorScalar>);
InstructionWords words(std::type_identity<ScalarTensorTensor>);
InstructionWords words(std::type_identity<TensorTensorScan>);
InstructionWords words(std::type_identity<TensorReduce>);
InstructionWords words(std::type_identity<TensorCopy>);
InstructionWords words(std::type_identity<TensorCopyPredicated>);
InstructionWords words(std::type_identity<Select>);
InstructionWords words(std::type_identity<Reciprocal>);
InstructionWords words(std::type_identity<Memset>);
InstructionWords words(std::type_identity<Iota>);
InstructionWords words(std::type_identity<AffineSelect>);
InstructionWords words(std::type_identity<BnStats>);
InstructionWords words(std::type_identity<BnAggr>);
InstructionWords words(std::type_identity<Max8>);
InstructionWords words(std::type_identity<DmaCopy>);
InstructionWords words(std::type_identity<DmaTranspose>);
InstructionWords words(std::type_identity<RegisterMove>);
InstructionWords words(std::type_identity<RegisterAlu>);
InstructionWords words(std::type_identity<RegisterLoad>);
InstructionWords words(std::type_identity<RegisterStore>);
InstructionWords words(std::type_identity<Nop>);
InstructionWords words(std::type_identity<CoreBarrier>);
InstructionWords words(std::type_identity<SendRecv>);
InstructionWords words(std::type_identity<Collective>);
InstructionWords words(std::type_identity<GpsimdCall>);

}  // namespace trainyard::isa
