#include "sim/check/body.h"

#include <algorithm>

namespace trainyard::sim::hazard {

using isa::InstId;
using isa::Role;

namespace {

isa::Program without_edges(isa::Program program) {
  for (isa::InstPlace& place : program.placement.insts) place.after.clear();
  return program;
}

std::vector<InstId> all_of(const isa::Program& program) {
  std::vector<InstId> out(program.insts.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<InstId>(i);
  return out;
}

}  // namespace

BodyWalk::BodyWalk(const isa::Program& program, const isa::Structure& structure,
                   const isa::TripRecord& trips, const Layout& layout,
                   const std::vector<uint8_t>& masks, const hw::CoreSpec& core, Findings& findings)
    : program_(program),
      layout_(layout),
      masks_(masks),
      sums_on_any_write_(core.generation >= hw::Generation::V4),
      findings_(findings),
      plain_(without_edges(program)),
      walker_(plain_, structure, all_of(program), trips),
      waiting_(program.insts.size()) {
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    State fresh;
    fresh.instance = layout.tensor(static_cast<isa::TensorId>(t)).initialised ? 0 : -1;
    fresh.writer.inst = fresh.instance == 0 ? kCaller : kNobody;
    fresh.writer.order = -1;
    cells_.emplace_back(fresh);
  }
}

bool BodyWalk::next(isa::StreamItem& item) {
  if (passed_.empty() && !step()) return false;
  item = passed_.front();
  passed_.pop_front();
  return true;
}

const Expected& BodyWalk::expected(InstId inst, int64_t instance) {
  Waiting& w = waiting_[inst];
  while (instance >= w.first + static_cast<int64_t>(w.expected.size())) TY_CHECK(step());
  return w.expected[static_cast<size_t>(instance - w.first)];
}

void BodyWalk::executed(InstId inst, int64_t instance) {
  Waiting& w = waiting_[inst];
  --w.expected[static_cast<size_t>(instance - w.first)].replicas;
  while (!w.expected.empty() && w.expected.front().replicas == 0) {
    w.expected.pop_front();
    ++w.first;
  }
}

int64_t BodyWalk::cells() const {
  int64_t n = 0;
  for (const auto& c : cells_) n += c.size();
  return n;
}

// Executes one instruction of the body.
bool BodyWalk::step() {
  do {
    if (!walker_.next()) return false;
  } while (walker_.item().kind != isa::StreamItem::Kind::Instruction);
  const isa::StreamItem item = walker_.item();
  const InstPlan& plan = layout_.inst(item.id);
  now_ = Touch{.inst = item.id, .instance = item.instance, .order = order_};
  on_tensor_engine_ =
      program_.placement.insts[item.id].engine == hw::Engine::Tensor && !plan.operands.empty();
  Expected e{.order = order_++, .replicas = std::max(1, __builtin_popcount(masks_[item.id]))};
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    const OperandPlan& o = plan.operands[k];
    if (!layout_.inside(o, walker_.counters())) {
      findings_.out_of_bounds(now_, o, o.offset.value(walker_.counters()),
                              o.partition.value(walker_.counters()));
      e.skip |= uint64_t{1} << k;
    } else if (o.role == Role::Update && plan.matmul) {
      read_sum(static_cast<int>(k), o, e);
    } else if (o.role == Role::Update || o.weak) {
      if (o.role != Role::Write) read_some(static_cast<int>(k), o, e);
    } else if (o.role == Role::Read) {
      read(static_cast<int>(k), o, e);
    }
    if (o.scatters) check_scatter(o);
    if (o.repeats) findings_.repeated_destination(now_);
  }
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    if (plan.operands[k].role != Role::Read && (e.skip >> k & 1) == 0) write(plan.operands[k]);
  }
  if (plan.hidden.act_reduce_read) e.sum_order = sum_order_;
  if (plan.hidden.act_reduce_write) sum_order_ = e.order;
  waiting_[item.id].expected.push_back(std::move(e));
  passed_.push_back(item);
  return true;
}

