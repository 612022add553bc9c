// Hand-written semaphores: what check takes as proved must be so. The oracle asks the question
// itself: if this instruction never completed, could that one still start?
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "isa/operands.h"
#include "isa/text/text.h"
#include "programs.h"

namespace trainyard::check_test {
namespace {

constexpr std::array<const char*, 3> kEngines = {"vector", "gpsimd", "scalar"};

constexpr int kTiles = 8;

// Straight-line programs: copies between a few tiles on three engines, three semaphores.
std::string random_semaphores(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint64_t>(n)); };
  std::string text = "program semaphores target trn2 placed\nsemaphore s0, s1, s2\n";
  for (int t = 0; t < kTiles; ++t) text += fmt::format("t{}: sbuf f32[2,2] @ {}\n", t, 64 * t);
  const int count = 4 + below(7);
  std::array<int, 3> given{};  // increments so far
  for (int i = 0; i < count; ++i) {
    const std::string work =
        below(3) == 0 ? fmt::format("memset t{} value=1.0", below(kTiles))
                      : fmt::format("tensor_copy t{} <- t{}", below(kTiles), below(kTiles));
    text += fmt::format("i{}: {} @ {}", i, work, kEngines[static_cast<size_t>(below(3))]);
    for (int n = below(3); n > 0; --n) {  // mostly for what comes earlier in the body
      const int semaphore = below(3);
      const int most = given[static_cast<size_t>(semaphore)] + (below(12) == 0 ? 1 : 0);
      if (most > 0) text += fmt::format(", wait s{} >= {}", semaphore, most - below(most));
    }
    for (int n = below(3); n > 0; --n) {
      const int semaphore = below(3);
      ++given[static_cast<size_t>(semaphore)];
      text += fmt::format(", inc s{}", semaphore);
    }
    if (i > 0 && below(4) == 0) text += fmt::format(", after i{}", below(i));
    text += "\n";
  }
  return text;
}

// Which instructions can start if `silent` never completes (-1: all complete).
std::vector<bool> started(const isa::Program& p, int silent) {
  const size_t n = p.insts.size();
  std::vector<bool> start(n, false), end(n, false);
  const auto engine = [&](size_t i) { return *p.placement.insts[i].engine; };
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < n; ++i) {
      const isa::InstPlace& place = p.placement.insts[i];
      bool can_start = true, can_end = static_cast<int>(i) != silent;
      for (size_t before = 0; before < i; ++before) {
        if (engine(before) != engine(i)) continue;
        can_start &= start[before];
        can_end &= end[before];
      }
      for (const isa::Edge& e : place.after) can_start &= end[static_cast<size_t>(e.producer)];
      for (const isa::SemaphoreWait& w : place.waits) {
        int64_t value = 0;
        for (size_t k = 0; k < n; ++k) {
          const auto& inc = p.placement.insts[k].increments;
          if (end[k]) value += std::count(inc.begin(), inc.end(), w.semaphore);
        }
        can_start &= value >= w.value.constant;
      }
      if (can_start && !start[i]) start[i] = moved = true;
      if (start[i] && can_end && !end[i]) end[i] = moved = true;
    }
  }
  return start;
}

struct Touch {
  bool reads = false, writes = false;
};

Touch touch(const isa::Program& p, size_t inst, isa::TensorId tensor) {
  Touch t;
  isa::each_access(p.insts[inst].op, [&](std::string_view, const isa::Access& a, isa::Role role) {
    if (a.tensor != tensor) return;
    (role == isa::Role::Read ? t.reads : t.writes) = true;
  });
  return t;
}

bool races(const isa::Program& p) {
  for (size_t a = 0; a < p.insts.size(); ++a) {
    const std::vector<bool> without = started(p, static_cast<int>(a));
    for (size_t b = 0; b < p.insts.size(); ++b) {
      const bool same = *p.placement.insts[a].engine == *p.placement.insts[b].engine;
      for (isa::TensorId t = 0; a != b && t < kTiles; ++t) {
        const Touch x = touch(p, a, t), y = touch(p, b, t);
        const bool meet = (x.writes && (y.reads || y.writes)) || (y.writes && x.reads);
        if (!meet) continue;
        if (!without[b] || !started(p, static_cast<int>(b))[a]) continue;  // ordered, one way round
        if (same && !((a < b && x.writes && y.reads) || (b < a && y.writes && x.reads))) continue;
        return true;
      }
    }
  }
  return false;
}

TEST(CheckSemaphores, WhatIsTakenAsProvedCannotBeOtherwise) {
  int deadlocks = 0, races_seen = 0, silent = 0, careful = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const std::string text = random_semaphores(seed);
    Result<isa::Program> program = isa::parse_text(text, "semaphores.tya");
    ASSERT_TRUE(program.ok()) << program.status().str();
    const auto findings = findings_of(*program, trips_of(*program));
    const auto has = [&](sim::FindingKind kind) {
      return std::any_of(findings.begin(), findings.end(),
                         [&](const auto& f) { return f.kind == kind; });
    };
    const std::vector<bool> all = started(*program, -1);
    const bool deadlock = std::find(all.begin(), all.end(), false) != all.end();
    ASSERT_EQ(has(sim::FindingKind::Deadlock), deadlock) << text << text_of(findings);
    deadlocks += deadlock;
    if (deadlock) continue;
    const bool race = races(*program);
    // Check may be more careful than need be with several incrementing streams, never less.
    ASSERT_TRUE(!race || has(sim::FindingKind::Race)) << text << text_of(findings);
    races_seen += race;
    silent += !has(sim::FindingKind::Race);
    careful += !race && has(sim::FindingKind::Race);
  }
  EXPECT_GT(deadlocks, 100);
  EXPECT_GT(races_seen, 100);
  EXPECT_GT(silent, 100);
  EXPECT_LT(careful, silent);
}

}  // namespace
}  // namespace trainyard::check_test
