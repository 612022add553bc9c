// Convolutions on the simulated core against the definition, element by element in double.
#include <bit>
#include <cmath>
#include <random>

#include "compiler/ir/test_module_test.h"
#include "compiler/lower/run_module_test.h"
#include "place/place.h"

namespace trainyard::compiler {
namespace {

using testing::bytes_of;
using testing::lower_and_run;
using testing::TestModule;
using testing::values_of;

// The logical sizes; where the dimensions lie in memory is in the attributes.
struct Case {
  int64_t batch = 1, features = 1, outputs = 1;
  Dims image, window, out;
  ConvolutionAttributes a;
  size_t spatial() const { return image.size(); }
  size_t rank() const { return image.size() + 2; }
};

// Calls `one` with every index of `shape`.
template <class One>
void each_index(const Dims& shape, const One& one) {
  for (const int64_t n : shape) {
    if (n == 0) return;
  }
  Dims index(shape.size(), 0);
  while (true) {
    one(index);
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

int64_t flat(const Dims& shape, const Dims& index) {
  int64_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return at;
}

// Puts logical (first, second, spatial...) where the layout says.
Dims laid_out(int64_t first, int64_t second, const Dims& spatial, int64_t first_dim,
              int64_t second_dim, const Dims& spatial_dims) {
  Dims out(spatial.size() + 2);
  out[static_cast<size_t>(first_dim)] = first;
  out[static_cast<size_t>(second_dim)] = second;
  for (size_t i = 0; i < spatial.size(); ++i)
    out[static_cast<size_t>(spatial_dims[i])] = spatial[i];
  return out;
}

Dims input_index(const Case& c, int64_t n, int64_t f, const Dims& at) {
  return laid_out(n, f, at, c.a.input_batch, c.a.input_feature, c.a.input_spatial);
}
Dims kernel_index(const Case& c, int64_t i, int64_t o, const Dims& at) {
  return laid_out(i, o, at, c.a.kernel_input_feature, c.a.kernel_output_feature,
                  c.a.kernel_spatial);
}
Dims output_index(const Case& c, int64_t n, int64_t f, const Dims& at) {
  return laid_out(n, f, at, c.a.output_batch, c.a.output_feature, c.a.output_spatial);
}

// Place of the element of the input under tap `k` of the window at `o`; nothing on a zero.
std::optional<int64_t> element_under(const Case& c, size_t d, int64_t o, int64_t k) {
  const WindowAttributes& w = c.a.window;
  const int64_t at = o * w.strides[d] + k * w.window_dilations[d] - w.padding_low[d];
  if (at < 0 || at % w.base_dilations[d] != 0) return std::nullopt;
  const int64_t i = at / w.base_dilations[d];
  return i < c.image[d] ? std::optional(i) : std::nullopt;
}

std::vector<double> convolved(const Case& c, const std::vector<float>& input,
                              const std::vector<float>& kernel) {
  const Dims in = input_index(c, c.batch, c.features, c.image);
  const int64_t depth = c.features / c.a.feature_groups;
  const Dims ker = kernel_index(c, depth, c.outputs, c.window);
  const int64_t batch = c.batch / c.a.batch_groups;
  const Dims out = output_index(c, batch, c.outputs, c.out);
  int64_t total = 1;
  for (const int64_t n : out) total *= n;
  std::vector<double> result(static_cast<size_t>(total));
  const int64_t per_group = c.outputs / (c.a.feature_groups * c.a.batch_groups);
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t f = 0; f < c.outputs; ++f) {
      const int64_t group = f / per_group;
      const int64_t image = c.a.batch_groups > 1 ? group * batch + n : n;
      const int64_t first = c.a.feature_groups > 1 ? group * depth : 0;
      each_index(c.out, [&](const Dims& o) {
        double sum = 0;
        each_index(c.window, [&](const Dims& k) {
          Dims at(o.size()), tap = k;
          for (size_t d = 0; d < o.size(); ++d) {
            const auto i = element_under(c, d, o[d], k[d]);
            if (!i) return;
            at[d] = *i;
            if (c.a.window_reversal[d]) tap[d] = c.window[d] - 1 - k[d];
          }
          for (int64_t i = 0; i < depth; ++i) {
            const auto x = static_cast<size_t>(flat(in, input_index(c, image, first + i, at)));
            const auto y = static_cast<size_t>(flat(ker, kernel_index(c, i, f, tap)));
            sum += static_cast<double>(input[x]) * static_cast<double>(kernel[y]);
          }
        });
        result[static_cast<size_t>(flat(out, output_index(c, n, f, o)))] = sum;
      });
    }
  }
  return result;
}

class Numbers {
 public:
  explicit Numbers(uint32_t seed) : engine_(seed) {}
  int64_t upto(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(engine_() % static_cast<uint64_t>(most - least + 1));
  }
  std::vector<float> floats(int64_t count) {
    std::vector<float> out(static_cast<size_t>(count));
    for (float& x : out) x = static_cast<float>(upto(-64, 64)) / 32.0F;  // exact in bf16
    return out;
  }
  Dims layout(size_t rank) {
    Dims dims(rank);
    for (size_t i = 0; i < rank; ++i) dims[i] = static_cast<int64_t>(i);
    for (size_t i = rank; i > 1; --i) std::swap(dims[i - 1], dims[engine_() % i]);
    return dims;
  }

