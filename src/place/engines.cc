#include "isa/engines.h"

#include <algorithm>
#include <array>

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

// Instructions that may run on several engines go, the longest first, where they finish the
// soonest.
void balance(isa::Program& p, const Uses& uses, const hw::CoreSpec& core, const Options& options,
             Load& load) {
  struct Choice {
    InstId inst;
    std::vector<Engine> engines;
    double cost;
  };
  std::vector<Choice> open;
  for (size_t i = 0; i < p.insts.size(); ++i) {
    const auto inst = static_cast<InstId>(i);
    if (isa::is_dma(p.insts[i].op)) continue;
    isa::InstPlace& place = p.placement.insts[i];
    const Engine resolved = isa::resolve_engine(p, p.insts[i], core);
    std::vector<Engine> same = isa::same_bits_engines(p, p.insts[i], core);
    const bool pinned = place.engine.has_value() || p.insts[i].engine.has_value();
    if (pinned || !options.choose_engines || options.plain || same.size() < 2) {
      if (!place.engine) place.engine = p.insts[i].engine.value_or(resolved);
      load[hw::index(*place.engine)] += busy_ticks(p, uses, inst, *place.engine, core);
      continue;
    }
    const double cost = busy_ticks(p, uses, inst, resolved, core);
    open.push_back({inst, std::move(same), cost});
  }
  std::stable_sort(open.begin(), open.end(),
                   [](const Choice& a, const Choice& b) { return a.cost > b.cost; });
  for (const Choice& c : open) {
    Engine best = c.engines[0];
    double least = 0;
    for (const Engine e : c.engines) {
      const double after = load[hw::index(e)] + busy_ticks(p, uses, c.inst, e, core);
      if (e == c.engines[0] || after < least) {
        best = e;
        least = after;
      }
    }
    p.placement.insts[c.inst].engine = best;
    load[hw::index(best)] = least;
  }
}

// The engine that triggers stores: not Sync, whose loads must not wait behind a store's result. Of
// the others the one with the least to do.
Engine store_trigger(const Load& load, const hw::CoreSpec& core) {
  std::vector<Engine> engines = {Engine::Gpsimd, Engine::Scalar, Engine::Vector};
  (void)core;
  return *std::min_element(engines.begin(), engines.end(), [&](Engine a, Engine b) {
    return load[hw::index(a)] < load[hw::index(b)];
  });
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
                     const Options& options, Load& load) {
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
  const Engine stores = options.plain ? Engine::Sync : store_trigger(load, core);
  each_transfer([&](InstId i, isa::InstPlace& place) {
    if (!place.engine && place.queue >= 0 && queues.trigger[place.queue])
      place.engine = queues.trigger[place.queue];
    if (!place.engine) {
      // Descriptors made by the core tie the trigger; static rings are free to choose.
      const bool is_static = isa::resolve_dge(p, p.insts[i], core) == isa::DgeMode::Static;
      const Engine resolved = isa::resolve_engine(p, p.insts[i], core);
      place.engine = !is_static ? resolved : is_store(p, p.insts[i]) ? stores : Engine::Sync;
    }
    load[hw::index(*place.engine)] += busy_ticks(p, uses, i, *place.engine, core);
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
  Load load{};
  balance(program, uses, core, options, load);
  return choose_queues(program, uses, core, options, load);
}

}  // namespace trainyard::place
