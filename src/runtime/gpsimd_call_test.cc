#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isa/text/text.h"
#include "runtime/kernel.h"
#include "runtime/threads.h"

namespace trainyard::runtime {
namespace {

// Sorts the rows of x in HBM, then y = tanh(x * scale) in strips of 1,024.
constexpr std::string_view kSortThenTanh = R"(program sort_then_tanh target trn2
gpsimd sort_rows {
  window keys: f32[8, 512] of [8, 512] at [0, 0] update
  body() {
    sort_window (windows keys) (axes 1) (orders ascending)
    yield
  }
}
gpsimd scaled_tanh {
  window x: f32[4096] of [4096] at [0] read
  window y: f32[4096] of [4096] at [0] write
  body(scale: f32) {
    turns: s64 = constant 4
    strip: s64 = constant 1024
    factor: f32[1024] = broadcast scale
    for turns (maximum 4) {
      params i: s64
      at: s64 = mul i, strip
      a: f32[1024] = load at (window x)
      b: f32[1024] = mul a, factor
      c: f32[1024] = tanh b
      store at, c (window y)
      yield
    }
    yield
  }
}
x: hbm f32[8,512] in
s: hbm f32[8,512]
y: hbm f32[4096] out
load: dma_copy s <- x
sort: gpsimd_call sort_rows(update s)
map: gpsimd_call scaled_tanh(read s, write y, 0x3f000000)
)";

class SortThenTanh : public testing::TestWithParam<const char*> {
 protected:
  SortThenTanh() : x_(4096), y_(4096, -7.0f) {
    for (size_t i = 0; i < x_.size(); ++i)
      x_[i] = static_cast<float>(std::sin(static_cast<double>(i * i)) * 3);
    want_ = x_;
    for (int row = 0; row < 8; ++row)
      std::sort(want_.begin() + row * 512, want_.begin() + (row + 1) * 512);
  }
  static Result<Kernel> kernel() {
    return Kernel::from_text(kSortThenTanh, "k.tya", *hw::find_target(GetParam()));
  }
  std::vector<sim::Binding> bindings() {
    return {{0, std::as_writable_bytes(std::span(x_))}, {2, std::as_writable_bytes(std::span(y_))}};
  }
  void expect_values() const {
    for (size_t i = 0; i < y_.size(); ++i)
      ASSERT_NEAR(y_[i], std::tanh(static_cast<double>(want_[i]) * 0.5), 3e-7) << i;
  }

  std::vector<float> x_, y_, want_;
};

TEST_P(SortThenTanh, GivesValues) {
  const Result<Kernel> k = kernel();
  ASSERT_TRUE(k.ok()) << k.status().str();
  const Result<RunResult> r = k->run(bindings(), {.mode = Mode::Values});
  ASSERT_TRUE(r.ok()) << r.status().str();
  expect_values();
}

TEST_P(SortThenTanh, TakesTheSameTimeWithAndWithoutValues) {
  const Result<Kernel> k = kernel();
  ASSERT_TRUE(k.ok()) << k.status().str();
  const Result<RunResult> time = k->run({}, {.mode = Mode::Time});
  const Result<RunResult> both = k->run(bindings(), {.mode = Mode::Both});
  ASSERT_TRUE(time.ok()) << time.status().str();
  ASSERT_TRUE(both.ok()) << both.status().str();
  expect_values();
  EXPECT_EQ(time->time->total, both->time->total);
  // 8 rows of 512 keys, 9 levels, 2 steps each, 8 processors: 9,216 cycles and no less.
  EXPECT_GT(time->time->total.value, 9216 * k->core().period(hw::Engine::Gpsimd).value);
}

TEST_P(SortThenTanh, IsPlacedWithoutHazards) {
  const Result<Kernel> k = kernel();
  ASSERT_TRUE(k.ok()) << k.status().str();
  for (const bool with_data : {false, true}) {
    const Result<RunResult> r =
        k->run(with_data ? bindings() : std::vector<sim::Binding>{}, {.mode = Mode::Check});
    ASSERT_TRUE(r.ok()) << r.status().str();
    EXPECT_TRUE(r->check->findings.empty()) << r->check->findings[0].status.str();
    EXPECT_TRUE(r->events.empty());
  }
}

// Every edge is needed: sort waits for the load, map for the sort.
TEST_P(SortThenTanh, LosesARaceWhenAnEdgeIsDeleted) {
  const Result<Kernel> k = kernel();
  ASSERT_TRUE(k.ok()) << k.status().str();
  int edges = 0;
  for (size_t i = 0; i < k->program().insts.size(); ++i) {
    for (size_t e = 0; e < k->program().placement.insts[i].after.size(); ++e) {
      isa::Program cut = k->program();
      auto& after = cut.placement.insts[i].after;
      after.erase(after.begin() + static_cast<int64_t>(e));
      const Result<sim::CheckResult> found = sim::check(cut, k->core(), {}, {});
      ASSERT_TRUE(found.ok()) << found.status().str();
      EXPECT_FALSE(found->findings.empty()) << cut.insts[i].label;
      ++edges;
    }
  }
  EXPECT_EQ(edges, 2);
}

TEST_P(SortThenTanh, IsPrintedAndReadBack) {
  const Result<Kernel> k = kernel();
  ASSERT_TRUE(k.ok()) << k.status().str();
  const std::string text = isa::print_text(k->program());
  const Result<isa::Program> again = isa::parse_text(text, "again.tya");
  ASSERT_TRUE(again.ok()) << again.status().str();
  EXPECT_TRUE(isa::same_program(k->program(), *again));
  EXPECT_EQ(isa::print_text(*again), text);
}

INSTANTIATE_TEST_SUITE_P(Machines, SortThenTanh, testing::Values("trn1", "trn2", "trn3"));

// More operands than any other instruction has: each is watched for races.
TEST(GpsimdCall, EveryOneOfManyOperandsIsOrdered) {
  constexpr int kWindows = 12;
  std::string windows, tensors, operands;
  for (int i = 0; i < kWindows; ++i) {
    windows += fmt::format("window w{}: f32[128] of [128] at [0] update\n", i);
    tensors += fmt::format("t{0}: hbm f32[128] l{0}: dma_copy t{0} <- x\n", i);
    operands += fmt::format("{}update t{}", i > 0 ? ", " : "", i);
  }
  const Result<Kernel> k = Kernel::from_text(
      fmt::format("program many target trn2\ngpsimd touch {{ {}body() {{ yield }} }}\n"
                  "x: hbm f32[128] in\n{}c: gpsimd_call touch({})",
                  windows, tensors, operands),
      "many.tya", *hw::find_target("trn2"));
  ASSERT_TRUE(k.ok()) << k.status().str();
  const auto findings = [&](const isa::Program& program) {
    const Result<sim::CheckResult> found = sim::check(program, k->core(), {}, {});
    EXPECT_TRUE(found.ok()) << found.status().str();
    return found.ok() ? found->findings.size() : 0;
  };
  EXPECT_EQ(findings(k->program()), 0u);
  isa::Program cut = k->program();
  auto& after = cut.placement.insts.back().after;
  std::erase_if(after, [&](const isa::Edge& e) { return cut.insts[e.producer].label == "l11"; });
  EXPECT_LT(after.size(), k->program().placement.insts.back().after.size());
  EXPECT_GT(findings(cut), 0u);
}

}  // namespace
}  // namespace trainyard::runtime
