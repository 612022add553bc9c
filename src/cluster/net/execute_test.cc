// Every algorithm on data, against a plain sum or concatenation.
#include "cluster/net/execute.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "numerics/convert.h"

namespace trainyard::cluster {
namespace {

using numerics::Dtype;

// What to run: an instance, how many of them, a grid, and the algorithms.
struct Case {
  std::string instance;
  int64_t nodes;
  Grid grid;
  Selection selection;
  int64_t lnc = 0;
};

std::string describe(const Case& c, Op op) {
  return fmt::format("{} x {} size {} stride {}: {} {}", c.nodes, c.instance, c.grid.size,
                     c.grid.stride, name(op), text(c.selection));
}

Communicator communicator(const Case& c) {
  const auto cluster = make_cluster(*hw::find_system(c.instance), c.nodes, c.lnc);
  const auto group = Communicator::make(*cluster, c.grid);
  EXPECT_TRUE(group) << group.status().str();
  return *group;
}

// Whole numbers that every type holds and whose sums stay exact in it.
std::vector<Buffer> random_buffers(int64_t ranks, int64_t elements, Dtype dtype, uint32_t seed) {
  std::mt19937 random(seed);
  const bool wide = dtype == Dtype::S32 || dtype == Dtype::F32;
  std::vector<Buffer> buffers;
  for (int64_t r = 0; r < ranks; ++r) {
    std::vector<float> values(static_cast<size_t>(elements));
    for (float& v : values) {
      v = wide ? static_cast<float>(random() % 1000) : random() % 16 == 0 ? 1.0F : 0.0F;
    }
    Buffer& buffer = buffers.emplace_back(values.size() * static_cast<size_t>(size_of(dtype)));
    numerics::narrow(dtype, values.data(), buffer.data(), values.size());
  }
  return buffers;
}

Buffer sum_of(const std::vector<Buffer>& inputs, Dtype dtype) {
  const size_t n = inputs.front().size() / static_cast<size_t>(size_of(dtype));
  std::vector<float> sum(n), values(n);
  for (const Buffer& input : inputs) {
    numerics::widen(dtype, input.data(), values.data(), n);
    for (size_t i = 0; i < n; ++i) sum[i] += values[i];
  }
  Buffer out(inputs.front().size());
  numerics::narrow(dtype, sum.data(), out.data(), n);
  return out;
}

Buffer part(const Buffer& buffer, size_t index, size_t count) {
  const size_t bytes = buffer.size() / count;
  return {buffer.begin() + static_cast<std::ptrdiff_t>(index * bytes),
          buffer.begin() + static_cast<std::ptrdiff_t>((index + 1) * bytes)};
}

// The definition of each operation, without any network. Permute follows the first ring.
std::vector<Buffer> reference(const Program& program, const std::vector<Buffer>& in, Dtype dtype) {
  const size_t n = in.size();
  std::vector<Buffer> out(n);
  switch (program.op) {
    case Op::AllGather:
      for (Buffer& o : out) {
        for (const Buffer& i : in) o.insert(o.end(), i.begin(), i.end());
      }
      break;
    case Op::ReduceScatter: {
      const Buffer sum = sum_of(in, dtype);
      for (size_t r = 0; r < n; ++r) out[r] = part(sum, r, n);
      break;
    }
    case Op::AllReduce:
      out.assign(n, sum_of(in, dtype));
      break;
    case Op::AllToAll:
      for (size_t r = 0; r < n; ++r) {
        for (const Buffer& i : in) {
          const Buffer piece = part(i, r, n);
          out[r].insert(out[r].end(), piece.begin(), piece.end());
        }
      }
      break;
    case Op::Broadcast:
      out.assign(n, in[0]);
      break;
    case Op::Permute: {
      const auto& order = program.parts[0].stages[0].schedule.order[0];
      for (size_t i = 0; i < n; ++i) {
        out[static_cast<size_t>(order[(i + 1) % n])] = in[static_cast<size_t>(order[i])];
      }
      break;
    }
    case Op::SendRecv:
      out[1] = in[0];
      break;
  }
  return out;
}

// Runs a case and compares. False if there is no such schedule.
bool agrees(const Case& c, Op op, Dtype dtype, int64_t elements, uint32_t seed) {
  const Communicator group = communicator(c);
  const auto program = make_program(group.layout(), op, c.selection);
  if (!program) {
    EXPECT_EQ(program.status().code(), "TY-NET-006") << program.status().str();
    return false;
  }
  const int64_t n = group.ranks();
  const bool divides = op == Op::ReduceScatter || op == Op::AllToAll;
  const auto in = random_buffers(n, divides ? elements * n : elements, dtype, seed);
  const auto out = execute(*program, dtype, in);
  EXPECT_TRUE(out) << describe(c, op);
  EXPECT_TRUE(*out == reference(*program, in, dtype)) << describe(c, op);
  return true;
}

constexpr Op kOps[] = {Op::AllGather, Op::ReduceScatter, Op::AllReduce, Op::AllToAll,
                       Op::Permute,   Op::Broadcast,     Op::SendRecv};
constexpr Algorithm kAll[] = {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh,
                              Algorithm::Rdh, Algorithm::SingleStep};

// T5, inside one domain.
TEST(Execute, EveryAlgorithmIsExactOnEveryGroupOfANode) {
  std::map<std::pair<Op, Algorithm>, int> ran;
  for (const int64_t size : {2, 4, 8, 16, 32, 64}) {
    for (const int64_t stride : {1, 2, 4, 8, 16, 32}) {
      if (size * stride > 64) continue;
      for (const Op op : kOps) {
        for (const Algorithm algorithm : kAll) {
          const Case c{"trn2.48xlarge", 1, {size, stride}, {.inside = algorithm}};
          const auto seed = static_cast<uint32_t>(size * 100 + stride);
          if (agrees(c, op, Dtype::S32, 3, seed)) ++ran[{op, algorithm}];
        }
      }
    }
  }
  EXPECT_EQ((ran[{Op::AllReduce, Algorithm::Ring}]), 21);
  EXPECT_EQ((ran[{Op::AllReduce, Algorithm::Mesh}]), 21);
  // Chips 0 and 2 are no edge of the hypercube, and neither are groups that skip chips like that.
  EXPECT_EQ((ran[{Op::AllReduce, Algorithm::Rdh}]), 17);
  EXPECT_EQ((ran[{Op::AllReduce, Algorithm::SingleStep}]), 21);
  // All ranks of at least two chips.
  EXPECT_EQ((ran[{Op::AllReduce, Algorithm::KangaRing}]), 4);
  EXPECT_EQ((ran[{Op::AllToAll, Algorithm::Rdh}]), 21);
  EXPECT_EQ((ran[{Op::Permute, Algorithm::Mesh}]), 21);  // a permute is always direct
}

// T5: the most ranks of an instance, one for each physical core of trn2.
TEST(Execute, EveryAlgorithmIsExactOn128Ranks) {
  std::map<std::pair<Op, Algorithm>, int> ran;
  for (const Grid grid : {Grid{128, 1}, Grid{64, 2}, Grid{16, 8}, Grid{8, 1}}) {
    for (const Op op : kOps) {
      for (const Algorithm algorithm : kAll) {
        const Case c{"trn2.48xlarge", 1, grid, {.inside = algorithm}, 1};
        if (agrees(c, op, Dtype::S32, 5, 21)) ++ran[{op, algorithm}];
      }
    }
  }
  for (const Op op : {Op::AllGather, Op::ReduceScatter, Op::AllReduce}) {
    EXPECT_EQ((ran[{op, Algorithm::Ring}]), 4) << name(op);
    EXPECT_EQ((ran[{op, Algorithm::Mesh}]), 4) << name(op);
    EXPECT_EQ((ran[{op, Algorithm::Rdh}]), 4) << name(op);
    EXPECT_EQ((ran[{op, Algorithm::KangaRing}]), 1) << name(op);
  }
}

TEST(Execute, MinimumAndMaximumAreExactInEveryAlgorithm) {
  const Communicator group = communicator({"trn2.48xlarge", 2, {}, {}});
  std::mt19937 random(5);
  std::vector<Buffer> in;
  std::vector<float> low(100, 1e9F), high(100, -1e9F);
  for (int r = 0; r < 128; ++r) {
    std::vector<float> values(100);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(random() % 100'000) - 50'000;
      low[i] = std::min(low[i], values[i]);
      high[i] = std::max(high[i], values[i]);
    }
    std::memcpy(in.emplace_back(400).data(), values.data(), 400);
  }
  for (const Algorithm a : kAll) {
    const auto program = make_program(group.layout(), Op::AllReduce, {a, Algorithm::Rdh});
    if (!program) continue;  // a single step goes between instances only
    const auto least = execute(*program, Dtype::F32, in, Reduction::Min);
    const auto most = execute(*program, Dtype::F32, in, Reduction::Max);
    for (size_t r = 0; r < in.size(); ++r) {
      EXPECT_EQ(std::memcmp((*least)[r].data(), low.data(), 400), 0) << name(a);
      EXPECT_EQ(std::memcmp((*most)[r].data(), high.data(), 400), 0) << name(a);
    }
  }
}

TEST(Execute, OddGroupsWorkOnRingsAndMeshes) {
  for (const int64_t size : {3, 5, 6, 7, 12, 24}) {
    const auto cluster = make_cluster(*hw::find_system("inf2.48xlarge"), 1);
    std::vector<int64_t> ranks(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) ranks[static_cast<size_t>(i)] = size <= 12 ? 2 * i : i;
    const auto group = Communicator::make(*cluster, ranks);
    ASSERT_TRUE(group) << group.status().str();
    for (const Op op : kOps) {
      for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Mesh}) {
        const auto program = make_program(group->layout(), op, {.inside = algorithm});
        if (!program) continue;
        const bool divides = op == Op::ReduceScatter || op == Op::AllToAll;
        const auto in = random_buffers(size, divides ? 2 * size : 7, Dtype::F32, 1);
        EXPECT_TRUE(*execute(*program, Dtype::F32, in) == reference(*program, in, Dtype::F32))
            << size << " " << name(op) << " " << name(algorithm);
      }
    }
  }
}

