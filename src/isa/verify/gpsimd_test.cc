#include "isa/gpsimd_call.h"
#include "isa/text/text.h"
#include "isa/verify/refusal_test.h"

namespace trainyard::isa {
namespace {

constexpr std::string_view kPrograms = R"(program p target trn2
gpsimd work {
  window x: s64[4] of [4] at [0] read
  window y: f32[2, 2] of [4, 2] at [1, 0] write
  body(n: s32, t: i1) {
    yield
  }
}
gpsimd with_scratch {
  window x: f32[4] of [4] at [0] update
  scratch 1024
  body() {
    yield
  }
}
reg r
x: hbm u32[8]
y: hbm f32[8]
s: sbuf f32[4,2]
p: psum f32[4,2]
big: sbuf f32[4,64]
)";

Result<Program> with(const std::string& call) {
  return parse_text(std::string(kPrograms) + call, "p.tya");
}
void refused(const std::string& call, std::string_view code,
             std::initializer_list<std::string_view> words) {
  const Result<Program> program = with(call);
  ASSERT_TRUE(program.ok()) << program.status().str();
  expect_refused(*program, kNeuronCoreV3, code, words);
}

TEST(GpsimdCall, TakesTensorsOfTheRightSizeAndAnyType) {
  for (const char* call :
       {"gpsimd_call work(read x, update y, 3, 1)", "gpsimd_call work(read x, update s, r, 0)",
        "gpsimd_call work(read y.as(u16), update x.as(u8), -1, r)",
        "gpsimd_call with_scratch(update s[:,0], write big)"}) {
    const Result<Program> program = with(call);
    ASSERT_TRUE(program.ok()) << program.status().str();
    expect_ok(*program, kNeuronCoreV2);
    expect_ok(*program, kNeuronCoreV3);
    expect_ok(*program, kNeuronCoreV4);
  }
}

TEST(GpsimdCall, HasOneOperandPerWindow) {
  refused("gpsimd_call work(read x, 3, 1)", "TY-ISA-170", {"1 operands", "2 windows"});
  refused("gpsimd_call with_scratch(update s[:,0])", "TY-ISA-170", {"1 windows and scratch"});
}

TEST(GpsimdCall, SaysWhatItsWindowsDo) {
  refused("gpsimd_call work(update x, update y, 3, 1)", "TY-ISA-170",
          {"operand 0 is 'update'", "it is 'read'"});
  // A part of y is written: the rest stays.
  refused("gpsimd_call work(read x, write y, 3, 1)", "TY-ISA-170",
          {"operand 1 is 'write'", "it is 'update'"});
}

TEST(GpsimdCall, TakesWholeTensors) {
  refused("gpsimd_call work(read x[0+:4], update y, 3, 1)", "TY-ISA-171",
          {"operand 0 (x) has 16 bytes", "s64[4]", "32"});
  refused("gpsimd_call with_scratch(update s[:,0], write s)", "TY-ISA-171", {"32 bytes", "1024"});
  refused("gpsimd_call work(read x, update p, 3, 1)", "TY-ISA-121", {"psum"});
}

TEST(GpsimdCall, TakesScalarsThatFitTheirParams) {
  refused("gpsimd_call work(read x, update y, 3)", "TY-ISA-172", {"1 scalars", "takes 2"});
  refused("gpsimd_call work(read x, update y, 0x100000000, 1)", "TY-ISA-172",
          {"4294967296", "s32"});
  refused("gpsimd_call work(read x, update y, 3, 2)", "TY-ISA-172", {"i1", "to 1"});
}

TEST(GpsimdCall, CallsAProgramThatIsThere) {
  Program program = *with("c: gpsimd_call work(read x, update y, 3, 1)");
  auto& call = std::get<GpsimdCall>(program.insts[0].op);
  call.program = 2;
  expect_refused(program, kNeuronCoreV3, "TY-ISA-101", {"number 2, of 2"});
  call.program = 0;
  call.roles.pop_back();
  expect_refused(program, kNeuronCoreV3, "TY-ISA-101", {"2 operands and 1 roles"});
}

TEST(GpsimdCall, CallsAProgramThatFitsTheCore) {
  Program program = *with("");
  program.gpsimd[1].scratch_bytes = int64_t{1} << 40;
  expect_refused(program, kNeuronCoreV3, "TY-GPS-008", {"gpsimd 'with_scratch'"});
  program.gpsimd[1] = program.gpsimd[0];
  expect_refused(program, kNeuronCoreV3, "TY-ISA-170", {"two gpsimd programs are called 'work'"});
}

TEST(GpsimdCall, RunsOnGpsimdAlone) {
  refused("gpsimd_call work(read x, update y, 3, 1) on vector", "TY-ISA-120", {"vector"});
}

TEST(GpsimdText, ErrorsInsideOfAProgramSayTheirLine) {
  const Result<Program> program = parse_text(R"(program p target trn2
x: hbm u32[8]
gpsimd broken {
  window x: s64[4] of [4] at [0] read
  body() {
    a: s64 = lod a (window x)
    yield
  }
})",
                                             "p.tya");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().code(), "TY-TXT-003");
  EXPECT_EQ(program.status().place().line, 6);
  EXPECT_EQ(program.status().place().file, "p.tya");
}

TEST(GpsimdText, AProgramThatIsNotWholeIsRefused) {
  const Result<Program> open = parse_text("program p gpsimd a { window", "p.tya");
  ASSERT_FALSE(open.ok());
  EXPECT_EQ(open.status().code(), "TY-TXT-001");
  const Result<Program> untyped =
      parse_text("program p gpsimd a { body() {\nconstant 1 yield } }", "p.tya");
  ASSERT_FALSE(untyped.ok());
  EXPECT_EQ(untyped.status().code().substr(0, 6), "TY-GPS");
  EXPECT_EQ(untyped.status().place().line, 2);
  const Result<Program> twice =
      parse_text("program p gpsimd a { body() { yield } } gpsimd a { body() { yield } }", "p.tya");
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.status().code(), "TY-TXT-004");
  const Result<Program> unknown = parse_text("program p gpsimd_call a()", "p.tya");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), "TY-TXT-003");
}

}  // namespace
}  // namespace trainyard::isa
