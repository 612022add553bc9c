// Whole-window primitives against plain loops.
#include "sim/gpsimd/primitives.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "isa/gpsimd/primitives.h"
#include "sim/gpsimd/test_call.h"

namespace trainyard::sim::gpsimd {
namespace {

template <class T>
std::vector<T> noise(size_t n, int64_t range, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> out(n);
  for (T& x : out) x = static_cast<T>(static_cast<int64_t>(random() % range) - range / 2);
  return out;
}

TEST(GpsimdSort, SeveralKeysAreSortedStably) {
  for (const int64_t n : {1, 7, 100, 3000}) {  // below and above the radix sort's threshold
    TestCall call;
    const auto a = noise<int16_t>(2 * n, 7, 1);
    const auto b = noise<double>(2 * n, 5, 2);
    std::vector<int32_t> p(2 * n);
    std::iota(p.begin(), p.end(), 0);
    const WindowId wa = call.window(Type::S16, {2, n}, a), wb = call.window(Type::F64, {2, n}, b);
    const WindowId wp = call.window(Type::S32, {2, n}, p);
    call.body.primitive(
        Code::Sort,
        {.windows = {wa, wb, wp}, .axes = {1}, .orders = {Order::Ascending, Order::Descending}});
    EXPECT_EQ(call.run(), "");
    for (int64_t row = 0; row < 2; ++row) {
      std::stable_sort(p.begin() + row * n, p.begin() + (row + 1) * n,
                       [&](int i, int j) { return a[i] != a[j] ? a[i] < a[j] : b[i] > b[j]; });
    }
    EXPECT_EQ(call.elements<int32_t>(wp), p);
    for (int64_t i = 0; i < 2 * n; ++i) {
      EXPECT_EQ(call.elements<int16_t>(wa)[i], a[p[i]]);
      EXPECT_EQ(call.elements<double>(wb)[i], b[p[i]]);
      if (n > 1000 && i > 50) break;
    }
  }
}

TEST(GpsimdSort, AComparatorOfMappedKeysSortsAsTheComparatorSays) {
  // Both zeros are one value and all NaNs are the largest, as JAX compares floats.
  TestCall call;
  std::vector<float> x;
  for (int i = 0; i < 3000; ++i) {
    const int kind = i * 7919 % 13;
    const float value = static_cast<float>(i * 31 % 17) - 8;
    x.push_back(kind == 0 ? -0.0f : kind == 1 ? std::nanf("") : kind == 2 ? -std::nanf("") : value);
  }
  std::vector<int32_t> p(x.size());
  std::iota(p.begin(), p.end(), 0);
  const auto n = static_cast<int64_t>(x.size());
  const WindowId wx = call.window(Type::F32, {n}, x), wp = call.window(Type::S32, {n}, p);
  FunctionBuilder less("less");
  const ValueId a = less.param({Type::F32, 0}), b = less.param({Type::F32, 0});
  less.param({Type::S32, 0});
  less.param({Type::S32, 0});
  const ValueId zero = less.real(Type::F32, 0), nan = less.real(Type::F32, NAN);
  const auto mapped = [&](ValueId v) {
    const ValueId plain = less.select(less.binary(Code::Eq, v, zero), zero, v);
    return less.select(less.binary(Code::Ne, v, v), nan, plain);
  };
  const ValueId left = mapped(a), right = mapped(b);
  call.program.functions.push_back(less.finish({less.binary(Code::LtTotal, left, right)}));
  ASSERT_TRUE(recognise_key(call.program.functions[0]).has_value());
  call.body.primitive(Code::Sort,
                      {.windows = {wx, wp}, .axes = {0}, .fold = {Fold::Kind::Function, 0}});
  EXPECT_EQ(call.run(), "");
  const auto key = [&](int32_t i) { return std::isnan(x[i]) ? INFINITY : x[i]; };
  std::stable_sort(p.begin(), p.end(), [&](int32_t i, int32_t j) { return key(i) < key(j); });
  EXPECT_EQ(call.elements<int32_t>(wp), p);
}

TEST(GpsimdSort, FloatsFollowTheTotalOrderAlongAnyAxis) {
  TestCall call;
  const float nan = std::nanf("");
  // Columns are sorted.
  const WindowId x = call.window<float>(
      Type::F32, {6, 2}, {nan, 6, 0.0f, 5, -0.0f, 4, INFINITY, 3, -nan, 2, -INFINITY, 1});
  call.body.primitive(Code::Sort, {.windows = {x}, .axes = {0}, .orders = {Order::Ascending}});
  EXPECT_EQ(call.run(), "");
  const std::vector<float> want = {-nan, 1, -INFINITY, 2, -0.0f, 3, 0.0f, 4, INFINITY, 5, nan, 6};
  const auto got = call.elements<float>(x);
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want[i])) << i;
  }
}

