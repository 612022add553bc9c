// Random bodies, placed by `place`: check and the oracle agree on them and on what is left after
// random damage. TRAINYARD_SEEDS=from:to walks other seeds than the usual ones.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "isa/structure.h"
#include "isa/text/text.h"
#include "programs.h"
#include "random_body.h"

namespace trainyard::check_test {
namespace {

constexpr int64_t kMostExecuted = 220;  // the oracle looks at every pair

struct Seeds {
  uint64_t from = 0, to = 150;
};

Seeds seeds() {
  Seeds s;
  if (const char* given = std::getenv("TRAINYARD_SEEDS")) {
    char* rest = nullptr;
    s.from = std::strtoull(given, &rest, 10);
    s.to = *rest == ':' ? std::strtoull(rest + 1, nullptr, 10) : s.from + 1;
  }
  return s;
}

// A core so small that tensors must share bytes.
hw::CoreSpec small_core(int64_t bytes) {
  hw::CoreSpec core = hw::kNeuronCoreV3;
  core.sbuf.partition_bytes.value =
      core.sbuf.dge_reserved_bytes.value + core.sbuf.system_reserved_bytes.value + bytes;
  return core;
}

// The program of a seed, placed in a way that depends on it. Not complete if it does not fit.
isa::Program make(uint64_t seed) {
  const BodyOptions body{.control = seed % 4 == 3, .statements = 6 + static_cast<int>(seed % 13)};
  Result<isa::Program> program = isa::parse_text(random_body(seed, body), "random.tya");
  EXPECT_TRUE(program.ok()) << program.status().str() << "\n" << random_body(seed, body);
  if (!program.ok()) return {};
  if (isa::Structure(*program).executed(*program) > kMostExecuted) return {};
  const place::Options options{
      .max_slots = 1 + static_cast<int>(seed % 3), .ahead = seed % 5 != 0, .plain = seed % 11 == 0};
  const hw::CoreSpec core = seed % 3 == 0 ? small_core(192 + 64 * (seed % 7)) : hw::kNeuronCoreV3;
  (void)place::place(*program, core, options).ok();
  return *program;
}

// Takes something away or moves it.
std::string damage(isa::Program& program, std::mt19937_64& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const size_t i = below(program.insts.size());
  const size_t t = below(program.tensors.size());
  isa::InstPlace& inst = program.placement.insts[i];
  isa::TensorPlace& tensor = program.placement.tensors[t];
  switch (below(6)) {
    case 0: {
      const auto around = isa::Structure(program).around(static_cast<isa::InstId>(i));
      if (around.empty() || around.back().kind != isa::Enclosure::Kind::Loop) return "";
      if (program.loops[around.back().id].kind != isa::Loop::Kind::Repeat) return "";
      inst.ahead_loop = around.back().id;
      inst.ahead = 1;
      return program.insts[i].label + " is issued ahead";
    }
    case 1:
      if (inst.after.empty()) return "";
      inst.after.erase(inst.after.begin() + static_cast<std::ptrdiff_t>(below(inst.after.size())));
      return "an edge of " + program.insts[i].label + " is gone";
    case 2:
      for (isa::Edge& e : inst.after) {
        if (e.lag_loop >= 0) e.lag += 1;
      }
      return "longer lags of " + program.insts[i].label;
    case 3:
      if (!tensor.address || tensor.slots < 2) return "";
      tensor.slots -= 1;
      return "a slot less of " + program.tensors[t].name;
    default: {
      const size_t other = below(program.tensors.size());
      if (program.tensors[other].memory != program.tensors[t].memory || !tensor.address) return "";
      tensor.address =
          *program.placement.tensors[other].address + static_cast<int64_t>(below(3)) * 4;
      return program.tensors[t].name + " lies at " + program.tensors[other].name;
    }
  }
}

TEST(CheckRandom, PlacedBodiesAreFreeOfFindings) {
  int programs = 0;
  for (uint64_t seed = seeds().from; seed < seeds().to; ++seed) {
    const isa::Program program = make(seed);
    if (!program.placement.complete) continue;
    ++programs;
    const isa::TripRecord trips = trips_of(program, static_cast<int64_t>(seed / 4 % 5));
    EXPECT_EQ(text_of(findings_of(program, trips)), "") << "seed " << seed << "\n"
                                                        << isa::print_text(program);
    EXPECT_EQ(difference(program, trips), "") << "seed " << seed << "\n"
                                              << isa::print_text(program);
    if (HasFailure()) return;
  }
  EXPECT_GT(programs, 0);
}

TEST(CheckRandom, DamagedPlacementsAreJudgedAsByTheOracle) {
  for (uint64_t seed = seeds().from; seed < seeds().to; ++seed) {
    const isa::Program program = make(seed);
    if (!program.placement.complete) continue;
    const isa::TripRecord trips = trips_of(program, static_cast<int64_t>(seed / 4 % 5));
    std::mt19937_64 random(seed);
    for (int round = 0; round < 4; ++round) {
      isa::Program damaged = program;
      std::string what;
      for (uint64_t n = 1 + random() % 2; n > 0; --n) what += damage(damaged, random) + "; ";
      EXPECT_EQ(difference(damaged, trips), "") << "seed " << seed << ": " << what << "\n"
                                                << isa::print_text(damaged);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace trainyard::check_test