 private:
  std::mt19937 engine_;
};

// Fills sizes of the output; false where it would be empty.
bool size_output(Case& c) {
  c.out.clear();
  for (size_t d = 0; d < c.spatial(); ++d) {
    const WindowAttributes& w = c.a.window;
    const int64_t places =
        (c.image[d] - 1) * w.base_dilations[d] + 1 + w.padding_low[d] + w.padding_high[d];
    const int64_t reach = (c.window[d] - 1) * w.window_dilations[d] + 1;
    if (places < reach) return false;
    c.out.push_back((places - reach) / w.strides[d] + 1);
  }
  return true;
}

Case random_case(Numbers& random, size_t spatial) {
  Case c;
  const int64_t groups = random.upto(0, 2) == 0 ? random.upto(2, 3) : 1;
  (random.upto(0, 1) == 0 ? c.a.feature_groups : c.a.batch_groups) = groups;
  c.batch = random.upto(1, 3) * c.a.batch_groups;
  c.features = random.upto(1, 5) * c.a.feature_groups;
  c.outputs = random.upto(1, 5) * groups;
  do {
    c.image.clear();
    c.window.clear();
    c.a.window = {};
    c.a.window_reversal.clear();
    for (size_t d = 0; d < spatial; ++d) {
      c.image.push_back(random.upto(1, 9));
      c.window.push_back(random.upto(1, 4));
      c.a.window.strides.push_back(random.upto(1, 3));
      c.a.window.base_dilations.push_back(random.upto(1, 3));
      c.a.window.window_dilations.push_back(random.upto(1, 3));
      c.a.window.padding_low.push_back(random.upto(-2, 3));
      c.a.window.padding_high.push_back(random.upto(-2, 3));
      c.a.window_reversal.push_back(random.upto(0, 1) == 1);
    }
  } while (!size_output(c));
  const Dims in = random.layout(c.rank()), ker = random.layout(c.rank()),
             out = random.layout(c.rank());
  c.a.input_batch = in[0], c.a.input_feature = in[1];
  c.a.kernel_input_feature = ker[0], c.a.kernel_output_feature = ker[1];
  c.a.output_batch = out[0], c.a.output_feature = out[1];
  c.a.input_spatial.assign(in.begin() + 2, in.end());
  c.a.kernel_spatial.assign(ker.begin() + 2, ker.end());
  c.a.output_spatial.assign(out.begin() + 2, out.end());
  return c;
}

// NHWC input, HWIO kernel, NHWC output, window 1 step apart.
Case image_case(int64_t batch, int64_t features, int64_t outputs, Dims image, Dims window) {
  Case c;
  c.batch = batch, c.features = features, c.outputs = outputs;
  const size_t n = image.size();
  const auto rank = static_cast<int64_t>(n) + 2;
  c.image = std::move(image);
  c.window = std::move(window);
  c.a.window = {.strides = Dims(n, 1),
                .base_dilations = Dims(n, 1),
                .window_dilations = Dims(n, 1),
                .padding_low = Dims(n, 0),
                .padding_high = Dims(n, 0)};
  c.a.window_reversal.assign(n, false);
  c.a.input_feature = c.a.output_feature = rank - 1;
  c.a.kernel_input_feature = rank - 2;
  c.a.kernel_output_feature = rank - 1;
  for (int64_t d = 0; d < static_cast<int64_t>(n); ++d) {
    c.a.input_spatial.push_back(d + 1);
    c.a.output_spatial.push_back(d + 1);
    c.a.kernel_spatial.push_back(d);
  }
  size_output(c);
  return c;
}

std::string text(const Case& c) {
  return fmt::format(
      "batch {} features {} outputs {} image {} window {} strides {} base {} dilation {} low {} "
      "high {} groups {} {}",
      c.batch, c.features, c.outputs, fmt::join(c.image, "x"), fmt::join(c.window, "x"),
      fmt::join(c.a.window.strides, ","), fmt::join(c.a.window.base_dilations, ","),
      fmt::join(c.a.window.window_dilations, ","), fmt::join(c.a.window.padding_low, ","),
      fmt::join(c.a.window.padding_high, ","), c.a.feature_groups, c.a.batch_groups);
}

// Numbers of the test are exact in bf16, whose bytes are the upper half of those of f32.
std::vector<uint8_t> bytes_as(ElementType type, const std::vector<float>& values) {
  if (type == ElementType::F32) return bytes_of(values);
  std::vector<uint16_t> halves;
  for (const float x : values) {
    halves.push_back(static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16));
  }
  return bytes_of(halves);
}

std::vector<float> floats_from(ElementType type, const std::vector<uint8_t>& bytes) {
  if (type == ElementType::F32) return values_of<float>(bytes);
  std::vector<float> out;
  for (const uint16_t x : values_of<uint16_t>(bytes)) {
    out.push_back(std::bit_cast<float>(static_cast<uint32_t>(x) << 16));
  }
  return out;
}

// `type` of the operands and `result` are f32 or bf16.
void expect_right(const Case& c, Numbers& random, ElementType type = ElementType::F32,
                  ElementType result = ElementType::F32) {
  const Dims in = input_index(c, c.batch, c.features, c.image);
  const Dims ker = kernel_index(c, c.features / c.a.feature_groups, c.outputs, c.window);
  const Dims out = output_index(c, c.batch / c.a.batch_groups, c.outputs, c.out);
  TestModule test({tensor_of(type, in), tensor_of(type, ker)});
  const ValueId y = test.add(OpKind::Convolution, {test.argument(0), test.argument(1)}, c.a,
                             {tensor_of(result, out)});
  const Status legal = test.finish({y});
  ASSERT_TRUE(legal.ok()) << legal.str() << text(c);
  const auto x = random.floats(*test.main().type(test.argument(0)).tensor()->elements());
  const auto k = random.floats(*test.main().type(test.argument(1)).tensor()->elements());
  const auto results = lower_and_run(test.module, {bytes_as(type, x), bytes_as(type, k)});
  ASSERT_EQ(results.size(), 1U) << text(c);
  const std::vector<float> got = floats_from(result, results[0]);
  const std::vector<double> want = convolved(c, x, k);
  ASSERT_EQ(got.size(), want.size());
  const double bound = result == ElementType::F32 ? 1e-4 : 1.0 / 256;
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], bound * (0.01 + std::abs(want[i]))) << text(c) << " at " << i;
  }
}

