#include "isa/stream.h"

#include <gtest/gtest.h>

#include <map>

#include "isa/text/text.h"

namespace trainyard::isa {
namespace {

Program parse(std::string_view text) {
  Result<Program> p = parse_text(text, "test.tya");
  EXPECT_TRUE(p.ok()) << p.status().str();
  return std::move(*p);
}

TripRecord no_trips(const Program& p) {
  TripRecord t;
  t.loops.resize(p.loops.size());
  t.branches.resize(p.branches.size());
  return t;
}

InstId find(const Program& p, std::string_view label) {
  for (size_t i = 0; i < p.insts.size(); ++i) {
    if (p.insts[i].label == label) return static_cast<InstId>(i);
  }
  return -1;
}

// The 4096^3 matmul of the specification, placed by hand.
constexpr std::string_view kMatmul = R"(
program matmul_4096 target trn2 placed
lhsT: hbm bf16[4096,4096] in @ 0x0  rhs: hbm bf16[4096,4096] in @ 0x2000000
out: hbm bf16[4096,4096] out @ 0x4000000
repeat mb 4 {
  a: sbuf bf16[128,32,1024] @ 0x0 slots 2
  repeat ka 32 {
    lda: dma_copy a[:,ka,:] <- lhsT[128*ka+:128, 1024*mb+:1024] @ q0 by sync, after mm{mb-2}
  }
  repeat nb 8 {
    b: sbuf bf16[128,32,512] @ 0x20000 slots 2
    repeat kb 32 {
      ldb: dma_copy b[:,kb,:] <- rhs[128*kb+:128, 512*nb+:512] @ q1 by sync, after mm{nb-2}
    }
    repeat m 8 {
      p: psum f32[128,512] @ bank 0 slots 8
      c: sbuf bf16[128,512] @ 0x30000 slots 2
      repeat k 32 {
        mm: nc_matmul p <- a[:,k,128*m+:128], b[:,k,:] @ tensor, after lda(k), ldb(k), ev{m-8}
      }
      ev: tensor_copy c <- p @ vector, after mm, st{m-2}
      st: dma_copy out[1024*mb+128*m+:128, 512*nb+:512] <- c @ q2 by scalar, after ev
} } })";

TEST(Stream, DerivesTheCountsThatTheSpecificationGives) {
  const Program p = parse(kMatmul);
  const Structure structure(p);
  const TripRecord trips = no_trips(p);
  const LoopId mb = 0, nb = 2, m = 4, k = 5;
  ASSERT_EQ(p.loops[mb].name, "mb");
  ASSERT_EQ(p.loops[nb].name, "nb");
  ASSERT_EQ(p.loops[m].name, "m");
  ASSERT_EQ(p.loops[k].name, "k");
  std::map<std::string, int64_t> seen;
  for (const Engine engine : hw::kEngines) {
    StreamWalker walker(p, structure, engine, trips);
    while (walker.next()) {
      const std::string& label = p.insts[walker.item().id].label;
      const int64_t* c = walker.counters();
      const int64_t t = 64 * c[mb] + 8 * c[nb] + c[m];
      std::map<std::string, int64_t> want;
      if (label == "lda") want = {{"mm", 2048 * (c[mb] - 1)}};
      if (label == "ldb") want = {{"mm", 256 * (8 * c[mb] + c[nb] - 1)}};
      if (label == "mm") {
        want = {{"lda", 32 * c[mb] + c[k] + 1},
                {"ldb", 32 * (8 * c[mb] + c[nb]) + c[k] + 1},
                {"ev", t - 7}};
      }
      if (label == "ev") want = {{"mm", 32 * (t + 1)}, {"st", t - 1}};
      if (label == "st") want = {{"ev", t + 1}};
      std::erase_if(want, [](const auto& w) { return w.second <= 0; });
      std::map<std::string, int64_t> have;
      for (const Need& n : walker.needs()) have[p.insts[n.producer].label] = n.count;
      ASSERT_EQ(have, want) << label << " instance " << walker.item().instance;
      ASSERT_EQ(walker.item().instance, seen[label]++);
    }
  }
  EXPECT_EQ(seen["mm"], 8192);
  EXPECT_EQ(seen["lda"], 128);
  EXPECT_EQ(seen["st"], 256);
}

constexpr std::string_view kTriangle = R"(
program triangle target trn2 placed
x: sbuf f32[128,64] @ 0x0
y: sbuf f32[128,64] @ 0x1000
repeat i 4 {
  repeat j i {
    a: memset x[:,j+:1] value=0.0 @ gpsimd
  }
  b: tensor_copy y <- x @ vector, after a
}
c: tensor_copy x <- y @ scalar, after a, b
)";

