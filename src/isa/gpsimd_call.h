#pragma once
// How a gpsimd_call follows from the program that it runs.
#include "isa/program.h"

namespace trainyard::isa {

// Most operands of a call. `check` keeps a bit for each.
inline constexpr size_t kMostCallOperands = 64;

// Bytes of the tensor that a window is a part of. The program must verify.
int64_t tensor_bytes(const gpsimd::Window& window);

// What a call does to the operand of a window. A window that is written, but is not all of its
// tensor, leaves the rest as it was.
Role role_of(const gpsimd::Window& window);

// Operands of a call: one per window, and the scratch if there is some.
inline size_t operand_count(const gpsimd::Program& program) {
  return program.windows.size() + (program.scratch_bytes > 0 ? 1 : 0);
}
std::vector<Role> roles_of(const gpsimd::Program& program);

// The call of program number `id`, with its roles.
GpsimdCall make_call(const Program& program, int32_t id, std::vector<Access> operands,
                     std::vector<RegisterOperand> scalars = {});

// The bits of a scalar of a call: `value` is the number, or what the register holds.
uint64_t scalar_bits(int64_t value, bool is_register, gpsimd::Type type);

// Per window: whether its operand is in HBM and has to be moved to the processors.
std::vector<bool> windows_in_hbm(const Program& program, const GpsimdCall& call);

}  // namespace trainyard::isa