// All of the operand must have been written.
void BodyWalk::read(int k, const OperandPlan& o, Expected& e) {
  const int64_t instance = walker_.tensor_instance(o.tensor);
  bool reported = false;
  size_t seen = 0;
  parts_.clear();
  each_cell(o, [&](const Box& box, State& s) {
    if (s.instance != instance && !reported) {
      findings_.uninitialised(touch(o), o, box);
      reported = true;
    }
    ++seen;
    parts_.push_back({k, box, writer_of(s)});
    if (!on_tensor_engine_) s.open = false;
  });
  if (!reported) expect_parts(k, e, seen);
}

// Old contents matter where there are some.
void BodyWalk::read_some(int k, const OperandPlan& o, Expected& e) {
  const int64_t instance = walker_.tensor_instance(o.tensor);
  size_t seen = 0;
  parts_.clear();
  Box first;
  each_cell(o, [&](const Box& box, State& s) {
    if (seen++ == 0) first = box;
    if (s.instance == instance) parts_.push_back({k, box, writer_of(s)});
    if (!on_tensor_engine_) s.open = false;
  });
  if (parts_.empty() && o.role == Role::Read) findings_.uninitialised(touch(o), o, first);
  expect_parts(k, e, seen);
}

// A matmul adds onto the sum that is there, or begins one.
void BodyWalk::read_sum(int k, const OperandPlan& o, Expected& e) {
  const int64_t instance = walker_.tensor_instance(o.tensor);
  const bool adds = layout_.inst(now_.inst).accumulate == isa::Accumulate::Add;
  size_t seen = 0;
  bool reported = false;
  parts_.clear();
  each_cell(o, [&](const Box& box, State& s) {
    ++seen;
    const bool written = s.instance == instance;
    if (adds ? written && (s.by_array || sums_on_any_write_) : written && s.open) {
      parts_.push_back({k, box, writer_of(s)});
    } else if (adds && !reported) {
      reported = true;
      if (written) {
        findings_.group_on_other_write(touch(o), s.writer, box);
      } else {
        findings_.group_without_start(touch(o), box);
      }
    }
  });
  expect_parts(k, e, seen);
}

// Keeps what was found in `parts_`; mostly one execution wrote all of it.
void BodyWalk::expect_parts(int k, Expected& e, size_t seen) {
  if (parts_.empty()) return;
  const auto same = [&](const Expected::Part& p) {
    return p.writer.order == parts_.front().writer.order;
  };
  const bool whole = parts_.size() == seen && std::all_of(parts_.begin(), parts_.end(), same);
  if (whole && k < kUsualOperands) {
    e.whole |= uint64_t{1} << k;
    e.writers[static_cast<size_t>(k)] = parts_.front().writer;
  } else {
    e.parts.insert(e.parts.end(), parts_.begin(), parts_.end());
  }
}

void BodyWalk::write(const OperandPlan& o) {
  const Touch me = touch(o);
  const bool matmul = layout_.inst(now_.inst).matmul;
  each_cell(o, [&](const Box&, State& s) {
    s.instance = me.tensor_instance;
    s.writer = me;
    s.by_array = on_tensor_engine_;
    s.open = matmul;
  });
}

// Rows that go to the same place come in no order. What iota and memset write is known here.
void BodyWalk::check_scatter(const OperandPlan& o) {
  if (o.partitions < 2) return;
  const Touch* writer = nullptr;
  bool one = true;
  each_cell(o, [&](const Box&, State& s) {
    one &= writer == nullptr ||
           (writer->inst == s.writer.inst && writer->instance == s.writer.instance);
    writer = &s.writer;
  });
  if (!one || writer == nullptr || writer->inst < 0) return;
  const isa::Instruction& op = program_.insts[writer->inst].op;
  const auto* iota = std::get_if<isa::Iota>(&op);
  if (iota != nullptr && iota->channel_multiplier == 0)
    findings_.duplicate_index(now_, *writer, "channel_multiplier is 0");
  if (std::holds_alternative<isa::Memset>(op))
    findings_.duplicate_index(now_, *writer, "all of them are one number");
}

}  // namespace trainyard::sim::hazard
