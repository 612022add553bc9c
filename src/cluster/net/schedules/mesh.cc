// Mesh [neuron-cc-intra]: everybody sends straight to everybody, in as few steps as there are kinds
// of distance. AllGather: the members of a chip share out the other chips; each sends all chunks of
// its own chip to one member there, which then spreads them inside its chip. ReduceScatter: each
// member adds the parts of its whole chip for its share of the other members and sends the sum;
// each owner adds what arrived.
#include "cluster/net/schedules/emitters.h"

namespace trainyard::cluster {
namespace {

// Of the other chips, counted from the next one, member `index` of a chip serves every per_chip-th.
bool serves(const Members& m, int32_t index, int32_t ahead) { return ahead % m.per_chip == index; }

int32_t chip_ahead(const Members& m, int32_t position, int32_t ahead) {
  return (position + 1 + ahead) % m.chips();
}

void add_chip(SendList& out, const Members& m, int32_t position) {
  for (int32_t i = 0; i < m.per_chip; ++i) add_chunk(out, member_on(m, position, i));
}

void gather_across(const Schedule& s, int32_t member, SendList& out) {
  const Members& m = s.members;
  const int32_t position = member / m.per_chip, index = member % m.per_chip;
  for (int32_t ahead = 0; ahead + 1 < m.chips(); ++ahead) {
    if (!serves(m, index, ahead)) continue;
    add_send(out, {.src = member, .dst = member_on(m, chip_ahead(m, position, ahead), index)});
    add_chip(out, m, position);
    for (int32_t i = 0; i < m.per_chip; ++i) add_input(out, member_on(m, position, i));
  }
}

// Everything that `member` has after gather_across, to the others on its chip.
void gather_inside(const Schedule& s, int32_t member, SendList& out) {
  const Members& m = s.members;
  const int32_t position = member / m.per_chip, index = member % m.per_chip;
  for (int32_t i = 0; i < m.per_chip; ++i) {
    if (i == index) continue;
    add_send(out, {.src = member, .dst = member_on(m, position, i), .forward = true});
    add_chunk(out, member);
    for (int32_t ahead = 0; ahead + 1 < m.chips(); ++ahead) {
      // The chip for which this one is `ahead` further sent to the same index.
      const int32_t from = (position - 1 - ahead + 2 * m.chips()) % m.chips();
      if (serves(m, index, ahead)) add_chip(out, m, from);
    }
  }
}

void add_chip_inputs(SendList& out, const Members& m, int32_t position) {
  for (int32_t i = 0; i < m.per_chip; ++i) add_input(out, member_on(m, position, i));
}

void reduce_across(const Schedule& s, int32_t member, SendList& out) {
  const Members& m = s.members;
  const int32_t position = member / m.per_chip, index = member % m.per_chip;
  for (int32_t ahead = 0; ahead + 1 < m.chips(); ++ahead) {
    const int32_t target = member_on(m, chip_ahead(m, position, ahead), index);
    add_send(out, {.src = member, .dst = target, .sources = m.per_chip});
    add_chunk(out, target);
    add_chip_inputs(out, m, position);
  }
}

void reduce_inside(const Schedule& s, int32_t member, SendList& out) {
  const Members& m = s.members;
  add_send(out, {.src = member,
                 .dst = member,
                 .sources = m.chips() - 1 + m.per_chip,
                 .forward = m.chips() > 1,
                 .last = true});
  add_chunk(out, member);
  add_chip_inputs(out, m, member / m.per_chip);
}

void send_to_all(const Schedule& s, int32_t member, SendList& out) {
  for (int32_t other = 0; other < s.members.count; ++other) {
    if (other == member) continue;
    add_send(out, {.src = member, .dst = other, .forward = true});
    if (s.op == Op::AllToAll) {
      add_chunk(out, other);
      add_input(out, member);
    } else {
      for (int32_t chunk = 0; chunk < s.chunks; ++chunk) add_chunk(out, chunk);
    }
  }
}

}  // namespace

Status prepare_mesh(Schedule& s) {
  const Members& m = s.members;
  s.chunks = m.count;
  switch (s.op) {
    case Op::AllGather:
      s.steps = (m.chips() > 1 ? 1 : 0) + (m.per_chip > 1 ? 1 : 0);
      return {};
    case Op::ReduceScatter:
      // Where nothing was added before sending, the sum of what arrived is no step of its own.
      s.steps = m.chips() > 1 && m.per_chip > 1 ? 2 : 1;
      s.tail = m.chips() > 1 && m.per_chip == 1;
      return {};
    case Op::AllToAll:
    case Op::Broadcast:
      s.steps = 1;
      return {};
    case Op::AllReduce:
    case Op::Permute:
    case Op::SendRecv:
      break;
  }
  return no_schedule(s);
}

void emit_mesh(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const bool across = step == 0 && s.members.chips() > 1;
  switch (s.op) {
    case Op::AllGather:
      return across ? gather_across(s, member, out) : gather_inside(s, member, out);
    case Op::ReduceScatter:
      return across ? reduce_across(s, member, out) : reduce_inside(s, member, out);
    case Op::AllToAll:
      return send_to_all(s, member, out);
    case Op::Broadcast:
      if (member == 0) send_to_all(s, member, out);
      return;
    case Op::AllReduce:
    case Op::Permute:
    case Op::SendRecv:
      return;
  }
}

}  // namespace trainyard::cluster