TEST(Convolution, AnyLayoutStridePaddingDilationAndGroupIsTheDefinition) {
  Numbers random(1);
  for (int i = 0; i < 120; ++i) {
    expect_right(random_case(random, static_cast<size_t>(i % 4)), random);
    if (HasFatalFailure()) return;
  }
}

TEST(Convolution, NarrowOperandsGiveTheSumRoundedOnce) {
  Numbers random(8);
  for (int i = 0; i < 40; ++i) {
    const ElementType result = i % 2 == 0 ? ElementType::BF16 : ElementType::F32;
    expect_right(random_case(random, static_cast<size_t>(i % 3)), random, ElementType::BF16,
                 result);
    if (HasFatalFailure()) return;
  }
}

TEST(Convolution, ATileOfManyRowsAndManyChannelsIsCutRight) {
  Numbers random(2);
  Case same = image_case(2, 70, 130, {12, 10}, {3, 3});
  same.a.window.padding_low = same.a.window.padding_high = {1, 1};
  size_output(same);
  expect_right(same, random);
  expect_right(image_case(1, 3, 8, {150, 2}, {3, 1}), random);
  expect_right(image_case(1, 4, 600, {5, 5}, {2, 2}), random);
  expect_right(image_case(1, 900, 16, {6, 5}, {3, 3}), random);  // more of k than SBUF takes
  expect_right(image_case(1, 2, 3, {3, 140}, {1, 2}), random);
}

// The gradient of the kernel: batch and features change places, the image is the window.
TEST(Convolution, TheGradientOfAKernelSumsOverImages) {
  Numbers random(3);
  for (const int64_t width : {7, 32, 130}) {
    Case c = image_case(20, 5, 9, {4, width}, {4, width});
    c.a.window.padding_low = c.a.window.padding_high = {1, 1};
    c.a.input_batch = 3, c.a.input_feature = 0;
    c.a.kernel_input_feature = 0, c.a.kernel_output_feature = 3;
    c.a.kernel_spatial = {1, 2};
    c.a.output_batch = 2, c.a.output_feature = 3, c.a.output_spatial = {0, 1};
    size_output(c);
    expect_right(c, random);
  }
}

TEST(Convolution, ChannelsFirstIsTheDefinition) {
  Numbers random(4);
  Case c = image_case(2, 40, 33, {11, 9}, {3, 3});
  c.a.input_feature = c.a.output_feature = 1;
  c.a.input_spatial = c.a.output_spatial = c.a.kernel_spatial = {2, 3};
  c.a.kernel_output_feature = 0, c.a.kernel_input_feature = 1;
  expect_right(c, random);
}

