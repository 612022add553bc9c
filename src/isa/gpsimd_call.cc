#include "isa/gpsimd_call.h"

#include <array>

namespace trainyard::isa {

std::string_view GpsimdCall::operand_name(size_t i) {
  static const auto kNames = [] {
    std::array<std::string, kMostCallOperands> names;
    for (size_t k = 0; k < names.size(); ++k) names[k] = "operand " + std::to_string(k);
    return names;
  }();
  return i < kNames.size() ? std::string_view(kNames[i]) : "an operand";
}

int64_t tensor_bytes(const gpsimd::Window& window) {
  int64_t bytes = gpsimd::size_of(window.type);
  for (const int64_t extent : window.tensor) bytes *= extent;
  return bytes;
}

Role role_of(const gpsimd::Window& window) {
  switch (window.use) {
    case gpsimd::Window::Use::Read:
      return Role::Read;
    case gpsimd::Window::Use::Write:
      return window.shape == window.tensor ? Role::Write : Role::Update;
    case gpsimd::Window::Use::Update:
      return Role::Update;
  }
  return Role::Update;
}

std::vector<Role> roles_of(const gpsimd::Program& program) {
  std::vector<Role> roles;
  for (const gpsimd::Window& w : program.windows) roles.push_back(role_of(w));
  if (program.scratch_bytes > 0) roles.push_back(Role::Write);
  return roles;
}

GpsimdCall make_call(const Program& program, int32_t id, std::vector<Access> operands,
                     std::vector<RegisterOperand> scalars) {
  return {.program = id,
          .operands = std::move(operands),
          .roles = roles_of(program.gpsimd[id]),
          .scalars = std::move(scalars)};
}

uint64_t scalar_bits(int64_t value, bool is_register, gpsimd::Type type) {
  if (type == gpsimd::Type::I1) return value != 0 ? 1 : 0;
  // Registers have 32 bits and are kept signed.
  if (is_register && !gpsimd::is_signed(type)) value = static_cast<uint32_t>(value);
  const int64_t width = 8 * gpsimd::size_of(type);
  const auto bits = static_cast<uint64_t>(value);
  return width < 64 ? bits & ((uint64_t{1} << width) - 1) : bits;
}

std::vector<bool> windows_in_hbm(const Program& program, const GpsimdCall& call) {
  std::vector<bool> in_hbm;
  for (size_t i = 0; i < program.gpsimd[call.program].windows.size(); ++i) {
    in_hbm.push_back(program.tensors[call.operands[i].tensor].memory == Memory::Hbm);
  }
  return in_hbm;
}

}  // namespace trainyard::isa
