// KangaRing [neuron-cc-intra]: a ring of pairs. One member of each pair, the primary, does the work
// of both; the other channels take the other one. AllGather reads a block once and writes it to
// both members of the next pair by hardware duplication: three touches of memory where Ring has
// four. ReduceScatter adds both members' parts to the partial sum on its way: four touches instead
// of six.
#include "cluster/net/schedules/emitters.h"

namespace trainyard::cluster {
namespace {

int32_t wrap(int32_t place, int32_t n) { return (place % n + n) % n; }

int32_t primary(int32_t pair, int32_t slice) { return 2 * pair + slice % 2; }

// The two chunks of a pair.
void add_block(SendList& out, int32_t pair) {
  add_chunk(out, 2 * pair);
  add_chunk(out, 2 * pair + 1);
}
void add_both(SendList& out, int32_t pair) {
  add_input(out, 2 * pair);
  add_input(out, 2 * pair + 1);
}

// Where a member's pair stands on channel k.
struct Spot {
  int32_t pair, next, before;  // `before`: the pair whose block is handled in this step
};
Spot spot(const Schedule& s, int32_t k, int32_t pair, int32_t back) {
  const int32_t pairs = s.members.count / 2;
  const auto& order = s.order[static_cast<size_t>(k)];
  const int32_t at = s.place[static_cast<size_t>(k)][static_cast<size_t>(pair)];
  return {pair, order[static_cast<size_t>(wrap(at + 1, pairs))],
          order[static_cast<size_t>(wrap(at - back, pairs))]};
}

void emit_all_gather(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const int32_t pair = member / 2;
  if (step == 0) {  // what the partner needs, inside the chip
    add_send(out, {.src = member, .dst = member ^ 1, .forward = true});
    add_chunk(out, member);
  }
  for (int32_t k = 0; k < s.slices; ++k) {
    if (primary(pair, k) != member) continue;
    const Spot at = spot(s, k, pair, step);
    const int32_t target = primary(at.next, k);
    add_send(out,
             {.src = member, .dst = target, .dst2 = target ^ 1, .slice = k, .forward = step > 0});
    add_block(out, at.before);
    if (step == 0) add_both(out, pair);
  }
}

void emit_reduce_scatter(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const int32_t pair = member / 2;
  for (int32_t k = 0; k < s.slices; ++k) {
    if (primary(pair, k) != member) continue;
    if (step == s.steps) {
      for (const int32_t owner : {2 * pair, 2 * pair + 1}) {
        add_send(
            out,
            {.src = member, .dst = owner, .slice = k, .sources = 3, .forward = true, .last = true});
        add_chunk(out, owner);
        add_both(out, pair);
      }
      continue;
    }
    const Spot at = spot(s, k, pair, step + 1);
    add_send(out, {.src = member,
                   .dst = primary(at.next, k),
                   .slice = k,
                   .sources = step > 0 ? 3 : 2,
                   .forward = step > 0});
    add_block(out, at.before);
    add_both(out, pair);
  }
}

}  // namespace

bool can_kangaring(const Members& m) {
  return m.whole_chips && m.per_chip % 2 == 0 && m.chips() >= 2;
}

Status prepare_kangaring(Schedule& s) {
  const Members& m = s.members;
  if (s.op != Op::AllGather && s.op != Op::ReduceScatter) return no_schedule(s);
  if (!can_kangaring(m)) {
    return error(
        "TY-NET-006",
        "kangaring needs all ranks of at least two chips, an even number on each; the group "
        "has {} ranks on each of {} chips{}; take ring",
        m.per_chip, m.chips(), m.whole_chips ? "" : ", and others have the rest");
  }
  const int32_t pairs_per_chip = m.per_chip / 2;
  for (const Cycle& cycle : m.channels) {
    std::vector<int32_t>& order = s.order.emplace_back();
    for (const int32_t position : cycle) {
      for (int32_t i = 0; i < pairs_per_chip; ++i) order.push_back(position * pairs_per_chip + i);
    }
    std::vector<int32_t>& place = s.place.emplace_back(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      place[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
    }
  }
  s.slices = static_cast<int32_t>(m.channels.size());
  s.chunks = m.count;
  s.steps = m.count / 2 - 1;
  s.tail = s.op == Op::ReduceScatter;
  return {};
}

void emit_kangaring(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  if (s.op == Op::AllGather) return emit_all_gather(s, step, member, out);
  emit_reduce_scatter(s, step, member, out);
}

}  // namespace trainyard::cluster
