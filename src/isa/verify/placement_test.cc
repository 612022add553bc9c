// Refusals of placements: what can be seen without running them.
#include "isa/verify/refusal_test.h"

namespace trainyard::isa {
namespace {

TEST(VerifyPlacement, ATensorEndsInsideItsMemory) {
  const auto make = [](Memory memory, Dtype dtype, int64_t n, TensorPlace place) {
    SmallBody b;
    b.program.placement.tensors[b.declare(memory, dtype, {128, n})] = place;
    return b.program;
  };
  const auto sbuf = [&](TensorPlace p) { return make(Memory::Sbuf, Dtype::F32, 16'384, p); };
  expect_ok(sbuf({.address = 0, .slots = 3}), kNeuronCoreV3);
  expect_refused(sbuf({.address = 0, .slots = 4}), kNeuronCoreV3, "TY-ISA-160",
                 {"4 slots", "212984"});
  expect_refused(sbuf({.address = 16'392, .slots = 3}), kNeuronCoreV3, "TY-ISA-160", {"16392"});
  expect_refused(sbuf({.address = 2}), kNeuronCoreV3, "TY-ISA-160", {"multiple of 4"});
  expect_refused(sbuf({.address = -4}), kNeuronCoreV3, "TY-ISA-160", {"-4"});
  expect_refused(sbuf({.address = 0, .slots = 2, .pitch = 1024}), kNeuronCoreV3, "TY-ISA-160",
                 {"1024 bytes apart", "65536"});
  expect_refused(sbuf({.partition = 1}), kNeuronCoreV3, "TY-ISA-160", {"partition 1"});
  // Slots of PSUM are whole banks.
  const auto psum = [&](TensorPlace p) { return make(Memory::Psum, Dtype::F32, 256, p); };
  expect_ok(psum({.address = 0, .slots = 8}), kNeuronCoreV3);
  expect_refused(psum({.address = 0, .slots = 9}), kNeuronCoreV3, "TY-ISA-160", {"16384"});
}

TEST(VerifyPlacement, AViewHasNoPlaceOfItsOwn) {
  SmallBody b;
  b.declare(Memory::Sbuf, Dtype::F32, {128, 8});
  const TensorId v = b.declare(Memory::Sbuf, Dtype::F32, {128, 8});
  b.program.tensors[v].view = Tensor::View{0, 0};
  b.program.placement.tensors[v].address = 64;
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-160", {"place the base"});
}

TEST(VerifyPlacement, APlacementNeverChangesTheBits) {
  SmallBody b;
  const InstId id = b.add(TensorTensor{b.sbuf(Dtype::S32, {128, 8}), b.sbuf(Dtype::S32, {128, 8}),
                                       b.sbuf(Dtype::S32, {128, 8}), AluOp::Add});
  b.program.placement.insts[id].engine = Engine::Gpsimd;
  expect_ok(b.program, kNeuronCoreV3);
  b.program.placement.insts[id].engine = Engine::Vector;
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-161", {"vector", "gpsimd", "in the body"});
  b.program.insts[id].engine = Engine::Vector;
  expect_ok(b.program, kNeuronCoreV3);
}

TEST(VerifyPlacement, ACompletePlacementNamesEngineAndQueue) {
  SmallBody b;
  const InstId id =
      b.add(DmaCopy{.dst = b.sbuf(Dtype::F32, {128, 8}), .src = b.hbm(Dtype::F32, {128, 8})});
  b.program.placement.complete = true;
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-161", {"names no engine", "place"});
  b.program.placement.insts[id].engine = Engine::Sync;
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-162", {"queue is -1"});
  b.program.placement.insts[id].queue = 15;
  expect_ok(b.program, kNeuronCoreV3);
  b.program.placement.insts[id].queue = 16;
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-162", {"16", "0 to 15"});
}

TEST(VerifyPlacement, AQueueHasOneTriggerEngine) {
  SmallBody b;
  for (const Engine e : {Engine::Sync, Engine::Scalar}) {
    const InstId id =
        b.add(DmaCopy{.dst = b.sbuf(Dtype::F32, {128, 8}), .src = b.hbm(Dtype::F32, {128, 8})});
    b.program.placement.insts[id].engine = e;
    b.program.placement.insts[id].queue = 3;
  }
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-162",
                 {"queue 3", "sync", "scalar", "another queue"});
}

TEST(VerifyPlacement, OnlyTransfersHaveAQueue) {
  SmallBody b;
  b.program.placement.insts[b.add(Nop{})].queue = 1;
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-162", {"only transfers"});
}

TEST(VerifyPlacement, WhatIsIssuedAheadNeedsASlotMore) {
  const auto make = [](int slots, int64_t ahead, LoopId loop) {
    SmallBody b;
    const Access x = b.hbm(Dtype::F32, {128, 8});
    b.repeat(4);
    const TensorId t = b.declare(Memory::Sbuf, Dtype::F32, {128, 8});
    b.program.placement.tensors[t].slots = slots;
    const InstId id = b.add(DmaCopy{.dst = b.all(t), .src = x});
    b.program.placement.insts[id].ahead = ahead;
    b.program.placement.insts[id].ahead_loop = loop;
    return b.program;
  };
  expect_ok(make(3, 2, 0), kNeuronCoreV3);
  expect_refused(make(2, 2, 0), kNeuronCoreV3, "TY-ISA-163", {"needs 3 slots", "has 2"});
  expect_refused(make(2, 1, 5), kNeuronCoreV3, "TY-ISA-163", {"no repeat around it"});
  expect_refused(make(2, -1, 0), kNeuronCoreV3, "TY-ISA-163", {"-1"});
}

TEST(VerifyPlacement, TurnsOfAnInnerLoopKeepTheirSlotWhereAllGoAheadTogether) {
  const auto make = [](int64_t reader_ahead) {
    SmallBody b;
    const Access x = b.sbuf(Dtype::F32, {128, 8});
    const Access y = b.sbuf(Dtype::F32, {128, 8});
    b.repeat(4);  // loop 0
    b.repeat(8);
    const TensorId t = b.declare(Memory::Sbuf, Dtype::F32, {128, 8});
    b.program.placement.tensors[t].slots = 1;
    const InstId write = b.add(TensorCopy{b.all(t), x});
    const InstId read = b.add(TensorCopy{y, b.all(t)});
    for (const InstId id : {write, read}) {
      b.program.placement.insts[id].engine = Engine::Vector;
      const int64_t ahead = id == write ? 1 : reader_ahead;
      b.program.placement.insts[id].ahead = ahead;
      b.program.placement.insts[id].ahead_loop = ahead > 0 ? 0 : -1;
    }
    return b.program;
  };
  expect_ok(make(1), kNeuronCoreV3);
  expect_refused(make(0), kNeuronCoreV3, "TY-ISA-163", {"needs 2 slots", "has 1"});
}

struct TwoLoops {
  SmallBody b;
  InstId load, use;
  TwoLoops() {
    const Access x = b.hbm(Dtype::F32, {128, 8});
    b.repeat(4);  // loop 0 around both
    const Access t = b.sbuf(Dtype::F32, {128, 8});
    b.repeat(8);  // loop 1 around the load
    load = b.add(DmaCopy{.dst = t, .src = x});
    b.end();
    use = b.add(TensorCopy{b.sbuf(Dtype::F32, {128, 8}), t});
  }
  Program with(Edge e) {
    b.program.placement.insts[use].after = {std::move(e)};
    return b.program;
  }
};

TEST(VerifyPlacement, EdgesNameInstancesThatExist) {
  TwoLoops t;
  expect_ok(t.with({.producer = t.load}), kNeuronCoreV3);
  expect_ok(t.with({.producer = t.load, .at = {Affine(7)}}), kNeuronCoreV3);
  expect_ok(t.with({.producer = t.load, .lag_loop = 0, .lag = 2}), kNeuronCoreV3);
  expect_ok(t.with({.producer = t.use, .lag_loop = 0, .lag = 1}), kNeuronCoreV3);
  expect_refused(t.with({.producer = 17}), kNeuronCoreV3, "TY-ISA-164", {"does not exist"});
  expect_refused(t.with({.producer = t.load, .at = {Affine(0), Affine(1)}}), kNeuronCoreV3,
                 "TY-ISA-164", {"2 counters", "1 loops"});
  expect_refused(t.with({.producer = t.load, .at = {Affine::counter(1)}}), kNeuronCoreV3,
                 "TY-ISA-164", {"around the waiting"});
  expect_refused(t.with({.producer = t.load, .lag_loop = 1, .lag = 1}), kNeuronCoreV3, "TY-ISA-164",
                 {"around both"});
  expect_refused(t.with({.producer = t.load, .lag_loop = 0, .lag = 0}), kNeuronCoreV3, "TY-ISA-164",
                 {"at least 1"});
  expect_refused(t.with({.producer = t.use}), kNeuronCoreV3, "TY-ISA-164", {"waits for itself"});
}

TEST(VerifyPlacement, SemaphoresExist) {
  SmallBody b;
  const InstId id = b.add(Nop{});
  b.program.semaphores = {"s"};
  b.program.placement.insts[id].waits = {{0, Affine(1)}};
  b.program.placement.insts[id].increments = {0};
  expect_ok(b.program, kNeuronCoreV3);
  b.program.placement.insts[id].increments = {1};
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-165", {"increments"});
  b.program.placement.insts[id].increments = {};
  b.program.placement.insts[id].waits = {{4, Affine(1)}};
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-165", {"does not exist"});
  b.program.semaphores.resize(257, "x");
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-165", {"257", "256"});
}

}  // namespace
}  // namespace trainyard::isa
