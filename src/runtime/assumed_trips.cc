#include "runtime/assumed_trips.h"

#include <algorithm>

#include "base/nearest.h"

namespace trainyard::runtime {
namespace {

// A run-time loop or a branch.
struct Choice {
  std::string_view what;
  const std::string& name;
  const isa::Trips& trips;
  const isa::SourceRef& source;
  std::optional<int64_t> most;
};

// Calls f(choice, runs of the record) for each.
template <class F>
void each_choice(const isa::Program& program, isa::TripRecord& record, F&& f) {
  record.loops.resize(program.loops.size());
  record.branches.resize(program.branches.size());
  for (size_t i = 0; i < program.loops.size(); ++i) {
    const isa::Loop& l = program.loops[i];
    if (l.kind == isa::Loop::Kind::Repeat) continue;
    f(Choice{"loop", l.name, l.trips, l.source, l.trips.max}, record.loops[i]);
  }
  for (size_t i = 0; i < program.branches.size(); ++i) {
    const isa::Branch& b = program.branches[i];
    f(Choice{"branch", b.name, b.taken, b.source, 1}, record.branches[i]);
  }
}

Status refuse_count(const isa::Program& program, const Choice& c, int64_t n) {
  const std::string_view reason =
      c.what == "loop" ? "which goes round at most {} times by its max; give fewer trips, or "
                         "raise max in the program"
                       : "which is taken (1) or not (0)";
  return error("TY-RUN-013", "--trips {}={} is too many for {} '{}', {}", c.name, n, c.what, c.name,
               fmt::format(fmt::runtime(reason), *c.most))
      .at(isa::place_of(program, c.source));
}

}  // namespace

Status check_given(const isa::Program& program, const GivenTrips& given) {
  GivenTrips left = given;
  std::vector<std::string> names;
  isa::TripRecord unused;
  Status found;
  each_choice(program, unused, [&](const Choice& c, auto&) {
    names.push_back(c.name);
    const auto it = left.find(c.name);
    if (it == left.end()) return;
    if (found.ok() && c.most && it->second > *c.most) found = refuse_count(program, c, it->second);
    left.erase(it);
  });
  if (left.empty()) return found;
  const std::string& name = left.begin()->first;
  return error(
      "TY-TIM-003",
      "--trips names {}, which is no run-time loop or branch of {}{}. Take the name that stands "
      "after `loop` or `if`.",
      name, program.name, did_you_mean(name, names));
}

Result<AssumedTrips> assume_trips(const isa::Program& program, const GivenTrips& given) {
  // A misspelt name first: it is why the right one is missing.
  TY_TRY(check_given(program, given));
  AssumedTrips out;
  Status missing;
  each_choice(program, out.record, [&](const Choice& c, std::vector<isa::TripRecord::Run>& runs) {
    const auto it = given.find(c.name);
    if (it != given.end()) {
      runs = {{it->second, 1}};
      out.assumptions.push_back(fmt::format("{} {}: {} trips, given", c.what, c.name, it->second));
    } else if (c.trips.expected) {
      runs = {{*c.trips.expected, 1}};
      out.assumptions.push_back(fmt::format("{} {}: {} trips, expected by the program", c.what,
                                            c.name, *c.trips.expected));
    } else if (missing.ok()) {
      missing =
          error(
              "TY-TIM-002",
              "the time depends on how often {} {} goes round, which only the data tells. Run with "
              "values (--mode both), or give --trips {}=N.",
              c.what, c.name, c.name)
              .at(isa::place_of(program, c.source));
    }
  });
  TY_TRY(missing);
  return out;
}

std::vector<int64_t> turns_by_loop(const isa::Program& program, const isa::TripRecord& record) {
  std::vector<int64_t> turns(program.loops.size(), -1);
  for (size_t i = 0; i < record.loops.size(); ++i) {
    for (const isa::TripRecord::Run& run : record.loops[i])
      turns[i] = std::max(turns[i], run.value);
  }
  return turns;
}

}  // namespace trainyard::runtime