// Sorts n elements with numbers by a comparator that `build` makes of (a, b).
template <class F>
std::vector<int32_t> numbers_after_sort(const std::vector<int32_t>& x, F build) {
  TestCall call;
  std::vector<int32_t> p(x.size());
  std::iota(p.begin(), p.end(), 0);
  const auto n = static_cast<int64_t>(x.size());
  const WindowId wx = call.window(Type::S32, {n}, x), wp = call.window(Type::S32, {n}, p);
  FunctionBuilder less("less");
  const ValueId a = less.param({Type::S32, 0}), b = less.param({Type::S32, 0});
  less.param({Type::S32, 0});
  less.param({Type::S32, 0});
  call.program.functions.push_back(less.finish({build(less, a, b)}));
  call.body.primitive(Code::Sort,
                      {.windows = {wx, wp}, .axes = {0}, .fold = {Fold::Kind::Function, 0}});
  EXPECT_EQ(call.run(), "");
  return call.elements<int32_t>(wp);
}

TEST(GpsimdSort, ComparatorsGiveTheStableOrder) {
  for (const size_t n : {1u, 2u, 3u, 33u, 1000u, 2777u}) {
    const auto x = noise<int32_t>(n, 200, 9);
    std::vector<int32_t> p(n);
    std::iota(p.begin(), p.end(), 0);
    auto by_size = p, descending = p;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](int i, int j) { return std::abs(x[i]) < std::abs(x[j]); });
    std::stable_sort(descending.begin(), descending.end(),
                     [&](int i, int j) { return x[i] > x[j]; });
    EXPECT_EQ(numbers_after_sort(x,
                                 [](auto& f, ValueId a, ValueId b) {
                                   return f.binary(Code::Lt, f.unary(Code::Abs, a),
                                                   f.unary(Code::Abs, b));
                                 }),
              by_size);
    // Recognised, and the same comparator in a form that is not.
    EXPECT_EQ(numbers_after_sort(
                  x, [](auto& f, ValueId a, ValueId b) { return f.binary(Code::Gt, a, b); }),
              descending);
    EXPECT_EQ(numbers_after_sort(x,
                                 [](auto& f, ValueId a, ValueId b) {
                                   return f.unary(Code::Not, f.binary(Code::Le, a, b));
                                 }),
              descending);
  }
}

TEST(GpsimdSort, ContradictoryComparatorsLoseNothing) {
  const auto x = noise<int32_t>(1500, 1000, 4);
  const auto odd = [](auto& f, ValueId a, ValueId b) {  // (a ^ b) & 4 == 0: no order at all
    const ValueId four = f.integer(Type::S32, 4), zero = f.integer(Type::S32, 0);
    return f.binary(Code::Eq, f.binary(Code::And, f.binary(Code::Xor, a, b), four), zero);
  };
  auto p = numbers_after_sort(x, odd);
  EXPECT_EQ(p, numbers_after_sort(x, odd));
  std::sort(p.begin(), p.end());
  for (int32_t i = 0; i < 1500; ++i) ASSERT_EQ(p[i], i);
}

