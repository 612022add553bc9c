// Which engines execute an instruction: registers are private to an engine, so what computes one is
// repeated on every engine that needs its value.
#include <variant>

#include "isa/operands.h"
#include "isa/stream.h"

namespace trainyard::isa {
namespace {

struct RegisterUse {
  RegisterId written = -1;
  std::vector<RegisterId> read;
};

// Registers that `inst` reads (in addresses, too) and the one that it writes.
RegisterUse registers_of(const Instruction& inst) {
  RegisterUse use;
  const auto affine = [&](const Affine& a) {
    for (const Term& t : a.terms) {
      if (t.variable.kind == Variable::Kind::Register) use.read.push_back(t.variable.id);
    }
  };
  const auto operand = [&](const RegisterOperand& o) {
    if (const auto* r = std::get_if<RegisterId>(&o)) use.read.push_back(*r);
  };
  each_access(inst, [&](std::string_view, const Access& a, Role) {
    affine(a.offset);
    affine(a.partition);
  });
  if (const auto* move = std::get_if<RegisterMove>(&inst)) {
    use.written = move->dst.id;
    operand(move->value);
  } else if (const auto* alu = std::get_if<RegisterAlu>(&inst)) {
    use.written = alu->dst.id;
    operand(alu->a);
    operand(alu->b);
  } else if (const auto* load = std::get_if<RegisterLoad>(&inst)) {
    use.written = load->dst.id;
  } else if (const auto* store = std::get_if<RegisterStore>(&inst)) {
    operand(store->value);
  } else if (const auto* call = std::get_if<GpsimdCall>(&inst)) {
    for (const RegisterOperand& s : call->scalars) operand(s);
  }
  return use;
}

// Registers that decide whether and how often the body of `e` runs.
std::vector<RegisterId> registers_of(const Program& program, const Enclosure& e) {
  if (e.kind != Enclosure::Kind::Loop) return {program.branches[e.id].condition};
  std::vector<RegisterId> out;
  const Loop& loop = program.loops[e.id];
  if (loop.kind == Loop::Kind::Counted) {
    if (loop.counter >= 0) out.push_back(loop.counter);
    if (const auto* r = std::get_if<RegisterId>(&loop.from)) out.push_back(*r);
    if (const auto* r = std::get_if<RegisterId>(&loop.to)) out.push_back(*r);
  }
  for (const Statement& s : loop.body) {
    if (s.kind == Statement::Kind::ExitUnless) out.push_back(s.id);
  }
  return out;
}

}  // namespace

std::vector<uint8_t> engine_masks(const Program& program, const Structure& structure) {
  std::vector<uint8_t> masks(program.insts.size(), 0);
  for (size_t i = 0; i < masks.size(); ++i) {
    const auto& engine = program.placement.insts[i].engine;
    if (engine) masks[i] = static_cast<uint8_t>(1u << hw::index(*engine));
  }
  if (program.registers.empty()) return masks;
  std::vector<uint8_t> needed(program.registers.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < masks.size(); ++i) {
      const RegisterUse use = registers_of(program.insts[i].op);
      if (use.written >= 0 && (needed[use.written] & ~masks[i]) != 0) {
        masks[i] |= needed[use.written];
        changed = true;
      }
      const auto need = [&](RegisterId r) {
        changed |= (masks[i] & ~needed[r]) != 0;
        needed[r] |= masks[i];
      };
      for (const RegisterId r : use.read) need(r);
      for (const Enclosure& e : structure.around(static_cast<InstId>(i))) {
        for (const RegisterId r : registers_of(program, e)) need(r);
      }
    }
  }
  return masks;
}

}  // namespace trainyard::isa
