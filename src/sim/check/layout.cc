#include "sim/check/layout.h"

#include <algorithm>

#include "base/check.h"
namespace trainyard::sim::hazard {

using isa::InstId;
using isa::Memory;
using isa::TensorId;

namespace {

constexpr size_t kMostPitches = 16;

struct Storage {
  TensorId tensor = -1;
  int64_t offset = 0;
};

Storage storage(const isa::Program& program, TensorId tensor) {
  int64_t offset = 0;
  while (program.tensors[tensor].view) {
    offset += program.tensors[tensor].view->offset;
    tensor = program.tensors[tensor].view->base;
  }
  return {tensor, offset};
}

// An index tile decides which rows of that operand are touched.
bool is_indirect(const isa::Instruction& op, std::string_view operand) {
  const auto* copy = std::get_if<isa::DmaCopy>(&op);
  if (copy == nullptr) return false;
  return (operand == "src" && copy->src_index) || (operand == "dst" && copy->dst_index);
}

int64_t bytes_of(const std::vector<Run>& runs) {
  int64_t sum = 0;
  for (const Run& r : runs) sum += r.end - r.begin;
  return sum;
}

}  // namespace

Layout::Layout(const isa::Program& program, int64_t psum_bank_bytes)
    : tensors_(program.tensors.size()), insts_(program.insts.size()) {
  planes_ = {{.memory = Memory::Sbuf}, {.memory = Memory::Psum}};
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    if (!program.tensors[t].view) lay_tensor(program, static_cast<TensorId>(t), psum_bank_bytes);
  }
  for (size_t i = 0; i < program.insts.size(); ++i) plan_inst(program, static_cast<InstId>(i));
  group_hbm(program);
}

void Layout::lay_tensor(const isa::Program& program, TensorId id, int64_t psum_bank_bytes) {
  const isa::Tensor& tensor = program.tensors[id];
  const isa::TensorPlace& place = program.placement.tensors[id];
  TensorLayout& t = tensors_[id];
  t.plane = tensor.memory == Memory::Sbuf ? 0 : tensor.memory == Memory::Psum ? 1 : -1;
  t.address = place.address.value_or(0);
  t.partition = tensor.on_chip() ? place.partition : 0;
  t.partitions = std::max<int64_t>(1, tensor.partitions());
  t.bytes = tensor.free_bytes();
  t.slots = std::max(1, place.slots);
  t.slot_pitch = place.pitch > 0 ? place.pitch : t.bytes;
  if (place.pitch == 0 && tensor.memory == Memory::Psum) {
    t.slot_pitch = (t.bytes + psum_bank_bytes - 1) / psum_bank_bytes * psum_bank_bytes;
  }
  t.initialised = tensor.io == isa::Io::In || tensor.io == isa::Io::InOut;
}

void Layout::plan_inst(const isa::Program& program, InstId id) {
  const isa::Instruction& op = program.insts[id].op;
  InstPlan& plan = insts_[id];
  if (const auto* mm = std::get_if<isa::Matmul>(&op)) {
    plan.matmul = true;
    plan.accumulate = mm->accumulate;
  }
  plan.hidden = isa::hidden_state(op);
  isa::each_access(op, [&](std::string_view name, const isa::Access& a, isa::Role role) {
    const Storage at = storage(program, a.tensor);
    const isa::Tensor& declared = program.tensors[a.tensor];
    const TensorLayout& t = tensors_[at.tensor];
    OperandPlan o{.name = name, .role = role, .tensor = at.tensor, .declared = a.tensor};
    o.low = at.offset;
    o.high = at.offset + declared.free_bytes();
    o.declared_partitions = std::max<int64_t>(1, declared.partitions());
    if (is_indirect(op, name) || a.offset.has_register()) {
      o.runs = {{0, declared.free_bytes()}};
      o.offset = at.offset;
      o.weak = true;
      o.bounded = false;
    } else {
      Footprint f = footprint(a);
      o.runs = std::move(f.runs);
      o.weak = !f.exact;
      o.offset = a.offset * numerics::size_of(a.dtype) + isa::Affine(at.offset);
      const bool moves = isa::is_dma(op) || std::holds_alternative<isa::GpsimdCall>(op);
      o.repeats = moves && role != isa::Role::Read && !o.weak &&
                  a.free_elements() * numerics::size_of(a.dtype) > bytes_of(o.runs);
    }
    o.scatters = name == "dst_index";
    if (a.partition.has_register()) {
      o.partitions = t.partitions;
      o.weak = true;
      o.bounded = false;
    } else if (declared.on_chip()) {
      o.partition = a.partition;
      o.partitions = a.partitions;
    }
    plan.operands.push_back(std::move(o));
  });
  TY_CHECK(plan.operands.size() <= kMostOperands);
}

