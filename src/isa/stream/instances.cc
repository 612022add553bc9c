#include "isa/stream/instances.h"

#include <algorithm>

#include "isa/stream.h"

namespace trainyard::isa {
namespace {

// Whether a loop of path[from..] goes round by the counter of `loop`.
bool depends_on(const Program& p, const Path& path, size_t from, LoopId loop) {
  return std::any_of(path.begin() + static_cast<int64_t>(from), path.end(),
                     [&](const Enclosure& e) {
                       return p.loops[e.id].count.coefficient({Variable::Kind::Counter, loop}) != 0;
                     });
}

// Instances in the first `n` iterations of path[at]. Leaves its counter anywhere.
int64_t count_turns(const Program& p, const Path& path, size_t at, int64_t n,
                    std::vector<int64_t>& counters) {
  int64_t& counter = counters[path[at].id];
  counter = 0;
  if (!depends_on(p, path, at + 1, path[at].id)) return n * count_from(p, path, at + 1, counters);
  int64_t sum = 0;
  for (; counter < n; ++counter) sum += count_from(p, path, at + 1, counters);
  return sum;
}

}  // namespace

bool is_repeat(const Program& program, const Enclosure& enclosure) {
  return enclosure.kind == Enclosure::Kind::Loop &&
         program.loops[enclosure.id].kind == Loop::Kind::Repeat;
}

int64_t count_from(const Program& program, const Path& path, size_t from,
                   std::vector<int64_t>& counters) {
  if (from == path.size()) return 1;
  for (size_t i = from; i < path.size(); ++i) {
    if (!is_repeat(program, path[i])) return -1;
  }
  const LoopId id = path[from].id;
  const int64_t n = std::max<int64_t>(0, program.loops[id].count.value(counters.data()));
  const int64_t saved = counters[id];
  const int64_t sum = count_turns(program, path, from, n, counters);
  counters[id] = saved;
  return sum;
}

bool count_is_constant(const Program& program, const Path& path, size_t from) {
  for (size_t i = from; i < path.size(); ++i) {
    if (!is_repeat(program, path[i])) return false;
    for (const Term& t : program.loops[path[i].id].count.terms) {
      const auto inner = [&](const Enclosure& e) { return e.id == t.variable.id; };
      if (std::none_of(path.begin() + static_cast<int64_t>(from), path.end(), inner)) return false;
    }
  }
  return true;
}

int64_t count_before(const Program& program, const Path& path, std::span<const int64_t> at,
                     std::vector<int64_t>& counters) {
  int64_t sum = 0;
  const size_t first = path.size() - at.size();
  for (size_t i = first; i < path.size(); ++i) {
    sum += count_turns(program, path, i, at[i - first], counters);
    counters[path[i].id] = at[i - first];
  }
  return sum;
}

int64_t instances_inside(const Program& program, const Structure& structure, InstId inst, int outer,
                         std::vector<int64_t>& counters) {
  return count_from(program, structure.around(inst), static_cast<size_t>(outer), counters);
}

}  // namespace trainyard::isa
