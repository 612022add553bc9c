#include "isa/binary/program.h"

#include <tuple>

#include "isa/binary/gpsimd.h"
#include "isa/binary/instruction.h"
#include "isa/binary/placement.h"

namespace trainyard::isa::binary {
namespace {

void instruction(Writer& a, const Instruction& inst) { write_instruction(a, inst); }
void instruction(Reader& a, Instruction& inst) { read_instruction(a, inst); }

template <class A>
void part(A& a, Ref<A, Inst> i) {
  a.text(i.label);
  instruction(a, i.op);
  a.optional(i.engine, [&](auto& e) { a.code(e); });
  binary::part<A>(a, i.source);
}

template <class A>
void whole(A& a, Ref<A, Program> p) {
  a.text(p.name);
  a.text(p.target);
  texts<A>(a, p.files);
  texts<A>(a, p.registers);
  texts<A>(a, p.semaphores);
  a.list(p.tensors, [&](auto& t) { binary::part<A>(a, t); });
  a.list(p.gpsimd, [&](auto& g) { binary::part<A>(a, g); });
  a.list(p.insts, [&](auto& i) { part<A>(a, i); });
  a.list(p.loops, [&](auto& l) { binary::part<A>(a, l); });
  a.list(p.branches, [&](auto& b) { binary::part<A>(a, b); });
  binary::part<A>(a, p.body);
  binary::part<A>(a, p.placement);
}

}  // namespace

void check_normal(Reader& a, const Affine& affine) {
  const auto order = [](const Term& t) { return std::tuple(t.variable.kind, t.variable.id); };
  for (size_t i = 0; i < affine.terms.size() && a.ok(); ++i) {
    if (affine.terms[i].coefficient == 0) a.fail("an affine expression has a term of 0");
    if (i > 0 && order(affine.terms[i - 1]) >= order(affine.terms[i])) {
      a.fail("the terms of an affine expression are out of order");
    }
  }
}

void write_program(Writer& writer, const Program& program) { whole<Writer>(writer, program); }

Program read_program(Reader& reader) {
  Program program;
  whole<Reader>(reader, program);
  return program;
}

}  // namespace trainyard::isa::binary