// T5, X nodes of Y ranks.
TEST(Execute, HierarchicalAlgorithmsAreExact) {
  int ran = 0;
  for (const int64_t nodes : {2, 3, 4, 6, 8}) {
    for (const Op op : kOps) {
      for (const Algorithm inside : kAll) {
        for (const Algorithm across : kAll) {
          const Case c{"trn1.32xlarge", nodes, {16 * nodes, 2}, {inside, across}};
          if (nodes > 4 && inside != Algorithm::Rdh) continue;
          if (agrees(c, op, Dtype::S32, 2, static_cast<uint32_t>(nodes))) ++ran;
        }
      }
    }
  }
  EXPECT_GT(ran, 150);
}

TEST(Execute, WholeNodesOf64RanksAreExact) {
  for (const Op op : kOps) {
    for (const Algorithm inside : {Algorithm::KangaRing, Algorithm::Mesh, Algorithm::Rdh}) {
      for (const Algorithm across : {Algorithm::Ring, Algorithm::Rdh, Algorithm::SingleStep}) {
        agrees({"trn2.48xlarge", 2, {}, {inside, across}}, op, Dtype::F32, 4, 3);
      }
    }
  }
}

TEST(Execute, AFlatRingThroughSeveralNodesIsExact) {
  for (const Op op : {Op::AllGather, Op::ReduceScatter, Op::AllReduce, Op::Permute, Op::SendRecv}) {
    const Case c{"trn1.32xlarge",
                 3,
                 {},
                 {.inside = Algorithm::Ring, .across = Algorithm::Ring, .flat = true}};
    EXPECT_TRUE(agrees(c, op, Dtype::S32, 9, 5));
  }
}

