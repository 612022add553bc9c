#include "isa/engines.h"

#include <algorithm>
#include <array>
#include <set>

#include "isa/cost.h"
#include "place/steps.h"

namespace trainyard::place {

using hw::Engine;
using isa::InstId;

namespace {

using Load = std::array<double, hw::kEngineCount>;  // estimated busy ticks

double busy_ticks(const isa::Program& p, const Uses& uses, InstId inst, Engine engine,
                  const hw::CoreSpec& core) {
  const isa::Cost c = isa::cost(p, p.insts[inst], engine, core, isa::Level::C);
  return uses.weight(inst) * static_cast<double>((c.interval * core.period(engine)).value);
}

bool is_store(const isa::Program& p, const isa::Inst& inst) {
  bool to_hbm = false;
  isa::each_access(inst.op, [&](std::string_view, const isa::Access& a, isa::Role role) {
    if (role != isa::Role::Read && p.tensors[a.tensor].memory == isa::Memory::Hbm) to_hbm = true;
  });
  return to_hbm;
}

struct Choice {
  InstId inst;
  std::vector<Engine> engines;  // the resolved one first
  std::vector<double> cost;     // on each of them
  size_t taken = 0;
};

// The best single move away from the busiest engine; false if none makes the busiest less busy.
bool move_one(std::vector<Choice>& open, Load& load) {
  const auto busiest =
      static_cast<size_t>(std::max_element(load.begin(), load.end()) - load.begin());
  Choice* best = nullptr;
  size_t best_to = 0;
  double least = load[busiest];
  for (Choice& c : open) {
    if (hw::index(c.engines[c.taken]) != busiest) continue;
    for (size_t to = 0; to < c.engines.size(); ++to) {
      if (to == c.taken) continue;
      const double there = load[hw::index(c.engines[to])] + c.cost[to];
      const double peak = std::max(there, load[busiest] - c.cost[c.taken]);
      if (peak < least) {
        least = peak;
        best = &c;
        best_to = to;
      }
    }
  }
  if (best == nullptr) return false;
  load[busiest] -= best->cost[best->taken];
  load[hw::index(best->engines[best_to])] += best->cost[best_to];
  best->taken = best_to;
  return true;
}

// The instructions of each statement of the program. Statements follow each other, so that each
// is balanced by itself.
std::vector<std::vector<InstId>> groups_of(const Uses& uses) {
  std::vector<std::vector<InstId>> groups;
  std::optional<isa::Enclosure> last;
  for (const InstId i : uses.structure().in_order()) {
    const auto& around = uses.structure().around(i);
    const std::optional<isa::Enclosure> outermost =
        around.empty() ? std::nullopt : std::optional(around.front());
    if (groups.empty() || outermost != last) groups.emplace_back();
    groups.back().push_back(i);
    last = outermost;
  }
  return groups;
}

// Everything starts on its resolved engine. Work moves only where that unloads the busiest engine:
// a move that does not would add a hand-over for nothing.
void balance(isa::Program& p, const Uses& uses, const hw::CoreSpec& core, const Options& options,
             const std::vector<InstId>& group, Load& load) {
  constexpr int kMostMoves = 200;
  std::vector<Choice> open;
  for (const InstId inst : group) {
    const auto i = static_cast<size_t>(inst);
    if (isa::is_dma(p.insts[i].op)) continue;
    isa::InstPlace& place = p.placement.insts[i];
    const bool pinned = place.engine.has_value() || p.insts[i].engine.has_value();
    if (!place.engine) place.engine = isa::resolve_engine(p, p.insts[i], core);
    load[hw::index(*place.engine)] += busy_ticks(p, uses, inst, *place.engine, core);
    if (pinned || !options.choose_engines || options.plain) continue;
    Choice c{inst, isa::same_bits_engines(p, p.insts[i], core), {}};
    if (c.engines.size() < 2) continue;
    for (const Engine e : c.engines) c.cost.push_back(busy_ticks(p, uses, inst, e, core));
    open.push_back(std::move(c));
  }
  for (int moves = 0; moves < kMostMoves && move_one(open, load); ++moves) {
  }
  for (const Choice& c : open) p.placement.insts[c.inst].engine = c.engines[c.taken];
}

// The engine that triggers stores: one without other work, since a trigger that waits for a result
// holds up what stands behind it. Where all compute it is Sync if there is room for loads to run
// ahead of its stores, else the one with the least to do.
Engine store_trigger(const Load& load, bool roomy) {
  const std::vector<Engine> engines = {Engine::Gpsimd, Engine::Scalar, Engine::Vector};
  const Engine least = *std::min_element(engines.begin(), engines.end(), [&](Engine a, Engine b) {
    return load[hw::index(a)] < load[hw::index(b)];
  });
  return roomy && load[hw::index(least)] > 0 ? Engine::Sync : least;
}

// Whether a load stands in the same innermost loop, and in no loop further in anything: only then
// can loads run ahead of the store.
bool has_load_beside(const isa::Program& p, const Uses& uses, const std::vector<InstId>& group,
                     InstId store) {
  const auto& around = uses.structure().around(store);
  bool found = false;
  for (const InstId i : group) {
    const auto& other = uses.structure().around(i);
    const bool inside =
        other.size() > around.size() && std::equal(around.begin(), around.end(), other.begin());
    if (inside) return false;
    found |= other == around && isa::is_dma(p.insts[i].op) && !is_store(p, p.insts[i]);
  }
  return found;
}

// Whether SBUF holds the tiles of the group a few times over.
bool is_roomy(const isa::Program& p, const Uses& uses, const std::vector<InstId>& group,
              const hw::CoreSpec& core) {
  constexpr int64_t kTimes = 3;
  std::set<isa::TensorId> tiles;
  int64_t bytes = 0;
  for (const InstId i : group) {
    for (const Use& u : uses.of_inst(i)) {
      const isa::Tensor& t = p.tensors[u.tensor];
      if (t.memory == isa::Memory::Sbuf && tiles.insert(u.tensor).second) bytes += t.free_bytes();
    }
  }
  return kTimes * bytes <= core.sbuf_usable_bytes();
}

struct Queues {
  std::vector<std::optional<Engine>> trigger;  // per queue
  int limit = 16;

