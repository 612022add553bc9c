#include "sim/values/packing.h"

#include <algorithm>

#include "isa/ranges.h"
#include "sim/values/hbm_views.h"

namespace trainyard::sim {
namespace {

// The tile of an operand. In double-row form the second half lies a fixed distance behind.
MatmulTile tile_of(const Compiler& c, const isa::Access& access, bool double_row) {
  if (!double_row) return {.pattern = c.operand(access).pattern};
  isa::Access first = access;
  first.dims.erase(first.dims.begin());
  isa::Access second = first;
  second.offset += isa::Affine(access.dims.front().step);
  const OperandRef a = c.operand(first), b = c.operand(second);
  return {.pattern = a.pattern, .double_row = true, .fold_pitch = b.constant - a.constant};
}

struct LoopUse {
  isa::LoopId loop = -1;
  int64_t count = 1;   // at most
  bool moves = false;  // the operand's address depends on it
};

}  // namespace

PackedOperand::PackedOperand(const Compiler& c, const isa::Access& access, bool double_row,
                             GemmLayout layout, GemmSide side)
    : at_(c.operand(access)),
      tile_(tile_of(c, access, double_row)),
      layout_(layout),
      bytes_(packed_bytes(layout, side, tile_.k(), tile_.pattern.count)),
      tensor_(c.homes[access.tensor].root) {
  constexpr size_t kLine = 64;
  bytes_ = (bytes_ + kLine - 1) / kLine * kLine;
  table_ = c.packing->tables++;
  if (c.packing->keep) plan_slots(c, access);
}

bool PackedOperand::has_slots_of(isa::LoopId loop) const {
  return !depends_on(loop) || std::any_of(slot_terms_.begin(), slot_terms_.end(),
                                          [&](const SlotTerm& t) { return t.loop == loop; });
}

bool PackedOperand::depends_on(isa::LoopId loop) const {
  for (const isa::Term& t : at_.terms) {
    if (t.variable == isa::Variable{isa::Variable::Kind::Counter, loop}) return true;
  }
  return false;
}

void PackedOperand::plan_slots(const Compiler& c, const isa::Access& access) {
  const std::vector<isa::Enclosure>& around = c.structure.around(c.inst);
  size_t depth = c.structure.around_tensor(tensor_).size();
  if (c.views != nullptr && (*c.views)[access.tensor]) depth = (*c.views)[access.tensor]->depth;
  std::vector<LoopUse> loops;
  for (size_t i = depth; i < around.size(); ++i) {
    if (around[i].kind != isa::Enclosure::Kind::Loop) continue;
    const isa::LoopId loop = around[i].id;
    if (c.program.loops[loop].kind != isa::Loop::Kind::Repeat) {
      loops.push_back({loop, 2, depends_on(loop)});  // more than once
      continue;
    }
    const isa::Interval range = isa::bounds(c.program, isa::Affine::counter(loop), around);
    loops.push_back({loop, range.high + 1, depends_on(loop)});
  }
  int64_t slots = 1, uses = 1;
  for (const LoopUse& l : loops) {
    uses *= l.moves ? 1 : l.count;
    slots = std::min<int64_t>(slots * (l.moves ? l.count : 1), int64_t{1} << 40);
  }
  const int64_t bytes = slots * static_cast<int64_t>(bytes_);
  kept_ = !access.is_dynamic() && uses > 1 && c.packing->kept_bytes + bytes <= kPackBudget;
  if (kept_) c.packing->kept_bytes += bytes;
  // Without keeping, the tiles of one innermost loop still lie beside each other, for a nest.
  for (auto l = loops.rbegin(); l != loops.rend(); ++l) {
    if (!l->moves) continue;
    slot_terms_.push_back({l->loop, slots_});
    slots_ *= l->count;
    if (!kept_) break;
  }
  if (!kept_ && slots_ * static_cast<int64_t>(bytes_) > kPackBudget) {
    slot_terms_.clear();
    slots_ = 1;
  }
}

template <GemmSide Side>
PackedTile<Side> PackedOperand::get(Lane& lane) const {
  PackTable& table = lane.packs[table_];
  if (table.packed_from.empty()) {
    table.packed_from.assign(slots_, 0);
    table.memory.reserve(slots_ * bytes_);
  }
  int64_t slot = 0;
  for (const SlotTerm& t : slot_terms_) slot += t.stride * lane.counters[t.loop];
  std::byte* room = table.memory.data() + slot * bytes_;
  const uint64_t contents = lane.contents[tensor_];
  if (kept_ && table.packed_from[slot] == contents && contents != 0) {
    return {reinterpret_cast<const uint32_t*>(room), static_cast<size_t>(tile_.k()),
            static_cast<size_t>(tile_.pattern.count), layout_};
  }
  table.packed_from[slot] = contents;
  const std::span<std::byte> buffer(room, bytes_);
  if constexpr (Side == GemmSide::Stationary) {
    return pack_stationary(tile_, at_.data(lane), layout_, buffer);
  } else {
    return pack_moving(tile_, at_.data(lane), layout_, buffer);
  }
}

template PackedStationary PackedOperand::get<GemmSide::Stationary>(Lane&) const;
template PackedMoving PackedOperand::get<GemmSide::Moving>(Lane&) const;

}  // namespace trainyard::sim
