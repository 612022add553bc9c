// Refusals of bodies: damaged programs, scopes, tensors, loops.
#include "isa/verify/refusal_test.h"

namespace trainyard::isa {
namespace {

SmallBody one_copy() {
  SmallBody b;
  b.add(TensorCopy{b.sbuf(Dtype::F32, {128, 8}), b.sbuf(Dtype::F32, {128, 8})});
  return b;
}

TEST(VerifyStructure, IdsThatNameNothingAreDamage) {
  const auto damaged = [](auto change, std::string_view words) {
    SmallBody b = one_copy();
    change(b.program);
    expect_refused(b.program, kNeuronCoreV3, "TY-ISA-101", {"damaged", words});
  };
  damaged([](Program& p) { p.body.push_back({Statement::Kind::Loop, 7}); }, "loop number 7, of 0");
  damaged([](Program& p) { p.body.push_back({Statement::Kind::Instruction, -1}); }, "number -1");
  damaged([](Program& p) { p.body.push_back(p.body.back()); }, "stands twice");
  damaged([](Program& p) { std::get<TensorCopy>(p.insts[0].op).src.tensor = 99; },
          "tensor number 99");
  damaged([](Program& p) { std::get<TensorCopy>(p.insts[0].op).src.offset = Affine::counter(3); },
          "counter number 3");
  damaged([](Program& p) { std::get<TensorCopy>(p.insts[0].op).src.offset = Affine::reg(3); },
          "register number 3");
  damaged([](Program& p) { p.insts[0].label.clear(); }, "empty");
  damaged([](Program& p) { p.tensors[0].view = Tensor::View{42, 0}; }, "view of tensor number 42");
  damaged([](Program& p) { p.tensors[0].view = Tensor::View{0, 0}; }, "view of itself");
  damaged([](Program& p) { p.placement.insts.resize(5); }, "placement");
  damaged([](Program& p) { p.insts[0].op = RegisterMove{{9}, int64_t{1}}; }, "register number 9");
}

TEST(VerifyStructure, LabelsAreUnique) {
  SmallBody b = one_copy();
  b.add(Nop{});
  b.program.insts[1].label = b.program.insts[0].label;
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-101", {"label 'i0'", "taken"});
}

TEST(VerifyStructure, NestingHasALimit) {
  SmallBody b;
  for (int i = 0; i < 300; ++i) b.repeat(1);
  b.add(Nop{});
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-101", {"256 deep"});
}

TEST(VerifyStructure, ATensorLivesInItsBlock) {
  SmallBody b;
  b.repeat(4);
  const Access inside = b.sbuf(Dtype::F32, {128, 8});
  b.end();
  b.add(TensorCopy{b.sbuf(Dtype::F32, {128, 8}), inside});
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-102", {"src", "t0", "move the declaration"});
}

TEST(VerifyStructure, ATensorIsDeclaredBeforeItIsUsed) {
  SmallBody b = one_copy();
  std::swap(b.program.body.front(), b.program.body.back());
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-102", {"t0"});
}

TEST(VerifyStructure, ACounterLivesInItsRepeat) {
  SmallBody b;
  const Affine i = b.repeat(4);
  b.end();
  TensorCopy copy{b.sbuf(Dtype::F32, {128, 8}), b.sbuf(Dtype::F32, {128, 64})};
  copy.src.dims = {{1, 8}};
  copy.src.offset = i * 8;
  b.add(copy);
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-102", {"counter i0", "outside its repeat"});
}

TEST(VerifyStructure, ARepeatCountsInCounters) {
  SmallBody b;
  b.repeat(Affine::reg(b.reg()));
  b.add(Nop{});
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-103", {"register", "use 'loop'"});
  SmallBody huge;
  huge.repeat(int64_t{1} << 41);
  huge.add(Nop{});
  expect_refused(huge.program, kNeuronCoreV3, "TY-ISA-103", {"2199023255552"});
}

TEST(VerifyStructure, AddressesWhoseTermsOverflowAreRefused) {
  SmallBody b;
  const Access x = b.hbm(Dtype::F32, {1024, 8});
  const Affine i = b.repeat(int64_t{1} << 39);
  DmaCopy ld{.dst = b.sbuf(Dtype::F32, {128, 8}), .src = x};
  ld.src.dims[0].count = 128;
  ld.src.offset = i * (int64_t{1} << 40);
  b.add(ld);
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-103", {"54 bits"});
}

Program loop_of(Loop::Kind kind, int exits, int64_t step = 1, Trips trips = {}) {
  SmallBody b;
  const RegisterId counter = b.reg(), condition = b.reg();
  b.program.loops.push_back({.kind = kind, .name = "l", .counter = counter});
  b.program.loops[0].to = int64_t{10};
  b.program.loops[0].step = step;
  b.program.loops[0].trips = trips;
  b.program.body.push_back({Statement::Kind::Loop, 0});
  b.open.push_back(0);
  b.add(Nop{});
  for (int i = 0; i < exits; ++i) b.block().push_back({Statement::Kind::ExitUnless, condition});
  return b.program;
}

TEST(VerifyStructure, ALoopWithoutBoundsHasOneExit) {
  expect_ok(loop_of(Loop::Kind::While, 1), kNeuronCoreV3);
  expect_refused(loop_of(Loop::Kind::While, 0), kNeuronCoreV3, "TY-ISA-104", {"0 exit_unless"});
  expect_refused(loop_of(Loop::Kind::While, 2), kNeuronCoreV3, "TY-ISA-104", {"2 exit_unless"});
  expect_refused(loop_of(Loop::Kind::Counted, 1), kNeuronCoreV3, "TY-ISA-104", {"use 'if'"});
}

TEST(VerifyStructure, ACountedLoopHasAPositiveStepAndSaneTrips) {
  expect_ok(loop_of(Loop::Kind::Counted, 0), kNeuronCoreV3);
  expect_refused(loop_of(Loop::Kind::Counted, 0, 0), kNeuronCoreV3, "TY-ISA-104", {"step is 0"});
  expect_refused(loop_of(Loop::Kind::Counted, 0, 1, {.min = 5, .expected = 3}), kNeuronCoreV3,
                 "TY-ISA-104", {"min <= expected"});
}

TEST(VerifyStructure, TheCounterOfALoopIsNotWrittenInsideIt) {
  Program p = loop_of(Loop::Kind::Counted, 0);
  p.insts[0].op = RegisterMove{{0}, int64_t{3}};
  expect_refused(p, kNeuronCoreV3, "TY-ISA-105", {"counter of loop l", "another register"});
}

TEST(VerifyStructure, ASequencerHas64Registers) {
  SmallBody b = one_copy();
  for (int i = 0; i < 64; ++i) b.reg();
  expect_ok(b.program, kNeuronCoreV3);
  b.reg();
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-105", {"65 registers", "64"});
}

Program tensor_of(Memory memory, Dtype dtype, std::vector<int64_t> shape, Io io = Io::None) {
  SmallBody b;
  b.declare(memory, dtype, std::move(shape), io);
  return b.program;
}

TEST(VerifyTensors, OnChipTensorsHavePartitionsAndAFreeAxis) {
  expect_refused(tensor_of(Memory::Sbuf, Dtype::F32, {128}), kNeuronCoreV3, "TY-ISA-110",
                 {"1 axes", "[128,1]"});
  expect_refused(tensor_of(Memory::Psum, Dtype::F32, {}), kNeuronCoreV3, "TY-ISA-110", {"0 axes"});
  expect_ok(tensor_of(Memory::Hbm, Dtype::F32, {}), kNeuronCoreV3);  // a scalar
  expect_refused(tensor_of(Memory::Hbm, Dtype::F32, {4, 0}), kNeuronCoreV3, "TY-ISA-110",
                 {"[4,0]", "empty"});
  expect_refused(tensor_of(Memory::Hbm, Dtype::F32, {int64_t{1} << 40, int64_t{1} << 40}),
                 kNeuronCoreV3, "TY-ISA-110", {"too large"});
}

TEST(VerifyTensors, MemoriesHaveTheSizesOfTheirGeneration) {
  struct Case {
    const hw::CoreSpec* core;
    int64_t bytes;
  };
  for (const Case& c : {Case{&kNeuronCoreV2, 180'216}, Case{&kNeuronCoreV3, 212'984},
                        Case{&kNeuronCoreV4, 245'752}}) {
    expect_ok(tensor_of(Memory::Sbuf, Dtype::U8, {128, c.bytes}), *c.core);
    expect_refused(tensor_of(Memory::Sbuf, Dtype::U8, {128, c.bytes + 1}), *c.core, "TY-ISA-111",
                   {std::to_string(c.bytes), "smaller tiles"});
    expect_ok(tensor_of(Memory::Psum, Dtype::F32, {128, 4096}), *c.core);
    expect_refused(tensor_of(Memory::Psum, Dtype::F32, {128, 4097}), *c.core, "TY-ISA-111",
                   {"16384"});
    expect_refused(tensor_of(Memory::Sbuf, Dtype::F32, {129, 1}), *c.core, "TY-ISA-111",
                   {"129 partitions", "128", "free axis"});
  }
}

TEST(VerifyTensors, OnlyHbmTensorsAreBound) {
  expect_ok(tensor_of(Memory::Hbm, Dtype::F32, {8}, Io::In), kNeuronCoreV3);
  expect_refused(tensor_of(Memory::Sbuf, Dtype::F32, {128, 8}, Io::In), kNeuronCoreV3, "TY-ISA-112",
                 {"hbm"});
}

TEST(VerifyTensors, AViewLiesInsideItsBase) {
  const auto make = [](Memory memory, std::vector<int64_t> shape, int64_t offset) {
    SmallBody b;
    b.declare(Memory::Sbuf, Dtype::F32, {64, 512});
    const TensorId v = b.declare(memory, Dtype::BF16, std::move(shape));
    b.program.tensors[v].view = Tensor::View{0, offset};
    return b.program;
  };
  expect_ok(make(Memory::Sbuf, {64, 512}, 1024), kNeuronCoreV3);
  expect_refused(make(Memory::Sbuf, {64, 512}, 1026), kNeuronCoreV3, "TY-ISA-113",
                 {"1026 to 2049", "2048"});
  expect_refused(make(Memory::Sbuf, {64, 8}, -2), kNeuronCoreV3, "TY-ISA-113", {"-2"});
  expect_refused(make(Memory::Sbuf, {64, 8}, 3), kNeuronCoreV3, "TY-ISA-113",
                 {"multiple of its 2"});
  expect_refused(make(Memory::Sbuf, {128, 8}, 0), kNeuronCoreV3, "TY-ISA-113", {"128", "64"});
  expect_refused(make(Memory::Psum, {64, 8}, 0), kNeuronCoreV3, "TY-ISA-113", {"psum", "sbuf"});
}

TEST(VerifyTensors, AllBadTensorsAreReported) {
  SmallBody b;
  b.declare(Memory::Sbuf, Dtype::F32, {129, 1});
  b.declare(Memory::Sbuf, Dtype::F32, {130, 1});
  EXPECT_EQ(verify_all(b.program, kNeuronCoreV3).size(), 2u);
}

TEST(VerifyLoops, ACountThatIsAlwaysBelowZeroIsRefused) {
  const auto nest = [](const Affine& outer, auto inner) {
    SmallBody b;
    const Affine i = b.repeat(outer);
    b.repeat(inner(i));
    b.add(Nop{});
    return b.program;
  };
  const auto minus_three = [](const Affine&) { return Affine(-3); };
  expect_refused(nest(4, minus_three), kNeuronCoreV3, "TY-ISA-103", {"-3 times", "from 0 on"});
  expect_refused(nest(-1, minus_three), kNeuronCoreV3, "TY-ISA-103", {"-1 times"});
  const auto below = [](const Affine& i) { return i - Affine(9); };
  expect_refused(nest(4, below), kNeuronCoreV3, "TY-ISA-103", {"-6 times"});
  // Triangles are cut off at 0, and what never runs is nobody's mistake.
  expect_ok(nest(16, below), kNeuronCoreV3);
  expect_ok(nest(4, [](const Affine& i) { return i; }), kNeuronCoreV3);
  expect_ok(nest(0, [](const Affine& i) { return i; }), kNeuronCoreV3);
}

TEST(VerifyTensors, AnHbmTensorThatIsTooLargeIsNotToldToUseSmallerTiles) {
  SmallBody b;
  b.hbm(Dtype::F32, {int64_t{1} << 20, int64_t{1} << 20});
  const Status status = verify(b.program, kNeuronCoreV3);
  EXPECT_EQ(status.code(), "TY-ISA-111");
  EXPECT_EQ(status.message().find("tiles"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("split it"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace trainyard::isa
