// Slices at run-time places, products and scans of rows against plain loops.
#include <algorithm>
#include <numeric>

#include "sim/gpsimd/test_call.h"

namespace trainyard::sim::gpsimd {
namespace {

std::vector<int32_t> counted(size_t n) {
  std::vector<int32_t> x(n);
  std::iota(x.begin(), x.end(), 0);
  return x;
}

TEST(GpsimdSlices, AGatherMovesSlicesInsideOrFillsThem) {
  for (const Bounds bounds : {Bounds::Clamp, Bounds::Fill}) {
    TestCall call;
    const WindowId x = call.window(Type::S32, {2, 4, 5}, counted(40));
    // Two batches of three places (row, column); slices of 2 x 3.
    const std::vector<int64_t> places = {0, 0, 2, 2, 3, 1, 1, -1, 0, 9, 2, 0};
    const WindowId at = call.window(Type::S64, {2, 3, 2}, places);
    const WindowId y = call.window(Type::S32, {2, 3, 2, 3}, std::vector<int32_t>(36));
    std::vector<ValueId> in;
    if (bounds == Bounds::Fill) in = {call.body.integer(Type::S32, -7)};
    call.body.primitive(Code::GatherSlices,
                        {.windows = {x, at, y}, .axes = {1, 2}, .bounds = bounds}, in);
    EXPECT_EQ(call.run(), "");
    const auto got = call.elements<int32_t>(y);
    for (int64_t s = 0; s < 6; ++s) {
      const int64_t row = places[2 * s], column = places[2 * s + 1];
      const bool inside = row >= 0 && row <= 2 && column >= 0 && column <= 2;
      const int64_t r = std::clamp<int64_t>(row, 0, 2), c = std::clamp<int64_t>(column, 0, 2);
      for (int64_t i = 0; i < 6; ++i) {
        const int64_t want = s / 3 * 20 + (r + i / 3) * 5 + c + i % 3;
        EXPECT_EQ(got[s * 6 + i], bounds == Bounds::Clamp || inside ? want : -7) << s << " " << i;
      }
    }
  }
}

TEST(GpsimdSlices, AGatherOutsideFaultsWhereItMust) {
  TestCall call;
  const WindowId x = call.window(Type::S32, {1, 4}, counted(4));
  const WindowId at = call.window<int32_t>(Type::S32, {1, 1, 1}, {3});
  const WindowId y = call.window(Type::S32, {1, 1, 2}, counted(2));
  call.body.primitive(Code::GatherSlices, {.windows = {x, at, y}, .axes = {1}});
  EXPECT_EQ(call.run(), "TY-GPS-020");
}

TEST(GpsimdSlices, AScatterCombinesDuplicatesInOrderAndDropsTheRest) {
  for (const int64_t width : {1, 3}) {
    TestCall call;
    const WindowId x = call.window(Type::S32, {1, 6}, counted(6));
    const std::vector<int32_t> places = {2, 2, 7, 0, -1};
    const WindowId at = call.window(Type::S32, {1, 5, 1}, places);
    const std::vector<int32_t> updates = counted(5 * width);
    const WindowId u = call.window(Type::S32, {1, 5, width}, updates);
    FunctionBuilder combine("combine");  // 2 * old - new does not commute
    const ValueId a = combine.param({Type::S32, 0}), b = combine.param({Type::S32, 0});
    const ValueId twice = combine.binary(Code::Add, a, a);
    call.program.functions.push_back(combine.finish({combine.binary(Code::Sub, twice, b)}));
    call.body.primitive(Code::ScatterSlices, {.windows = {x, at, u},
                                              .axes = {1},
                                              .fold = {Fold::Kind::Function, 0},
                                              .bounds = Bounds::Drop});
    EXPECT_EQ(call.run(), "");
    std::vector<int32_t> want = counted(6);
    for (int64_t s = 0; s < 5; ++s) {
      if (places[s] < 0 || places[s] + width > 6) continue;
      for (int64_t k = 0; k < width; ++k) {
        int32_t& old = want[places[s] + k];
        old = 2 * old - updates[s * width + k];
      }
    }
    EXPECT_EQ(call.elements<int32_t>(x), want);
  }
}

TEST(GpsimdSlices, AScatterOfTwoInputsReplacesBoth) {
  TestCall call;
  const WindowId x = call.window(Type::S32, {1, 4}, counted(4));
  const WindowId y = call.window<double>(Type::F64, {1, 4}, {0, 1, 2, 3});
  const WindowId at = call.window<uint8_t>(Type::U8, {1, 2, 1}, {1, 3});
  const WindowId u = call.window<int32_t>(Type::S32, {1, 2, 1}, {10, 30});
  const WindowId v = call.window<double>(Type::F64, {1, 2, 1}, {0.5, 1.5});
  call.body.primitive(Code::ScatterSlices,
                      {.windows = {x, y, at, u, v}, .axes = {1}, .bounds = Bounds::Drop});
  EXPECT_EQ(call.run(), "");
  EXPECT_EQ(call.elements<int32_t>(x), (std::vector<int32_t>{0, 10, 2, 30}));
  EXPECT_EQ(call.elements<double>(y), (std::vector<double>{0, 0.5, 2, 1.5}));
}

template <class T, class S>
void expect_product(Type from, Type to) {
  constexpr int64_t kB = 2, kM = 3, kK = 7, kN = 5;
  TestCall call;
  std::vector<S> a(kB * kM * kK), b(kB * kK * kN);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<S>(static_cast<int>(i * 37 % 23) - 11);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<S>(static_cast<int>(i * 53 % 29) - 14);
  const WindowId x = call.window(from, {kB, kM, kK}, a), y = call.window(from, {kB, kK, kN}, b);
  const WindowId z = call.window(to, {kB, kM, kN}, std::vector<T>(kB * kM * kN));
  call.body.primitive(Code::Dot, {.windows = {x, y, z}});
  EXPECT_EQ(call.run(), "");
  const auto got = call.elements<T>(z);
  for (int64_t i = 0; i < kB * kM * kN; ++i) {
    T want{};
    for (int64_t k = 0; k < kK; ++k) {
      const T left = static_cast<T>(a[i / kN * kK + k]);
      want = static_cast<T>(want +
                            left * static_cast<T>(b[i / (kM * kN) * kK * kN + k * kN + i % kN]));
    }
    EXPECT_EQ(got[i], want) << i;
  }
}

TEST(GpsimdDot, ProductsOfIntegersWrapAndThoseOfDoublesAreExactHere) {
  expect_product<int32_t, int8_t>(Type::S8, Type::S32);
  expect_product<int8_t, int8_t>(Type::S8, Type::S8);
  expect_product<uint16_t, uint16_t>(Type::U16, Type::U16);
  expect_product<int64_t, int64_t>(Type::S64, Type::S64);
  expect_product<double, double>(Type::F64, Type::F64);
  expect_product<float, int32_t>(Type::S32, Type::F32);
}

TEST(GpsimdScan, WithoutSegmentsEachRowIsScanned) {
  TestCall call;
  const WindowId x = call.window(Type::S32, {2, 3}, counted(6));
  const WindowId y = call.window(Type::S32, {2, 3}, std::vector<int32_t>(6));
  call.body.primitive(Code::SegmentedScan, {.windows = {x, y}, .fold = {Fold::Kind::Add, -1}},
                      {call.body.integer(Type::S32, 100)});
  EXPECT_EQ(call.run(), "");
  EXPECT_EQ(call.elements<int32_t>(y), (std::vector<int32_t>{100, 101, 103, 103, 107, 112}));
}

}  // namespace
}  // namespace trainyard::sim::gpsimd
