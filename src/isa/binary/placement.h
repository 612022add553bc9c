#pragma once
// The placement in the binary form. See isa/binary/parts.h.
#include "isa/binary/parts.h"

namespace trainyard::isa::binary {

template <class A>
void part(A& a, Ref<A, TensorPlace> p) {
  part<A>(a, p.address);
  a.number(p.partition);
  a.number(p.slots);
  a.number(p.pitch);
}

template <class A>
void part(A& a, Ref<A, Edge> e) {
  a.number(e.producer);
  a.list(e.at, [&](auto& at) { part<A>(a, at); });
  a.number(e.lag_loop);
  a.number(e.lag);
}

template <class A>
void part(A& a, Ref<A, InstPlace> p) {
  a.optional(p.engine, [&](auto& e) { a.code(e); });
  a.number(p.queue);
  a.number(p.ahead_loop);
  a.number(p.ahead);
  a.list(p.after, [&](auto& e) { part<A>(a, e); });
  a.list(p.waits, [&](auto& w) {
    a.number(w.semaphore);
    part<A>(a, w.value);
  });
  ids<A>(a, p.increments);
}

template <class A>
void part(A& a, Ref<A, Placement> p) {
  a.flag(p.complete);
  a.list(p.tensors, [&](auto& t) { part<A>(a, t); });
  a.list(p.insts, [&](auto& i) { part<A>(a, i); });
}

}  // namespace trainyard::isa::binary
