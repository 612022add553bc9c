// One walk over the unrolled streams with vector clocks: an edge that other edges imply in every
// instance is deleted.
#include <algorithm>
#include <array>

#include "isa/stream.h"
#include "place/steps.h"

namespace trainyard::place {

using isa::InstId;

namespace {

constexpr int64_t kMostInstances = 300000;
constexpr int kStreams = 8 + 16;
// Per stream: how many of its instructions are known to be complete.
using Clock = std::array<int32_t, kStreams>;

void join(Clock& into, const Clock& from) {
  for (int s = 0; s < kStreams; ++s) into[s] = std::max(into[s], from[s]);
}

class Walk {
 public:
  Walk(isa::Program& program, const isa::Structure& structure)
      : program_(program), done_(program.insts.size()) {
    trips_.loops.resize(program.loops.size());
    trips_.branches.resize(program.branches.size());
    for (const hw::Engine e : hw::kEngines) walkers_.emplace_back(program, structure, e, trips_);
    for (auto& w : walkers_) live_.push_back(w.next());
    for (const isa::InstPlace& place : program.placement.insts)
      needed_.emplace_back(place.after.size(), 0);
  }

  // False if the walk could not finish: then nothing is known.
  bool run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t e = 0; e < walkers_.size(); ++e) {
        while (live_[e] && ready(walkers_[e])) {
          step(e);
          live_[e] = walkers_[e].next();
          moved = true;
        }
      }
    }
    return std::none_of(live_.begin(), live_.end(), [](bool l) { return l; });
  }

  const std::vector<char>& needed(InstId inst) const { return needed_[inst]; }

 private:
  int stream(InstId inst) const {
    const isa::InstPlace& place = program_.placement.insts[inst];
    return place.queue >= 0 ? 8 + place.queue : static_cast<int>(hw::index(*place.engine));
  }

  bool ready(const isa::StreamWalker& walker) const {
    return std::all_of(walker.needs().begin(), walker.needs().end(), [&](const isa::Need& n) {
      return static_cast<int64_t>(done_[n.producer].size()) >= n.count;
    });
  }

  const Clock& clock_of(const isa::Need& n) const { return done_[n.producer][n.count - 1]; }

  void step(size_t engine) {
    const isa::StreamWalker& walker = walkers_[engine];
    const auto needs = walker.needs();
    const InstId inst = walker.item().id;
    for (size_t i = 0; i < needs.size(); ++i) {
      if (!implied(engine, needs, i)) needed_[inst][needs[i].edge] = 1;
    }
    for (const isa::Need& n : needs) join(known_[engine], clock_of(n));
    const int s = stream(inst);
    Clock clock = known_[engine];
    clock[s] = ++issued_[s];
    // A queue is in order: what is known of an earlier transfer of it is known of this one.
    if (s >= 8) {
      join(queue_known_[s - 8], clock);
      clock = queue_known_[s - 8];
    }
    done_[inst].push_back(clock);
  }

  bool implied(size_t engine, std::span<const isa::Need> needs, size_t i) const {
    const int s = stream(needs[i].producer);
    const int32_t wanted = clock_of(needs[i])[s];
    if (known_[engine][s] >= wanted) return true;
    for (size_t j = 0; j < needs.size(); ++j) {
      if (j == i || clock_of(needs[j])[s] < wanted) continue;
      const int other = stream(needs[j].producer);
      const bool mutual = clock_of(needs[i])[other] >= clock_of(needs[j])[other];
      if (!mutual || j < i) return true;
    }
    return false;
  }

  isa::Program& program_;
  isa::TripRecord trips_;
  std::vector<isa::StreamWalker> walkers_;
  std::vector<bool> live_;
  std::vector<std::vector<Clock>> done_;         // per instruction, per instance
  std::array<Clock, hw::kEngineCount> known_{};  // what an engine has waited for
  std::array<Clock, 16> queue_known_{};
  std::array<int32_t, kStreams> issued_{};
  std::vector<std::vector<char>> needed_;
};

bool has_runtime_control(const isa::Program& p) {
  return !p.branches.empty() || std::any_of(p.loops.begin(), p.loops.end(), [](const isa::Loop& l) {
    return l.kind != isa::Loop::Kind::Repeat;
  });
}

}  // namespace

void drop_implied_edges(isa::Program& program, const isa::Structure& structure,
                        const std::vector<size_t>& given, Report& report) {
  const auto count = [&] {
    int64_t n = 0;
    for (const isa::InstPlace& place : program.placement.insts)
      n += static_cast<int64_t>(place.after.size());
    return n;
  };
  report.edges_kept = count();
  // Registers are computed on several engines, and trips are not known here: such programs keep
  // their edges.
  if (has_runtime_control(program) || !program.registers.empty()) return;
  const isa::Amount amount = structure.amount(program);
  if (std::max(amount.instructions, amount.turns) > kMostInstances) {
    report.remarks.push_back(
        fmt::format("edges are not thinned out: more than {} instructions", kMostInstances));
    return;
  }
  Walk walk(program, structure);
  if (!walk.run()) return;
  for (size_t i = 0; i < program.insts.size(); ++i) {
    auto& after = program.placement.insts[i].after;
    std::vector<isa::Edge> kept;
    for (size_t e = 0; e < after.size(); ++e) {
      if (e < given[i] || walk.needed(static_cast<InstId>(i))[e])
        kept.push_back(std::move(after[e]));
    }
    after = std::move(kept);
  }
  report.edges_kept = count();
}

}  // namespace trainyard::place
