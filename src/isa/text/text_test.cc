// Round trips of the text form: what is read is what was written.
#include "isa/text/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "isa/builder.h"
#include "isa/operands.h"
#include "isa/testing/random.h"
#include "isa/testing/random_program.h"
#include "isa/text/names.h"
#include "isa/text/statements.h"

namespace trainyard::isa {
namespace {

Program parsed(std::string_view text) {
  Result<Program> program = parse_text(text, "test.tya");
  EXPECT_TRUE(program.ok()) << program.status().str() << "\n" << text;
  return program.ok() ? std::move(*program) : Program{};
}

// The program as it comes back from its text; expects that nothing changed.
Program round_trip(const Program& program) {
  const std::string printed = print_text(program);
  Program again = parsed(printed);
  EXPECT_TRUE(same_program(program, again)) << printed;
  EXPECT_EQ(print_text(again), printed);
  return again;
}

Program with_tile(std::string_view statement) {
  return parsed(
      fmt::format("program p reg r x: sbuf f32[128,64] h: hbm bf16[8,256,64] {}", statement));
}

std::string printed_statement(std::string_view statement) {
  const std::string text = print_text(with_tile(statement));
  const size_t last = text.rfind('\n', text.size() - 2);
  return text.substr(last + 1, text.size() - last - 2);
}

TEST(TextRoundTrip, RandomProgramsComeBackUnchanged) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    round_trip(testing::random_program(
        seed, {.statements = 60, .depth = 4, .several_cores = true, .placement = true}));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(TextRoundTrip, RandomProgramsUseEveryInstruction) {
  std::set<std::string_view> used;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Program p = testing::random_program(seed, {.several_cores = true});
    for (const Inst& inst : p.insts) used.insert(name(inst.op));
  }
  EXPECT_EQ(used.size(), std::variant_size_v<Instruction>);
}

TEST(TextRoundTrip, AnyNameCanBeKept) {
  const std::vector<std::string> names = {"vector",   "q0",  "repeat", "inf", "nan",
                                          "after",    "a b", "\"",     "\\",  "\n\t\x7f",
                                          "\xc3\xa9", "0x1", "-",      "."};
  testing::Random random(1);
  Program p = testing::random_program(7, {.placement = true});
  const auto rename = [&](std::string& name) { name += random.pick_from(names); };
  for (Tensor& t : p.tensors) rename(t.name);
  for (Inst& i : p.insts) rename(i.label);
  for (Loop& l : p.loops) rename(l.name);
  for (Branch& b : p.branches) rename(b.name);
  for (std::string& r : p.registers) rename(r);
  for (std::string& s : p.semaphores) rename(s);
  for (gpsimd::Program& g : p.gpsimd) rename(g.name);
  for (size_t i = 0; i < names.size(); ++i) p.insts[i].label = names[i];
  for (size_t i = 0; i < p.tensors.size() && i < names.size(); ++i) p.tensors[i].name = names[i];
  p.name = "\"a name\"";
  p.target = "a target";
  round_trip(p);
}

TEST(TextRoundTrip, FloatsKeepTheirBits) {
  testing::Random random(2);
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               0.1f,
                               16777216.0f,
                               1e10f,
                               std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN()};
  for (int i = 0; i < 2000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(random.bits())));
  }
  ProgramBuilder b("floats");
  const TensorId t = b.sbuf("t", Dtype::F32, {128, 8});
  for (const float v : values) {
    b.emit(Memset{.dst = b.all(t), .value = v});
    b.emit(Activation{
        .dst = b.all(t), .data = b.all(t), .scale = v, .bias = Operand(v), .relu_param = v});
  }
  const Program again = round_trip(b.finish());
  for (size_t i = 0; i < values.size(); ++i) {
    const float v = std::get<float>(std::get<Memset>(again.insts[2 * i].op).value);
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(v));
    } else {
      EXPECT_EQ(std::bit_cast<uint32_t>(v), std::bit_cast<uint32_t>(values[i]));
    }
  }
}