TEST(Convolution, AKernelForEachChannelIsTheDefinition) {
  Numbers random(6);
  for (const int64_t outputs : {1, 2}) {
    Case c = image_case(2, 150, 150 * outputs, {10, 7}, {3, 3});
    c.a.feature_groups = 150;
    c.a.window.padding_low = {1, 1};
    c.a.window.strides = {1, 2};
    size_output(c);
    expect_right(c, random);
    c.a.input_feature = c.a.output_feature = 1;
    c.a.input_spatial = c.a.output_spatial = {2, 3};
    expect_right(c, random);
  }
  Case wide = image_case(1, 1000, 1000, {3, 130}, {1, 2});  // more channels than a tile holds
  wide.a.feature_groups = 1000;
  expect_right(wide, random);
}

TEST(Convolution, TheGradientOfAKernelForEachChannelIsTheDefinition) {
  Numbers random(7);
  Case c = image_case(20, 12, 12, {9, 8}, {9, 8});  // a batch of images is what it sums over
  c.batch = 12, c.features = 20;
  c.a.batch_groups = 12;
  c.a.window.padding_low = c.a.window.padding_high = {1, 1};
  c.a.input_batch = 3, c.a.input_feature = 0;
  c.a.kernel_input_feature = 0, c.a.kernel_output_feature = 3, c.a.kernel_spatial = {1, 2};
  c.a.output_batch = 2, c.a.output_feature = 3, c.a.output_spatial = {0, 1};
  size_output(c);
  expect_right(c, random);
}

// Long sums for few results: what is loaded at once is bounded though the tiles are small.
TEST(Convolution, ALongSumForFewOutputsFitsSbuf) {
  for (const Case& c : {image_case(1, 60000, 2, {2}, {1}), image_case(1, 3000, 2, {4, 4}, {3, 3}),
                        image_case(2, 4, 2, {90, 90}, {88, 88})}) {
    TestModule test({testing::f32(input_index(c, c.batch, c.features, c.image)),
                     testing::f32(kernel_index(c, c.features, c.outputs, c.window))});
    const ValueId y = test.add(OpKind::Convolution, {test.argument(0), test.argument(1)}, c.a,
                               {testing::f32(output_index(c, c.batch, c.outputs, c.out))});
    ASSERT_TRUE(test.finish({y}).ok());
    const hw::CoreSpec& core = hw::find_target("trn2")->core;
    auto exe = lower(test.module, core, "trn2");
    ASSERT_TRUE(exe.ok()) << exe.status().str();
    const auto placed = place::place(exe->program, core);
    EXPECT_TRUE(placed.ok()) << placed.status().str() << text(c);
    const Status legal = isa::verify(exe->program, core);
    EXPECT_TRUE(legal.ok()) << legal.str();
  }
}

TEST(Convolution, SumsAreKeptInF32ForNarrowTypes) {
  for (const ElementType type : {ElementType::BF16, ElementType::F16}) {
    // 512 ones: a sum in bf16 would stop at 256.
    TestModule test({tensor_of(type, {1, 1, 512}), tensor_of(type, {1, 512, 1})});
    Case c = image_case(1, 512, 1, {1}, {1});
    const ValueId y = test.add(OpKind::Convolution, {test.argument(0), test.argument(1)}, c.a,
                               {tensor_of(type, {1, 1, 1})});
    ASSERT_TRUE(test.finish({y}).ok());
    const uint16_t one = type == ElementType::BF16 ? 0x3F80 : 0x3C00;
    const std::vector<uint16_t> ones(512, one);
    const auto results = lower_and_run(test.module, {bytes_of(ones), bytes_of(ones)});
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(values_of<uint16_t>(results[0])[0], type == ElementType::BF16 ? 0x4400 : 0x6000);
  }
}

TEST(Convolution, EightBitFloatsGiveAnExactSum) {
  // 1.5 times 1.5, 512 times: 1152, which the operands' types do not hold.
  TestModule test(
      {tensor_of(ElementType::F8E5M2, {1, 1, 512}), tensor_of(ElementType::F8E4M3FN, {1, 512, 1})});
  const Case c = image_case(1, 512, 1, {1}, {1});
  const ValueId y = test.add(OpKind::Convolution, {test.argument(0), test.argument(1)}, c.a,
                             {testing::f32({1, 1, 1})});
  ASSERT_TRUE(test.finish({y}).ok());
  const auto results = lower_and_run(
      test.module, {std::vector<uint8_t>(512, 0x3E), std::vector<uint8_t>(512, 0x3C)});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(values_of<float>(results[0])[0], 1152.0F);
}

TEST(Convolution, AnInputWithoutFeaturesGivesZeros) {
  Numbers random(5);
  expect_right(image_case(1, 0, 3, {4}, {2}), random);
}

}  // namespace
}  // namespace trainyard::compiler