// HBM tensors whose bytes meet are in one plane.
void Layout::group_hbm(const isa::Program& program) {
  std::vector<TensorId> order;
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    const isa::Tensor& tensor = program.tensors[t];
    if (tensor.memory == Memory::Hbm && !tensor.view) order.push_back(static_cast<TensorId>(t));
  }
  const auto placed = [&](TensorId t) { return program.placement.tensors[t].address.has_value(); };
  std::stable_sort(order.begin(), order.end(), [&](TensorId a, TensorId b) {
    return std::pair(placed(a), tensors_[a].address) < std::pair(placed(b), tensors_[b].address);
  });
  OperandsOf of_tensor(program.tensors.size());
  for (const InstPlan& inst : insts_) {
    for (const OperandPlan& o : inst.operands) of_tensor[o.tensor].push_back(&o);
  }
  const auto end_of = [&](TensorId t) {
    const TensorLayout& l = tensors_[t];
    return l.address + (l.slots - 1) * l.slot_pitch + l.bytes;
  };
  for (size_t i = 0; i < order.size();) {
    std::vector<TensorId> members = {order[i]};
    const int64_t base = tensors_[order[i]].address;
    int64_t end = end_of(order[i]);
    const bool apart = !placed(order[i++]);  // without an address it meets nothing
    while (!apart && i < order.size() && tensors_[order[i]].address < end) {
      end = std::max(end, end_of(order[i]));
      members.push_back(order[i++]);
    }
    for (const TensorId t : members) tensors_[t].plane = static_cast<int>(planes_.size());
    planes_.push_back({Memory::Hbm, base, choose_pitch(members, base, of_tensor)});
  }
}

// The length of rows for which the accesses to these tensors are the fewest rectangles; 0 if none
// is better than one long row.
int64_t Layout::choose_pitch(const std::vector<TensorId>& members, int64_t base,
                             const OperandsOf& of_tensor) const {
  std::vector<const OperandPlan*> operands;
  std::vector<int64_t> pitches;
  for (const TensorId t : members) {
    for (const OperandPlan* o : of_tensor[t]) {
      operands.push_back(o);
      if (o->runs.size() < 2 || pitches.size() == kMostPitches) continue;
      const int64_t step = o->runs[1].begin - o->runs[0].begin;
      if (std::find(pitches.begin(), pitches.end(), step) == pitches.end()) pitches.push_back(step);
    }
  }
  // Slots must be whole rows apart, so that a slot is a shift by rows.
  std::erase_if(pitches, [&](int64_t p) {
    return std::any_of(members.begin(), members.end(), [&](TensorId t) {
      return tensors_[t].slots > 1 && tensors_[t].slot_pitch % p != 0;
    });
  });
  size_t fewest = 0;
  for (const OperandPlan* o : operands) fewest += o->runs.size();
  int64_t best = 0;
  for (const int64_t pitch : pitches) {
    size_t count = 0;
    for (const OperandPlan* o : operands) {
      const int64_t byte = tensors_[o->tensor].address - base + o->offset.constant;
      count += boxes_in_rows(o->runs, ((byte % pitch) + pitch) % pitch, pitch).size();
    }
    if (count < fewest) {
      fewest = count;
      best = pitch;
    }
  }
  return best;
}

const std::vector<Box>& Layout::in_rows(const OperandPlan& o, int64_t first, int64_t pitch) {
  const auto [it, is_new] = o.rows.try_emplace(first);
  if (is_new) it->second = boxes_in_rows(o.runs, first, pitch);
  return it->second;
}

bool Layout::inside(const OperandPlan& o, const int64_t* counters) const {
  if (!o.bounded) return true;
  const int64_t byte = o.offset.value(counters);
  if (byte + o.runs.front().begin < o.low || byte + o.runs.back().end > o.high) return false;
  const int64_t partition = o.partition.value(counters);
  return partition >= 0 && partition + o.partitions <= o.declared_partitions;
}

Box Layout::moved(const Box& box, TensorId tensor, int64_t slot) const {
  const TensorLayout& t = tensors_[tensor];
  const int64_t bytes = slot * t.slot_pitch;
  const int64_t pitch = planes_[t.plane].pitch;
  if (pitch > 0) return {box.row + bytes / pitch, box.row_end + bytes / pitch, box.begin, box.end};
  return {box.row, box.row_end, box.begin + bytes, box.end + bytes};
}

}  // namespace trainyard::sim::hazard
