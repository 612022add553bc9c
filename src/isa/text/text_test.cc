#include "isa/text/text.h"

#include <gtest/gtest.h>

namespace trainyard::isa {
namespace {

constexpr std::string_view kMatmul = R"(
program matmul_4096 target trn2
lhsT: hbm bf16[4096,4096] in   rhs: hbm bf16[4096,4096] in   out: hbm bf16[4096,4096] out
repeat mb 4 {
  a: sbuf bf16[128,32,1024]                                        @ 0x0 slots 2
  repeat ka 32 {
    lda: dma_copy a[:,ka,:] <- lhsT[128*ka+:128, 1024*mb+:1024]    @ q0 by sync, after mm{mb-2}
  }
  repeat nb 8 {
    b: sbuf bf16[128,32,512]                                       @ 0x20000 slots 2
    repeat kb 32 {
      ldb: dma_copy b[:,kb,:] <- rhs[128*kb+:128, 512*nb+:512]     @ q1 by sync, after mm{nb-2}
    }
    repeat m 8 {
      p: psum f32[128,512]                                         @ bank 0 slots 8
      c: sbuf bf16[128,512]                                        @ 0x30000 slots 2
      repeat k 32 {
        mm: nc_matmul p <- a[:,k,128*m+:128], b[:,k,:] first_write @ tensor, after lda(k), ldb(k), ev{m-8}
      }
      ev: tensor_copy c <- p                                       @ vector, after mm, st{m-2}
      st: dma_copy out[1024*mb+128*m+:128, 512*nb+:512] <- c       @ q2 by scalar, after ev
} } }
)";

TEST(Text, TheMatmulOfTheSpecificationRoundTrips) {
  const Result<Program> program = parse_text(kMatmul, "matmul.tya");
  ASSERT_TRUE(program.ok()) << program.status().str();
  const std::string printed = print_text(*program);
  const Result<Program> again = parse_text(printed, "printed.tya");
  ASSERT_TRUE(again.ok()) << again.status().str() << "\n" << printed;
  EXPECT_TRUE(same_program(*program, *again)) << printed;
  EXPECT_EQ(print_text(*again), printed);
}

}  // namespace
}  // namespace trainyard::isa
