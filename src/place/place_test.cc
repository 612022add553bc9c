#include "place/place.h"

#include <gtest/gtest.h>

#include "isa/text/text.h"
#include "isa/verify.h"

namespace trainyard::place {
namespace {

using hw::Engine;

isa::Program parse(std::string_view text) {
  Result<isa::Program> p = isa::parse_text(text, "test.tya");
  EXPECT_TRUE(p.ok()) << p.status().str();
  return std::move(*p);
}

struct Placed {
  isa::Program program;
  Report report;

  isa::InstId find(std::string_view label) const {
    for (size_t i = 0; i < program.insts.size(); ++i) {
      if (program.insts[i].label == label) return static_cast<isa::InstId>(i);
    }
    ADD_FAILURE() << "no instruction " << label;
    return 0;
  }
  const isa::InstPlace& inst(std::string_view label) const {
    return program.placement.insts[find(label)];
  }
  const isa::TensorPlace& tensor(std::string_view name) const {
    for (size_t i = 0; i < program.tensors.size(); ++i) {
      if (program.tensors[i].name == name) return program.placement.tensors[i];
    }
    ADD_FAILURE() << "no tensor " << name;
    return program.placement.tensors[0];
  }
  // Whether `waiter` has an edge to `producer` with that lag (0: none).
  bool waits(std::string_view waiter, std::string_view producer, int64_t lag = 0) const {
    for (const isa::Edge& e : inst(waiter).after) {
      if (e.producer == find(producer) && e.lag == lag) return true;
    }
    return false;
  }
};

Placed placed(std::string_view text, const Options& options = {}) {
  Placed out{parse(text), {}};
  Result<Report> report = place(out.program, hw::kNeuronCoreV3, options);
  EXPECT_TRUE(report.ok()) << report.status().str();
  if (report.ok()) out.report = std::move(*report);
  const Status verified = isa::verify(out.program, hw::kNeuronCoreV3);
  EXPECT_TRUE(verified.ok()) << verified.str() << "\n" << isa::print_text(out.program);
  return out;
}

constexpr std::string_view kStream = R"(program stream target trn2
  x: hbm f32[4096,512] in
  y: hbm f32[4096,512] out
  repeat i 32 {
    t: sbuf f32[128,512]
    u: sbuf f32[128,512]
    load: dma_copy t <- x[128*i+:128,:]
    work: activation u <- t op=exp
    store: dma_copy y[128*i+:128,:] <- u
  })";

TEST(Place, BuffersTensorsThatTransfersTouchThreeTimes) {
  const Placed p = placed(kStream);
  EXPECT_EQ(p.tensor("t").slots, 3);
  EXPECT_EQ(p.tensor("u").slots, 3);
  EXPECT_TRUE(p.waits("load", "work", 3));
  EXPECT_TRUE(p.waits("work", "store", 3));
  EXPECT_TRUE(p.waits("work", "load"));
  EXPECT_TRUE(p.waits("store", "work"));
}

TEST(Place, LetsSyncTriggerLoadsAndAnotherEngineStores) {
  const Placed p = placed(kStream);
  EXPECT_EQ(p.inst("load").engine, Engine::Sync);
  EXPECT_NE(p.inst("store").engine, Engine::Sync);
  EXPECT_NE(p.inst("load").queue, p.inst("store").queue);
}

TEST(Place, KeepsEverythingInBodyOrderWhenAskedForThePlainWay) {
  const Placed p = placed(kStream, {.plain = true});
  EXPECT_EQ(p.tensor("t").slots, 1);
  EXPECT_EQ(p.inst("store").engine, Engine::Sync);
  EXPECT_EQ(p.tensor("u").slots, 1);
}

TEST(Place, HonoursWhatTheAuthorPinned) {
  const Placed p = placed(R"(program pins target trn2
    x: hbm f32[4096,512] in
    y: hbm f32[4096,512] out
    repeat i 32 {
      t: sbuf f32[128,512] @ 0x10000 slots 2
      u: sbuf f32[128,512]
      load: dma_copy t <- x[128*i+:128,:] @ q7 by scalar
      work: tensor_scalar u <- t op0=add operand0=1.0 @ vector, after load
      store: dma_copy y[128*i+:128,:] <- u
    })");
  EXPECT_EQ(p.tensor("t").address, 0x10000);
  EXPECT_EQ(p.tensor("t").slots, 2);
  EXPECT_EQ(p.inst("load").queue, 7);
  EXPECT_EQ(p.inst("load").engine, Engine::Scalar);
  EXPECT_EQ(p.inst("work").engine, Engine::Vector);
  // The free tensor keeps clear of the pinned one.
  EXPECT_TRUE(*p.tensor("u").address + 3 * 2048 <= 0x10000 ||
              *p.tensor("u").address >= 0x10000 + 2 * 2048);
}

TEST(Place, LeavesACompletePlacementAlone) {
  isa::Program p = parse(R"(program done target trn2 placed
    x: sbuf f32[128,512] @ 0x40
    a: memset x value=0.0 @ vector)");
  const isa::Placement before = p.placement;
  ASSERT_TRUE(place(p, hw::kNeuronCoreV3).ok());
  EXPECT_EQ(p.placement, before);
}

TEST(Place, WaitsForTheLastTileThatAReadNeeds) {
  const Placed p = placed(R"(program tiles target trn2
    x: hbm bf16[4096,512] in
    w: sbuf bf16[128,128]
    t: sbuf bf16[128,32,512]
    w0: memset w value=1.0
    repeat ka 32 { load: dma_copy t[:,ka,:] <- x[128*ka+:128,:] }
    p: psum f32[128,512]
    repeat k 32 { mm: nc_matmul p <- w, t[:,k,:] })");
  for (const isa::Edge& e : p.inst("mm").after) {
    if (e.producer != p.find("load")) continue;
    ASSERT_EQ(e.at.size(), 1u);
    EXPECT_EQ(e.at[0], isa::Affine::counter(1));
    return;
  }
  FAIL() << "the matmul does not wait for its tile\n" << isa::print_text(p.program);
}

TEST(Place, LetsOneEngineCarryStateWithoutEdgesForItsOwnOrder) {
  const Placed p = placed(R"(program state target trn2
    x: sbuf f32[128,64]
    z: memset x value=0.0 on vector
    repeat i 8 { step: tensor_scalar x <- x op0=add operand0=1.0 on vector })");
  // Reading one's own earlier result needs a self-edge; writing after reading does not.
  EXPECT_TRUE(p.waits("step", "step", 1));
  EXPECT_TRUE(p.waits("step", "z"));
  EXPECT_EQ(p.inst("step").after.size(), 2u);
}

TEST(Place, SharesBytesBetweenBlocksSideBySideAndOrdersThem) {
  const Placed p = placed(R"(program phases target trn2
    x: hbm f32[128,16384] in
    y: hbm f32[128,16384] out
    repeat a 1 { t: sbuf f32[128,16384] l0: dma_copy t <- x s0: dma_copy y <- t }
    repeat b 1 { u: sbuf f32[128,16384] l1: dma_copy u <- x s1: dma_copy y <- u })");
  EXPECT_EQ(p.tensor("t").address, p.tensor("u").address);
  EXPECT_TRUE(p.waits("l1", "s0"));
}

TEST(Place, ReusesBytesInsideABlockWhenRoomIsShort) {
  // Four tensors of 64 KiB per partition, two alive at a time: 208 KiB hold three.
  const Placed p = placed(R"(program short target trn2
    x: hbm f32[128,16384] in
    y: hbm f32[128,16384] out
    a: sbuf f32[128,16384]
    b: sbuf f32[128,16384]
    c: sbuf f32[128,16384]
    d: sbuf f32[128,16384]
    l: dma_copy a <- x
    e1: activation b <- a op=exp
    e2: activation c <- b op=exp
    e3: activation d <- c op=exp
    s: dma_copy y <- d)");
  EXPECT_LE(p.report.sbuf_bytes, hw::kNeuronCoreV3.sbuf_usable_bytes());
}

TEST(Place, ReportsTheMemoryOfAProgramThatIsPlacedAlready) {
  const Placed p = placed(R"(program by_hand target trn2 placed
    x: hbm f32[128,64] in @ 0x8000
    t: sbuf f32[128,64] @ 0x100 slots 2 pitch 0x200
    s: psum f32[128,64] @ bank 3 slots 2
    ld: dma_copy t <- x @ q0 by sync
    mm: nc_matmul s[0+:64,:] <- t, t @ tensor, after ld)");
  EXPECT_EQ(p.report.sbuf_bytes, 0x100 + 0x200 + 256);
  EXPECT_EQ(p.report.psum_banks, 5);
  EXPECT_EQ(p.report.hbm_bytes, 0x8000 + 128 * 64 * 4);
}

TEST(Place, RefusesAProgramThatDoesNotFitWithATableOfWhatIsLive) {
  isa::Program p = parse(R"(program full target trn2
    x: hbm f32[128,32768] in
    a: sbuf f32[128,32768]
    b: sbuf f32[128,32768]
    l: dma_copy a <- x
    c: activation b <- a op=exp)");
  const Result<Report> r = place(p, hw::kNeuronCoreV3);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().code(), "TY-MEM-003");
  EXPECT_NE(r.status().message().find("131072 B  a"), std::string::npos) << r.status().str();
  EXPECT_NE(r.status().message().find("212984"), std::string::npos);
  EXPECT_FALSE(p.placement.complete);
}