  // A queue of `engine`: a fresh one while there is one, then those it has, in turn.
  int take(Engine engine, int& turn) {
    for (int q = 0; q < limit; ++q) {
      if (trigger[q]) continue;
      // Keep one fresh queue for each engine that has none yet.
      const auto fresh = std::count(trigger.begin(), trigger.end(), std::nullopt);
      const bool has = std::find(trigger.begin(), trigger.end(), engine) != trigger.end();
      if (has && fresh <= static_cast<int64_t>(hw::kEngineCount)) break;
      trigger[q] = engine;
      return q;
    }
    std::vector<int> own;
    for (int q = 0; q < limit; ++q) {
      if (trigger[q] == engine) own.push_back(q);
    }
    return own.empty() ? -1 : own[static_cast<size_t>(turn++) % own.size()];
  }
};

Status choose_queues(isa::Program& p, const Uses& uses, const hw::CoreSpec& core,
                     const Options& options, const std::vector<Engine>& stores) {
  Queues queues{std::vector<std::optional<Engine>>(16),
                static_cast<int>(std::min<int64_t>(16, core.dma.queues.value))};
  const auto each_transfer = [&](auto&& f) {
    for (const InstId i : uses.structure().in_order()) {
      if (isa::is_dma(p.insts[i].op)) f(i, p.placement.insts[i]);
    }
  };
  Status bad;
  each_transfer([&](InstId i, isa::InstPlace& place) {
    if (place.queue < 0 || !place.engine || !bad.ok()) return;
    auto& trigger = queues.trigger[place.queue];
    if (trigger && *trigger != *place.engine) {
      bad =
          error("TY-PLC-001",
                "{}: queue {} is triggered by {} here and by {} elsewhere; a queue has one trigger "
                "engine. Give one of them another queue.",
                p.insts[i].label, place.queue, hw::name(*place.engine), hw::name(*trigger))
              .at(isa::place_of(p, p.insts[i].source));
    }
    trigger = place.engine;
  });
  TY_TRY(bad);
  std::array<int, hw::kEngineCount> turn{};
  each_transfer([&](InstId i, isa::InstPlace& place) {
    if (!place.engine && place.queue >= 0 && queues.trigger[place.queue])
      place.engine = queues.trigger[place.queue];
    if (!place.engine) {
      // Descriptors made by the core tie the trigger; static rings are free to choose.
      const bool is_static = isa::resolve_dge(p, p.insts[i], core) == isa::DgeMode::Static;
      const Engine resolved = isa::resolve_engine(p, p.insts[i], core);
      place.engine = !is_static                                  ? resolved
                     : is_store(p, p.insts[i]) && !options.plain ? stores[i]
                                                                 : Engine::Sync;
    }
    if (place.queue >= 0) {
      queues.trigger[place.queue] = place.engine;
      return;
    }
    place.queue = queues.take(*place.engine, turn[hw::index(*place.engine)]);
    if (place.queue < 0 && bad.ok()) {
      bad = error("TY-PLC-002",
                  "{}: no queue is left for the trigger engine {}: all {} belong to other engines. "
                  "Let fewer engines trigger transfers.",
                  p.insts[i].label, hw::name(*place.engine), queues.limit)
                .at(isa::place_of(p, p.insts[i].source));
    }
  });
  return bad;
}

}  // namespace

Status choose_engines(isa::Program& program, const Uses& uses, const hw::CoreSpec& core,
                      const Options& options) {
  std::vector<Engine> stores(program.insts.size(), Engine::Sync);
  for (const std::vector<InstId>& group : groups_of(uses)) {
    Load load{};
    balance(program, uses, core, options, group, load);
    const bool roomy = options.ahead && is_roomy(program, uses, group, core);
    for (const InstId i : group) {
      if (isa::is_dma(program.insts[i].op)) {
        stores[i] = store_trigger(load, roomy && has_load_beside(program, uses, group, i));
      }
    }
  }
  return choose_queues(program, uses, core, options, stores);
}

}  // namespace trainyard::place