TEST(Stream, CountsATriangularLoop) {
  const Program p = parse(kTriangle);
  const Structure structure(p);
  const TripRecord trips = no_trips(p);
  StreamWalker vector(p, structure, Engine::Vector, trips);
  std::vector<int64_t> counts;
  while (vector.next()) counts.push_back(vector.needs().empty() ? 0 : vector.needs()[0].count);
  EXPECT_EQ(counts, (std::vector<int64_t>{0, 1, 3, 6}));
  StreamWalker scalar(p, structure, Engine::Scalar, trips);
  ASSERT_TRUE(scalar.next());
  ASSERT_EQ(scalar.needs().size(), 2u);
  EXPECT_EQ(scalar.needs()[0].count, 6);
  EXPECT_EQ(scalar.needs()[1].count, 4);
  EXPECT_FALSE(scalar.next());
}

constexpr std::string_view kAhead = R"(
program ahead target trn2 placed
x: sbuf f32[128,64] @ 0x0
repeat o 2 {
  repeat i 3 {
    t: sbuf f32[128,64] @ 0x1000 slots 3
    first: tensor_copy t <- x @ vector, ahead 2 of i
    second: tensor_copy x <- t @ vector, after first
  }
}
)";

TEST(Stream, IssuesAheadWithPrologueAndEpilogueInEveryEntry) {
  const Program p = parse(kAhead);
  const Structure structure(p);
  const TripRecord trips = no_trips(p);
  StreamWalker walker(p, structure, Engine::Vector, trips);
  std::string order;
  while (walker.next()) {
    order += walker.item().id == find(p, "first") ? 'f' : 's';
    order += static_cast<char>('0' + walker.counters()[1]);
    if (walker.item().id == find(p, "second")) {
      // The wait is for its own iteration, wherever the producer was issued.
      EXPECT_EQ(walker.needs()[0].count, walker.item().instance + 1);
      EXPECT_EQ(walker.tensor_instance(1), walker.item().instance);
    }
  }
  EXPECT_EQ(order, "f0f1f2s0s1s2f0f1f2s0s1s2");
}

constexpr std::string_view kRuntime = R"(
program runtime target trn2 placed
n: hbm i32[1] in @ 0x0
x: sbuf f32[128,64] @ 0x0
y: sbuf f32[128,64] @ 0x1000
reg r
reg i
load: register_load r <- n[0] @ sync
loop steps i from 0 to r step 1 {
  a: tensor_copy y <- x @ vector
  b: tensor_copy x <- y @ scalar, after a
}
c: tensor_copy y <- x @ gpsimd, after b
)";

TEST(Stream, RepeatsRegisterWorkOnEveryEngineThatLoops) {
  const Program p = parse(kRuntime);
  const Structure structure(p);
  const std::vector<uint8_t> masks = engine_masks(p, structure);
  const auto bit = [](Engine e) { return 1u << hw::index(e); };
  EXPECT_EQ(masks[find(p, "load")], bit(Engine::Sync) | bit(Engine::Vector) | bit(Engine::Scalar));
  EXPECT_EQ(masks[find(p, "a")], bit(Engine::Vector));
}

TEST(Stream, WalksARunTimeLoopAsOftenAsRecorded) {
  const Program p = parse(kRuntime);
  const Structure structure(p);
  TripRecord trips = no_trips(p);
  trips.loops[0] = {{3, 1}};
  StreamWalker vector(p, structure, Engine::Vector, trips);
  std::string kinds;
  while (vector.next()) {
    switch (vector.item().kind) {
      case StreamItem::Kind::Instruction:
        kinds += 'i';
        break;
      case StreamItem::Kind::LoopEnter:
        kinds += 'e';
        break;
      case StreamItem::Kind::LoopTurn:
        kinds += 't';
        break;
      case StreamItem::Kind::BranchTest:
        kinds += 'b';
        break;
    }
  }
  EXPECT_EQ(kinds, "ieititit");
  StreamWalker gpsimd(p, structure, Engine::Gpsimd, trips);
  ASSERT_TRUE(gpsimd.next());
  ASSERT_EQ(gpsimd.needs().size(), 1u);
  EXPECT_EQ(gpsimd.needs()[0].count, 3);
}

TEST(TripRecord, IsRunLengthCodedAndItsLastRunGoesOn) {
  std::vector<TripRecord::Run> runs;
  for (const int v : {2, 2, 2, 5}) TripRecord::append(runs, v);
  EXPECT_EQ(runs, (std::vector<TripRecord::Run>{{2, 3}, {5, 1}}));
}

}  // namespace
}  // namespace trainyard::isa
