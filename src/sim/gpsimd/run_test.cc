// Strips, memory and control against plain loops.
#include "sim/gpsimd/run.h"

#include <algorithm>

#include "isa/gpsimd/text.h"
#include "sim/gpsimd/test_call.h"

namespace trainyard::sim::gpsimd {
namespace {

std::vector<int32_t> counting(int32_t n) {
  std::vector<int32_t> out(n);
  for (int32_t i = 0; i < n; ++i) out[i] = i;
  return out;
}

TEST(GpsimdMemory, BoundsPoliciesDecideWhatLiesOutside) {
  for (const Bounds bounds : {Bounds::Fault, Bounds::Clamp, Bounds::Fill}) {
    TestCall call;
    const WindowId x = call.window<int32_t>(Type::S32, {8}, counting(8));
    const WindowId y = call.window<int32_t>(Type::S32, {6}, std::vector<int32_t>(6));
    auto& f = call.body;
    const ValueId base = f.integer(Type::S32, -3);
    const ValueId fill = bounds == Bounds::Fill ? f.integer(Type::S32, 77) : -1;
    const ValueId v =
        f.load({.window = x, .step = 3, .bounds = bounds}, {Type::S32, 6}, base, fill);
    f.store({.window = y}, f.integer(Type::U8, 0), v);
    const std::string code = call.run();
    EXPECT_EQ(code, bounds == Bounds::Fault ? "TY-GPS-020" : "");
    std::vector<int32_t> want;
    for (int i = 0; i < 6; ++i) {  // positions -3, 0, 3, 6, 9, 12
      const int p = -3 + 3 * i;
      want.push_back(p >= 0 && p < 8 ? p : bounds == Bounds::Fill ? 77 : std::clamp(p, 0, 7));
    }
    if (bounds != Bounds::Fault) {
      EXPECT_EQ(call.elements<int32_t>(y), want);
    }
  }
}

TEST(GpsimdMemory, WritesOutsideAreClampedOrDropped) {
  for (const Bounds bounds : {Bounds::Clamp, Bounds::Drop}) {
    TestCall call;
    const WindowId x = call.window<int32_t>(Type::S32, {4}, {9, 9, 9, 9});
    auto& f = call.body;
    f.store({.window = x, .bounds = bounds}, f.integer(Type::S64, 2), f.iota(Type::S32, 5));
    EXPECT_EQ(call.run(), "");
    const std::vector<int32_t> clamped = {9, 9, 0, 4}, dropped = {9, 9, 0, 1};
    EXPECT_EQ(call.elements<int32_t>(x), bounds == Bounds::Clamp ? clamped : dropped);
  }
}

TEST(GpsimdMemory, AddressesBeyond64BitsStayOutside) {
  TestCall call;
  const WindowId x = call.window<int32_t>(Type::S32, {4}, {1, 2, 3, 4});
  auto& f = call.body;
  const ValueId far = f.constant(Type::U64, ~uint64_t{0});
  const ValueId v =
      f.load({.window = x, .step = INT64_MIN, .bounds = Bounds::Clamp}, {Type::S32, 2}, far);
  f.store({.window = x}, f.integer(Type::S32, 0), v);
  EXPECT_EQ(call.run(), "");
  EXPECT_EQ(call.elements<int32_t>(x), (std::vector<int32_t>{4, 1, 3, 4}));
}

// acc * 3 + x: the order of its uses shows in the result.
Function tripling(Type type) {
  FunctionBuilder f("tripling");
  const ValueId a = f.param({type, 0}), x = f.param({type, 0});
  const ValueId three = is_float(type) ? f.real(type, 3) : f.integer(type, 3);
  return f.finish({f.binary(Code::Add, f.binary(Code::Mul, a, three), x)});
}

TEST(GpsimdMemory, ScatterCombinesDuplicatesInStripOrder) {
  std::mt19937 random(3);
  for (const bool function : {false, true}) {
    TestCall call;
    std::vector<int32_t> index(700), value(700), x(50, 1);
    for (auto& i : index) i = static_cast<int32_t>(random() % 54) - 2;
    for (auto& v : value) v = static_cast<int32_t>(random());
    const WindowId wi = call.window(Type::S32, {700}, index);
    const WindowId wv = call.window(Type::S32, {700}, value);
    const WindowId wx = call.window(Type::S32, {50}, x);
    call.program.functions.push_back(tripling(Type::S32));
    auto& f = call.body;
    const ValueId zero = f.integer(Type::S32, 0);
    const Fold fold{function ? Fold::Kind::Function : Fold::Kind::Max, function ? 0 : -1};
    f.scatter({.window = wx, .bounds = Bounds::Drop, .fold = fold},
              f.load({.window = wi}, {Type::S32, 700}, zero),
              f.load({.window = wv}, {Type::S32, 700}, zero));
    EXPECT_EQ(call.run(), "");
    for (int i = 0; i < 700; ++i) {
      if (index[i] < 0 || index[i] >= 50) continue;
      int32_t& at = x[index[i]];
      at = function ? static_cast<int32_t>(static_cast<uint32_t>(at) * 3u +
                                           static_cast<uint32_t>(value[i]))
                    : std::max(at, value[i]);
    }
    EXPECT_EQ(call.elements<int32_t>(wx), x);
  }
}

TEST(GpsimdStrips, ShuffleCompressReduceAndScanFollowTheirOrder) {
  TestCall call;
  std::vector<float> x(100), scanned(100), exclusive(100), kept(100), shuffled(100);
  for (int i = 0; i < 100; ++i) x[i] = 1.0f / static_cast<float>(i + 1) * (i % 3 == 0 ? -1e4f : 1);
  const WindowId wx = call.window(Type::F32, {100}, x);
  std::vector<WindowId> out;
  for (int i = 0; i < 5; ++i) out.push_back(call.window<float>(Type::F32, {100}, x));
  const WindowId wn = call.window<int32_t>(Type::S32, {1}, {0});
  call.program.functions.push_back(tripling(Type::F32));
  auto& f = call.body;
  const ValueId zero = f.integer(Type::S32, 0);
  const ValueId v = f.load({.window = wx}, {Type::F32, 100}, zero);
  const ValueId start = f.real(Type::F32, 0.5);
  f.store({.window = out[0]}, zero, f.scan(v, start, {Fold::Kind::Add}));
  f.store({.window = out[1]}, zero, f.scan(v, start, {Fold::Kind::Function, 0}, true));
  const auto [packed, count] =
      f.compress(v, f.binary(Code::Gt, v, f.broadcast(f.real(Type::F32, 0), 100)));
  f.store({.window = out[2]}, zero, packed);
  f.store({.window = wn}, zero, count);
  const ValueId reversed =
      f.binary(Code::Sub, f.broadcast(f.integer(Type::S32, 98), 100), f.iota(Type::S32, 100));
  f.store({.window = out[3]}, zero, f.shuffle(v, reversed, Bounds::Fill));
  f.store({.window = out[4]}, zero, f.reduce(v, start, {Fold::Kind::Add}));
  EXPECT_EQ(call.run(), "");
  float sum = 0.5f, triple = 0.5f;
  int32_t n = 0;
  for (int i = 0; i < 100; ++i) {
    exclusive[i] = triple;
    triple = triple * 3.0f + x[i];
    sum += x[i];
    scanned[i] = sum;
    if (x[i] > 0) kept[n++] = x[i];
    shuffled[i] = i == 99 ? 0 : x[98 - i];
  }
  EXPECT_EQ(call.elements<float>(out[0]), scanned);
  EXPECT_EQ(call.elements<float>(out[1]), exclusive);
  EXPECT_EQ(call.elements<float>(out[2]), kept);
  EXPECT_EQ(call.elements<int32_t>(wn)[0], n);
  EXPECT_EQ(call.elements<float>(out[3]), shuffled);
  EXPECT_EQ(call.elements<float>(out[4])[0], sum);
}

TEST(GpsimdControl, LoopsCarryValuesAndKeepTheirMaxima) {
  const auto fibonacci = [](uint64_t n, int64_t maximum, std::string& code) {
    TestCall call;
    const WindowId y = call.window<int64_t>(Type::S64, {1}, {0});
    auto& f = call.body;
    const ValueId count = f.param({Type::U32, 0});
    const std::vector<ValueId> turn =
        f.begin_for(count, maximum, {f.integer(Type::S64, 0), f.integer(Type::S64, 1)});
    const std::vector<ValueId> last = f.end({turn[2], f.binary(Code::Add, turn[1], turn[2])});
    f.store({.window = y}, f.integer(Type::S32, 0), last[0]);
    code = call.run({n});
    return call.elements<int64_t>(y)[0];
  };
  std::string code;
  EXPECT_EQ(fibonacci(50, 50, code), 12586269025);
  EXPECT_EQ(code, "");
  EXPECT_EQ(fibonacci(51, 50, code), 0);
  EXPECT_EQ(code, "TY-GPS-021");
}

TEST(GpsimdControl, WhileEndsByItsConditionItsMaximumOrTheLimit) {
  const auto halvings = [](int64_t maximum, int64_t limit, std::string& code) {
    TestCall call;
    const WindowId y = call.window<int32_t>(Type::S32, {1}, {0});
    auto& f = call.body;
    const ValueId one = f.integer(Type::S32, 1);
    const auto state =
        f.begin_while(maximum, {f.integer(Type::S32, 1000), f.integer(Type::S32, 0)});
    const auto turn = f.begin_body(f.binary(Code::Gt, state[0], one));
    const auto last = f.end({f.binary(Code::Sar, turn[0], one), f.binary(Code::Add, turn[1], one)});
    f.begin_if(f.binary(Code::Eq, last[1], f.integer(Type::S32, 9)), {{Type::S32, 0}});
    f.begin_else({last[1]});
    const ValueId result = f.end({f.integer(Type::S32, -1)})[0];
    f.store({.window = y}, f.integer(Type::S32, 0), result);
    code = call.run({}, limit);
    return call.elements<int32_t>(y)[0];
  };
  std::string code;
  EXPECT_EQ(halvings(9, 1 << 20, code), 9);
  EXPECT_EQ(code, "");
  halvings(8, 1 << 20, code);
  EXPECT_EQ(code, "TY-GPS-021");
  halvings(9, 20, code);
  EXPECT_EQ(code, "TY-GPS-022");
}

TEST(GpsimdRun, WindowsArePartsAndFaultsChangeNothing) {
  const auto text = [](const char* bounds) {
    return std::string(
               "gpsimd t { window x: s32[2, 2] of [4, 3] at [1, 1] update body() { "
               "z: s32 = constant 0 v: s32[4] = load z (window x) "
               "w: s32[4] = add v, v store z, w (window x) "
               "i: s32[5] = iota g: s32[5] = gather i (window x) ") +
           bounds + " yield } }";
  };
  for (const char* bounds : {"(bounds clamp)", ""}) {
    const Result<Program> p = parse_text(text(bounds), "t");
    ASSERT_TRUE(p.ok()) << p.status().str();
    ASSERT_TRUE(verify(*p, limits(hw::kNeuronCoreV2)).ok());
    std::vector<int32_t> tensor = counting(12);
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(tensor));
    const auto cost = run(*p, {{&bytes, 1}, {}}, hw::kNeuronCoreV2);
    EXPECT_EQ(cost.ok(), bounds[0] != 0);
    const std::vector<int32_t> want = {0, 1, 2, 3, 8, 10, 6, 14, 16, 9, 10, 11};
    EXPECT_EQ(tensor, bounds[0] != 0 ? want : counting(12));
    const std::span<std::byte> few = bytes.first(4);
    EXPECT_EQ(run(*p, {{&few, 1}, {}}, hw::kNeuronCoreV2).status().code(), "TY-GPS-023");
    EXPECT_EQ(run(*p, {{}, {}}, hw::kNeuronCoreV2).status().code(), "TY-GPS-023");
  }
}

}  // namespace
}  // namespace trainyard::sim::gpsimd
