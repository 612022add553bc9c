// RDH, recursive doubling and halving [neuron-cc-intra, neuron-cc-inter]. Chips are corners of a
// hypercube; a 4x4 torus is one with four axes. AllGather: members with the same place in their
// chip exchange all they have along one axis after the other, so it doubles each time; then inside
// the chip. ReduceScatter does the same backwards.
//
// Slow axes come first in AllGather, while there is little to send. Among equally fast axes,
// members at different places, and slices of a chunk where there are fewer places than axes, each
// begin with another one, so that the links of a chip work at the same time. Both are assumed; they
// explain the published sweet spot.
//
// AllToAll forwards along the bits of the member's number, Broadcast is a binomial tree over them.
#include <bit>
#include <numeric>

#include "cluster/net/schedules/emitters.h"

namespace trainyard::cluster {
namespace {

// What begins with an axis of its own: a slice of what a member at some place in its chip sends.
struct Unit {
  int32_t index, slice;
};

// The bit that a unit uses in exchange `turn` of an AllGather.
int32_t bit(const Schedule& s, const Unit& unit, int32_t turn) {
  for (const std::vector<int32_t>& axes : s.members.axes) {
    const auto size = static_cast<int32_t>(axes.size());
    const int32_t first = unit.index * s.slices + unit.slice;
    if (turn < size) return axes[static_cast<size_t>((turn + first) % size)];
    turn -= size;
  }
  TY_CHECK(false);
}

// Calls `visit(label)` for the labels that differ from `label` only in the bits that a unit uses in
// exchanges [0, turns).
template <class Visit>
void for_corners(const Schedule& s, int32_t label, const Unit& unit, int32_t turns, Visit&& visit) {
  for (int32_t subset = 0; subset < (1 << turns); ++subset) {
    int32_t other = label;
    for (int32_t t = 0; t < turns; ++t) {
      if ((subset >> t & 1) != 0) other ^= 1 << bit(s, unit, t);
    }
    visit(other);
  }
}

struct Corner {
  int32_t position, index, label;
};
Corner corner(const Schedule& s, int32_t member) {
  const int32_t position = member / s.members.per_chip;
  return {position, member % s.members.per_chip, s.members.labels[static_cast<size_t>(position)]};
}
int32_t member_at(const Schedule& s, int32_t label, int32_t index) {
  return member_on(s.members, s.chip_with_label[static_cast<size_t>(label)], index);
}

void gather_along_axis(const Schedule& s, int32_t turn, int32_t member, SendList& out) {
  const Corner me = corner(s, member);
  for (int32_t slice = 0; slice < s.slices; ++slice) {
    const Unit unit{me.index, slice};
    const int32_t partner = me.label ^ 1 << bit(s, unit, turn);
    const int32_t target = member_at(s, partner, me.index);
    add_send(out, {.src = member, .dst = target, .slice = slice, .forward = true});
    for_corners(s, me.label, unit, turn,
                [&](int32_t label) { add_chunk(out, member_at(s, label, me.index)); });
  }
}

// Each slice on its own, because each ends its exchanges on its own.
void gather_inside(const Schedule& s, int32_t member, SendList& out) {
  const Corner me = corner(s, member);
  for (int32_t slice = 0; slice < s.slices; ++slice) {
    for (int32_t i = 0; i < s.members.per_chip; ++i) {
      if (i == me.index) continue;
      const int32_t target = member_on(s.members, me.position, i);
      add_send(out, {.src = member, .dst = target, .slice = slice, .forward = true});
      for (int32_t p = 0; p < s.members.chips(); ++p) {
        add_chunk(out, member_on(s.members, p, me.index));
      }
    }
  }
}

void emit_all_gather(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  if (step < s.turns) return gather_along_axis(s, step, member, out);
  gather_inside(s, member, out);
}

// The parts of the whole chip for all members at this place.
void reduce_chip(const Schedule& s, int32_t member, SendList& out) {
  const Members& m = s.members;
  const Corner me = corner(s, member);
  for (int32_t slice = 0; slice < s.slices; ++slice) {
    add_send(out, {.src = member, .dst = member, .slice = slice, .sources = m.per_chip});
    for (int32_t p = 0; p < m.chips(); ++p) add_chunk(out, member_on(m, p, me.index));
    for (int32_t i = 0; i < m.per_chip; ++i) add_input(out, member_on(m, me.position, i));
  }
}

void halve_along_axis(const Schedule& s, int32_t halved, int32_t member, SendList& out) {
  const bool shares_chip = s.members.per_chip > 1;
  const Corner me = corner(s, member);
  const int32_t turn = s.turns - 1 - halved;
  for (int32_t slice = 0; slice < s.slices; ++slice) {
    const Unit unit{me.index, slice};
    const int32_t partner = me.label ^ 1 << bit(s, unit, turn);
    add_send(out, {.src = member,
                   .dst = member_at(s, partner, me.index),
                   .slice = slice,
                   .sources = halved > 0 ? 2 : 1,
                   .forward = shares_chip || halved > 0});
    for_corners(s, partner, unit, turn,
                [&](int32_t label) { add_chunk(out, member_at(s, label, me.index)); });
    if (!shares_chip) add_input(out, member);
  }
}

void emit_reduce_scatter(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const bool shares_chip = s.members.per_chip > 1;
  if (shares_chip && step == 0) return reduce_chip(s, member, out);
  if (step < s.steps) return halve_along_axis(s, step - (shares_chip ? 1 : 0), member, out);
  for (int32_t slice = 0; slice < s.slices; ++slice) {
    add_send(out, {.src = member,
                   .dst = member,
                   .slice = slice,
                   .sources = 2,
                   .forward = true,
                   .last = true});
    add_chunk(out, member);
    if (!shares_chip) add_input(out, member);
  }
}

// After the bits below `step`, a member has what all members that differ in them sent to those that
// agree with it in them.
void emit_all_to_all(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const int32_t n = s.members.count, done = (1 << step) - 1;
  const int32_t partner = member ^ 1 << step;
  add_send(out, {.src = member, .dst = partner});
  for (int32_t other = 0; other < n; ++other) {
    if ((other & done) == (partner & done) && ((other ^ partner) >> step & 1) == 0) {
      add_chunk(out, other);
    }
    if ((other | done) == (member | done)) add_input(out, other);
  }
}

// Long distances first: the highest bit of the member's number.
void emit_broadcast(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const int32_t distance = s.members.count >> (step + 1);
  if (member % (2 * distance) != 0) return;
  add_send(out, {.src = member, .dst = member + distance, .forward = true});
  for (int32_t chunk = 0; chunk < s.chunks; ++chunk) add_chunk(out, chunk);
}

bool is_power_of_two(int32_t n) { return std::has_single_bit(static_cast<uint32_t>(n)); }

Status prepare_cube(Schedule& s) {
  const Members& m = s.members;
  for (const std::vector<int32_t>& axes : m.axes) s.turns += static_cast<int32_t>(axes.size());
  if (s.turns == 0 && m.chips() > 1) {
    return error("TY-NET-006",
                 "rdh needs a power of two of chips or instances that form a hypercube; the group "
                 "has {}; take ring",
                 m.chips());
  }
  if (!m.labels.empty()) {
    s.chip_with_label.resize(static_cast<size_t>(*std::ranges::max_element(m.labels)) + 1);
  }
  for (size_t p = 0; p < m.labels.size(); ++p) {
    s.chip_with_label[static_cast<size_t>(m.labels[p])] = static_cast<int32_t>(p);
  }
  // As many slices as it takes for the units of a chip to spread evenly over the axes.
  for (const std::vector<int32_t>& axes : m.axes) {
    const auto size = static_cast<int32_t>(axes.size());
    s.slices = std::lcm(s.slices, m.spread ? size / std::gcd(m.per_chip, size) : 1);
  }
  s.steps = s.turns + (m.per_chip > 1 ? 1 : 0);
  s.tail = s.op == Op::ReduceScatter;
  return {};
}

}  // namespace

Status prepare_rdh(Schedule& s) {
  s.chunks = s.members.count;
  switch (s.op) {
    case Op::AllGather:
    case Op::ReduceScatter:
      return prepare_cube(s);
    case Op::AllToAll:
    case Op::Broadcast:
      if (!is_power_of_two(s.members.count)) {
        return error("TY-NET-006", "rdh needs a power of two of ranks for {}; the group has {}",
                     name(s.op), s.members.count);
      }
      s.steps = std::bit_width(static_cast<uint32_t>(s.members.count)) - 1;
      return {};
    case Op::AllReduce:
    case Op::Permute:
    case Op::SendRecv:
      break;
  }
  return no_schedule(s);
}

void emit_rdh(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  switch (s.op) {
    case Op::AllGather:
      return emit_all_gather(s, step, member, out);
    case Op::ReduceScatter:
      return emit_reduce_scatter(s, step, member, out);
    case Op::AllToAll:
      return emit_all_to_all(s, step, member, out);
    case Op::Broadcast:
      return emit_broadcast(s, step, member, out);
    case Op::AllReduce:
    case Op::Permute:
    case Op::SendRecv:
      return;
  }
}

}  // namespace trainyard::cluster
