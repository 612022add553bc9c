// Ring: members pass chunks to the next one on a cycle. The buffer is cut over all channels, so
// that every link works. ReduceScatter sends the partial sum of a chunk on its way to the owner,
// each member adding its own part.
//
// AllToAll has no data to pass on: in step s each member sends straight to the one s + 1 further.
// Broadcast sends one chunk after the other down the ring.
#include "cluster/net/schedules/emitters.h"

namespace trainyard::cluster {
namespace {

int32_t wrap(int32_t place, int32_t n) { return (place % n + n) % n; }

void emit_all_gather(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const int32_t n = s.members.count;
  for (int32_t k = 0; k < s.slices; ++k) {
    const auto& order = s.order[static_cast<size_t>(k)];
    const int32_t at = s.place[static_cast<size_t>(k)][static_cast<size_t>(member)];
    const int32_t next = order[static_cast<size_t>(wrap(at + 1, n))];
    add_send(out, {.src = member, .dst = next, .slice = k, .forward = true});
    add_chunk(out, order[static_cast<size_t>(wrap(at - step, n))]);
  }
}

void emit_reduce_scatter(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const int32_t n = s.members.count;
  for (int32_t k = 0; k < s.slices; ++k) {
    if (step == s.steps) {
      add_send(
          out,
          {.src = member, .dst = member, .slice = k, .sources = 2, .forward = true, .last = true});
      add_chunk(out, member);
      add_input(out, member);
      continue;
    }
    const auto& order = s.order[static_cast<size_t>(k)];
    const int32_t at = s.place[static_cast<size_t>(k)][static_cast<size_t>(member)];
    const int32_t next = order[static_cast<size_t>(wrap(at + 1, n))];
    add_send(
        out,
        {.src = member, .dst = next, .slice = k, .sources = step > 0 ? 2 : 1, .forward = step > 0});
    add_chunk(out, order[static_cast<size_t>(wrap(at - step - 1, n))]);
    add_input(out, member);
  }
}

// The cycle is cut before the root, member 0.
void emit_broadcast(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const int32_t n = s.members.count;
  for (int32_t k = 0; k < s.slices; ++k) {
    const auto& place = s.place[static_cast<size_t>(k)];
    const int32_t at = place[static_cast<size_t>(member)];
    const int32_t behind_root = wrap(at - place[0], n);
    const int32_t chunk = step - behind_root;
    if (behind_root == n - 1 || chunk < 0 || chunk >= n) continue;
    const int32_t next = s.order[static_cast<size_t>(k)][static_cast<size_t>(wrap(at + 1, n))];
    add_send(out, {.src = member, .dst = next, .slice = k, .forward = true});
    add_chunk(out, chunk);
  }
}

void emit_permute(const Schedule& s, int32_t member, SendList& out) {
  const int32_t next = permute_target(s, member);
  if (next < 0) return;
  add_send(out, {.src = member, .dst = next});
  add_chunk(out, 0);
}

void emit_send_recv(int32_t member, SendList& out) {
  if (member != 0) return;
  add_send(out, {.src = 0, .dst = 1});
  add_chunk(out, 0);
}

void emit_shift(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const int32_t target = wrap(member + step + 1, s.members.count);
  add_send(out, {.src = member, .dst = target});
  add_chunk(out, target);
  add_input(out, member);
}

// Chips in the order of each channel, and on each chip its members one after the other.
void order_members(Schedule& s) {
  const Members& m = s.members;
  for (const Cycle& cycle : m.channels) {
    std::vector<int32_t>& order = s.order.emplace_back();
    for (const int32_t position : cycle) {
      for (int32_t i = 0; i < m.per_chip; ++i) order.push_back(member_on(m, position, i));
    }
    std::vector<int32_t>& place = s.place.emplace_back(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      place[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
    }
  }
  s.slices = static_cast<int32_t>(m.channels.size());
}

}  // namespace

int32_t permute_target(const Schedule& s, int32_t member) {
  if (!s.target.empty()) return s.target[static_cast<size_t>(member)];
  const int32_t at = s.place[0][static_cast<size_t>(member)];
  return s.order[0][static_cast<size_t>(wrap(at + 1, s.members.count))];
}

Status prepare_ring(Schedule& s) {
  const int32_t n = s.members.count;
  order_members(s);
  s.chunks = n;
  s.steps = n - 1;
  switch (s.op) {
    case Op::AllGather:
      return {};
    case Op::ReduceScatter:
      s.tail = true;
      return {};
    case Op::AllToAll:
      s.slices = 1;
      return {};
    case Op::Broadcast:
      s.steps = 2 * n - 2;
      return {};
    case Op::Permute:
    case Op::SendRecv:
      s.slices = 1;
      s.chunks = 1;
      s.steps = 1;
      return {};
    case Op::AllReduce:
      return no_schedule(s);
  }
  return no_schedule(s);
}

void emit_ring(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  switch (s.op) {
    case Op::AllGather:
      return emit_all_gather(s, step, member, out);
    case Op::ReduceScatter:
      return emit_reduce_scatter(s, step, member, out);
    case Op::AllToAll:
      return emit_shift(s, step, member, out);
    case Op::Broadcast:
      return emit_broadcast(s, step, member, out);
    case Op::Permute:
      return emit_permute(s, member, out);
    case Op::SendRecv:
      return emit_send_recv(member, out);
    case Op::AllReduce:
      return;
  }
}

}  // namespace trainyard::cluster
