#include "sim/values/packing.h"

#include <algorithm>
#include <map>

#include "isa/ranges.h"
#include "sim/values/hbm_views.h"

namespace trainyard::sim {
namespace {

constexpr int64_t kLine = 64;

int64_t whole_lines(int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

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

using Block = std::vector<isa::Enclosure>;
struct BlockLess {
  bool operator()(const Block& a, const Block& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](const isa::Enclosure& x, const isa::Enclosure& y) {
                                          return std::pair(x.kind, x.id) < std::pair(y.kind, y.id);
                                        });
  }
};

}  // namespace

bool PackSlots::has(isa::LoopId loop) const {
  return std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return t.loop == loop; });
}

int Packing::add(const Block& block, int64_t bytes) {
  if (!keep_) return -1;
  tables_.push_back({block, whole_lines(bytes)});
  return static_cast<int>(tables_.size()) - 1;
}

void Packing::assign() {
  // Outer blocks first, so that an inner one begins behind everything around it.
  std::vector<Table*> order;
  for (Table& t : tables_) order.push_back(&t);
  std::stable_sort(order.begin(), order.end(), [](const Table* a, const Table* b) {
    return a->block.size() < b->block.size();
  });
  std::map<Block, int64_t, BlockLess> used;  // end of what lies in a block
  for (Table* t : order) {
    int64_t begin = 0;
    Block around = t->block;
    for (;; around.pop_back()) {
      if (const auto at = used.find(around); at != used.end()) begin = std::max(begin, at->second);
      if (around.empty()) break;
    }
    if (t->bytes > kPackBudget || begin + t->bytes > kPackBudget) continue;
    t->offset = begin;
    used[t->block] = begin + t->bytes;
    arena_bytes_ = std::max(arena_bytes_, begin + t->bytes);
  }
}

PackedOperand::PackedOperand(const Compiler& c, const isa::Access& access, bool double_row,
                             GemmLayout layout, GemmSide side)
    : at_(c.operand(access)),
      tile_(tile_of(c, access, double_row)),
      layout_(layout),
      bytes_(whole_lines(packed_bytes(layout, side, tile_.k(), tile_.pattern.count))),
      tensor_(c.homes[access.tensor].root),
      packing_(c.packing) {
  plan_slots(c, access);
}

bool PackedOperand::depends_on(isa::LoopId loop) const {
  return std::any_of(at_.terms.begin(), at_.terms.end(), [&](const isa::Term& t) {
    return t.variable == isa::Variable{isa::Variable::Kind::Counter, loop};
  });
}

bool PackedOperand::has_slots_of(isa::LoopId loop) const {
  return !depends_on(loop) || slots().has(loop);
}

void PackedOperand::plan_slots(const Compiler& c, const isa::Access& access) {
  const std::vector<isa::Enclosure>& around = c.structure.around(c.inst);
  const std::vector<isa::Enclosure>& block = c.structure.around_tensor(tensor_);
  const bool is_view = c.views != nullptr && (*c.views)[access.tensor];
  std::vector<LoopUse> loops;
  for (size_t i = is_view ? (*c.views)[access.tensor]->depth : block.size(); i < around.size();
       ++i) {
    if (around[i].kind != isa::Enclosure::Kind::Loop) continue;
    const isa::LoopId loop = around[i].id;
    const bool repeat = c.program.loops[loop].kind == isa::Loop::Kind::Repeat;
    const isa::Interval range = isa::bounds(c.program, isa::Affine::counter(loop), around);
    loops.push_back({loop, repeat ? range.high + 1 : 2, depends_on(loop)});
  }
  if (access.is_dynamic()) return;
  constexpr int64_t kMany = int64_t{1} << 40;
  int64_t uses = 1;
  bool passing = true;
  for (auto l = loops.rbegin(); l != loops.rend(); ++l) {
    if (!l->moves) {
      uses = std::min(uses * l->count, kMany);
      continue;
    }
    kept_.terms.push_back({l->loop, kept_.count});
    kept_.count = std::min(kept_.count * l->count, kMany);
    passing &= kept_.count * static_cast<int64_t>(bytes_) <= kPassingBudget;
    if (passing) passing_ = kept_;
  }
  if (uses > 1) table_ = c.packing->add(block, kept_.count * static_cast<int64_t>(bytes_));
}

template <GemmSide Side>
PackedTile<Side> PackedOperand::get(Lane& lane) const {
  const bool kept = is_kept();
  const int64_t slot = slots().at(lane);
  HostBuffer& passing =
      Side == GemmSide::Stationary ? lane.passing_stationary : lane.passing_moving;
  if (!kept) passing.reserve(passing_.count * bytes_);
  std::byte* room = kept ? lane.arena.data() + packing_->offset(table_) : passing.data();
  room += slot * static_cast<int64_t>(bytes_);
  if (kept) {
    std::vector<uint64_t>& packed_from = lane.packed_from[table_];
    if (packed_from.empty()) packed_from.assign(kept_.count, 0);
    const uint64_t contents = lane.contents[tensor_];
    if (packed_from[slot] == contents) {
      return {reinterpret_cast<const uint32_t*>(room), static_cast<size_t>(tile_.k()),
              static_cast<size_t>(tile_.pattern.count), layout_};
    }
    packed_from[slot] = contents;
  }
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
