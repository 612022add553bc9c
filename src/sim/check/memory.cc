#include "sim/check/memory.h"

#include <algorithm>

namespace trainyard::sim::hazard {

using isa::Role;

PlacedMemory::PlacedMemory(const isa::Program& program, const Layout& layout,
                           const hw::CoreSpec& core, bool zero_region, Findings& findings)
    : program_(program),
      layout_(layout),
      bank_bytes_(core.psum_bank_bytes()),
      zero_region_(zero_region),
      findings_(findings),
      planes_(layout.planes().size()) {
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const auto id = static_cast<isa::TensorId>(i);
    const TensorLayout& t = layout.tensor(id);
    if (!t.initialised || program.tensors[i].view) continue;
    layout.whole(id, [&](const Box& box) {
      planes_[t.plane].visit(box, [&](const Box&, State& s) {
        s.writer = Touch{.inst = kCaller, .tensor = id, .order = -1};
      });
    });
  }
}

int64_t PlacedMemory::cells() const {
  int64_t n = 0;
  for (const auto& p : planes_) n += p.size();
  return n;
}

void PlacedMemory::execute(const Touch& me, const Expected& expected, const Clock& known,
                           const isa::StreamWalker& walker) {
  const InstPlan& plan = layout_.inst(me.inst);
  const int64_t* counters = walker.counters();
  const auto access = [&](size_t k) {
    const OperandPlan& o = plan.operands[k];
    Access a{.operand = o, .index = static_cast<int>(k), .touch = me};
    a.touch.tensor = o.tensor;
    a.touch.tensor_instance = walker.tensor_instance(o.tensor);
    a.slot = a.touch.tensor_instance % layout_.tensor(o.tensor).slots;
    a.on_tensor_engine = me.stream == static_cast<int>(hw::index(hw::Engine::Tensor));
    a.is_matmul = plan.matmul;
    return a;
  };
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    if (plan.operands[k].role != Role::Write && (expected.skip >> k & 1) == 0)
      read(access(k), expected, known, counters);
  }
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    if (plan.operands[k].role == Role::Read || (expected.skip >> k & 1) != 0) continue;
    const Access a = access(k);
    const bool begins = plan.matmul && (expected.whole >> k & 1) == 0;
    if (zero_region_ && begins) {
      layout_.boxes(a.operand, counters, a.slot,
                    [&](const Box& b) { check_zero_region(a, known, b); });
    }
    write(a, known, counters);
  }
  if (plan.hidden.act_reduce_read || plan.hidden.act_reduce_write) check_sums(me, expected);
}

void PlacedMemory::read(const Access& a, const Expected& e, const Clock& known,
                        const int64_t* counters) {
  each_cell(a, counters, [&](const Box& box, State& s) {
    check_writer(a, e, known, box, s);
    note_reader(a, s);
  });
}

void PlacedMemory::check_writer(const Access& a, const Expected& e, const Clock& known,
                                const Box& box, const State& s) {
  const Touch& w = s.writer;
  if (w.inst >= 0) {
    // The array adds onto its own sums in order.
    const bool sum =
        w.stream == a.touch.stream && s.by_matmul && a.is_matmul && a.operand.role == Role::Update;
    if (!sum && known[w.stream] < w.index) {
      findings_.race({a.touch, &a.operand, false}, {w, nullptr, true}, box);
      return;
    }
  }
  if (e.whole >> a.index & 1) {
    compare_writer(a, w, e.writers[static_cast<size_t>(a.index)], box);
    return;
  }
  for (const Expected::Part& p : e.parts) {
    if (p.operand == a.index && meet(layout_.moved(p.box, a.operand.tensor, a.slot), box))
      compare_writer(a, w, p.writer, box);
  }
}

