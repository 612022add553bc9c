// Every one of the 2^32 fp32 inputs of every function: about an hour on one core. One function:
//   numerics_slow_test --gtest_filter='*/gelu'
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "numerics/functions/oracle.h"

namespace trainyard::numerics {
namespace {

class AllInputs : public testing::TestWithParam<Function> {};

oracle::Worst measure_all_patterns(Function f) {
  constexpr uint64_t kPatterns = uint64_t{1} << 32;
  const uint64_t parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<oracle::Worst> worst(parts);
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < parts; ++i) {
    threads.emplace_back([&, i] {
      worst[i] = oracle::measure_patterns(f, kPatterns * i / parts, kPatterns * (i + 1) / parts, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const oracle::Worst& part : worst) worst[0].merge(part);
  return worst[0];
}

TEST_P(AllInputs, StayWithinTwoUlpOfTheExactValue) {
  const oracle::Worst worst = measure_all_patterns(GetParam());
  std::printf("%-22s %.4f ulp at %a\n", std::string(name(GetParam())).c_str(), worst.ulp, worst.x);
  EXPECT_LE(worst.ulp, 2.0) << name(GetParam()) << " at " << worst.x;
}

INSTANTIATE_TEST_SUITE_P(Functions, AllInputs,
                         testing::ValuesIn(all_functions().begin(), all_functions().end()),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace trainyard::numerics
