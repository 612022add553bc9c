#pragma once
// Which engines can run an instruction, which one does when nobody says, and what its arithmetic is
// there.
//
// Values are run from the body alone, so the engine must be known from the body wherever the bits
// depend on it. `resolve_engine` is the one fixed rule; `place` may move an instruction only to
// another of its `same_bits_engines`.
//
// Rounding: fp32 arithmetic is never fused. data * scale + bias, and every two-operator
// instruction, rounds after the first operator and again after the second, on Vector, Scalar and
// GpSimd alike. That is why tensor_scalar (multiply, add) gives the same bits on Vector and Scalar.
#include <vector>

#include "hw/core_spec.h"
#include "isa/program.h"

namespace trainyard::isa {

// How the operators of an instruction compute.
enum class Arithmetic : uint8_t {
  Fp32,   // inputs become fp32, each operator rounds to fp32, the result is cast to dst's type
  Int32,  // exact wrapping 32-bit integers
  Bits,   // bit patterns as they are: bitwise operators, copies between equal types
};

// The engine of `inst`: the author's choice, or the fixed rule. Of a transfer: the engine that
// triggers it by default (loads Sync, stores Scalar, swdge GpSimd).
Engine resolve_engine(const Program& program, const Inst& inst, const hw::CoreSpec& core);

// Engines of `core` on which the instruction exists, by its operators, types, memories and size;
// of a transfer the engines that may trigger it. Empty if no engine can run it; `verify` says why.
std::vector<Engine> legal_engines(const Program& program, const Inst& inst,
                                  const hw::CoreSpec& core);

// Those legal engines which give the same bits as the resolved one, that one first.
std::vector<Engine> same_bits_engines(const Program& program, const Inst& inst,
                                      const hw::CoreSpec& core);

// What `inst` computes with when it runs on `engine`.
Arithmetic arithmetic(const Program& program, const Inst& inst, Engine engine);

// Who makes the descriptors of a transfer (never Unknown): what the author says; else static rings
// if every address is known beforehand, swdge for index tiles, and for addresses in registers hwdge
// where the core has it and the types are equal, else swdge.
DgeMode resolve_dge(const Program& program, const Inst& inst, const hw::CoreSpec& core);

}  // namespace trainyard::isa