TEST(GpsimdTopK, TakesTheLargestFirstAndTiesByIndex) {
  TestCall call;
  const auto x = noise<int64_t>(3 * 400, 90, 5);
  const WindowId wx = call.window(Type::S64, {3, 400}, x);
  const WindowId wv = call.window(Type::S64, {3, 10}, std::vector<int64_t>(30));
  const WindowId wi = call.window(Type::S32, {3, 10}, std::vector<int32_t>(30));
  call.body.primitive(Code::TopK, {.windows = {wx, wv, wi}, .orders = {Order::Descending}});
  EXPECT_EQ(call.run(), "");
  for (int row = 0; row < 3; ++row) {
    std::vector<int32_t> p(400);
    std::iota(p.begin(), p.end(), 0);
    const int64_t* line = x.data() + row * 400;
    std::stable_sort(p.begin(), p.end(), [&](int i, int j) { return line[i] > line[j]; });
    for (int k = 0; k < 10; ++k) {
      EXPECT_EQ(call.elements<int32_t>(wi)[row * 10 + k], p[k]);
      EXPECT_EQ(call.elements<int64_t>(wv)[row * 10 + k], line[p[k]]);
    }
  }
}

TEST(GpsimdScan, BeginsAgainAtEverySegment) {
  TestCall call;
  const auto x = noise<double>(2 * 50, 1000, 6);
  std::vector<uint8_t> segment(100);
  for (int i = 0; i < 100; ++i) segment[i] = static_cast<uint8_t>(i / 7 % 3);
  const WindowId wx = call.window(Type::F64, {2, 50}, x);
  const WindowId ws = call.window(Type::U8, {2, 50}, segment);
  const WindowId wy = call.window(Type::F64, {2, 50}, x);
  call.body.primitive(Code::SegmentedScan, {.windows = {wx, ws, wy}, .fold = {Fold::Kind::Mul}},
                      {call.body.real(Type::F64, 0.25)});
  EXPECT_EQ(call.run(), "");
  std::vector<double> want(100);
  for (int i = 0; i < 100; ++i) {
    const bool first = i % 50 == 0 || segment[i] != segment[i - 1];
    want[i] = (first ? 0.25 : want[i - 1]) * x[i];
  }
  EXPECT_EQ(call.elements<double>(wy), want);
}

TEST(GpsimdRows, GatherFillsClampsOrFaults) {
  for (const Bounds bounds : {Bounds::Fill, Bounds::Clamp, Bounds::Fault}) {
    TestCall call;
    const auto x = noise<float>(5 * 3, 100, 7);
    const std::vector<int64_t> index = {4, -1, 2, 9};
    const WindowId wx = call.window(Type::F32, {5, 3}, x);
    const WindowId wi = call.window(Type::S64, {4}, index);
    const WindowId wy = call.window(Type::F32, {4, 3}, std::vector<float>(12));
    std::vector<ValueId> in;
    if (bounds == Bounds::Fill) in.push_back(call.body.real(Type::F32, 0.5));
    call.body.primitive(Code::GatherRows, {.windows = {wx, wi, wy}, .bounds = bounds}, in);
    EXPECT_EQ(call.run(), bounds == Bounds::Fault ? "TY-GPS-020" : "");
    std::vector<float> want(12);
    for (int i = 0; i < 12 && bounds != Bounds::Fault; ++i) {
      const int64_t r = index[i / 3];
      const bool inside = r >= 0 && r < 5;
      want[i] =
          !inside && bounds == Bounds::Fill ? 0.5f : x[std::clamp<int64_t>(r, 0, 4) * 3 + i % 3];
    }
    EXPECT_EQ(call.elements<float>(wy), want);
  }
}

