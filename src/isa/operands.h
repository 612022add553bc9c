#pragma once
// Walks over the operands of an instruction, derived from `fields`.
#include <string_view>
#include <type_traits>

#include "isa/movement.h"

namespace trainyard::isa {

// A visitor of `fields` that ignores everything. Derive from it and define the methods of interest.
struct IgnoreFields {
  template <class A>
  void dst(std::string_view, A&, Role) {}
  template <class A>
  void src(std::string_view, A&) {}
  template <class O>
  void optional_src(std::string_view, O&) {}
  template <class O>
  void optional_dst(std::string_view, O&) {}
  template <class O, class D>
  void operand(std::string_view, O&, const D&) {}
  template <class O>
  void optional_operand(std::string_view, O&) {}
  template <class T, class D>
  void word(std::string_view, T&, const D&) {}
  template <class T, class D>
  void attribute(std::string_view, T&, const D&) {}
  template <class T>
  void reg_dst(std::string_view, T&) {}
  template <class T>
  void reg_src(std::string_view, T&) {}
  template <class P, class A, class R, class S>
  void call(P&, A&, R&, S&) {}
};

// Calls f(name, access, role) for every tensor operand, in the order of `fields`. `Access` is const
// where the instruction is. Written operands come first, except in a gpsimd_call.
template <class F>
struct AccessVisitor : IgnoreFields {
  F f;
  explicit AccessVisitor(F g) : f(g) {}

  template <class A>
  void dst(std::string_view n, A& a, Role role) {
    f(n, a, role);
  }
  template <class A>
  void src(std::string_view n, A& a) {
    f(n, a, Role::Read);
  }
  template <class O>
  void optional_src(std::string_view n, O& o) {
    if (o) f(n, *o, Role::Read);
  }
  template <class O>
  void optional_dst(std::string_view n, O& o) {
    if (o) f(n, *o, Role::Write);
  }
  template <class O, class D>
  void operand(std::string_view n, O& o, const D&) {
    if (auto* a = std::get_if<Access>(&o)) f(n, *a, Role::Read);
  }
  template <class O>
  void optional_operand(std::string_view n, O& o) {
    if (!o) return;
    if (auto* a = std::get_if<Access>(&*o)) f(n, *a, Role::Read);
  }
  template <class P, class A, class R, class S>
  void call(P&, A& operands, R& roles, S&) {
    for (size_t i = 0; i < operands.size(); ++i) {
      // A damaged program may lack roles; Update assumes the most.
      f(GpsimdCall::operand_name(i), operands[i], i < roles.size() ? roles[i] : Role::Update);
    }
  }
};

template <class F>
void each_access(const Instruction& inst, F&& f) {
  std::visit([&](const auto& i) { i.fields(i, AccessVisitor<F&>(f)); }, inst);
}
template <class F>
void each_access(Instruction& inst, F&& f) {
  std::visit([&](auto& i) { i.fields(i, AccessVisitor<F&>(f)); }, inst);
}

// State inside an engine that an instruction reads or writes besides its operands.
struct HiddenState {
  bool act_reduce_read = false;   // reads the ACT reduce registers (continues or reads out a sum)
  bool act_reduce_write = false;  // changes them
};
HiddenState hidden_state(const Instruction& inst);

}  // namespace trainyard::isa
