#include "sim/values/axes.h"

#include <gtest/gtest.h>

namespace trainyard::sim {
namespace {

using isa::Affine;

// A program with one repeat of `count` around everything.
struct OneLoop {
  isa::Program program;
  std::vector<isa::Enclosure> around = {{isa::Enclosure::Kind::Loop, 0}};
  explicit OneLoop(int64_t count) {
    program.loops.push_back({.kind = isa::Loop::Kind::Repeat, .name = "i", .count = count});
  }
};

TEST(Axes, AShapeIsRowMajorAndDropsAxesOfOne) {
  const std::vector<int64_t> shape = {4, 1, 8, 16};
  EXPECT_EQ(axes_of(shape), (Axes{{128, 4}, {16, 8}, {1, 16}}));
  const std::vector<int64_t> one = {1, 1};
  EXPECT_EQ(axes_of(one), (Axes{{1, 1}}));
}

TEST(Axes, AnOffsetIsSplitIntoRowAndColumn) {
  const OneLoop loop(4);
  const std::vector<int64_t> shape = {64, 32};
  const auto split = split_access(loop.program, loop.around, Affine(70) + Affine::counter(0, 256),
                                  {{32, 8}, {1, 16}}, axes_of(shape));
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->at[0], Affine(2) + Affine::counter(0, 8));
  EXPECT_EQ(split->at[1], Affine(6));
  EXPECT_EQ(split->reach(0), (isa::Interval{0, 7}));
  EXPECT_EQ(split->reach(1), (isa::Interval{0, 15}));
}

TEST(Axes, ARunOverSeveralRowsIsCutAtTheirEnds) {
  const OneLoop loop(1);
  const std::vector<int64_t> shape = {8, 4, 16};
  const auto split =
      split_access(loop.program, loop.around, Affine(64), {{1, 128}}, axes_of(shape));
  ASSERT_TRUE(split.has_value());
  ASSERT_EQ(split->dims.size(), 3u);
  EXPECT_EQ(split->dims[0].count, 2);
  EXPECT_EQ(split->dims[1].count, 4);
  EXPECT_EQ(split->dims[2].count, 16);
}

TEST(Axes, APositionThatRunsOverTheEndOfItsAxisIsRefused) {
  const std::vector<int64_t> shape = {8, 16};
  const OneLoop three(3), two(2);
  const Affine offset = Affine::counter(0, 8);
  EXPECT_FALSE(split_access(three.program, three.around, offset, {{1, 8}}, axes_of(shape)));
  EXPECT_TRUE(split_access(two.program, two.around, offset, {{1, 8}}, axes_of(shape)));
  EXPECT_FALSE(split_access(two.program, two.around, Affine::reg(0), {{1, 8}}, axes_of(shape)));
}

}  // namespace
}  // namespace trainyard::sim