TEST(Place, RefusesAQueueWithTwoTriggers) {
  isa::Program p = parse(R"(program queues target trn2
    x: hbm f32[128,512] in
    a: sbuf f32[128,512]
    b: sbuf f32[128,512]
    l: dma_copy a <- x @ q1 by sync
    m: dma_copy b <- x @ q1 by scalar)");
  const Result<Report> r = place(p, hw::kNeuronCoreV3);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().code(), "TY-PLC-001");
}

TEST(Place, IssuesTheFirstStageOfAChainAhead) {
  // Tensor -> Vector -> Tensor: without stages the array waits for Vector in every iteration.
  const Placed p = placed(R"(program chain target trn2
    w: sbuf bf16[128,128]
    w0: memset w value=1.0
    x: sbuf bf16[128,512]
    x0: memset x value=1.0
    o: hbm f32[4096,512] out
    repeat i 32 {
      a: psum f32[128,512]
      t: sbuf bf16[128,512]
      b: psum f32[128,512]
      u: sbuf f32[128,512]
      first: nc_matmul a <- w, x
      mid: tensor_copy t <- a
      second: nc_matmul b <- w, t
      out: tensor_copy u <- b
      st: dma_copy o[128*i+:128,:] <- u
    })");
  EXPECT_EQ(p.inst("first").ahead, 1);
  EXPECT_EQ(p.inst("second").ahead, 0);
  EXPECT_GE(p.tensor("a").slots, 2);
}

