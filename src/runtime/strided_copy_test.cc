#include "runtime/strided_copy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace trainyard::runtime {
namespace {

std::byte* bytes_of(std::vector<int32_t>& v) { return reinterpret_cast<std::byte*>(v.data()); }

TEST(StridedCopy, DenseStridesFollowTheOrderOfAxes) {
  const std::vector<int64_t> shape = {2, 3, 4};
  EXPECT_EQ(dense_strides(shape, 4), (std::vector<int64_t>{48, 16, 4}));
  EXPECT_EQ(dense_strides(shape, 4, std::vector<int64_t>{0, 1, 2}),
            (std::vector<int64_t>{4, 8, 24}));
}

TEST(StridedCopy, ReversedAxesAreReadBackwards) {
  std::vector<int32_t> from = {1, 2, 3, 4}, to(4);
  strided_copy({bytes_of(to), std::vector<int64_t>{4}},
               {bytes_of(from) + 12, std::vector<int64_t>{-4}}, std::vector<int64_t>{4}, 4);
  EXPECT_EQ(to, (std::vector<int32_t>{4, 3, 2, 1}));
}

TEST(StridedCopy, BroadcastAxesRepeat) {
  std::vector<int32_t> from = {7}, to(6);
  strided_copy({bytes_of(to), std::vector<int64_t>{12, 4}},
               {bytes_of(from), std::vector<int64_t>{0, 0}}, std::vector<int64_t>{2, 3}, 4);
  EXPECT_EQ(to, std::vector<int32_t>(6, 7));
}

TEST(StridedCopy, EmptyAndScalarShapesAreFine) {
  std::vector<int32_t> from = {5}, to = {0};
  strided_copy({nullptr, std::vector<int64_t>{4}}, {nullptr, std::vector<int64_t>{4}},
               std::vector<int64_t>{0}, 4);
  strided_copy({bytes_of(to), {}}, {bytes_of(from), {}}, {}, 4);
  EXPECT_EQ(to[0], 5);
}

// The oracle visits every element by its index.
TEST(StridedCopy, AgreesWithOneElementAtATime) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const int rank = 1 + static_cast<int>(random() % 4);
    std::vector<int64_t> shape(rank), order(rank);
    for (int64_t& n : shape) n = 1 + static_cast<int64_t>(random() % 4);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const int64_t count =
        std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies());
    std::vector<int32_t> from(count), to(count, -1);
    std::iota(from.begin(), from.end(), 0);
    const std::vector<int64_t> from_strides = dense_strides(shape, 4, order);
    const std::vector<int64_t> to_strides = dense_strides(shape, 4);
    strided_copy({bytes_of(to), to_strides}, {bytes_of(from), from_strides}, shape, 4);
    for (int64_t flat = 0; flat < count; ++flat) {
      int64_t rest = flat, at = 0;
      for (int axis = rank - 1; axis >= 0; --axis) {
        at += rest % shape[axis] * from_strides[axis];
        rest /= shape[axis];
      }
      ASSERT_EQ(to[flat], from[at / 4]);
    }
  }
}

}  // namespace
}  // namespace trainyard::runtime
