// What of a placement can be judged without running it. See docs/program.md.
#include <algorithm>
#include <map>

#include "isa/engines.h"
#include "isa/operands.h"
#include "isa/ranges.h"
#include "isa/subscript.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

template <class... Args>
Status refuse(const Program& program, const Inst& inst, std::string_view code,
              fmt::format_string<Args...> text, Args&&... args) {
  return Status(code,
                fmt::format("{} '{}': {}", name(inst.op), inst.label,
                            fmt::format(text, std::forward<Args>(args)...)),
                place_of(program, inst.source));
}

// Far beyond what any placement needs; keeps sums inside 64 bits.
constexpr int64_t kFarAhead = int64_t{1} << 20;
constexpr int64_t kFarBack = int64_t{1} << 40;

template <class T>
bool names(int32_t id, const std::vector<T>& all) {
  return id >= 0 && static_cast<size_t>(id) < all.size();
}

int position_of(const std::vector<Enclosure>& around, LoopId loop) {
  const auto at = std::find(around.begin(), around.end(), Enclosure{Enclosure::Kind::Loop, loop});
  return at == around.end() ? -1 : static_cast<int>(at - around.begin());
}

Status verify_placed_engine(const Program& program, const Inst& inst, const InstPlace& place,
                            const hw::CoreSpec& core) {
  if (!place.engine) {
    if (!program.placement.complete) return {};
    return refuse(program, inst, "TY-ISA-161",
                  "the placement is said to be complete, but names no engine; run 'place'");
  }
  const std::vector<Engine> allowed = same_bits_engines(program, inst, core);
  if (std::find(allowed.begin(), allowed.end(), *place.engine) != allowed.end()) return {};
  std::vector<std::string_view> words;
  for (const Engine e : allowed) words.push_back(hw::name(e));
  return refuse(program, inst, "TY-ISA-161",
                "it is placed on {}, but {} {}; a placement never changes the bits, so name "
                "another engine in the body if you want its result",
                hw::name(*place.engine),
                is_dma(inst.op) ? "its descriptors are triggered by" : "its result is that of",
                fmt::join(words, ", "));
}

Status verify_queue(const Program& program, const Inst& inst, const InstPlace& place,
                    const hw::CoreSpec& core) {
  if (!is_dma(inst.op)) {
    if (place.queue < 0) return {};
    return refuse(program, inst, "TY-ISA-162",
                  "it has queue {}, but only transfers have a queue; name an engine instead",
                  place.queue);
  }
  const int64_t queues = core.dma.queues.value;
  if (place.queue < 0 && !program.placement.complete) return {};
  if (place.queue >= 0 && place.queue < queues) return {};
  return refuse(program, inst, "TY-ISA-162", "its queue is {}, there are queues 0 to {}",
                place.queue, queues - 1);
}

// Whether all instructions on the engine of `id` that touch `root` are issued as early as it. Then
// they are in body order among themselves.
bool go_together(const Program& program, InstId id, TensorId root) {
  const auto& places = program.placement.insts;
  for (size_t i = 0; i < program.insts.size(); ++i) {
    const bool same = places[i].engine == places[id].engine;
    if (!same ||
        (places[i].ahead == places[id].ahead && places[i].ahead_loop == places[id].ahead_loop)) {
      continue;
    }
    bool touches = false;
    each_access(program.insts[i].op, [&](std::string_view, const Access& a, Role) {
      touches |= root_of(program, a.tensor) == root;
    });
    if (touches) return false;
  }
  return true;
}

