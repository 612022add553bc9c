// What a plan finds in a body, by its remarks.
#include <gtest/gtest.h>

#include <algorithm>

#include "isa/text/text.h"
#include "sim/values.h"

namespace trainyard::sim {
namespace {

// Whether the plan of a body says `remark`. Inputs x, y and output z are declared.
bool says(const std::string& body, const std::string& remark, bool watch = false) {
  const Result<isa::Program> program = isa::parse_text(
      "program p target trn2\nx: hbm bf16[512,512] in\ny: hbm f32[512,512] in\n"
      "z: hbm f32[512,512] inout\nflat: hbm bf16[512] in\n" +
          body,
      "p.tya");
  EXPECT_TRUE(program.ok()) << program.status().str();
  const auto plan =
      ValuePlan::make(*program, hw::kNeuronCoreV3, {.watch = watch, .share_above = 0});
  EXPECT_TRUE(plan.ok()) << plan.status().str();
  const std::vector<std::string> remarks = (*plan)->remarks();
  return std::find(remarks.begin(), remarks.end(), remark) != remarks.end();
}

constexpr const char* kUse =
    "u: sbuf f32[128,64]\ntensor_copy u <- t\ndma_copy z[0+:128,0+:64] <- u\n";

TEST(HbmViews, ALoadThatIsOnlyReadIsAView) {
  const std::string load = "t: sbuf bf16[128,64]\nl: dma_copy t <- x[0+:128,0+:64]\n";
  EXPECT_TRUE(says(load + kUse, "l: view of x"));
  EXPECT_FALSE(says(load + kUse, "l: view of x", true)) << "watch needs tiles of its own";
}

TEST(HbmViews, PiecesThatCoverTheTileAreAView) {
  const std::string use =
      "u: sbuf f32[128,128]\ntensor_copy u <- t[:,1+:2,:]\ndma_copy z[0+:128,0+:128] <- u\n";
  EXPECT_TRUE(
      says("t: sbuf bf16[128,4,64]\n"
           "repeat k 4 { l: dma_copy t[:,k,:] <- x[128*k+:128,64+:64] }\n" +
               use,
           "l: view of x"));
  EXPECT_FALSE(
      says("t: sbuf bf16[128,4,64]\n"
           "repeat k 3 { l: dma_copy t[:,k,:] <- x[128*k+:128,64+:64] }\n" +
               use,
           "l: view of x"))
      << "a part of the tile is not loaded";
}

TEST(HbmViews, ACastOrASecondWriteOrATransposeIsNoView) {
  EXPECT_FALSE(says(std::string("t: sbuf f32[128,64]\nl: dma_copy t <- x[0+:128,0+:64]\n") + kUse,
                    "l: view of x"));
  EXPECT_FALSE(says(std::string("t: sbuf bf16[128,64]\nl: dma_copy t <- x[0+:128,0+:64]\n"
                                "memset t[:,0+:1] value=0.0\n") +
                        kUse,
                    "l: view of x"));
  EXPECT_FALSE(says(std::string("t: sbuf bf16[128,64]\n"
                                "l: dma_copy t <- x.ap(offset=0, dims=[[1,128],[512,64]])\n") +
                        kUse,
                    "l: view of x"));
}

TEST(HbmViews, ARegionThatIsWrittenWhileTheTileLivesIsNoView) {
  EXPECT_FALSE(
      says("repeat i 2 {\nt: sbuf f32[128,64]\nl: dma_copy t <- z[128*i+:128,0+:64]\n"
           "dma_copy z[256+:128,0+:64] <- t\n}",
           "l: view of z"));
  EXPECT_TRUE(
      says("repeat i 2 {\nt: sbuf f32[128,64]\nl: dma_copy t <- y[128*i+:128,0+:64]\n"
           "dma_copy z[256+:128,0+:64] <- t\n}",
           "l: view of y"));
}

TEST(HbmViews, ATileOutsideTheLoopThatIsFilledInEachIterationIsAView) {
  EXPECT_TRUE(
      says("t: sbuf f32[128,64]\nrepeat i 2 {\nl: dma_copy t <- y[128*i+:128,0+:64]\n"
           "dma_copy z[128*i+:128,0+:64] <- t\n}",
           "l: view of y"));
  EXPECT_FALSE(
      says("t: sbuf f32[128,64]\nrepeat i 2 {\nl: dma_copy t <- y[128*i+:128,0+:64]\n}"
           "dma_copy z[0+:128,0+:64] <- t\n",
           "l: view of y"))
      << "the last iteration's contents are read after the loop";
}

TEST(Independence, RowsThatDifferByIterationAreIndependent) {
  EXPECT_TRUE(
      says("repeat i 4 {\nt: sbuf f32[128,64]\ndma_copy t <- y[128*i+:128,0+:64]\n"
           "dma_copy z[128*i+:128,0+:64] <- t\n}",
           "i: iterations are independent"));
  EXPECT_FALSE(
      says("repeat i 4 {\nt: sbuf f32[128,64]\ndma_copy t <- y[128*i+:128,0+:64]\n"
           "dma_copy z[64*i+:128,0+:64] <- t\n}",
           "i: iterations are independent"))
      << "neighbouring iterations overlap by half";
}

TEST(Independence, ColumnsOfTheSameRowsAreTold) {
  EXPECT_TRUE(
      says("repeat i 4 {\nt: sbuf f32[128,64]\ndma_copy t <- y[0+:128,64*i+:64]\n"
           "dma_copy z[0+:128,64*i+:64] <- t\n}",
           "i: iterations are independent"));
}

TEST(Independence, AReadOfWhatAnotherIterationWritesIsADependence) {
  EXPECT_FALSE(
      says("repeat i 3 {\nt: sbuf f32[128,64]\ndma_copy t <- z[128*i+:128,0+:64]\n"
           "dma_copy z[128*i+128+:128,0+:64] <- t\n}",
           "i: iterations are independent"));
  EXPECT_TRUE(
      says("repeat i 3 {\nt: sbuf f32[128,64]\ndma_copy t <- z[128*i+:128,0+:64]\n"
           "dma_copy z[128*i+:128,64+:64] <- t\n}",
           "i: iterations are independent"));
}

TEST(Independence, ACarriedTileIsADependenceAndAnOverwrittenOneIsNot) {
  EXPECT_FALSE(
      says("t: sbuf f32[128,64]\nmemset t value=1.0\n"
           "repeat i 3 {\ntensor_tensor t <- t, t op=add\n}\ndma_copy z[0+:128,0+:64] <- t",
           "i: iterations are independent"));
  EXPECT_TRUE(
      says("t: sbuf f32[128,64]\n"
           "repeat i 3 {\ndma_copy t <- y[128*i+:128,0+:64]\ntensor_tensor t <- t, t op=add\n"
           "dma_copy z[128*i+:128,0+:64] <- t\n}",
           "i: iterations are independent"));
}

TEST(Independence, ASumInTheReduceRegistersIsCarried) {
  const auto body = [](const char* command) {
    return "t: sbuf f32[128,64]\nmemset t value=1.0\nrepeat i 3 {\nu: sbuf f32[128,64]\n"
           "activation u <- t op=copy reduce_cmd=" +
           std::string(command) + "\ndma_copy z[128*i+:128,0+:64] <- u\n}";
  };
  EXPECT_TRUE(says(body("reset_reduce"), "i: iterations are independent"));
  EXPECT_FALSE(says(body("reduce"), "i: iterations are independent"));
}

TEST(Independence, RunTimeControlStaysInOrder) {
  EXPECT_FALSE(
      says("reg r\nrepeat i 3 {\nregister_move r <- 1\nt: sbuf f32[128,64]\n"
           "memset t value=1.0\ndma_copy z[128*i+:128,0+:64] <- t\n}",
           "i: iterations are independent"));
}

constexpr const char* kOperands =
    "a: sbuf bf16[128,4,128]\nb: sbuf bf16[128,4,256]\n"
    "repeat ka 4 { dma_copy a[:,ka,:] <- x[128*ka+:128,0+:128] }\n"
    "repeat kb 4 { dma_copy b[:,kb,:] <- x[128*kb+:128,256+:256] }\n";

TEST(Products, ARepeatOfMatmulsIntoOneTileIsOneProduct) {
  EXPECT_TRUE(says(std::string(kOperands) +
                       "p: psum f32[128,256]\nrepeat k 4 { mm: nc_matmul p <- a[:,k,:], b[:,k,:] }",
                   "mm: one product over k"));
  EXPECT_FALSE(says(std::string(kOperands) +
                        "p: psum f32[128,2,128]\n"
                        "repeat k 2 { mm: nc_matmul p[:,k,:] <- a[:,k,:], b[:,k,0+:128] }",
                    "mm: one product over k"))
      << "each k has a tile of its own";
}

TEST(Products, IterationsThatBeginWithAProductAreABatch) {
  EXPECT_TRUE(says(std::string(kOperands) +
                       "repeat m 4 {\np: psum f32[32,256]\nc: sbuf f32[32,256]\n"
                       "repeat k 4 { mm: nc_matmul p <- a[:,k,32*m+:32], b[:,k,:] }\n"
                       "tensor_copy c <- p\ndma_copy z[32*m+:32,0+:256] <- c\n}",
                   "m: products of several iterations at once"));
}

}  // namespace
}  // namespace trainyard::sim
