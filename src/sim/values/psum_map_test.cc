#include "sim/values/psum_map.h"

#include <gtest/gtest.h>

namespace trainyard::sim {
namespace {

constexpr int64_t kPitch = 256, kBytes = 4 * kPitch;

// `rows` rows of `columns` fp32 numbers.
Pattern tile(int64_t rows, int64_t columns) {
  return make_pattern(Dtype::F32, rows, kPitch, {{4, columns}});
}

TEST(PsumMap, TheSameRegionIsFreshOnce) {
  PsumMap map;
  std::vector<uint8_t> written;
  const Pattern p = tile(4, 64);
  EXPECT_EQ(map.visit(p, 0, kBytes, written), PsumState::Fresh);
  EXPECT_EQ(map.visit(p, 0, kBytes, written), PsumState::Written);
  map.clear();
  EXPECT_EQ(map.visit(p, 0, kBytes, written), PsumState::Fresh);
}

TEST(PsumMap, RegionsSideBySideDoNotTouch) {
  PsumMap map;
  std::vector<uint8_t> written;
  const Pattern half = tile(4, 32), top = tile(2, 32);
  EXPECT_EQ(map.visit(half, 0, kBytes, written), PsumState::Fresh);
  EXPECT_EQ(map.visit(half, 128, kBytes, written), PsumState::Fresh);
  EXPECT_EQ(map.visit(half, 0, kBytes, written), PsumState::Written);
  EXPECT_EQ(map.visit(top, 128, kBytes, written), PsumState::Written);
}

TEST(PsumMap, RegionsThatOverlapAreToldByElement) {
  PsumMap map;
  std::vector<uint8_t> written;
  const Pattern narrow = tile(2, 4), wide = tile(2, 6);
  EXPECT_EQ(map.visit(narrow, 8, kBytes, written), PsumState::Fresh);
  EXPECT_EQ(map.visit(wide, 0, kBytes, written), PsumState::Mixed);
  EXPECT_EQ(written, (std::vector<uint8_t>{0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(map.visit(wide, 0, kBytes, written), PsumState::Written);
  EXPECT_EQ(map.visit(tile(1, 1), 3 * kPitch, kBytes, written), PsumState::Fresh);
}

}  // namespace
}  // namespace trainyard::sim