TEST(GpsimdRows, ScatterCombinesDuplicatesInOrder) {
  for (const int64_t row : {1, 3, 1500}) {
    for (const Fold::Kind kind : {Fold::Kind::None, Fold::Kind::Add, Fold::Kind::Function}) {
      TestCall call;
      auto x = noise<float>(6 * row, 100, 8);
      const auto u = noise<float>(40 * row, 1000, 9);
      const auto index = noise<int32_t>(40, 14, 10);
      const WindowId wx = call.window(Type::F32, {6, row}, x);
      const WindowId wi = call.window(Type::S32, {40}, index);
      const WindowId wu = call.window(Type::F32, {40, row}, u);
      FunctionBuilder f("half");
      const ValueId a = f.param({Type::F32, 0}), b = f.param({Type::F32, 0});
      call.program.functions.push_back(
          f.finish({f.binary(Code::Sub, f.binary(Code::Mul, a, f.real(Type::F32, 0.7)), b)}));
      call.body.primitive(Code::ScatterRows,
                          {.windows = {wx, wi, wu}, .fold = {kind, 0}, .bounds = Bounds::Drop});
      EXPECT_EQ(call.run(), "");
      for (int64_t i = 0; i < 40 * row; ++i) {
        const int32_t r = index[i / row];
        if (r < 0 || r >= 6) continue;
        float& at = x[r * row + i % row];
        at = kind == Fold::Kind::None  ? u[i]
             : kind == Fold::Kind::Add ? at + u[i]
                                       : at * 0.7f - u[i];
      }
      EXPECT_EQ(call.elements<float>(wx), x);
    }
  }
}

TEST(GpsimdReduce, FoldsAnyAxesInRowMajorOrder) {
  const std::vector<int64_t> shape = {3, 40, 5, 9};
  const auto x = noise<float>(3 * 40 * 5 * 9, 99991, 11);
  for (const std::vector<int64_t>& axes :
       std::vector<std::vector<int64_t>>{{}, {0}, {3}, {1, 3}, {0, 2}, {0, 1, 2, 3}}) {
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < 4; ++i) {
      if (std::count(axes.begin(), axes.end(), i) == 0) kept.push_back(shape[i]);
    }
    int64_t results = 1;
    for (const int64_t n : kept) results *= n;
    std::vector<float> want(results, 0.25f);
    for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
      int64_t to = 0, rest = static_cast<int64_t>(x.size()), at = i;
      for (int64_t a = 0; a < 4; ++a) {
        rest /= shape[a];
        if (std::count(axes.begin(), axes.end(), a) == 0) to = to * shape[a] + at / rest;
        at %= rest;
      }
      want[to] += x[i];
    }
    TestCall call;
    const WindowId wx = call.window(Type::F32, shape, x);
    const WindowId wy = call.window(Type::F32, kept, std::vector<float>(results));
    call.body.primitive(Code::ReduceAxes,
                        {.windows = {wx, wy}, .axes = axes, .fold = {Fold::Kind::Add}},
                        {call.body.real(Type::F32, 0.25)});
    EXPECT_EQ(call.run(), "");
    EXPECT_EQ(call.elements<float>(wy), want);
  }
}

TEST(GpsimdReduce, CombinesSeveralValuesAtOnce) {
  // The largest element and its index, as argmax does.
  TestCall call;
  const auto x = noise<int32_t>(30 * 17, 50, 12);
  std::vector<int32_t> number(30 * 17);
  for (int i = 0; i < 30 * 17; ++i) number[i] = i % 17;
  FunctionBuilder f("argmax");
  std::vector<ValueId> p;
  for (int i = 0; i < 4; ++i) p.push_back(f.param({Type::S32, 0}));
  const ValueId better = f.binary(Code::Gt, p[2], p[0]);
  const ValueId value = f.select(better, p[2], p[0]), at = f.select(better, p[3], p[1]);
  call.program.functions.push_back(f.finish({value, at}));
  const WindowId wx = call.window(Type::S32, {30, 17}, x);
  const WindowId wn = call.window(Type::S32, {30, 17}, number);
  const WindowId wv = call.window(Type::S32, {30}, std::vector<int32_t>(30));
  const WindowId wi = call.window(Type::S32, {30}, std::vector<int32_t>(30));
  call.body.primitive(Code::ReduceAxes,
                      {.windows = {wx, wn, wv, wi}, .axes = {1}, .fold = {Fold::Kind::Function, 0}},
                      {call.body.integer(Type::S32, INT32_MIN), call.body.integer(Type::S32, 0)});
  EXPECT_EQ(call.run(), "");
  for (int row = 0; row < 30; ++row) {
    const auto best = std::max_element(x.begin() + row * 17, x.begin() + (row + 1) * 17);
    EXPECT_EQ(call.elements<int32_t>(wv)[row], *best);
    EXPECT_EQ(call.elements<int32_t>(wi)[row], best - x.begin() - row * 17);
  }
}