// Issued d iterations early, it writes while d older instances are still in use. A tensor of a loop
// further in has an instance for each turn of that loop, so what counts is that they follow each
// other in order.
Status verify_ahead(const Program& program, const Structure& structure, InstId id) {
  const Inst& inst = program.insts[id];
  const InstPlace& place = program.placement.insts[id];
  if (place.ahead == 0 && place.ahead_loop < 0) return {};
  const int at = position_of(structure.around(id), place.ahead_loop);
  const bool repeat = at >= 0 && program.loops[place.ahead_loop].kind == Loop::Kind::Repeat &&
                      place.ahead > 0 && place.ahead < kFarAhead;
  if (!repeat) {
    return refuse(program, inst, "TY-ISA-163",
                  "it is issued {} iterations ahead of a loop that is no repeat around it",
                  place.ahead);
  }
  Status found;
  each_access(inst.op, [&](std::string_view operand, const Access& a, Role role) {
    const TensorId root = root_of(program, a.tensor);
    const auto& around = structure.around_tensor(root);
    const TensorPlace& tensor = place_of_root(program, a.tensor);
    const int inside = position_of(around, place.ahead_loop);
    if (!found.ok() || role == Role::Read || inside < 0 || tensor.slots == 0) return;
    if (tensor.slots > place.ahead) return;
    const bool further_in = inside + 1 < static_cast<int>(around.size());
    if (further_in && go_together(program, id, root)) return;
    found = refuse(program, inst, "TY-ISA-163",
                   "it is issued {} iterations ahead, so {} ('{}') needs {} slots and has {}",
                   place.ahead, operand, program.tensors[root].name, place.ahead + 1, tensor.slots);
  });
  return found;
}

// Affine values may use the counters of the repeats around the instruction.
bool in_scope(const Program& program, const Affine& a, const std::vector<Enclosure>& around) {
  if (!check_extent(a).ok()) return false;
  const bool visible = std::all_of(a.terms.begin(), a.terms.end(), [&](const Term& t) {
    if (t.variable.kind == Variable::Kind::Register) return false;
    return names(t.variable.id, program.loops) && position_of(around, t.variable.id) >= 0;
  });
  return visible && terms_fit(program, a, around);
}

Status verify_edge(const Program& program, const Structure& structure, InstId id, const Edge& e) {
  const Inst& inst = program.insts[id];
  if (!names(e.producer, program.insts) || structure.order(e.producer) < 0) {
    return refuse(program, inst, "TY-ISA-164", "it waits for an instruction that does not exist");
  }
  const std::string& producer = program.insts[e.producer].label;
  const auto& mine = structure.around(id);
  const auto& theirs = structure.around(e.producer);
  const int shared = Structure::shared(mine, theirs);
  if (e.lag_loop >= 0 || e.lag != 0) {
    const int at = position_of(mine, e.lag_loop);
    if (at < 0 || at >= shared || e.lag < 1 || e.lag > kFarBack) {
      return refuse(program, inst, "TY-ISA-164",
                    "it waits for '{}' {} iterations back, but the loop of a lag must be around "
                    "both and the lag at least 1",
                    producer, e.lag);
    }
  } else if (e.producer == id) {
    return refuse(program, inst, "TY-ISA-164",
                  "it waits for itself; an instruction can wait for an earlier iteration of "
                  "itself, as in 'after {}{{loop-1}}'",
                  producer);
  }
  if (e.at.empty()) return {};
  const size_t unshared = theirs.size() - static_cast<size_t>(shared);
  if (e.at.size() != unshared) {
    return refuse(program, inst, "TY-ISA-164",
                  "it names {} counters of '{}', which is inside {} loops of its own", e.at.size(),
                  producer, unshared);
  }
  for (const Affine& a : e.at) {
    if (in_scope(program, a, mine)) continue;
    return refuse(program, inst, "TY-ISA-164",
                  "the instance of '{}' that it waits for must be written in the counters around "
                  "the waiting instruction",
                  producer);
  }
  return {};
}

Status verify_semaphores(const Program& program, const Structure& structure, InstId id,
                         const hw::CoreSpec& core) {
  const Inst& inst = program.insts[id];
  const InstPlace& place = program.placement.insts[id];
  const auto most = static_cast<size_t>(core.sem.count.value);
  if (!(place.waits.empty() && place.increments.empty()) && program.semaphores.size() > most) {
    return refuse(
        program, inst, "TY-ISA-165",
        "the program has {} semaphores, a core has {}; use edges (`after`), or one semaphore again",
        program.semaphores.size(), most);
  }
  for (const SemaphoreWait& w : place.waits) {
    if (names(w.semaphore, program.semaphores) &&
        in_scope(program, w.value, structure.around(id))) {
      continue;
    }
    return refuse(program, inst, "TY-ISA-165",
                  "it waits for a semaphore that does not exist, or for a value in counters that "
                  "are not around it");
  }
  for (const SemaphoreId s : place.increments) {
    if (!names(s, program.semaphores)) {
      return refuse(program, inst, "TY-ISA-165",
                    "it increments a semaphore that does not exist; declare it with `semaphore`");
    }
  }
  return {};
}

