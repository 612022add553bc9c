// What sim::check says about placed examples, and about each of them with something taken away.
#include <gtest/gtest.h>

#include "isa/text/text.h"
#include "programs.h"

namespace trainyard::check_test {
namespace {

// The small programs: those without a placement are placed in several ways, the others stand as
// their authors placed them.
std::vector<isa::Program> small_programs() {
  std::vector<isa::Program> out;
  for (const auto& path : programs_in("tests/check/programs")) {
    const isa::Program program = read(path);
    if (program.placement.complete) {
      out.push_back(program);
      continue;
    }
    out.push_back(placed(program));
    out.push_back(placed(program, {.max_slots = 2, .ahead = false}));
    out.push_back(placed(program, {.plain = true}));
  }
  return out;
}

TEST(Check, SaysNothingAboutTheExamplesAsTheyArePlaced) {
  for (const auto& path : programs_in("examples")) {
    for (const place::Options& options :
         {place::Options{}, place::Options{.ahead = false}, place::Options{.plain = true}}) {
      const isa::Program program = placed(read(path), options);
      EXPECT_EQ(text_of(findings_of(program, trips_of(program))), "") << path;
    }
  }
}

TEST(Check, SaysNothingAboutSmallProgramsAndNeitherDoesTheOracle) {
  for (const isa::Program& program : small_programs()) {
    const isa::TripRecord trips = trips_of(program);
    EXPECT_EQ(text_of(findings_of(program, trips)), "") << isa::print_text(program);
    const Verdict verdict = judge(program, trips);
    EXPECT_TRUE(verdict.silent()) << verdict.why << "\n" << isa::print_text(program);
  }
}

// Calls f(changed program, what was changed) for every edge left out.
template <class F>
int without_each_edge(const isa::Program& program, F&& f) {
  int count = 0;
  for (size_t i = 0; i < program.insts.size(); ++i) {
    for (size_t e = 0; e < program.placement.insts[i].after.size(); ++e, ++count) {
      isa::Program changed = program;
      auto& after = changed.placement.insts[i].after;
      const std::string what =
          fmt::format("{} of {} without its edge {} to {}", program.name, program.insts[i].label, e,
                      program.insts[after[e].producer].label);
      after.erase(after.begin() + static_cast<std::ptrdiff_t>(e));
      f(changed, what);
    }
  }
  return count;
}

TEST(Check, FindsEveryEdgeThatIsLeftOutUnlessNothingIsLost) {
  int edges = 0, found = 0;
  for (const isa::Program& program : small_programs()) {
    const isa::TripRecord trips = trips_of(program);
    edges += without_each_edge(program, [&](const isa::Program& changed, const std::string& what) {
      EXPECT_EQ(difference(changed, trips), "") << what << "\n" << isa::print_text(changed);
      found += !findings_of(changed, trips).empty();
    });
  }
  // Most edges matter; those that do not are implied by others.
  EXPECT_GT(found, edges / 2) << edges << " edges";
}

// The examples as `place` leaves them, with fewer iterations: the tiles, addresses and edges are
// those of the example.
isa::Program fewer_iterations(isa::Program program) {
  for (isa::Loop& loop : program.loops) {
    if (loop.kind == isa::Loop::Kind::Repeat && loop.count.is_constant())
      loop.count.constant =
          std::min<int64_t>(loop.count.constant, program.name == "matmul" ? 5 : 16);
  }
  return program;
}

TEST(Check, FindsEveryEdgeThatIsLeftOutOfAnExample) {
  int edges = 0, found = 0;
  for (const auto& path : programs_in("examples")) {
    const isa::Program program = fewer_iterations(placed(read(path)));
    const isa::TripRecord trips = trips_of(program);
    EXPECT_EQ(difference(program, trips), "") << path;
    edges += without_each_edge(program, [&](const isa::Program& changed, const std::string& what) {
      EXPECT_EQ(difference(changed, trips), "") << what;
      found += !findings_of(changed, trips).empty();
    });
  }
  EXPECT_GT(found, 3 * edges / 4) << edges << " edges";
}

TEST(Check, FindsBuffersThatAreTooSmallOrMoved) {
  int changes = 0, found = 0;
  for (const isa::Program& program : small_programs()) {
    const isa::TripRecord trips = trips_of(program);
    const auto judge_change = [&](size_t t, const isa::TensorPlace& place, const char* what) {
      isa::Program changed = program;
      changed.placement.tensors[t] = place;
      ++changes;
      EXPECT_EQ(difference(changed, trips), "") << what << " of " << program.tensors[t].name << "\n"
                                                << isa::print_text(changed);
      found += !findings_of(changed, trips).empty();
    };
    for (size_t t = 0; t < program.tensors.size(); ++t) {
      const isa::TensorPlace& place = program.placement.tensors[t];
      if (!place.address) continue;
      const int64_t size = program.tensors[t].free_bytes();
      isa::TensorPlace other = place;
      if (place.slots > 1) {
        other.slots = place.slots - 1;
        judge_change(t, other, "one slot less");
        other = place;
        other.pitch = std::max<int64_t>(1, size / 2);
        judge_change(t, other, "half the pitch");
      }
      for (const int64_t by : {-64, -4, 4, 64, 2048}) {
        if (*place.address + by < 0) continue;
        other = place;
        other.address = *place.address + by;
        judge_change(t, other, "another address");
      }
      // Where others of its memory lie.
      int moves = 3;
      for (size_t u = t + 1; u < program.tensors.size() && moves > 0; ++u) {
        const auto& theirs = program.placement.tensors[u].address;
        if (program.tensors[u].memory != program.tensors[t].memory || !theirs) continue;
        other = place;
        other.address = *theirs;
        judge_change(t, other, "the address of another");
        --moves;
      }
    }
  }
  EXPECT_GT(found, changes / 4) << changes << " changes";
}

}  // namespace
}  // namespace trainyard::check_test