TEST(Execute, ATorusCrossedAxisByAxisIsExact) {
  for (const Op op : kOps) {
    const Case c{"tpu-v5e-pod", 1, {}, {.inside = Algorithm::Ring}};
    EXPECT_TRUE(agrees(c, op, Dtype::S32, 4, 6));
  }
}

TEST(Execute, UltraServersAreExact) {
  for (const char* instance : {"trn2-ultraserver-2", "trn2-ultraserver", "trn3-gen1-ultraserver"}) {
    for (const Algorithm a :
         {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh, Algorithm::Rdh}) {
      EXPECT_TRUE(agrees({instance, 1, {}, {.inside = a}}, Op::AllReduce, Dtype::S32, 500, 14));
    }
  }
  // 144 chips are no hypercube.
  for (const Algorithm a : {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh}) {
    const Case c{"trn3-gen2-ultraserver", 1, {144, 4}, {.inside = a}};
    EXPECT_EQ(agrees(c, Op::AllReduce, Dtype::S32, 500, 15), a != Algorithm::KangaRing);
  }
}

TEST(Execute, PeersAreExact) {
  for (const char* instance : {"p5.48xlarge", "8xmi300x", "inf1.24xlarge", "inf2.24xlarge"}) {
    for (const Op op : kOps) {
      for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Mesh, Algorithm::Rdh}) {
        agrees({instance, 1, {}, {.inside = algorithm}}, op, Dtype::F32, 5, 7);
      }
    }
  }
}

TEST(Execute, EveryElementTypeIsExactWhereItsSumsAre) {
  for (const Dtype dtype : numerics::kAllDtypes) {
    for (const Algorithm a :
         {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh, Algorithm::Rdh}) {
      EXPECT_TRUE(agrees({"trn2.48xlarge", 1, {}, {.inside = a}}, Op::AllReduce, dtype, 130, 8))
          << numerics::name(dtype);
    }
  }
}

