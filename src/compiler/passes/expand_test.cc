#include "compiler/passes/expand.h"

#include <array>
#include <cmath>

#include "compiler/lower/run_module_test.h"
#include "compiler/passes/pass_module_test.h"

namespace trainyard::compiler {
namespace {

using testing::bytes_of;
using testing::compile_and_run;
using testing::count_of;
using testing::expect_verifies;
using testing::f32;
using testing::i1;
using testing::TestModule;
using testing::values_of;

using Floats = std::vector<float>;

// ---- random bits, against generators on plain numbers
// --------------------------------------------

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> x, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return x;
}

std::array<uint32_t, 2> threefry(uint32_t k0, uint32_t k1, uint32_t x0, uint32_t x1) {
  const std::array<uint32_t, 3> keys = {k0, k1, k0 ^ k1 ^ 0x1BD11BDA};
  const std::array<int, 8> turns = {13, 15, 26, 6, 17, 29, 16, 24};
  x0 += k0;
  x1 += k1;
  for (uint32_t i = 0; i < 20; ++i) {
    x0 += x1;
    x1 = std::rotl(x1, turns[i % 8]) ^ x0;
    if (i % 4 != 3) continue;
    const uint32_t group = i / 4 + 1;
    x0 += keys[group % 3];
    x1 += keys[(group + 1) % 3] + group;
  }
  return {x0, x1};
}

struct Drawn {
  std::vector<uint64_t> state;
  std::vector<uint8_t> bits;
};

Drawn draw(RngBitGeneratorAttributes::Algorithm algorithm, const std::vector<uint64_t>& state,
           const TensorType& type) {
  const Type state_type = tensor_of(ElementType::U64, {static_cast<int64_t>(state.size())});
  TestModule test({state_type});
  const ValueId next = test.add(OpKind::RngBitGenerator, {test.argument(0)},
                                RngBitGeneratorAttributes{algorithm}, {state_type, Type(type)});
  const std::vector<ValueId> results = test.main().op(test.main().value(next).op).results;
  EXPECT_TRUE(test.finish(results).ok());
  const auto out = compile_and_run(test.module, {bytes_of(state)});
  if (out.size() != 2) return {};
  return {values_of<uint64_t>(out[0]), out[1]};
}

TEST(RandomBits, PhiloxCountsBlocksOfFourAcrossThe64BitBorder) {
  using Algorithm = RngBitGeneratorAttributes::Algorithm;
  const uint64_t key = 0x1111111122222222;
  const uint64_t counter = 0xfffffffffffffffe;
  for (const Algorithm algorithm : {Algorithm::Philox, Algorithm::Default}) {
    const Drawn drawn = draw(algorithm, {key, counter}, tensor_of(ElementType::U32, {3, 5}));
    EXPECT_EQ(drawn.state, (std::vector<uint64_t>{key, counter + 4}));
    const auto bits = values_of<uint32_t>(drawn.bits);
    ASSERT_EQ(bits.size(), 15U);
    for (uint64_t i = 0; i < 15; ++i) {
      const uint64_t low = counter + i / 4;
      const uint64_t high = key + (low < counter ? 1 : 0);  // the key is the counter's upper half
      const auto block = philox({static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                                 static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)},
                                {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
      EXPECT_EQ(bits[i], block[i % 4]) << i;
    }
  }
}

TEST(RandomBits, ThreeFryPairsAlongTheFirstEvenDimension) {
  const uint64_t key = 0x0123456789abcdef;
  const uint64_t counter = 40;
  const Drawn drawn = draw(RngBitGeneratorAttributes::Algorithm::ThreeFry, {key, counter},
                           tensor_of(ElementType::U32, {3, 4, 2}));
  EXPECT_EQ(drawn.state, (std::vector<uint64_t>{key, counter + 12}));
  const auto bits = values_of<uint32_t>(drawn.bits);
  ASSERT_EQ(bits.size(), 24U);
  for (uint64_t i = 0; i < 3; ++i) {
    for (uint64_t j = 0; j < 4; ++j) {
      for (uint64_t k = 0; k < 2; ++k) {
        const uint64_t c = counter + (i * 2 + j / 2) * 2 + k;
        const auto pair = threefry(static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32),
                                   static_cast<uint32_t>(c), static_cast<uint32_t>(c >> 32));
        EXPECT_EQ(bits[(i * 4 + j) * 2 + k], pair[j % 2]);
      }
    }
  }
}

TEST(RandomBits, NarrowTypesTakeTheLowBits) {
  using Algorithm = RngBitGeneratorAttributes::Algorithm;
  const std::vector<uint64_t> state = {7, 9};
  const auto wide =
      values_of<uint32_t>(draw(Algorithm::Philox, state, tensor_of(ElementType::U32, {6})).bits);
  const auto bytes = draw(Algorithm::Philox, state, tensor_of(ElementType::U8, {6})).bits;
  ASSERT_EQ(bytes.size(), 6U);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(bytes[i], wide[i] & 0xff);
}

TEST(RandomBits, AStateOfAnotherFormIsRefused) {
  TestModule test({tensor_of(ElementType::U32, {4})});
  const ValueId next =
      test.add(OpKind::RngBitGenerator, {test.argument(0)}, RngBitGeneratorAttributes{},
               {Type(tensor_of(ElementType::U32, {4})), Type(tensor_of(ElementType::U32, {4}))});
  ASSERT_TRUE(test.finish({next}).ok());
  EXPECT_EQ(expand(test.module).code(), "TY-CMP-003");
}

// ---- others
// --------------------------------------------------------------------------------------

TEST(Expand, ReducePrecisionRoundsToEvenAndLeavesTheRange) {
  TestModule test({f32({8})});
  const ValueId out =
      test.add(OpKind::ReducePrecision, {test.argument(0)},
               ReducePrecisionAttributes{.exponent_bits = 5, .mantissa_bits = 2}, {f32({8})});
  ASSERT_TRUE(test.finish({out}).ok());
  const float inf = std::numeric_limits<float>::infinity();
  const Floats in = {1.125F, 1.375F, -1.126F, 1e6F, -1e6F, 1e-9F, inf, std::nanf("")};
  const auto results = compile_and_run(test.module, {bytes_of(in)});
  ASSERT_EQ(results.size(), 1U);
  const Floats got = values_of<float>(results[0]);
  const Floats want = {1.0F, 1.5F, -1.25F, inf, -inf, 0.0F, inf};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got[i], want[i]) << i;
  EXPECT_TRUE(std::isnan(got[7]));
}

