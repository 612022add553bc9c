#include "isa/ranges.h"

#include <gtest/gtest.h>

#include "isa/small_body.h"

namespace trainyard::isa {
namespace {

struct Nest {
  SmallBody b;
  std::vector<Affine> counters;
  std::vector<Enclosure> around;

  explicit Nest(std::initializer_list<Affine> counts) {
    for (const Affine& n : counts) add(n);
  }
  Affine add(const Affine& count) {
    counters.push_back(b.repeat(count));
    around.push_back({Enclosure::Kind::Loop, static_cast<LoopId>(counters.size()) - 1});
    return counters.back();
  }
  Interval quick(const Affine& a) const { return bounds(b.program, a, around); }
  std::optional<Interval> exact(const Affine& a) const {
    return exact_bounds(b.program, a, around);
  }
};

TEST(Ranges, ARectangularNestHasItsCornersAsEnds) {
  Nest n({4, 8});
  const Affine a = n.counters[0] * 100 + n.counters[1] * -3 + Affine(7);
  EXPECT_EQ(n.quick(a), (Interval{7 - 21, 307}));
  EXPECT_EQ(n.exact(a), (Interval{7 - 21, 307}));
}

TEST(Ranges, ATriangularNestIsNotTakenForItsSquare) {
  Nest n({32});
  const Affine q = n.counters[0];
  const Affine j = n.add(q + Affine(1));  // j <= q
  EXPECT_EQ(n.quick(q - j), (Interval{0, 31}));
  EXPECT_EQ(n.exact(q - j), (Interval{0, 31}));
  EXPECT_EQ(n.quick(j), (Interval{0, 31}));
}

TEST(Ranges, EmptyInnerLoopsAreLeftOutByTheExactBounds) {
  Nest n({10});
  const Affine q = n.counters[0];
  const Affine j = n.add(q - Affine(7));  // runs for q = 8 and 9 only
  const Affine a = q * -1 + j;
  EXPECT_EQ(n.exact(a), (Interval{-9, -8}));
  EXPECT_LE(n.quick(a).low, -9);
  EXPECT_GE(n.quick(a).high, -8);
}

TEST(Ranges, ANestThatNeverRunsHasNoBounds) {
  Nest n({4, 0});
  EXPECT_EQ(n.exact(n.counters[0]), std::nullopt);
}

TEST(Ranges, QuickBoundsHoldEveryValueOfRandomNests) {
  // A fixed sequence of small nests, compared with their enumeration.
  uint32_t seed = 12345;
  const auto random = [&](int low, int high) {
    seed = seed * 1664525u + 1013904223u;
    return low + static_cast<int>((seed >> 8) % static_cast<uint32_t>(high - low + 1));
  };
  for (int round = 0; round < 300; ++round) {
    Nest n({random(1, 6)});
    n.add(n.counters[0] * random(-1, 1) + Affine(random(0, 5)));
    n.add(n.counters[1] * random(-1, 1) + n.counters[0] * random(0, 1) + Affine(random(0, 4)));
    Affine a(random(-9, 9));
    for (const Affine& c : n.counters) a += c * random(-5, 5);

    std::optional<Interval> seen;
    int64_t v[3];
    const auto& loops = n.b.program.loops;
    for (v[0] = 0; v[0] < loops[0].count.value(v); ++v[0]) {
      for (v[1] = 0; v[1] < loops[1].count.value(v); ++v[1]) {
        for (v[2] = 0; v[2] < loops[2].count.value(v); ++v[2]) {
          const int64_t x = a.value(v);
          seen = seen ? Interval{std::min(seen->low, x), std::max(seen->high, x)} : Interval{x, x};
        }
      }
    }
    EXPECT_EQ(n.exact(a), seen) << round;
    if (!seen) continue;
    EXPECT_LE(n.quick(a).low, seen->low) << round;
    EXPECT_GE(n.quick(a).high, seen->high) << round;
  }
}

TEST(Ranges, HugeTermsSaturateInsteadOfOverflowing) {
  Nest n({int64_t{1} << 40, int64_t{1} << 40});
  const Affine a = n.counters[0] * (int64_t{1} << 47) + n.counters[1] * (int64_t{1} << 47);
  EXPECT_EQ(n.quick(a).high, int64_t{1} << 62);
  EXPECT_FALSE(terms_fit(n.b.program, a, n.around));
  EXPECT_TRUE(terms_fit(n.b.program, n.counters[0] * 16, n.around));
}

}  // namespace
}  // namespace trainyard::isa