// Sums of fp32 in another order differ by rounding only.
TEST(Execute, FloatSumsStayWithinRounding) {
  std::mt19937 random(1);
  const Communicator group = communicator({"trn2.48xlarge", 1, {}, {}});
  std::vector<Buffer> in;
  for (int r = 0; r < 64; ++r) {
    std::vector<float> values(64);
    for (float& v : values) v = static_cast<float>(random()) * 0x1p-31F - 1;
    Buffer& buffer = in.emplace_back(256);
    std::memcpy(buffer.data(), values.data(), 256);
  }
  const Buffer expected = sum_of(in, Dtype::F32);
  for (const Algorithm a : kAll) {
    const auto program = make_program(group.layout(), Op::AllReduce, {.inside = a});
    const auto out = execute(*program, Dtype::F32, in);
    for (const Buffer& o : *out) {
      // In a single step each rank adds in an order of its own.
      EXPECT_TRUE(a == Algorithm::SingleStep || o == out->front()) << name(a);
      for (size_t i = 0; i < 64; ++i) {
        float x = 0, y = 0;
        std::memcpy(&x, &o[4 * i], 4);
        std::memcpy(&y, &expected[4 * i], 4);
        EXPECT_NEAR(x, y, 64 * 64 * 0x1p-24) << name(a);
      }
    }
  }
}

TEST(Execute, AThousandRanksAreExactOnRingAndRdh) {
  for (const Algorithm a : {Algorithm::Ring, Algorithm::Rdh}) {
    // Both halves: a reduce-scatter and an all-gather.
    const Case c{"trn2.48xlarge", 1024, {1024, 64}, {.across = a}};
    EXPECT_TRUE(agrees(c, Op::AllReduce, Dtype::S32, 1024, 9));
  }
}

TEST(Execute, ANetworkSplitIntoPrimeFactorsIsExact) {
  for (const int64_t nodes : {9, 18, 45, 60}) {
    for (const Op op : kOps) {
      const Case c{"trn2.48xlarge", nodes, {nodes, 64}, {.across = Algorithm::Rdh}};
      EXPECT_TRUE(agrees(c, op, Dtype::S32, 7, 12));
    }
    const Case c{"trn1.32xlarge", nodes, {2 * nodes, 16}, {Algorithm::Ring, Algorithm::Rdh}};
    EXPECT_TRUE(agrees(c, Op::AllReduce, Dtype::S32, 7, 13));
  }
}

TEST(Execute, RandomSizesAreExact) {
  std::mt19937 random(11);
  int ran = 0;
  for (int i = 0; i < 150; ++i) {
    const Algorithm inside = kAll[random() % 5], across = kAll[random() % 5];
    const Op op = kOps[random() % 7];
    const int64_t nodes = 1 + static_cast<int64_t>(random() % 5), lnc = 1 + random() % 2;
    const int64_t here = 128 / lnc;
    const int64_t stride = int64_t{1} << random() % 4;
    // All ranks that the stride leaves, on all instances, or some of one.
    const bool all = random() % 2 == 0;
    const int64_t size = all ? nodes * here / stride : int64_t{1} << (1 + random() % 3);
    Selection selection{.inside = inside};
    if (all && nodes > 1) selection.across = across;
    const auto elements = 1 + static_cast<int64_t>(random() % 23);
    const Case c{"trn2.48xlarge", nodes, {size, stride}, selection, lnc};
    if (agrees(c, op, Dtype::S32, elements, static_cast<uint32_t>(i))) ++ran;
  }
  EXPECT_GT(ran, 80);
}

TEST(Execute, BuffersThatCannotBeDividedAreRefused) {
  const Communicator group = communicator({"trn2.48xlarge", 1, {4, 1}, {}});
  const auto program = make_program(group.layout(), Op::ReduceScatter, {.inside = Algorithm::Ring});
  const std::vector<Buffer> in(4, Buffer(20));
  EXPECT_EQ(
      execute(*program, Dtype::F32, in).status().str(),
      "TY-NET-005  reduce_scatter of 20 bytes over 4 ranks: the size must be a multiple of 16 "
      "bytes");
  const std::vector<Buffer> three(3, Buffer(16));
  EXPECT_EQ(execute(*program, Dtype::F32, three).status().code(), "TY-NET-005");
  std::vector<Buffer> uneven(4, Buffer(16));
  uneven[2].resize(32);
  EXPECT_EQ(execute(*program, Dtype::F32, uneven).status().code(), "TY-NET-005");
}

}  // namespace
}  // namespace trainyard::cluster