TEST(Place, SaysWithSizeLimitAndRemedyThatUnrolledCodeAndRingsAreTooLong) {
  const auto remarks = [](std::string_view count, const hw::CoreSpec& core) {
    isa::Program p = parse(fmt::format(R"(program long target trn2
      x: hbm f32[128,512] in
      repeat i {} {{
        t: sbuf f32[128,512]
        l: dma_copy t <- x
      }})",
                                       count));
    const Result<Report> r = place(p, core);
    EXPECT_TRUE(r.ok()) << r.status().str();
    std::string all;
    for (const std::string& remark : r->remarks) all += remark + "\n";
    return all;
  };
  EXPECT_EQ(remarks("100", hw::kNeuronCoreV3), "");
  const std::string v3 = remarks("10000000", hw::kNeuronCoreV3);
  EXPECT_NE(v3.find("unrolled code takes 640.0 MB of HBM, more than the "), std::string::npos)
      << v3;
  EXPECT_NE(v3.find("as a `loop` to have it charged, or raise"), std::string::npos) << v3;
  EXPECT_NE(v3.find("static DMA rings take "), std::string::npos) << v3;
  EXPECT_NE(v3.find("dge_mode=hwdge"), std::string::npos) << v3;
  EXPECT_NE(remarks("10000000", hw::kNeuronCoreV2).find("dge_mode=swdge"), std::string::npos);
}

TEST(Place, IsTheSameEveryTime) {
  EXPECT_EQ(isa::print_text(placed(kStream).program), isa::print_text(placed(kStream).program));
}

// PSUM has no room for a second slot: the tiles of the inner loop follow each other in one.
TEST(Place, RunsAheadThoughTilesOfAnInnerLoopHaveOneSlot) {
  const Placed p = placed(R"(program ahead target trn2
    x: hbm f32[1024,256] in
    y: hbm f32[1024,512] out
    full: psum f32[128,3072]
    f0: memset full value=0.0
    w: sbuf f32[128,512]
    w0: memset w value=1.0
    repeat i 8 {
      n: sbuf f32[128,256]
      a: sbuf f32[128,2,128]
      ld: dma_copy n <- x[128*i+:128,:]
      repeat k 2 {
        t: psum f32[128,128]
        tr: nc_transpose t <- n[:,128*k+:128] @ tensor
        tc: tensor_copy a[:,k,:] <- t @ vector
      }
      p: psum f32[128,512]
      repeat j 2 { mm: nc_matmul p <- a[:,j,:], w }
      o: sbuf f32[128,512]
      ev: tensor_copy o <- p @ vector
      st: dma_copy y[128*i+:128,:] <- o
    })");
  EXPECT_EQ(p.inst("tr").ahead, 1);
  EXPECT_EQ(p.inst("mm").ahead, 0);
  EXPECT_EQ(p.tensor("t").slots, 1);
}

}  // namespace
}  // namespace trainyard::place
