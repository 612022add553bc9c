#pragma once
// The parts of a program, each described once as a list of its fields: a Writer writes them, a
// Reader fills them in.
#include <type_traits>

#include "isa/binary/reader.h"
#include "isa/binary/writer.h"
#include "isa/program.h"

namespace trainyard::isa::binary {

// What an archive takes: a Writer only looks.
template <class A, class T>
using Ref = std::conditional_t<A::kReads, T&, const T&>;

// Without a word on what stands in it: verify judges that. Only what every part of Trainyard takes
// for granted is asked here.
void check_normal(Reader& a, const Affine& affine);
inline void check_normal(Writer&, const Affine&) {}

template <class A>
void numbers(A& a, Ref<A, std::vector<int64_t>> all) {
  a.list(all, [&](auto& n) { a.number(n); });
}
template <class A>
void ids(A& a, Ref<A, std::vector<int32_t>> all) {
  a.list(all, [&](auto& n) { a.number(n); });
}
template <class A>
void texts(A& a, Ref<A, std::vector<std::string>> all) {
  a.list(all, [&](auto& t) { a.text(t); });
}
template <class A>
void part(A& a, Ref<A, std::optional<int64_t>> n) {
  a.optional(n, [&](auto& value) { a.number(value); });
}

template <class A>
void part(A& a, Ref<A, SourceRef> s) {
  a.number(s.line);
  if (s.line == 0) return;
  a.number(s.file);
  a.number(s.column);
}

template <class A>
void part(A& a, Ref<A, Affine> e) {
  a.number(e.constant);
  a.list(e.terms, [&](auto& t) {
    a.code(t.variable.kind);
    a.number(t.variable.id);
    a.number(t.coefficient);
  });
  check_normal(a, e);
}

template <class A>
void part(A& a, Ref<A, std::vector<Dim>> dims) {
  a.list(dims, [&](auto& d) {
    a.number(d.step);
    a.number(d.count);
  });
}

template <class A>
void part(A& a, Ref<A, Access> access) {
  a.number(access.tensor);
  a.code(access.dtype);
  part<A>(a, access.partition);
  a.number(access.partitions);
  part<A>(a, access.offset);
  part<A>(a, access.dims);
}

// One of several: its number, then its contents.
template <class A>
void part(A& a, Ref<A, Operand> o) {
  uint64_t which = o.index();
  a.bits(which);
  if constexpr (A::kReads) {
    if (which > 2) return a.fail("there is no operand with code {}", which);
    if (which == 1) o = int64_t{0};
    if (which == 2) o = Access{};
  }
  if (auto* f = std::get_if<float>(&o)) a.number(*f);
  if (auto* n = std::get_if<int64_t>(&o)) a.number(*n);
  if (auto* access = std::get_if<Access>(&o)) part<A>(a, *access);
}

template <class A>
void part(A& a, Ref<A, RegisterOperand> o) {
  bool is_register = std::holds_alternative<RegisterId>(o);
  a.flag(is_register);
  if constexpr (A::kReads) {
    if (is_register) o = RegisterId{-1};
  }
  if (auto* n = std::get_if<int64_t>(&o)) a.number(*n);
  if (auto* r = std::get_if<RegisterId>(&o)) a.number(*r);
}

template <class A>
void part(A& a, Ref<A, Tensor> t) {
  a.text(t.name);
  a.code(t.memory);
  a.code(t.dtype);
  numbers<A>(a, t.shape);
  a.code(t.io);
  a.optional(t.view, [&](auto& v) {
    a.number(v.base);
    a.number(v.offset);
  });
  part<A>(a, t.source);
}

template <class A>
void part(A& a, Ref<A, Block> block) {
  a.list(block, [&](auto& s) {
    a.code(s.kind);
    a.number(s.id);
  });
}

template <class A>
void part(A& a, Ref<A, Trips> t) {
  part<A>(a, t.min);
  part<A>(a, t.expected);
  part<A>(a, t.max);
}

template <class A>
void part(A& a, Ref<A, Loop> l) {
  a.code(l.kind);
  a.text(l.name);
  part<A>(a, l.count);
  a.number(l.counter);
  part<A>(a, l.from);
  part<A>(a, l.to);
  a.number(l.step);
  part<A>(a, l.trips);
  part<A>(a, l.body);
  part<A>(a, l.source);
}

template <class A>
void part(A& a, Ref<A, Branch> b) {
  a.text(b.name);
  a.number(b.condition);
  part<A>(a, b.taken);
  part<A>(a, b.then_block);
  part<A>(a, b.else_block);
  part<A>(a, b.source);
}

}  // namespace trainyard::isa::binary
