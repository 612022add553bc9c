// GpSimd programs and the calls of them.
#include <limits>
#include <set>

#include "isa/gpsimd/text.h"
#include "isa/gpsimd/verify.h"
#include "isa/gpsimd_call.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

int64_t bytes_of(const Access& a) { return a.elements() * numerics::size_of(a.dtype); }

Status verify_memory(const Subject& s, const Named& operand) {
  if (!s.psum(operand.access)) return {};
  return s.refuse("TY-ISA-121",
                  "{} ({}) is in psum, but the gpsimd engine reaches hbm and sbuf only; copy it "
                  "through sbuf with tensor_copy",
                  operand.name, s.tensor(operand.access).name);
}

Status verify_window_operand(const Subject& s, const GpsimdCall& i, size_t k) {
  const gpsimd::Window& w = s.program.gpsimd[i.program].windows[k];
  const Named operand{GpsimdCall::operand_name(k), i.operands[k]};
  TY_TRY(verify_memory(s, operand));
  if (bytes_of(operand.access) != tensor_bytes(w)) {
    return s.refuse("TY-ISA-171",
                    "{} ({}) has {} bytes, but window '{}' lies in {}[{}], which has {}; pass all "
                    "of that tensor",
                    operand.name, s.tensor(operand.access).name, bytes_of(operand.access), w.name,
                    gpsimd::name(w.type), fmt::join(w.tensor, ","), tensor_bytes(w));
  }
  return {};
}

Status verify_roles(const Subject& s, const GpsimdCall& i, const gpsimd::Program& program) {
  constexpr std::string_view kWords[] = {"read", "write", "update"};
  const std::vector<Role> wanted = roles_of(program);
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (i.roles[k] == wanted[k]) continue;
    return s.refuse("TY-ISA-170", "{} is '{}', but by its window it is '{}'; say so",
                    GpsimdCall::operand_name(k), kWords[static_cast<int>(i.roles[k])],
                    kWords[static_cast<int>(wanted[k])]);
  }
  return {};
}

Status verify_scratch(const Subject& s, const GpsimdCall& i, int64_t bytes) {
  const Named operand{"the scratch operand", i.operands.back()};
  if (s.memory(operand.access) == Memory::Sbuf && bytes_of(operand.access) >= bytes) return {};
  return s.refuse("TY-ISA-171", "{} ({}) has {} bytes in {}; it must have {} in sbuf", operand.name,
                  s.tensor(operand.access).name, bytes_of(operand.access),
                  name(s.memory(operand.access)), bytes);
}

// A number must fit the param, as a signed or as an unsigned one. Floats are given by their bits.
Status verify_scalar(const Subject& s, int64_t value, gpsimd::Type type) {
  const int64_t width = type == gpsimd::Type::I1 ? 1 : 8 * gpsimd::size_of(type);
  if (width == 64) return {};
  const int64_t low = -(int64_t{1} << (width - 1)), high = (int64_t{1} << width) - 1;
  if (value >= low && value <= high) return {};
  return s.refuse("TY-ISA-172", "the scalar {} does not fit {}: it must be from {} to {}", value,
                  gpsimd::name(type), low, high);
}

}  // namespace

Status verify_op(const Subject& s, const GpsimdCall& i) {
  const gpsimd::Program& program = s.program.gpsimd[i.program];
  const size_t operands = operand_count(program);
  if (i.operands.size() != operands || operands > kMostCallOperands) {
    return s.refuse("TY-ISA-170",
                    "it has {} operands, but gpsimd program '{}' has {} windows{}; give one for "
                    "each, at most {}",
                    i.operands.size(), program.name, program.windows.size(),
                    program.scratch_bytes > 0 ? " and scratch" : "", kMostCallOperands);
  }
  TY_TRY(verify_roles(s, i, program));
  for (size_t k = 0; k < program.windows.size(); ++k) TY_TRY(verify_window_operand(s, i, k));
  if (program.scratch_bytes > 0) TY_TRY(verify_scratch(s, i, program.scratch_bytes));
  const std::vector<gpsimd::ValueId>& params = program.body.blocks[0].params;
  if (i.scalars.size() != params.size()) {
    return s.refuse("TY-ISA-172", "it has {} scalars, but gpsimd program '{}' takes {}",
                    i.scalars.size(), program.name, params.size());
  }
  for (size_t k = 0; k < params.size(); ++k) {
    const auto* number = std::get_if<int64_t>(&i.scalars[k]);
    if (number != nullptr) TY_TRY(verify_scalar(s, *number, program.body.values[params[k]].type));
  }
  return {};
}

Status verify_gpsimd_programs(const Program& program, const hw::CoreSpec& core) {
  const gpsimd::Limits limits = gpsimd::limits(core);
  std::set<std::string_view> names;
  for (const gpsimd::Program& p : program.gpsimd) {
    if (!names.insert(p.name).second) {
      return error("TY-ISA-170", "two gpsimd programs are called '{}'; rename one", p.name);
    }
    const Status status = gpsimd::verify(p, limits);
    if (status.ok()) continue;
    return Status(status.code(), fmt::format("gpsimd '{}': {}", p.name, status.message()),
                  place_of(program, {0, status.place().line, status.place().column}));
  }
  return {};
}

}  // namespace trainyard::isa
