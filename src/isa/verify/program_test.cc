// Whole programs: the matmul of docs/program.md passes, and no damage to it stops the verifier.
#include <gtest/gtest.h>

#include <limits>

#include "isa/operands.h"
#include "isa/text/text.h"
#include "isa/verify/refusal_test.h"

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

Program matmul() {
  Result<Program> program = parse_text(kMatmul, "matmul.tya");
  EXPECT_TRUE(program.ok()) << program.status().str();
  return *program;
}

TEST(VerifyProgram, TheMatmulOfTheManualRunsWhereItsTilesFit) {
  expect_ok(matmul(), kNeuronCoreV3);
  expect_ok(matmul(), kNeuronCoreV4);
  // 208 KiB of SBUF are more than v2 has.
  expect_refused(matmul(), kNeuronCoreV2, "TY-ISA-160", {"180216"});
}

// Changes one number of a program to something that nobody wrote.
class Damage {
 public:
  explicit Damage(uint64_t seed) : state_(seed * 2 + 1) {}

  void apply(Program& p) {
    Tensor& tensor = p.tensors[below(p.tensors.size())];
    Loop& loop = p.loops[below(p.loops.size())];
    switch (below(11)) {
      case 0:
        return statement(p.body[below(p.body.size())]);
      case 1:
        return statement(loop.body[below(loop.body.size())]);
      case 2:
        return affine(loop.count);
      case 3:
        loop.kind = static_cast<Loop::Kind>(below(3));
        return;
      case 4:
        for (int64_t& n : tensor.shape) n = below(2) == 0 ? number() : n;
        return;
      case 5:
        tensor.view = Tensor::View{static_cast<TensorId>(number()), number()};
        return;
      case 6:
        tensor.memory = static_cast<Memory>(below(3));
        return;
      case 7:
        return place(p.placement.tensors[below(p.placement.tensors.size())]);
      case 8:
        return place(p.placement.insts[below(p.placement.insts.size())]);
      case 9:
        tensor.shape.clear();
        return;
      default:
        return instruction(p.insts[below(p.insts.size())].op);
    }
  }

 private:
  uint64_t next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return state_ >> 33;
  }
  size_t below(size_t n) { return next() % n; }
  int64_t number() {
    constexpr int64_t kEnds[] = {0,
                                 1,
                                 -1,
                                 2,
                                 7,
                                 129,
                                 65'536,
                                 int64_t{1} << 31,
                                 int64_t{1} << 47,
                                 std::numeric_limits<int64_t>::max(),
                                 std::numeric_limits<int64_t>::min()};
    return kEnds[below(std::size(kEnds))];
  }
  void affine(Affine& a) {
    a.constant = number();
    if (below(2) == 0) return;
    const auto kind = static_cast<Variable::Kind>(below(2));
    a.terms = {{{kind, static_cast<int32_t>(below(12)) - 1}, number()}};
  }
  void statement(Statement& s) {
    s.kind = static_cast<Statement::Kind>(below(5));
    s.id = static_cast<int32_t>(below(8)) - 1;
  }
  void place(TensorPlace& t) {
    t.address = number();
    t.partition = below(2) == 0 ? number() : 0;
    t.slots = static_cast<int>(number());
    t.pitch = number();
  }
  void place(InstPlace& i) {
    i.queue = static_cast<int>(number());
    i.ahead = number();
    i.ahead_loop = static_cast<LoopId>(below(9)) - 1;
    i.after.push_back(
        {static_cast<InstId>(below(8)) - 1, {}, static_cast<LoopId>(below(9)) - 1, number()});
    if (below(2) == 0) affine(i.after.back().at.emplace_back());
    i.waits.push_back({static_cast<SemaphoreId>(below(3)) - 1, Affine(number())});
  }
  void instruction(Instruction& op) {
    each_access(op, [&](std::string_view, Access& a, Role) {
      if (below(2) == 0) return;
      switch (below(6)) {
        case 0:
          a.tensor = static_cast<TensorId>(number());
          return;
        case 1:
          return affine(a.offset);
        case 2:
          return affine(a.partition);
        case 3:
          a.partitions = number();
          return;
        case 4:
          a.dims.push_back({number(), number()});
          return;
        default:
          a.dtype = static_cast<Dtype>(below(14));
          return;
      }
    });
  }

  uint64_t state_;
};

TEST(VerifyProgram, DamageIsRefusedOrHarmlessButNeverFatal) {
  const Program whole = matmul();
  int refused = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    Program p = whole;
    Damage damage(seed);
    for (uint64_t n = 0; n <= seed % 3; ++n) damage.apply(p);
    for (const Status& s : verify_all(p, kNeuronCoreV3)) {
      EXPECT_TRUE(s.code().starts_with("TY-")) << seed;
      EXPECT_FALSE(s.message().empty()) << seed;
    }
    refused += verify(p, kNeuronCoreV3).ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 3000);
}

}  // namespace
}  // namespace trainyard::isa
