#include "compiler/passes/split_complex.h"

#include <cmath>
#include <complex>

#include "compiler/lower/run_module_test.h"
#include "compiler/passes/pass_module_test.h"

namespace trainyard::compiler {
namespace {

using testing::bytes_of;
using testing::compile_and_run;
using testing::f32;
using testing::i1;
using testing::TestModule;
using testing::values_of;

using Complex = std::complex<float>;
using Numbers = std::vector<Complex>;

Type c64(std::vector<int64_t> shape) { return tensor_of(ElementType::Complex64, std::move(shape)); }

const Numbers kNumbers = {{1, 2}, {-3, 0.5F}, {0.25F, -4}, {-1, -1},
                          {2, 0}, {-2, 0},    {0, 3},      {0, -3}};

void expect_near(const Numbers& got, const Numbers& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_LE(std::abs(got[i] - want[i]), 2e-5F * std::max(1.0F, std::abs(want[i])))
        << i << ": " << got[i] << " for " << want[i];
  }
}

Numbers unary(OpKind kind, const Numbers& in) {
  const Type type = c64({static_cast<int64_t>(in.size())});
  TestModule test({type});
  const bool plain = kind == OpKind::Negate || kind == OpKind::Sign;
  const ValueId out = test.add(kind, {test.argument(0)},
                               plain ? OpAttributes() : OpAttributes(AccuracyAttributes{}), {type});
  EXPECT_TRUE(test.finish({out}).ok());
  const auto results = compile_and_run(test.module, {bytes_of(in)});
  return results.empty() ? Numbers() : values_of<Complex>(results[0]);
}

Numbers binary(OpKind kind, const Numbers& a, const Numbers& b) {
  const Type type = c64({static_cast<int64_t>(a.size())});
  TestModule test({type, type});
  const ValueId out = test.add(kind, {test.argument(0), test.argument(1)}, {}, {type});
  EXPECT_TRUE(test.finish({out}).ok());
  const auto results = compile_and_run(test.module, {bytes_of(a), bytes_of(b)});
  return results.empty() ? Numbers() : values_of<Complex>(results[0]);
}

TEST(SplitComplex, FunctionsAgreeWithTheStandardLibrary) {
  const auto check = [](OpKind kind, const auto& function) {
    Numbers want;
    for (const Complex z : kNumbers) want.push_back(function(z));
    SCOPED_TRACE(name(kind));
    expect_near(unary(kind, kNumbers), want);
  };
  check(OpKind::Exponential, [](Complex z) { return std::exp(z); });
  check(OpKind::Log, [](Complex z) { return std::log(z); });
  check(OpKind::Sqrt, [](Complex z) { return std::sqrt(z); });
  check(OpKind::Rsqrt, [](Complex z) { return Complex(1) / std::sqrt(z); });
  check(OpKind::Tanh, [](Complex z) { return std::tanh(z); });
  check(OpKind::Tan, [](Complex z) { return std::tan(z); });
  check(OpKind::Sine, [](Complex z) { return std::sin(z); });
  check(OpKind::Cosine, [](Complex z) { return std::cos(z); });
  check(OpKind::LogPlusOne, [](Complex z) { return std::log(Complex(1) + z); });
  check(OpKind::ExponentialMinusOne, [](Complex z) { return std::exp(z) - Complex(1); });
  check(OpKind::Sign, [](Complex z) { return z / std::abs(z); });
}

TEST(SplitComplex, SmallArgumentsKeepTheirDigits) {
  const Numbers small = {{1e-6F, 2e-6F}, {-3e-7F, 1e-7F}};
  const Numbers grown = unary(OpKind::ExponentialMinusOne, small);
  const Numbers shrunk = unary(OpKind::LogPlusOne, small);
  ASSERT_EQ(grown.size(), 2U);
  ASSERT_EQ(shrunk.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(grown[i].real() / small[i].real(), 1, 1e-4);
    EXPECT_NEAR(shrunk[i].real() / small[i].real(), 1, 1e-4);
  }
}

TEST(SplitComplex, AQuotientOfLargeNumbersDoesNotOverflow) {
  const Numbers a = {{1e30F, 1e30F}, {1, 0}, {3, 4}};
  const Numbers b = {{1e30F, 0}, {1e-30F, 1e-30F}, {-1, 2}};
  expect_near(binary(OpKind::Divide, a, b), {{1, 1}, {5e29F, -5e29F}, {1, -2}});
}

TEST(SplitComplex, AnAbsoluteValueIsScaled) {
  TestModule test({c64({3})});
  const ValueId out = test.add(OpKind::Abs, {test.argument(0)}, {}, {f32({3})});
  ASSERT_TRUE(test.finish({out}).ok());
  const auto results =
      compile_and_run(test.module, {bytes_of(Numbers{{3e30F, 4e30F}, {0, 0}, {3e-30F, -4e-30F}})});
  ASSERT_EQ(results.size(), 1U);
  const auto got = values_of<float>(results[0]);
  EXPECT_NEAR(got[0] / 5e30F, 1, 1e-6);
  EXPECT_EQ(got[1], 0);
  EXPECT_NEAR(got[2] / 5e-30F, 1, 1e-6);
}

TEST(SplitComplex, AProductOfMatricesIsFourRealOnes) {
  TestModule test({c64({2, 2}), c64({2, 2})});
  const ValueId out =
      test.add(OpKind::DotGeneral, {test.argument(0), test.argument(1)},
               DotAttributes{.lhs_contracting = {1}, .rhs_contracting = {0}}, {c64({2, 2})});
  ASSERT_TRUE(test.finish({out}).ok());
  const Numbers a = {{1, 2}, {3, -1}, {0, 1}, {2, 2}};
  const Numbers b = {{2, 0}, {1, 1}, {-1, 4}, {0, -3}};
  const auto results = compile_and_run(test.module, {bytes_of(a), bytes_of(b)});
  ASSERT_EQ(results.size(), 1U);
  expect_near(values_of<Complex>(results[0]),
              {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
               a[2] * b[1] + a[3] * b[3]});
}

TEST(SplitComplex, AReductionByAProductKeepsBothParts) {
  TestModule test({c64({4}), c64({})});
  const ValueId out =
      test.add(OpKind::Reduce, {test.argument(0), test.argument(1)}, DimsAttributes{{0}}, {c64({})},
               {test.reducer(OpKind::Multiply, c64({}))});
  ASSERT_TRUE(test.finish({out}).ok());
  const Numbers in = {{1, 2}, {3, -1}, {0, 1}, {2, 2}};
  const auto results = compile_and_run(test.module, {bytes_of(in), bytes_of(Numbers{{1, 0}})});
  ASSERT_EQ(results.size(), 1U);
  expect_near(values_of<Complex>(results[0]), {in[0] * in[1] * in[2] * in[3]});
}

TEST(SplitComplex, AComplexParameterMayBeReturnedAsItIs) {
  TestModule test({c64({4})});
  ASSERT_TRUE(test.finish({test.argument(0)}).ok());
  ASSERT_TRUE(split_complex(test.module).ok());
  testing::expect_verifies(test.module);
  EXPECT_EQ(testing::returned_argument(test.module), 0);
}

TEST(SplitComplex, AFactorisationIsRefused) {
  TestModule test({c64({4, 4})});
  const ValueId out =
      test.add(OpKind::Cholesky, {test.argument(0)}, CholeskyAttributes{}, {c64({4, 4})});
  ASSERT_TRUE(test.finish({out}).ok());
  EXPECT_EQ(split_complex(test.module).code(), "TY-CMP-005");
}

}  // namespace
}  // namespace trainyard::compiler
