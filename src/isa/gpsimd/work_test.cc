#include "isa/gpsimd/work.h"

#include <gtest/gtest.h>

#include "isa/text/text.h"

namespace trainyard::isa::gpsimd {
namespace {

CallWork work_of(const std::string& windows, const std::string& body) {
  const Result<isa::Program> program = parse_text("program p target trn2\ngpsimd g {\n" + windows +
                                                      "  body() {\n" + body + "    yield\n  }\n}\n",
                                                  "p.tya");
  EXPECT_TRUE(program.ok()) << program.status().str();
  return program.ok() ? call_work(program->gpsimd[0]) : CallWork{};
}

TEST(CallWork, FloatArithmeticCountsOncePerElementAndMovingItDoesNot) {
  const CallWork w = work_of(
      "  window w0: f32[64] of [64] at [0] read\n  window w1: f32[64] of [64] at [0] write\n",
      "    v0: s64 = constant 0\n    v1: f32[64] = load v0 (window w0)\n"
      "    v2: f32[64] = mul v1, v1\n    v3: f32[64] = exp v2\n"
      "    store v0, v3 (window w1)\n");
  EXPECT_EQ(w, (CallWork{.contraction = 0, .floats = 128}));
}

TEST(CallWork, IntegersAreNoFloatWork) {
  const CallWork w = work_of(
      "  window w0: s32[64] of [64] at [0] read\n  window w1: s32[64] of [64] at [0] write\n",
      "    v0: s64 = constant 0\n    v1: s32[64] = load v0 (window w0)\n"
      "    v2: s32[64] = add v1, v1\n    store v0, v2 (window w1)\n");
  EXPECT_EQ(w, CallWork{});
}

}  // namespace
}  // namespace trainyard::isa::gpsimd