TEST(Expand, BatchNormTrainingNormalisesEachFeature) {
  TestModule test({f32({3, 2}), f32({2}), f32({2})});
  const ValueId first = test.add(
      OpKind::BatchNormTraining, {test.argument(0), test.argument(1), test.argument(2)},
      BatchNormAttributes{.epsilon = 0.5, .feature_index = 1}, {f32({3, 2}), f32({2}), f32({2})});
  ASSERT_TRUE(test.finish(test.main().op(test.main().value(first).op).results).ok());
  const Floats x = {1, 10, 2, 20, 6, 60};
  const Floats scale = {2, 3};
  const Floats offset = {-1, 1};
  const auto out = compile_and_run(test.module, {bytes_of(x), bytes_of(scale), bytes_of(offset)});
  ASSERT_EQ(out.size(), 3U);
  for (size_t f = 0; f < 2; ++f) {
    const double mean = (x[f] + x[2 + f] + x[4 + f]) / 3.0;
    double variance = 0;
    for (size_t i = 0; i < 3; ++i) variance += (x[2 * i + f] - mean) * (x[2 * i + f] - mean) / 3;
    EXPECT_NEAR(values_of<float>(out[1])[f], mean, 1e-5 * mean);
    EXPECT_NEAR(values_of<float>(out[2])[f], variance, 1e-5 * variance);
    for (size_t i = 0; i < 3; ++i) {
      const double want = scale[f] * (x[2 * i + f] - mean) / std::sqrt(variance + 0.5) + offset[f];
      EXPECT_NEAR(values_of<float>(out[0])[2 * i + f], want, 1e-5);
    }
  }
}

TEST(Expand, AMapRunsItsRegionOnWholeTensors) {
  TestModule test({f32({2, 3})});
  const BlockId region = add_block(test.main(), {f32({})});
  const ValueId x = test.main().block(region).arguments[0];
  const ValueId c = testing::add_data<float>(test, tensor_of(ElementType::F32, {}), {3}, region);
  const ValueId y = test.add(OpKind::Multiply, {x, c}, {}, {f32({})}, {}, region);
  test.add(OpKind::Return, {y}, {}, {}, {}, region);
  const ValueId out =
      test.add(OpKind::Map, {test.argument(0)}, DimsAttributes{{0, 1}}, {f32({2, 3})}, {region});
  ASSERT_TRUE(test.finish({out}).ok());
  const auto results = compile_and_run(test.module, {bytes_of(Floats{1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(values_of<float>(results[0]), (Floats{3, 6, 9, 12, 15, 18}));
}

TEST(Expand, ClampAndScalarPredicatesAreSpread) {
  TestModule test({f32({}), f32({4}), f32({}), i1({})});
  const ValueId a = test.add(OpKind::Clamp, {test.argument(0), test.argument(1), test.argument(2)},
                             {}, {f32({4})});
  const ValueId b =
      test.add(OpKind::Select, {test.argument(3), a, test.argument(1)}, {}, {f32({4})});
  ASSERT_TRUE(test.finish({a, b}).ok());
  ASSERT_TRUE(expand(test.module).ok());
  expect_verifies(test.module);
  EXPECT_EQ(count_of(test.module, OpKind::Clamp), 0U);
  EXPECT_EQ(count_of(test.module, OpKind::BroadcastInDim), 3U);
}

TEST(Expand, OneDeviceIsItsOwnGroup) {
  TestModule test({f32({4})});
  const BlockId sum = test.reducer(OpKind::Add, f32({}));
  const ValueId a = test.add(OpKind::AllReduce, {test.argument(0)},
                             CollectiveAttributes{.groups = {{0}}}, {f32({4})}, {sum});
  ASSERT_TRUE(test.finish({a}).ok());
  ASSERT_TRUE(expand(test.module).ok());
  EXPECT_EQ(testing::returned_argument(test.module), 0);
}

}  // namespace
}  // namespace trainyard::compiler
