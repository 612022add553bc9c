#include "cluster/net/schedule.h"

#include "cluster/net/schedules/emitters.h"

namespace trainyard::cluster {

Status no_schedule(const Schedule& s) {
  return error("TY-NET-006", "there is no {} form of {}", name(s.algorithm), name(s.op));
}

// Single-step AllReduce: each member sends its whole buffer to everybody and adds what it gets. One
// latency for (n - 1) times the traffic: only for the smallest buffers.
Status prepare_single_step(Schedule& s) {
  if (s.op != Op::AllReduce) return no_schedule(s);
  s.chunks = s.members.count;
  s.steps = 1;
  s.tail = true;
  return {};
}

void emit_single_step(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  const bool tail = step == s.steps;
  for (int32_t other = 0; other < s.members.count; ++other) {
    if ((other == member) != tail) continue;
    add_send(out, {.src = member,
                   .dst = other,
                   .sources = tail ? s.members.count : 1,
                   .forward = tail,
                   .last = tail});
    for (int32_t chunk = 0; chunk < s.chunks; ++chunk) add_chunk(out, chunk);
    add_input(out, member);
  }
}

Result<Schedule> make_schedule(Op op, Algorithm algorithm, const Members& members) {
  Schedule s;
  s.op = op;
  s.algorithm = algorithm;
  s.members = members;
  switch (algorithm) {
    case Algorithm::Ring:
      TY_TRY(prepare_ring(s));
      return s;
    case Algorithm::KangaRing:
      TY_TRY(prepare_kangaring(s));
      return s;
    case Algorithm::Mesh:
      TY_TRY(prepare_mesh(s));
      return s;
    case Algorithm::Rdh:
      TY_TRY(prepare_rdh(s));
      return s;
    case Algorithm::SingleStep:
      TY_TRY(prepare_single_step(s));
      return s;
  }
  TY_CHECK(false);
}

void emit(const Schedule& s, int32_t step, int32_t member, SendList& out) {
  switch (s.algorithm) {
    case Algorithm::Ring:
      return emit_ring(s, step, member, out);
    case Algorithm::KangaRing:
      return emit_kangaring(s, step, member, out);
    case Algorithm::Mesh:
      return emit_mesh(s, step, member, out);
    case Algorithm::Rdh:
      return emit_rdh(s, step, member, out);
    case Algorithm::SingleStep:
      return emit_single_step(s, step, member, out);
  }
}

}  // namespace trainyard::cluster