TEST(GpsimdReduceWindow, PadsStridesAndDilates) {
  const auto x = noise<float>(11 * 13, 9999, 13);
  for (const int64_t base : {1, 2}) {
    for (const int64_t dilation : {1, 2}) {
      TestCall call;
      const WindowId wx = call.window(Type::F32, {11, 13}, x);
      const WindowId wy = call.window(Type::F32, {6, 7}, std::vector<float>(42));
      call.body.primitive(Code::ReduceWindow,
                          {.windows = {wx, wy},
                           .fold = {Fold::Kind::Add},
                           .size = {3, 2},
                           .stride = {2, 2},
                           .low = {1, -1},
                           .dilation = {dilation, 1},
                           .base = {1, base}},
                          {call.body.real(Type::F32, 0.5)});
      EXPECT_EQ(call.run(), "");
      for (int64_t i = 0; i < 6; ++i) {
        for (int64_t j = 0; j < 7; ++j) {
          float want = 0.5f;
          for (int64_t u = 0; u < 3; ++u) {
            for (int64_t v = 0; v < 2; ++v) {
              const int64_t r = i * 2 + u * dilation - 1, c = j * 2 + v + 1;
              const bool inside = r >= 0 && r < 11 && c % base == 0 && c / base < 13;
              want += inside ? x[r * 13 + c / base] : 0.5f;
            }
          }
          EXPECT_EQ(call.elements<float>(wy)[i * 7 + j], want);
        }
      }
    }
  }
}

TEST(GpsimdHistogram, CountsAndWraps) {
  TestCall call;
  const auto x = noise<int8_t>(2000, 12, 14);
  std::vector<uint8_t> counts = {250, 0, 0, 0, 0};
  const WindowId wx = call.window(Type::S8, {2000}, x), wc = call.window(Type::U8, {5}, counts);
  call.body.primitive(Code::Histogram, {.windows = {wx, wc}, .bounds = Bounds::Drop});
  EXPECT_EQ(call.run(), "");
  for (const int8_t v : x) {
    if (v >= 0 && v < 5) ++counts[v];
  }
  EXPECT_EQ(call.elements<uint8_t>(wc), counts);
}

TEST(GpsimdSearch, CountsWhatComesBefore) {
  for (const bool right : {false, true}) {
    TestCall call;
    auto sorted = noise<int64_t>(300, 100, 15);
    std::sort(sorted.begin(), sorted.end());
    const auto queries = noise<int64_t>(64, 120, 16);
    const WindowId ws = call.window(Type::S64, {300}, sorted);
    const WindowId wq = call.window(Type::S64, {8, 8}, queries);
    const WindowId wo = call.window(Type::S32, {8, 8}, std::vector<int32_t>(64));
    call.body.primitive(Code::BinarySearch, {.windows = {ws, wq, wo}, .right = right});
    EXPECT_EQ(call.run(), "");
    for (int i = 0; i < 64; ++i) {
      const auto want = std::count_if(sorted.begin(), sorted.end(), [&](int64_t s) {
        return right ? s <= queries[i] : s < queries[i];
      });
      EXPECT_EQ(call.elements<int32_t>(wo)[i], want);
    }
  }
}

TEST(GpsimdSort, RadixPassesCountOnlyTheBytesOfTheType) {
  std::vector<uint64_t> keys(1000);
  std::vector<int32_t> order(1000);
  for (size_t i = 0; i < 1000; ++i) keys[i] = (i * 7919 % 997) | (~uint64_t{i} << 16);
  std::iota(order.begin(), order.end(), 0);
  auto want = order;
  std::stable_sort(want.begin(), want.end(),
                   [&](int a, int b) { return (keys[a] & 0xFFFF) < (keys[b] & 0xFFFF); });
  radix_sort(order, keys, 2);
  EXPECT_EQ(order, want);
}

}  // namespace
}  // namespace trainyard::sim::gpsimd