struct Room {
  int64_t bytes;
  int64_t align;
};

Room room_of(const Tensor& t, const hw::CoreSpec& core) {
  const int64_t element = numerics::size_of(t.dtype);
  switch (t.memory) {
    case Memory::Sbuf:
      return {core.sbuf_usable_bytes(), element};
    case Memory::Psum:
      return {core.psum.partition_bytes.value, std::max(element, core.psum.align_bytes.value)};
    case Memory::Hbm:
      return {core.hbm.stack_bytes.value, element};
  }
  return {0, 1};
}

}  // namespace

Status verify_tensor_place(const Program& program, TensorId id, const hw::CoreSpec& core) {
  const Tensor& t = program.tensors[id];
  const TensorPlace& p = program.placement.tensors[id];
  const auto wrong = [&](const std::string& why) {
    return Status("TY-ISA-160", fmt::format("tensor '{}': {}", t.name, why),
                  place_of(program, t.source));
  };
  if (t.view) {
    if (p == TensorPlace{}) return {};
    return wrong("it is a view and lies where its base lies; place the base");
  }
  const int64_t partitions = core.limits.partitions.value;
  if (p.partition < 0 || p.partition > partitions - t.partitions() ||
      (p.partition > 0 && !t.on_chip())) {
    return wrong(fmt::format("it begins at partition {} and has {}, there are {}", p.partition,
                             t.partitions(), partitions));
  }
  const Room room = room_of(t, core);
  if (p.slots < 0 || p.pitch < 0 || p.slots > room.bytes) {
    return wrong(fmt::format("{} slots with a pitch of {} bytes make no sense", p.slots, p.pitch));
  }
  const int64_t bank = core.psum_bank_bytes();
  const int64_t own =
      t.memory == Memory::Psum ? (t.free_bytes() + bank - 1) / bank * bank : t.free_bytes();
  const int64_t pitch = p.pitch > 0 ? p.pitch : own;
  if (p.slots > 1 && pitch < t.free_bytes()) {
    return wrong(
        fmt::format("its slots are {} bytes apart, but it takes {}", pitch, t.free_bytes()));
  }
  if (!p.address) return {};
  if (*p.address < 0 || *p.address % room.align != 0) {
    return wrong(fmt::format("its address {} is no multiple of {}", *p.address, room.align));
  }
  const int64_t more = std::max(0, p.slots - 1);
  const int64_t last = room.bytes - t.free_bytes();  // where the last slot may begin
  if (*p.address <= last && more <= (last - *p.address) / pitch) return {};
  return wrong(fmt::format("{} slots from address {} end beyond the {} bytes that {} has{}",
                           more + 1, *p.address, room.bytes, name(t.memory),
                           t.on_chip() ? " per partition" : ""));
}

Status verify_inst_place(const Program& program, const Structure& structure, InstId id,
                         const hw::CoreSpec& core) {
  const Inst& inst = program.insts[id];
  const InstPlace& place = program.placement.insts[id];
  TY_TRY(verify_placed_engine(program, inst, place, core));
  TY_TRY(verify_queue(program, inst, place, core));
  TY_TRY(verify_ahead(program, structure, id));
  for (const Edge& e : place.after) TY_TRY(verify_edge(program, structure, id, e));
  return verify_semaphores(program, structure, id, core);
}

Status verify_queues(const Program& program) {
  std::map<int, InstId> first;  // of each queue
  for (size_t i = 0; i < program.placement.insts.size(); ++i) {
    const InstPlace& place = program.placement.insts[i];
    if (place.queue < 0 || !place.engine) continue;
    const auto [at, fresh] = first.emplace(place.queue, static_cast<InstId>(i));
    if (fresh) continue;
    const Engine other = *program.placement.insts[at->second].engine;
    if (other == *place.engine) continue;
    return refuse(program, program.insts[i], "TY-ISA-162",
                  "it is triggered by {} on queue {}, but '{}' on the same queue by {}; a queue "
                  "has one trigger engine, so use another queue",
                  hw::name(*place.engine), place.queue, program.insts[at->second].label,
                  hw::name(other));
  }
  return {};
}

}  // namespace trainyard::isa