void PlacedMemory::compare_writer(const Access& a, const Touch& got, const Writer& wanted,
                                  const Box& box) {
  const Party me{a.touch, &a.operand, a.operand.role != Role::Read};
  if (got.inst == kNobody || !got.same_tensor_instance(a.touch)) {
    findings_.wrong_contents(me, got, box);
  } else if (got.order != wanted.order) {
    findings_.wrong_writer(me, got, {.inst = wanted.inst, .instance = wanted.instance}, box);
  }
}

void PlacedMemory::note_reader(const Access& a, State& s) {
  if (zero_region_ && !a.on_tensor_engine && s.first_reader.inst < 0) s.first_reader = a.touch;
  for (Touch& r : s.readers) {
    if (r.stream != a.touch.stream) continue;
    r = a.touch;
    return;
  }
  s.readers.push_back(a.touch);
}

void PlacedMemory::write(const Access& a, const Clock& known, const int64_t* counters) {
  each_cell(a, counters, [&](const Box& box, State& s) {
    check_overwrite(a, known, box, s);
    s.writer = a.touch;
    s.by_matmul = a.is_matmul;
    s.first_reader = {};
    s.readers.clear();
  });
}

void PlacedMemory::check_overwrite(const Access& a, const Clock& known, const Box& box,
                                   const State& s) {
  const Party me{a.touch, &a.operand, true};
  const auto compare = [&](const Touch& t, bool writes) {
    // Starts, writes and completions of one stream are in order.
    const bool ordered = t.stream == a.touch.stream || known[t.stream] >= t.index;
    if (!ordered) findings_.race(me, {t, nullptr, writes}, box);
  };
  const Touch& w = s.writer;
  if (w.inst == a.touch.inst && w.instance == a.touch.instance) {
    findings_.two_results(a.touch, w, box);
  } else if (w.inst >= 0) {
    compare(w, true);
  }
  for (const Touch& r : s.readers) {
    if (r.inst != a.touch.inst || r.instance != a.touch.instance) compare(r, false);
  }
}

// A sum that begins in a bank disturbs the other sums there, unless they are known to be over: read
// by another engine. [neuroncore 4.4 rule 6]
void PlacedMemory::check_zero_region(const Access& a, const Clock& known, const Box& box) {
  const Box bank{box.row, box.row_end, box.begin / bank_bytes_ * bank_bytes_,
                 (box.end + bank_bytes_ - 1) / bank_bytes_ * bank_bytes_};
  planes_[layout_.tensor(a.operand.tensor).plane].look(bank, [&](const Box& c, const State& s) {
    if (!s.by_matmul || meet(c, box)) return;
    const auto is_over = [&](const Touch& r) {
      return r.inst >= 0 && r.stream != a.touch.stream && known[r.stream] >= r.index;
    };
    if (is_over(s.first_reader) || std::any_of(s.readers.begin(), s.readers.end(), is_over)) return;
    findings_.group_beside_open(a.touch, s.writer, c);
  });
}

// The reduce registers of the Scalar engine, which go with the order of its stream.
void PlacedMemory::check_sums(const Touch& me, const Expected& expected) {
  const isa::HiddenState h = layout_.inst(me.inst).hidden;
  if (h.act_reduce_read && summed_.inst >= 0 && summed_.order != expected.sum_order)
    findings_.hidden_order(me, summed_);
  if (h.act_reduce_write) summed_ = me;
}

void PlacedMemory::read_outputs(const BodyWalk& body) {
  for (size_t i = 0; i < program_.tensors.size(); ++i) {
    const isa::Tensor& tensor = program_.tensors[i];
    if (tensor.io != isa::Io::Out && tensor.io != isa::Io::InOut) continue;
    if (tensor.view) continue;
    const auto id = static_cast<isa::TensorId>(i);
    body.written(id, [&](const Box& box, const Writer& wanted) {
      planes_[layout_.tensor(id).plane].look(box, [&](const Box& c, const State& s) {
        if (s.writer.inst == kNobody || s.writer.order == wanted.order) return;
        findings_.lost_output(id, s.writer, {.inst = wanted.inst, .instance = wanted.instance}, c);
      });
    });
  }
}

}  // namespace trainyard::sim::hazard
