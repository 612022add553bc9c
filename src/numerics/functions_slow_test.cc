// Every one of the 2^32 fp32 inputs of every function, about an hour on one core, and many f64
// inputs. One function:  numerics_slow_test --gtest_filter='*/gelu'
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "numerics/functions/oracle.h"
#include "numerics/functions/oracle64.h"

namespace trainyard::numerics {
namespace {

constexpr uint64_t kPatterns = uint64_t{1} << 32;

// Cuts [0, count) into one part per thread and merges what `measure_part(first, last)` finds.
template <class Worst, class MeasurePart>
Worst on_all_threads(uint64_t count, MeasurePart measure_part) {
  const uint64_t parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Worst> worst(parts);
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < parts; ++i) {
    threads.emplace_back(
        [&, i] { worst[i] = measure_part(count * i / parts, count * (i + 1) / parts); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Worst& part : worst) worst[0].merge(part);
  return worst[0];
}

std::string test_name(const auto& info) { return std::string(name(info.param)); }

class EveryInput : public testing::TestWithParam<Function> {};

TEST_P(EveryInput, StaysWithinTwoUlpOfTheExactValue) {
  const Function f = GetParam();
  const auto worst = on_all_threads<oracle::Worst>(kPatterns, [&](uint64_t first, uint64_t last) {
    return oracle::measure_patterns(f, first, last, 1);
  });
  std::printf("%-22s %.4f ulp at %a\n", std::string(name(f)).c_str(), worst.ulp, worst.x);
  EXPECT_LE(worst.ulp, 2.0) << name(f) << " at " << worst.x;
}

INSTANTIATE_TEST_SUITE_P(Functions, EveryInput,
                         testing::ValuesIn(all_functions().begin(), all_functions().end()),
                         test_name<testing::TestParamInfo<Function>>);

class EveryFp32Input : public testing::TestWithParam<Math> {};

TEST_P(EveryFp32Input, StaysWithinTwoUlpOfTheExactValue) {
  using Worst = oracle::WorstOf<float>;
  const Math f = GetParam();
  const Worst worst = on_all_threads<Worst>(kPatterns, [&](uint64_t first, uint64_t last) {
    constexpr uint64_t kBatch = 4096;
    Worst part;
    std::vector<float> x;
    for (uint64_t at = first; at < last; at += kBatch) {
      x.clear();
      for (uint64_t bits = at; bits < std::min(at + kBatch, last); ++bits) {
        x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
      }
      part.merge(oracle::measure<float>(f, x));
    }
    return part;
  });
  std::printf("%-10s fp32 %.4f ulp at %a\n", std::string(name(f)).c_str(), worst.ulp, worst.a);
  EXPECT_LE(worst.ulp, 2.0) << name(f) << " at " << worst.a;
}

INSTANTIATE_TEST_SUITE_P(Functions64, EveryFp32Input,
                         testing::ValuesIn(all_math().begin(), all_math().end()),
                         test_name<testing::TestParamInfo<Math>>);

constexpr size_t kBatches = 400;
constexpr size_t kBatchSize = 50'000;

TEST(Functions64, TwentyMillionF64InputsStayWithinFourUlp) {
  using Worst = oracle::WorstOf<double>;
  for (const Math f : all_math()) {
    const Worst worst = on_all_threads<Worst>(kBatches, [&](uint64_t first, uint64_t last) {
      Worst part;
      for (uint64_t i = first; i < last; ++i) {
        part.merge(oracle::measure<double>(f, oracle::sample<double>(kBatchSize, 1000 + i)));
      }
      return part;
    });
    std::printf("%-10s f64 %.4f ulp at %a\n", std::string(name(f)).c_str(), worst.ulp, worst.a);
    EXPECT_LE(worst.ulp, 4.0) << name(f) << " at " << worst.a;
  }
}

template <class T>
void expect_accurate_pairs(double allowed) {
  using Worst = oracle::WorstOf<T>;
  for (const Math2 f : all_math2()) {
    const Worst worst = on_all_threads<Worst>(kBatches, [&](uint64_t first, uint64_t last) {
      Worst part;
      for (uint64_t i = first; i < last; ++i) {
        const std::vector<T> a = oracle::sample<T>(kBatchSize, 3000 + i);
        const std::vector<T> b = oracle::sample<T>(kBatchSize + 1, 5000 + i);
        part.merge(oracle::measure<T>(f, a, std::span(b).subspan(i % 2, kBatchSize)));
      }
      return part;
    });
    std::printf("%-10s f%zu %.4f ulp at %a, %a\n", std::string(name(f)).c_str(), 8 * sizeof(T),
                worst.ulp, worst.a, worst.b);
    EXPECT_LE(worst.ulp, allowed) << name(f) << " at " << worst.a << ", " << worst.b;
  }
}

TEST(Functions64, TwentyMillionPairsStayWithinTheirError) {
  expect_accurate_pairs<double>(4.0);
  expect_accurate_pairs<float>(2.0);
}

}  // namespace
}  // namespace trainyard::numerics
