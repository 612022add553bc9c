#include <gtest/gtest.h>

#include "isa/gpsimd/builder.h"
#include "isa/gpsimd/cost.h"
#include "isa/gpsimd/literal.h"
#include "isa/gpsimd/primitives.h"
#include "isa/gpsimd/text.h"
#include "isa/gpsimd/verify.h"

namespace trainyard::isa::gpsimd {
namespace {

Limits v3() { return limits(hw::kNeuronCoreV3); }

std::string code_of_text(const std::string& text) {
  const Result<Program> p = parse_text(text, "t.gps");
  if (!p.ok()) return p.status().code();
  return verify(*p, v3()).code();
}

std::string in_body(const std::string& lines, const std::string& windows = "") {
  return "gpsimd t {\n window x: f32[8] of [8] at [0] update\n" + windows + " body(n: s32) {\n" +
         lines + "\n yield\n }\n}\n";
}

// A program with every form of control, every kind of attribute and a function.
Program everything() {
  Program p;
  p.name = "every thing";
  p.windows = {{"x", Type::F32, {4, 8}, {16, 8}, {3, 0}, Window::Use::Update},
               {"k", Type::S32, {4, 8}, {4, 8}, {0, 0}, Window::Use::Update},
               {"y", Type::F32, {4}, {4}, {0}, Window::Use::Write},
               {"p", Type::F32, {2, 4}, {2, 4}, {0, 0}, Window::Use::Write}};
  p.scratch_bytes = 4096;
  p.double_buffered = true;
  FunctionBuilder less("less");
  const ValueId a = less.param({Type::S32, 0});
  const ValueId b = less.param({Type::S32, 0});
  less.param({Type::F32, 0});
  less.param({Type::F32, 0});
  p.functions.push_back(less.finish({less.binary(Code::Gt, a, b)}));
  FunctionBuilder f("body");
  const ValueId n = f.param({Type::S32, 0});
  const ValueId zero = f.real(Type::F32, -0.0);
  const ValueId nan = f.constant(Type::F32, 0x7FC00001);
  const std::vector<ValueId> turn = f.begin_for(n, 100, {zero});
  const ValueId strip =
      f.load({.window = 0, .step = -3, .bounds = Bounds::Fill}, {Type::F32, 16}, turn[0], nan);
  const ValueId sum = f.reduce(strip, turn[1], {Fold::Kind::Add});
  f.store({.window = 0, .bounds = Bounds::Drop}, turn[0], strip);
  const ValueId total = f.end({sum})[0];
  const std::vector<ValueId> state = f.begin_while(7, {total});
  const std::vector<ValueId> next = f.begin_body(f.binary(Code::Lt, state[0], zero));
  const ValueId last = f.end({f.unary(Code::Exp, next[0])})[0];
  f.begin_if(f.binary(Code::Ge, last, total), {{Type::F32, 0}});
  f.begin_else({last});
  f.end({total});
  const ValueId index = f.iota(Type::S32, 8);
  f.scatter({.window = 0, .bounds = Bounds::Clamp, .fold = {Fold::Kind::Max}}, index,
            f.broadcast(last, 8));
  f.primitive(Code::Sort, {.windows = {1, 0}, .axes = {1}, .fold = {Fold::Kind::Function, 0}});
  f.primitive(Code::Sort, {.windows = {1, 0}, .axes = {0}, .orders = {Order::Descending}});
  f.primitive(Code::ReduceAxes, {.windows = {0, 2}, .axes = {1}, .fold = {Fold::Kind::Mul}},
              {zero});
  f.primitive(Code::ReduceWindow,
              {.windows = {0, 3},
               .fold = {Fold::Kind::Add},
               .size = {2, 3},
               .stride = {2, 2},
               .low = {0, -1},
               .dilation = {1, 1},
               .base = {1, 2}},
              {zero});
  p.body = f.finish();
  return p;
}

TEST(GpsimdText, ProgramsComeBackFromTheirText) {
  const Program p = everything();
  ASSERT_TRUE(verify(p, v3()).ok()) << verify(p, v3()).str();
  const std::string text = print_text(p);
  const Result<Program> again = parse_text(text, "t.gps");
  ASSERT_TRUE(again.ok()) << again.status().str() << "\n" << text;
  EXPECT_EQ(print_text(*again), text);
  EXPECT_TRUE(verify(*again, v3()).ok());
  Program named = p;  // the text has no name for the body
  named.body.name.clear();
  EXPECT_TRUE(*again == named);
}

TEST(GpsimdText, LiteralsOfEveryTypeKeepTheirBits) {
  for (int t = 0; t < kTypeCount; ++t) {
    const auto type = static_cast<Type>(t);
    const int64_t width = type == Type::I1 ? 1 : 8 * size_of(type);
    for (uint64_t seed = 0; seed < 300; ++seed) {
      uint64_t bits = seed * 0x9E3779B97F4A7C15u + (seed << 40);
      if (width < 64) bits &= (uint64_t{1} << width) - 1;
      const std::string text = "gpsimd t { body() { v0: " + std::string(name(type)) +
                               " = constant " + print_literal(type, bits) + " yield } }";
      const Result<Program> p = parse_text(text, "t");
      ASSERT_TRUE(p.ok()) << p.status().str() << text;
      EXPECT_EQ(std::get<Literal>(p->body.blocks[0].ops[0].attributes).bits, bits) << text;
    }
  }
}

TEST(GpsimdText, ErrorsNameTheirPlace) {
  const Result<Program> p = parse_text("gpsimd t {\n  windox x\n}", "t.gps");
  ASSERT_FALSE(p.ok());
  EXPECT_EQ(p.status().place().str(), "t.gps:2:3");
  EXPECT_EQ(code_of_text("gpsimd t { body() { yield v9 } }"), "TY-TXT-003");
  EXPECT_EQ(code_of_text("gpsimd t { body() { v: s8 = constant 128 yield } }"), "TY-TXT-007");
  EXPECT_EQ(code_of_text(in_body("n: s32 = iota")), "TY-TXT-004");
  EXPECT_EQ(code_of_text("gpsimd t { body() { % } }"), "TY-TXT-002");
  std::string deep = "gpsimd t { body(c: i1) {";
  for (int i = 0; i < 5000; ++i) deep += " if c {";
  EXPECT_EQ(code_of_text(deep), "TY-TXT-011");
}

TEST(GpsimdVerify, RefusesWhatCannotRun) {
  EXPECT_EQ(code_of_text(in_body("a: f32[8] = load n (window x)")), "");
  const std::pair<const char*, const char*> cases[] = {
      {"a: s32 = add n", "TY-GPS-002"},
      {"a: s64 = add n, n", "TY-GPS-002"},
      {"a: s32 = exp n", "TY-GPS-002"},
      {"a: i1 = lt_total n, n", "TY-GPS-002"},
      {"a: f16 = bitcast n", "TY-GPS-002"},
      {"a: s32[8] = broadcast n b: s32 = add a, n", "TY-GPS-002"},
      {"a: s32[2000] = iota", "TY-GPS-003"},
      {"a: s32[-1] = iota", "TY-GPS-003"},
      {"a: f32[8] = load n (window x) (bounds drop)", "TY-GPS-009"},
      {"a: f32[8] = load n (window x) (bounds fill)", "TY-GPS-002"},
      {"a: f32[8] = load n (window x) store n, a (window x) (bounds fill)", "TY-GPS-009"},
      {"for n (maximum 0) { params i: s64 yield }", "TY-GPS-006"},
      {"while (maximum 5) { yield } do { yield }", "TY-GPS-002"},
      {"for n (maximum 5) { yield }", "TY-GPS-002"},
      {"a: f32[8] = load n (window x) b: f32 = constant 1.0 c: f32 = reduce a, b", "TY-GPS-007"},
      {"sort_window (windows x)", "TY-GPS-010"},
      {"sort_window (windows x) (axes 1) (orders ascending)", "TY-GPS-010"},
      {"sort_window (windows x, x) (axes 0) (orders ascending)", "TY-GPS-010"},
      {"top_k (windows x)", "TY-GPS-010"},
  };
  for (const auto& [lines, code] : cases) EXPECT_EQ(code_of_text(in_body(lines)), code) << lines;
}

TEST(GpsimdVerify, HoldsWindowsToTheirTensorsAndUses) {
  const auto window = [](const std::string& w) { return in_body("", " window w: " + w + "\n"); };
  EXPECT_EQ(code_of_text(window("f32[8] of [8] at [1] read")), "TY-GPS-004");
  EXPECT_EQ(code_of_text(window("f32[8] of [8, 1] at [0] read")), "TY-GPS-004");
  EXPECT_EQ(code_of_text(window("f32[0] of [8] at [0] read")), "TY-GPS-004");
  EXPECT_EQ(code_of_text(window("f32[1, 1, 1] of [1099511627776, 1099511627776, 2] at [0, 0, 0] "
                                "read")),
            "TY-GPS-004");
  EXPECT_EQ(code_of_text(in_body("a: f32[8] = load n (window x) store n, a (window r)",
                                 " window r: f32[8] of [8] at [0] read\n")),
            "TY-GPS-005");
  EXPECT_EQ(code_of_text(in_body("a: f32[8] = load n (window r)",
                                 " window r: f32[8] of [8] at [0] write\n")),
            "TY-GPS-005");
  EXPECT_EQ(code_of_text(in_body("sort_window (windows r) (axes 0) (orders ascending)",
                                 " window r: f32[8] of [8] at [0] read\n")),
            "TY-GPS-005");
}

TEST(GpsimdVerify, HoldsCombinersToPureScalars) {
  const auto with = [](const std::string& f) {
    return in_body(
        "a: f32[8] = load n (window x) b: f32 = constant 1.0 "
        "c: f32 = reduce a, b (fold function f)",
        " function f" + f + "\n");
  };
  EXPECT_EQ(code_of_text(with("(a: f32, b: f32) { c: f32 = sub a, b yield c }")), "");
  EXPECT_EQ(code_of_text(with("(a: f32) { yield a }")), "TY-GPS-007");
  EXPECT_EQ(code_of_text(with("(a: f32, b: s32) { yield a }")), "TY-GPS-007");
  EXPECT_EQ(code_of_text(with("(a: f32, b: f32) { c: f32[4] = broadcast a yield a }")),
            "TY-GPS-007");
  EXPECT_EQ(code_of_text(with("(a: f32, b: f32) { i: s32 = constant 0 c: f32 = load i (window x) "
                              "yield a }")),
            "TY-GPS-007");
}

TEST(GpsimdVerify, CountsStripsThatAreAliveAtOnce) {
  std::string apart, together, sum;
  for (int i = 0; i < 70; ++i) {  // 70 strips of 8 KiB; the local memories hold 64
    apart += " a" + std::to_string(i) + ": s64[1024] = iota";
    sum += " s" + std::to_string(i) + ": s64[1024] = add a" + std::to_string(i) + ", a0";
  }
  EXPECT_EQ(code_of_text(in_body(apart)), "");
  EXPECT_EQ(code_of_text(in_body(apart + sum)), "TY-GPS-008");
}

TEST(GpsimdVerify, RefusesDamage) {
  Program p = everything();
  p.body.blocks[0].ops[0].out[0] = 99;
  EXPECT_EQ(verify(p, v3()).code(), "TY-GPS-001");
  p = everything();
  p.body.blocks[1].ops[0].attributes = Turns{.body = 1, .maximum = 1};
  EXPECT_EQ(verify(p, v3()).code(), "TY-GPS-001");
  p = everything();
  p.body.blocks.emplace_back();
  EXPECT_EQ(verify(p, v3()).code(), "TY-GPS-001");
  p = everything();
  std::swap(p.body.blocks[0].ops[0], p.body.blocks[0].ops[2]);
  EXPECT_EQ(verify(p, v3()).code(), "TY-GPS-001");
}

TEST(GpsimdOrders, AreRecognised) {
  const Program p = everything();
  const std::optional<KeyOrder> order = recognise_order(p.functions[0]);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->key, 0);
  EXPECT_EQ(order->order, Order::Descending);
}

Cycles cost_of(const std::string& line) {
  const Result<Program> p = parse_text(in_body(line), "t");
  EXPECT_TRUE(p.ok() && verify(*p, v3()).ok()) << line;
  return op_cycles(*p, p->body, p->body.blocks[0].ops.back(), hw::kNeuronCoreV3);
}

TEST(GpsimdCost, FollowsTheFormula) {
  // 1,024 elements of 4 bytes are 8 vectors of 8 * 64 bytes.
  EXPECT_EQ(cost_of("a: s32[1024] = iota b: s32[1024] = add a, a"), Cycles(2 + 8));
  EXPECT_EQ(cost_of("a: s32[1024] = iota b: s32[1024] = mul a, a"), Cycles(2 + 8 * 2));
  EXPECT_EQ(cost_of("a: s64[1024] = iota b: s64[1024] = add a, a"), Cycles(2 + 16 * 4));
  EXPECT_EQ(cost_of("a: s64[1024] = iota b: s64[1024] = mul a, a"), Cycles(2 + 16 * 8));
  EXPECT_EQ(cost_of("a: s64[8] = iota b: i1[8] = lt a, a"), Cycles(2 + 4));
  const std::string f32 = "i: s32[1024] = iota a: f32[1024] = convert i ";
  EXPECT_EQ(cost_of(f32 + "b: f32[1024] = mul a, a"), Cycles(2 + 8));
  EXPECT_EQ(cost_of(f32 + "b: f32[1024] = div a, a"), Cycles(2 + 8 * 20));
  EXPECT_EQ(cost_of(f32 + "b: f32[1024] = exp a"), Cycles(2 + 8 * 40));
  const std::string f64 = "i: s32[1024] = iota a: f64[1024] = convert i ";
  EXPECT_EQ(cost_of(f64 + "b: f64[1024] = fma a, a, a"), Cycles(2 + 16 * 8));
  EXPECT_EQ(cost_of(f64 + "b: f64[1024] = exp a"), Cycles(2 + 16 * 160));
  // 8 elements, 3 levels, 2 steps, 8 processors, 1 cycle.
  EXPECT_EQ(cost_of("sort_window (windows x) (axes 0) (orders ascending)"), Cycles(6));
}

TEST(GpsimdCost, AddsWindowsUnlessTheyMoveMeanwhile) {
  Program p = everything();
  const Cycles executed(1000000);
  const CallCost both = call_cost(p, executed, hw::kNeuronCoreV3, 1);
  EXPECT_EQ(both.cycles, Cycles(1000150));
  EXPECT_DOUBLE_EQ(both.time.value, 1000150 / 1.2e9);
  p.double_buffered = false;
  const CallCost sum = call_cost(p, executed, hw::kNeuronCoreV3, 1);
  EXPECT_DOUBLE_EQ(sum.time.value, both.time.value + sum.transfer.value);
  const Moved moved = moved_bytes(p, hw::kNeuronCoreV3);
  EXPECT_EQ(moved.in, 2 * 4 * 8 * 4);
  EXPECT_EQ(moved.out, 2 * 4 * 8 * 4 + 4 * 4 + 8 * 4);
  EXPECT_DOUBLE_EQ(sum.low.value * 2, sum.time.value);
  EXPECT_DOUBLE_EQ(sum.high.value, sum.time.value * 4);
  EXPECT_GT(most_cycles(p, hw::kNeuronCoreV3).value, 100);
  EXPECT_EQ(sort_passes(100, 100), 0);
  EXPECT_EQ(sort_passes(401, 100), 3);
}

}  // namespace
}  // namespace trainyard::isa::gpsimd
