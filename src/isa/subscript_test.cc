#include "isa/subscript.h"

#include <gtest/gtest.h>

#include <functional>

#include "isa/builder.h"
#include "isa/testing/random.h"

namespace trainyard::isa {
namespace {

Tensor tensor(Memory memory, Dtype dtype, std::vector<int64_t> shape) {
  return {.name = "t", .memory = memory, .dtype = dtype, .shape = std::move(shape)};
}

Access lowered(const Tensor& t, const std::vector<Subscript>& axes) {
  const Result<Access> a = subscript(t, 0, t.dtype, axes);
  EXPECT_TRUE(a.ok()) << a.status().str();
  return a.ok() ? *a : Access{};
}

TEST(Subscript, AnOnChipTensorHasItsPartitionsFirst) {
  const Tensor t = tensor(Memory::Sbuf, Dtype::BF16, {128, 32, 1024});
  const Affine ka = Affine::counter(0);
  const Access a = lowered(t, {slice(32, 64), index(ka), slice(4, 100, 2)});
  EXPECT_EQ(a.partition, Affine(32));
  EXPECT_EQ(a.partitions, 64);
  EXPECT_EQ(a.offset, ka * 1024 + 4);
  EXPECT_EQ(a.dims, (std::vector<Dim>{{2, 100}}));
}

TEST(Subscript, AnHbmTensorHasNone) {
  const Tensor t = tensor(Memory::Hbm, Dtype::F32, {8, 16, 4});
  const Access a = lowered(t, {index(3), slice(2, 5, -1), all()});
  EXPECT_EQ(a.partitions, 0);
  EXPECT_EQ(a.offset, Affine(3 * 64 + 2 * 4));
  EXPECT_EQ(a.dims, (std::vector<Dim>{{-4, 5}, {1, 4}}));
}

TEST(Subscript, AnIndexOfThePartitionAxisIsOnePartition) {
  const Tensor t = tensor(Memory::Psum, Dtype::F32, {128, 512});
  const Access a = lowered(t, {index(Affine::reg(2)), index(7)});
  EXPECT_EQ(a.partition, Affine::reg(2));
  EXPECT_EQ(a.partitions, 1);
  EXPECT_TRUE(a.dims.empty());
}

TEST(Subscript, AllAxesAreTheWholeTensor) {
  for (const Memory m : {Memory::Hbm, Memory::Sbuf}) {
    const Tensor t = tensor(m, Dtype::F16, {64, 3, 5});
    EXPECT_EQ(lowered(t, {all(), all(), all()}), whole(t, 0));
  }
}

TEST(Subscript, ReadingAsAnotherTypeRescalesTheLastAxis) {
  const Tensor t = tensor(Memory::Sbuf, Dtype::F32, {128, 2, 16});
  EXPECT_EQ(*shape_as(t, Dtype::U8), (std::vector<int64_t>{128, 2, 64}));
  EXPECT_EQ(*shape_as(t, Dtype::S32), t.shape);
  const Result<Access> a = subscript(t, 0, Dtype::BF16, std::vector{all(), index(1), slice(30, 2)});
  EXPECT_EQ(a->offset, Affine(32 + 30));
  EXPECT_EQ(a->dtype, Dtype::BF16);
  EXPECT_EQ(subscript(tensor(Memory::Hbm, Dtype::U8, {5}), 0, Dtype::U16, std::vector{all()})
                .status()
                .code(),
            "TY-TXT-006");
}

// The definition: element i of an axis is start + i * step, and the tensor is row-major.
TEST(Subscript, RandomSubscriptsTouchTheElementsThatTheirIndicesName) {
  testing::Random random(1);
  for (int round = 0; round < 500; ++round) {
    Tensor t = tensor(Memory::Hbm, Dtype::F32, {});
    std::vector<Subscript> axes;
    for (int64_t n = random.range(1, 4); n > 0; --n) {
      t.shape.push_back(random.range(1, 6));
      const int64_t count = random.range(1, t.shape.back());
      const int64_t start = random.range(0, t.shape.back() - count);
      axes.push_back(
          random.pick({all(), index(start), slice(start, count), slice(start, count, -1)}));
    }
    std::vector<int64_t> expected = {0};
    for (size_t i = 0; i < axes.size(); ++i) {
      const Subscript& s = axes[i];
      const bool is_all = s.kind == Subscript::Kind::All;
      std::vector<int64_t> next;
      for (const int64_t base : expected) {
        for (int64_t k = 0; k < (is_all ? t.shape[i] : s.count); ++k) {
          next.push_back(base * t.shape[i] + (is_all ? k : s.start.constant + k * s.step));
        }
      }
      expected = next;
    }
    const Access a = lowered(t, axes);
    std::vector<int64_t> touched;
    std::function<void(size_t, int64_t)> walk = [&](size_t dim, int64_t at) {
      if (dim == a.dims.size()) return touched.push_back(at);
      for (int64_t k = 0; k < a.dims[dim].count; ++k) walk(dim + 1, at + k * a.dims[dim].step);
    };
    walk(0, a.offset.constant);
    EXPECT_EQ(touched, expected);
  }
}

TEST(Subscript, NumbersThatWouldOverflowAreRefused) {
  const Tensor t = tensor(Memory::Hbm, Dtype::U8, {int64_t{1} << 20, int64_t{1} << 20});
  for (const Subscript& s :
       {index(kMaxExtent), index(Affine::counter(0, INT64_MIN)), slice(0, kMaxExtent, kMaxExtent),
        slice(0, 2, INT64_MIN), slice(0, INT64_MAX)}) {
    EXPECT_FALSE(subscript(t, 0, Dtype::U8, std::vector{s, all()}).ok());
  }
}

}  // namespace
}  // namespace trainyard::isa
