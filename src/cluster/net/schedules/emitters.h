#pragma once
// The algorithms behind schedule.h, one source each. `prepare_*` fills in steps and orders,
// TY-NET-006 if it cannot; `emit_*` adds the sends of one member in one step.
#include <algorithm>
#include <initializer_list>
#include <span>

#include "cluster/net/schedule.h"

namespace trainyard::cluster {

Status prepare_ring(Schedule& schedule);
Status prepare_kangaring(Schedule& schedule);
Status prepare_mesh(Schedule& schedule);
Status prepare_rdh(Schedule& schedule);
Status prepare_single_step(Schedule& schedule);

void emit_ring(const Schedule& schedule, int32_t step, int32_t member, SendList& out);
void emit_kangaring(const Schedule& schedule, int32_t step, int32_t member, SendList& out);
void emit_mesh(const Schedule& schedule, int32_t step, int32_t member, SendList& out);
void emit_rdh(const Schedule& schedule, int32_t step, int32_t member, SendList& out);
void emit_single_step(const Schedule& schedule, int32_t step, int32_t member, SendList& out);

// What every prepare says about an operation that it has no schedule for.
Status no_schedule(const Schedule& schedule);

// Adds a send; chunks and inputs follow with add_chunk and add_input.
inline Send& add_send(SendList& out, Send send) {
  send.first_chunk = static_cast<uint32_t>(out.chunks.size());
  send.first_input = static_cast<uint32_t>(out.inputs.size());
  out.sends.push_back(send);
  return out.sends.back();
}
inline void add_chunk(SendList& out, int32_t chunk) {
  out.chunks.push_back(chunk);
  ++out.sends.back().chunk_count;
}
inline void add_input(SendList& out, int32_t member) {
  out.inputs.push_back(member);
  ++out.sends.back().input_count;
}

// The number of the member at `index` on the chip at `position`.
inline int32_t member_on(const Members& members, int32_t position, int32_t index) {
  return position * members.per_chip + index;
}

}  // namespace trainyard::cluster