TEST(TextRoundTrip, AFloatNeverComesBackAsAnInteger) {
  const Program p = with_tile("memset x value=3  memset x value=3.0  memset x value=-3");
  EXPECT_TRUE(std::holds_alternative<int64_t>(std::get<Memset>(p.insts[0].op).value));
  EXPECT_TRUE(std::holds_alternative<float>(std::get<Memset>(p.insts[1].op).value));
  EXPECT_EQ(std::get<Memset>(p.insts[2].op).value, Operand(int64_t{-3}));
  round_trip(p);
}

TEST(TextRoundTrip, NumberingDoesNotMatter) {
  // The same body, declared in another order: ids differ, the text does not.
  Program p = parsed(
      "program p x: sbuf f32[128,4] repeat i 4 { repeat j 2 { a: memset x[:, i+j] value=0.0 "
      "b: memset x[:, 2*j+i] value=1.0 @ vector, after a } }");
  Program q = p;
  std::swap(q.insts[0], q.insts[1]);
  std::swap(q.placement.insts[0], q.placement.insts[1]);
  q.placement.insts[0].after[0].producer = 1;
  for (Statement& s : q.loops[1].body) s.id = 1 - s.id;
  std::swap(q.loops[0], q.loops[1]);
  q.body[1].id = 1;
  q.loops[1].body[0].id = 0;
  for (Inst& inst : q.insts) {
    each_access(inst.op, [](std::string_view, Access& a, Role) {
      Affine swapped(a.offset.constant);
      for (const Term& t : a.offset.terms)
        swapped += Affine::counter(1 - t.variable.id, t.coefficient);
      a.offset = swapped;
    });
  }
  EXPECT_TRUE(same_program(p, q));
  EXPECT_EQ(print_text(p), print_text(q));
}

TEST(TextPrint, WithoutPlacementTheBodyStandsAlone) {
  const Program p = testing::random_program(3, {.placement = true});
  const std::string body = print_text(p, {.placement = false});
  EXPECT_EQ(body.find('@'), std::string::npos);
  Program bare = p;
  bare.placement = {};
  bare.semaphores.clear();
  EXPECT_TRUE(same_program(parsed(body), bare));
}

TEST(TextPrint, AnAccessIsPrintedAsTheSubscriptThatAPersonWouldWrite) {
  for (const std::string_view s :
       {"a: memset x value=0.0", "a: memset x[0+:32, :] value=0.0", "a: memset x[5, 0] value=0.0",
        "a: memset x[r, 1+:8] value=0.0", "a: memset x[:, 1+:8:4] value=0.0",
        "a: memset x[:, 0+:8:0] value=0.0", "a: memset x[:, 63+:8:-2] value=0.0",
        "a: memset x[:, r-1] value=0.0", "a: memset x.as(u8)[:, 255] value=1",
        "a: memset x.as(bf16) value=1.0", "a: dma_copy h[3, r+:128, 5+:2] <- h[0, 0+:128, 0+:2]",
        "a: dma_copy h[:, 128, :] <- h[:, 0, 0+:64:0]",
        "a: dma_copy h[0+:4:2, :, 1] <- h[0+:4, 3+:64:4, 63-r]"}) {
    EXPECT_EQ(printed_statement(s), s);
  }
}

TEST(TextPrint, AnAccessThatIsNoSubscriptIsPrintedAsAPattern) {
  for (const std::string_view s :
       {"a: memset x.ap(dims=[[1,8],[8,8]]) value=0.0",
        "a: memset x.ap(partition=32, partitions=16, offset=3, dims=[[0,4],[3,2],[-1,2]]) "
        "value=0.0",
        "a: memset x.as(u16).ap(offset=r+1, dims=[[1,4],[1,4]]) value=1",
        "a: dma_copy h.ap(dims=[[1,256],[64,64]]) <- h.ap(dims=[[0,2],[1,8192]])"}) {
    EXPECT_EQ(printed_statement(s), s);
  }
}

