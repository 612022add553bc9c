#pragma once
// Programs of the GpSimd engine in the binary form. See isa/binary/parts.h.
#include "isa/binary/parts.h"

namespace trainyard::isa::binary {

template <class A>
void part(A& a, Ref<A, gpsimd::Window> w) {
  a.text(w.name);
  a.code(w.type);
  numbers<A>(a, w.shape);
  numbers<A>(a, w.tensor);
  numbers<A>(a, w.start);
  a.code(w.use);
}

template <class A>
void part(A& a, Ref<A, gpsimd::Fold> f) {
  a.code(f.kind);
  a.number(f.function);
}

template <class A>
void part(A&, Ref<A, std::monostate>) {}
template <class A>
void part(A& a, Ref<A, gpsimd::Literal> l) {
  a.bits(l.bits);
}
template <class A>
void part(A& a, Ref<A, gpsimd::Access> x) {
  a.number(x.window);
  a.number(x.step);
  a.code(x.bounds);
  part<A>(a, x.fold);
}
template <class A>
void part(A& a, Ref<A, gpsimd::StripWork> w) {
  part<A>(a, w.fold);
  a.flag(w.exclusive);
  a.code(w.bounds);
}
template <class A>
void part(A& a, Ref<A, gpsimd::Turns> t) {
  a.number(t.body);
  a.number(t.condition);
  a.number(t.maximum);
}
template <class A>
void part(A& a, Ref<A, gpsimd::Branch> b) {
  a.number(b.then);
  a.number(b.otherwise);
}
template <class A>
void part(A& a, Ref<A, gpsimd::WindowWork> w) {
  ids<A>(a, w.windows);
  numbers<A>(a, w.axes);
  a.list(w.orders, [&](auto& o) { a.code(o); });
  part<A>(a, w.fold);
  a.code(w.bounds);
  a.flag(w.right);
  numbers<A>(a, w.size);
  numbers<A>(a, w.stride);
  numbers<A>(a, w.low);
  numbers<A>(a, w.dilation);
  numbers<A>(a, w.base);
}

// The codes of the attributes are their places in the variant, which is append-only for that.
inline void choose(Reader& a, gpsimd::Attributes& attributes, uint64_t which) {
  const auto make = [&]<size_t... i>(std::index_sequence<i...>) {
    return ((which == i ? (attributes.emplace<i>(), true) : false) || ...);
  };
  if (!make(std::make_index_sequence<std::variant_size_v<gpsimd::Attributes>>())) {
    a.fail("there are no attributes with code {}", which);
  }
}

template <class A>
void part(A& a, Ref<A, gpsimd::Op> op) {
  a.code(op.code);
  ids<A>(a, op.in);
  ids<A>(a, op.out);
  uint64_t which = op.attributes.index();
  a.bits(which);
  if constexpr (A::kReads) choose(a, op.attributes, which);
  std::visit([&](auto& attributes) { part<A>(a, attributes); }, op.attributes);
  a.number(op.line);
}

template <class A>
void part(A& a, Ref<A, gpsimd::Function> f) {
  a.text(f.name);
  a.list(f.values, [&](auto& v) {
    a.code(v.type);
    a.number(v.count);
  });
  a.list(f.blocks, [&](auto& b) {
    ids<A>(a, b.params);
    a.list(b.ops, [&](auto& op) { part<A>(a, op); });
    ids<A>(a, b.results);
  });
}

template <class A>
void part(A& a, Ref<A, gpsimd::Program> p) {
  a.text(p.name);
  a.list(p.windows, [&](auto& w) { part<A>(a, w); });
  a.list(p.functions, [&](auto& f) { part<A>(a, f); });
  part<A>(a, p.body);
  a.number(p.scratch_bytes);
  a.flag(p.double_buffered);
}

}  // namespace trainyard::isa::binary
