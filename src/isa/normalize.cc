#include "isa/normalize.h"

#include <utility>

#include "isa/operands.h"

namespace trainyard::isa {
namespace {

class Renumbering {
 public:
  explicit Renumbering(const Program& from)
      : from_(from),
        tensor_(from.tensors.size(), -1),
        inst_(from.insts.size(), -1),
        loop_(from.loops.size(), -1) {}

  Program run() {
    to_.name = from_.name;
    to_.target = from_.target;
    to_.files = from_.files;
    to_.registers = from_.registers;
    to_.semaphores = from_.semaphores;
    to_.gpsimd = from_.gpsimd;
    to_.placement.complete = from_.placement.complete;
    to_.body = copy(from_.body);
    // Edges may point forward, so they are renamed once every instruction has its number.
    for (InstPlace& place : to_.placement.insts) rename(place);
    return std::move(to_);
  }

 private:
  Block copy(const Block& block) {
    Block out;
    out.reserve(block.size());
    for (const Statement& s : block) out.push_back({s.kind, copy(s)});
    return out;
  }

  int32_t copy(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Instruction:
        return copy_inst(s.id);
      case Statement::Kind::Tensor:
        return copy_tensor(s.id);
      case Statement::Kind::Loop:
        return copy_loop(s.id);
      case Statement::Kind::Branch:
        return copy_branch(s.id);
      case Statement::Kind::ExitUnless:
        return s.id;
    }
    return -1;
  }

  InstId copy_inst(InstId id) {
    inst_[id] = static_cast<InstId>(to_.insts.size());
    Inst& inst = to_.insts.emplace_back(from_.insts[id]);
    each_access(inst.op, [&](std::string_view, Access& a, Role) { rename(a); });
    rename_affines(inst.op);
    const std::vector<InstPlace>& places = from_.placement.insts;
    to_.placement.insts.push_back(static_cast<size_t>(id) < places.size() ? places[id]
                                                                          : InstPlace{});
    return inst_[id];
  }

  TensorId copy_tensor(TensorId id) {
    tensor_[id] = static_cast<TensorId>(to_.tensors.size());
    Tensor& tensor = to_.tensors.emplace_back(from_.tensors[id]);
    if (tensor.view) tensor.view->base = tensor_[tensor.view->base];
    const std::vector<TensorPlace>& places = from_.placement.tensors;
    to_.placement.tensors.push_back(static_cast<size_t>(id) < places.size() ? places[id]
                                                                            : TensorPlace{});
    return tensor_[id];
  }

  LoopId copy_loop(LoopId id) {
    const LoopId number = loop_[id] = static_cast<LoopId>(to_.loops.size());
    const Loop& from = from_.loops[id];
    Loop loop{.kind = from.kind, .name = from.name, .body = {}, .source = from.source};
    switch (from.kind) {
      case Loop::Kind::Repeat:
        loop.count = renamed(from.count);
        break;
      case Loop::Kind::Counted:
        loop.counter = from.counter;
        loop.from = from.from;
        loop.to = from.to;
        loop.step = from.step;
        loop.trips = from.trips;
        break;
      case Loop::Kind::While:
        loop.trips = from.trips;
        break;
    }
    to_.loops.push_back(std::move(loop));
    Block body = copy(from.body);  // may move to_.loops
    to_.loops[number].body = std::move(body);
    return number;
  }

  BranchId copy_branch(BranchId id) {
    const auto number = static_cast<BranchId>(to_.branches.size());
    const Branch& from = from_.branches[id];
    to_.branches.push_back({.name = from.name,
                            .condition = from.condition,
                            .taken = {.min = {}, .expected = from.taken.expected, .max = {}},
                            .then_block = {},
                            .else_block = {},
                            .source = from.source});
    Block then_block = copy(from.then_block), else_block = copy(from.else_block);
    to_.branches[number].then_block = std::move(then_block);
    to_.branches[number].else_block = std::move(else_block);
    return number;
  }

  // Renaming may change the order of terms; adding them up again restores the normal form.
  Affine renamed(const Affine& a) const {
    Affine out(a.constant);
    for (const Term& t : a.terms) {
      out += t.variable.kind == Variable::Kind::Counter
                 ? Affine::counter(loop_[t.variable.id], t.coefficient)
                 : Affine::reg(t.variable.id, t.coefficient);
    }
    return out;
  }

  void rename(Access& a) const {
    a.tensor = tensor_[a.tensor];
    a.partition = renamed(a.partition);
    a.offset = renamed(a.offset);
  }

  void rename(InstPlace& place) const {
    if (place.ahead_loop >= 0) place.ahead_loop = loop_[place.ahead_loop];
    if (place.ahead_loop < 0) place.ahead = 0;
    for (Edge& e : place.after) {
      e.producer = inst_[e.producer];
      for (Affine& a : e.at) a = renamed(a);
      if (e.lag_loop >= 0) e.lag_loop = loop_[e.lag_loop];
      if (e.lag_loop < 0) e.lag = 0;
    }
    for (SemaphoreWait& w : place.waits) w.value = renamed(w.value);
  }

  // The affine attributes of an instruction (accesses are renamed apart).
  struct AffineVisitor : IgnoreFields {
    const Renumbering& names;
    explicit AffineVisitor(const Renumbering& n) : names(n) {}
    template <class T>
    void attribute(std::string_view, T& value, const T&) {
      if constexpr (std::is_same_v<T, Affine>) value = names.renamed(value);
    }
  };
  void rename_affines(Instruction& op) const {
    std::visit([&](auto& i) { i.fields(i, AffineVisitor(*this)); }, op);
  }

  const Program& from_;
  Program to_;
  std::vector<int32_t> tensor_, inst_, loop_;
};

}  // namespace

Program normalized(const Program& program) { return Renumbering(program).run(); }

}  // namespace trainyard::isa