TEST(TextPrint, PatternsInDisguiseBecomeSubscripts) {
  EXPECT_EQ(printed_statement("a: memset x.ap(offset=8, dims=[[1,4]]) value=0.0"),
            "a: memset x[:, 8+:4] value=0.0");
  EXPECT_EQ(printed_statement("a: memset x[0+:128, 0+:64] value=0.0"), "a: memset x value=0.0");
}

TEST(TextParse, AttributesTakeTheDefaultOfTheTextNotOfTheStruct) {
  const Program p = with_tile("tensor_tensor x <- x, x");
  EXPECT_EQ(std::get<TensorTensor>(p.insts[0].op).op, AluOp::Bypass);
}

TEST(TextParse, LayoutDoesNotMatter) {
  const Program a =
      parsed("program p x:sbuf f32[128,4]repeat i 4{a:memset x[:,i]value=0.0@vector,after a{i-1}}");
  const Program b = parsed(
      "# comment\nprogram p\r\n\tx : sbuf f32 [ 128 , 4 ] # another\nrepeat\ni\n4\n{\na\n:\nmemset "
      "x [ : , i ]\n"
      "value = 0.0\n@ vector , after a { i - 1 } }");
  EXPECT_TRUE(same_program(a, b));
}

TEST(TextParse, UnlabelledInstructionsGetFreeLabels) {
  const Program p =
      parsed("program p nop nop_1: nop nop core_barrier nop @ vector, after nop_0, nop_3");
  std::vector<std::string> labels;
  for (const Inst& i : p.insts) labels.push_back(i.label);
  EXPECT_EQ(labels,
            (std::vector<std::string>{"nop_0", "nop_1", "nop_2", "core_barrier_0", "nop_3"}));
  EXPECT_EQ(p.placement.insts[4].after[1].producer, 4);
}

TEST(TextParse, StatementsRememberTheirLine) {
  const Program p = parsed("program p\n  x: sbuf f32[128,4]\n\n a: memset x value=0.0");
  EXPECT_EQ(place_of(p, p.tensors[0].source).str(), "test.tya:2:3");
  EXPECT_EQ(place_of(p, p.insts[0].source).str(), "test.tya:4:2");
  EXPECT_EQ(place_of(p, SourceRef{.file = 9}).str(), "p");
}

TEST(TextParse, OneBankOfPsumIs2048Bytes) {
  const Program p = parsed("program p x: psum f32[128,4] @ bank 3 + 64");
  EXPECT_EQ(p.placement.tensors[0].address, 3 * 2048 + 64);
}

TEST(TextParse, ALongTextIsReadQuickly) {
  std::string text = "program p\n";
  for (int i = 0; i < 50'000; ++i) text += "nop @ vector, after nop_0\n";
  EXPECT_EQ(parsed(text).insts.size(), 50'000u);
}

TEST(TextParse, AVeryLongTextIsRefusedBeforeItIsRead) {
  const std::string text((size_t{256} << 20) + 1, ' ');
  EXPECT_EQ(parse_text(text, "long.tya").status().code(), "TY-TXT-011");
}

// A bare word after an instruction is a flag of it or begins the next statement, never both.
struct FlagCollector : IgnoreFields {
  std::vector<std::string> flags;
  template <class E, class D>
  void word(std::string_view, E&, const D&) {
    for (const std::string_view w : EnumNames<E>::value) flags.emplace_back(w);
  }
  template <class T, class D>
  void attribute(std::string_view n, T&, const D&) {
    if (std::is_same_v<T, bool>) flags.emplace_back(n);
  }
};

TEST(TextGrammar, NoFlagLooksLikeTheBeginningOfAStatement) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Program p = testing::random_program(seed, {.several_cores = true});
    for (Inst& inst : p.insts) {
      FlagCollector c;
      std::visit([&](auto& i) { i.fields(i, c); }, inst.op);
      for (const std::string& flag : c.flags) {
        EXPECT_FALSE(text::is_instruction_name(flag)) << flag;
        EXPECT_FALSE(text::is_reserved(text::NameKind::Tensor, flag)) << flag;
        EXPECT_NE(flag, "on");
      }
    }
  }
}

}  // namespace
}  // namespace trainyard::isa
