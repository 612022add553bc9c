// The rows of the timing table that one instruction alone decides. Exact where a
// formula gives cycles; banded where the expectation was read off a profile.
#include "isa/cost.h"

#include <gtest/gtest.h>

#include "isa/small_body.h"

namespace trainyard::isa {
namespace {

using hw::kNeuronCoreV2;
using hw::kNeuronCoreV3;
using hw::kNeuronCoreV4;

double to_ns(const hw::CoreSpec& core, Engine engine, Cycles cycles) {
  return hw::seconds(core, cycles * core.period(engine)) * 1e9;
}

struct Timed {
  Cost cost;
  double interval_ns, latency_ns;
};

// The cost of one instruction whose operands `make` declares.
template <class Make>
Timed time_of(const hw::CoreSpec& core, Level level, Engine engine, Make make) {
  SmallBody b;
  const InstId id = b.add(make(b));
  const Cost c = cost(b.program, b.inst(id), engine, core, level);
  return {c, to_ns(core, engine, c.interval), to_ns(core, engine, c.latency)};
}

auto matmul(int64_t k, int64_t m, int64_t n, Dtype dtype = Dtype::BF16) {
  return [=](SmallBody& b) {
    return Matmul{b.psum(Dtype::F32, {m, n}), b.sbuf(dtype, {k, m}), b.sbuf(dtype, {k, n})};
  };
}

Timed pe(const hw::CoreSpec& core, Level level, int64_t k, int64_t m, int64_t n,
         Dtype dtype = Dtype::BF16) {
  return time_of(core, level, Engine::Tensor, matmul(k, m, n, dtype));
}

// ---------------------------------------------------------------- Tensor

TEST(TensorCost, TPE1AFullBf16TileIssuesEvery512Cycles) {
  const Timed t = pe(kNeuronCoreV2, Level::D, 128, 128, 512);
  EXPECT_EQ(t.cost.interval, Cycles{512});
  EXPECT_NEAR(t.interval_ns, 182.9, 0.05);
}

TEST(TensorCost, TPE2Fp32TakesFourPassesAtEveryWidth) {
  EXPECT_EQ(pe(kNeuronCoreV2, Level::D, 128, 128, 512, Dtype::F32).cost.interval, Cycles{2048});
  for (const int64_t n : {1, 64, 65, 512}) {
    const Cycles bf16 = pe(kNeuronCoreV3, Level::D, 128, 128, n).cost.interval;
    const Cycles fp32 = pe(kNeuronCoreV3, Level::D, 128, 128, n, Dtype::F32).cost.interval;
    EXPECT_EQ(fp32, 4 * bf16) << n;
  }
}

TEST(TensorCost, TPE3AMatrixVectorProductPaysTheIssueFloor) {
  const Timed t = pe(kNeuronCoreV2, Level::D, 128, 128, 1);
  EXPECT_EQ(t.cost.load, Cycles{32});
  EXPECT_EQ(t.cost.interval, Cycles{64});
}

TEST(TensorCost, TPE4AShortStationaryTileCostsItsMovingColumns) {
  const Timed t = pe(kNeuronCoreV2, Level::D, 128, 1, 128);
  EXPECT_EQ(t.cost.load, Cycles{1});
  EXPECT_EQ(t.cost.interval, Cycles{128});
}

TEST(TensorCost, TheFloorKnobLeavesTheNarrowStationaryFloor) {
  hw::CoreSpec core = kNeuronCoreV3;
  core.pe.mm_floor.value = Cycles{0};
  EXPECT_EQ(pe(core, Level::D, 128, 16, 8).cost.interval, Cycles{16});
  EXPECT_EQ(pe(core, Level::D, 128, 128, 8).cost.interval, Cycles{64});
}

TEST(TensorCost, TPE5ThePowerLimitDoublesTheIntervalAndNotTheFixedLatency) {
  const Timed t = pe(kNeuronCoreV3, Level::D, 128, 128, 512);
  EXPECT_NEAR(t.interval_ns, 213.3, 0.05);
  const Cost slow = throttled(t.cost, kNeuronCoreV3);
  EXPECT_NEAR(to_ns(kNeuronCoreV3, Engine::Tensor, slow.interval), 426.7, 0.05);
}

TEST(TensorCost, TPE6DoubleRowDoublesTheMacsInTheSameTime) {
  const Timed t = time_of(kNeuronCoreV3, Level::D, Engine::Tensor, [](SmallBody& b) {
    return Matmul{.dst = b.psum(Dtype::F32, {128, 512}),
                  .stationary = b.sbuf(Dtype::F8E4M3, {128, 2, 128}),
                  .moving = b.sbuf(Dtype::F8E4M3, {128, 2, 512}),
                  .perf_mode = PerfMode::DoubleRow};
  });
  EXPECT_NEAR(t.interval_ns, 213.3, 0.05);
  EXPECT_EQ(t.cost.load, Cycles{32});
}

TEST(TensorCost, TPE7EachMatmulInstructionAddsSevenCyclesWhenCalibrated) {
  EXPECT_EQ(pe(kNeuronCoreV3, Level::C, 128, 128, 512).cost.interval, Cycles{519});
  // fp32 is two instructions: 65,536 of them are 32,768 products.
  const Timed fp32 = pe(kNeuronCoreV3, Level::C, 128, 128, 512, Dtype::F32);
  EXPECT_EQ(fp32.cost.interval, Cycles{2062});
  EXPECT_NEAR(32'768 * fp32.interval_ns * 1e-6, 28.16, 0.01);
}

TEST(TensorCost, TPE8ATransposeCostsOneCyclePerPartition) {
  const auto transpose = [](Dtype dtype) {
    return [=](SmallBody& b) {
      return Transpose{b.psum(dtype, {128, 128}), b.sbuf(dtype, {128, 128})};
    };
  };
  const Timed t = time_of(kNeuronCoreV3, Level::D, Engine::Tensor, transpose(Dtype::BF16));
  EXPECT_EQ(t.cost.interval, Cycles{128});
  EXPECT_NEAR(t.interval_ns, 53.3, 0.05);
  const auto fp32 = transpose(Dtype::F32);
  EXPECT_EQ(time_of(kNeuronCoreV3, Level::D, Engine::Tensor, fp32).cost.interval, Cycles{256});
  EXPECT_EQ(time_of(kNeuronCoreV2, Level::D, Engine::Tensor, fp32).cost.interval, Cycles{512});
}

TEST(TensorCost, TPE10AnIsolatedColdMatmulTakes630Nanoseconds) {
  const Cost cold = throttled(pe(kNeuronCoreV3, Level::C, 128, 128, 512).cost, kNeuronCoreV3);
  EXPECT_EQ(cold.latency, Cycles{487 + 2 * 512});
  EXPECT_NEAR(to_ns(kNeuronCoreV3, Engine::Tensor, cold.latency), 627, 4);
}

TEST(TensorCost, TPE12AColumnTileCostsItsOwnStream) {
  const Timed t = time_of(kNeuronCoreV3, Level::D, Engine::Tensor, [](SmallBody& b) {
    Matmul mm = matmul(128, 32, 512)(b);
    mm.tile_rows = 128;
    mm.tile_columns = 32;
    return mm;
  });
  EXPECT_EQ(t.cost.interval, Cycles{512});
  EXPECT_EQ(t.cost.load, Cycles{8});
  EXPECT_EQ(t.cost.cell_cycles, 128 * 32 * 512);
}

TEST(TensorCost, AOneZeroHintHalvesFp32) {
  const Timed t = time_of(kNeuronCoreV3, Level::D, Engine::Tensor, [](SmallBody& b) {
    Matmul mm = matmul(128, 128, 512, Dtype::F32)(b);
    mm.is_moving_onezero = true;
    return mm;
  });
  EXPECT_EQ(t.cost.interval, Cycles{1024});
}

TEST(TensorCost, RowsDoNotChangeTheCyclesButTheCellsInUse) {
  const Cost full = pe(kNeuronCoreV3, Level::D, 128, 128, 512).cost;
  const Cost half = pe(kNeuronCoreV3, Level::D, 64, 128, 512).cost;
  EXPECT_EQ(full.interval, half.interval);
  EXPECT_EQ(full.cell_cycles, 2 * half.cell_cycles);
}

TEST(TensorCost, AMovingStepOf16BytesHalvesTheRate) {
  const auto strided = [](int64_t step) {
    return [=](SmallBody& b) {
      Matmul mm = matmul(128, 128, 128, Dtype::F32)(b);
      const TensorId wide = b.declare(Memory::Sbuf, Dtype::F32, {128, 1024});
      mm.moving.tensor = wide;
      mm.moving.dims = {{step, 128}};
      return mm;
    };
  };
  const auto interval = [&](int64_t step) {
    return time_of(kNeuronCoreV3, Level::D, Engine::Tensor, strided(step)).cost.interval;
  };
  EXPECT_EQ(interval(1), Cycles{512});
  EXPECT_EQ(interval(2), Cycles{512});
  EXPECT_EQ(interval(4), Cycles{1024});
}

// ---------------------------------------------------------------- Vector

auto copy(Dtype dst, Dtype src, int64_t n) {
  return [=](SmallBody& b) { return TensorCopy{b.sbuf(dst, {128, n}), b.sbuf(src, {128, n})}; };
}
auto add(Dtype dtype, int64_t n) {
  return [=](SmallBody& b) {
    return TensorTensor{b.sbuf(dtype, {128, n}), b.sbuf(dtype, {128, n}), b.sbuf(dtype, {128, n}),
                        AluOp::Add};
  };
}

Timed dve(const hw::CoreSpec& core, Level level, auto make) {
  return time_of(core, level, Engine::Vector, make);
}

TEST(VectorCost, TDVE1TwoFp32TilesFromSbufTakeTwoCyclesPerElementOnV2) {
  const Timed t = dve(kNeuronCoreV2, Level::D, add(Dtype::F32, 8192));
  EXPECT_EQ(t.cost.interval, Cycles{16'384});
  EXPECT_NEAR(t.interval_ns, 14'630, 5);
  // Published with its fixed latency: 14,968 ns.
  EXPECT_NEAR(dve(kNeuronCoreV2, Level::C, add(Dtype::F32, 8192)).latency_ns, 14'968, 200);
}

TEST(VectorCost, TDVE2AScalarOperationTakesOneCyclePerElementOnV2) {
  const Timed t = dve(kNeuronCoreV2, Level::D, [](SmallBody& b) {
    return TensorScalar{.dst = b.sbuf(Dtype::F32, {128, 512}),
                        .data = b.sbuf(Dtype::F32, {128, 512}),
                        .op0 = AluOp::Multiply,
                        .operand0 = 2.0f};
  });
  EXPECT_EQ(t.cost.interval, Cycles{512});
  EXPECT_NEAR(t.interval_ns, 457, 0.5);
}

TEST(VectorCost, TDVE3OneElementPaysTheMinimum) {
  for (const hw::CoreSpec* core : {&kNeuronCoreV2, &kNeuronCoreV3, &kNeuronCoreV4}) {
    EXPECT_EQ(dve(*core, Level::D, add(Dtype::F32, 1)).cost.interval, Cycles{64}) << core->name;
  }
}

TEST(VectorCost, TDVE4BnAggrTakes13CyclesPerTuple) {
  const Timed t = dve(kNeuronCoreV2, Level::D, [](SmallBody& b) {
    return BnAggr{b.sbuf(Dtype::F32, {128, 2}), b.sbuf(Dtype::F32, {128, 96})};
  });
  EXPECT_EQ(t.cost.interval, Cycles{416});
}

TEST(VectorCost, TDVE5AReciprocalTakesEightCyclesByTheTablesAndSixOnV3ByMeasurement) {
  const auto make = [](SmallBody& b) {
    return Reciprocal{b.sbuf(Dtype::F32, {128, 512}), b.sbuf(Dtype::F32, {128, 512})};
  };
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, make).cost.interval, Cycles{4096});
  EXPECT_EQ(dve(kNeuronCoreV3, Level::D, make).cost.interval, Cycles{4096});
  EXPECT_EQ(dve(kNeuronCoreV3, Level::C, make).cost.interval, Cycles{3072});
}

TEST(VectorCost, TDVE6ABf16CopyInSbufRunsFourTimesFaster) {
  const Timed t = dve(kNeuronCoreV3, Level::C, copy(Dtype::BF16, Dtype::BF16, 512));
  EXPECT_EQ(t.cost.work, Cycles{128});
  EXPECT_NEAR(t.latency_ns, 289, 5);
}

TEST(VectorCost, TDVE7AScanTakesTwoCyclesPerElement) {
  const Timed t = dve(kNeuronCoreV3, Level::C, [](SmallBody& b) {
    return TensorTensorScan{b.sbuf(Dtype::F32, {128, 1024}), b.sbuf(Dtype::F32, {128, 1024}),
                            b.sbuf(Dtype::F32, {128, 1024})};
  });
  EXPECT_EQ(t.cost.work, Cycles{2048});
  EXPECT_NEAR(t.latency_ns, 2291, 5);
}

TEST(VectorCost, TDVE8AnFp32ReductionTakesOneCyclePerElement) {
  const Timed t = dve(kNeuronCoreV3, Level::C, [](SmallBody& b) {
    return TensorReduce{b.sbuf(Dtype::F32, {128, 1}), b.sbuf(Dtype::F32, {128, 8192})};
  });
  EXPECT_EQ(t.cost.work, Cycles{8192});
  EXPECT_NEAR(t.latency_ns, 8686, 10);
}

TEST(VectorCost, FastModesFollowTypeMemoryAndContiguity) {
  const auto work = [](Level level, auto make) {
    return dve(kNeuronCoreV3, level, make).cost.work.value;
  };
  const auto from_psum = [](Dtype dst, Dtype src) {
    return [=](SmallBody& b) {
      return TensorCopy{b.sbuf(dst, {128, 400}), b.psum(src, {128, 400})};
    };
  };
  const auto strided = [](SmallBody& b) {
    TensorCopy i{b.sbuf(Dtype::BF16, {128, 400}), b.sbuf(Dtype::BF16, {128, 800})};
    i.src.dims = {{2, 400}};
    return i;
  };
  EXPECT_EQ(work(Level::D, copy(Dtype::BF16, Dtype::F16, 400)), 100);
  EXPECT_EQ(work(Level::D, strided), 200);
  EXPECT_EQ(work(Level::D, from_psum(Dtype::BF16, Dtype::BF16)), 200);
  EXPECT_EQ(work(Level::D, from_psum(Dtype::BF16, Dtype::F32)), 400);
  EXPECT_EQ(work(Level::D, copy(Dtype::F32, Dtype::F32, 400)), 400);
  EXPECT_EQ(work(Level::C, copy(Dtype::F32, Dtype::F32, 400)), 200);
  EXPECT_EQ(work(Level::C, copy(Dtype::F32, Dtype::BF16, 400)), 308);
  EXPECT_EQ(work(Level::D, copy(Dtype::F8E4M3, Dtype::F8E4M3, 400)), 400);
  EXPECT_EQ(work(Level::D, add(Dtype::BF16, 400)), 200);
  EXPECT_EQ(work(Level::D, add(Dtype::F32, 400)), 400);
  EXPECT_EQ(dve(kNeuronCoreV4, Level::D, copy(Dtype::F8E4M3, Dtype::F8E4M3, 400)).cost.work.value,
            100);
}

TEST(VectorCost, AStepBeyond16BytesHalvesTheRateAnd16BytesDoNot) {
  const auto strided = [](int64_t step) {
    return [=](SmallBody& b) {
      TensorCopy i{b.sbuf(Dtype::F32, {128, 100}), b.sbuf(Dtype::F32, {128, 1000})};
      i.src.dims = {{step, 100}};
      return i;
    };
  };
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, strided(4)).cost.work, Cycles{100});
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, strided(5)).cost.work, Cycles{200});
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, strided(-5)).cost.work, Cycles{200});
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, strided(0)).cost.work, Cycles{100});
}

TEST(VectorCost, AnAddressFromARegisterCostsAtLeast600Cycles) {
  const Timed t = dve(kNeuronCoreV3, Level::D, [](SmallBody& b) {
    TensorCopy i{b.sbuf(Dtype::F32, {128, 8}), b.sbuf(Dtype::F32, {128, 64})};
    i.src.dims = {{1, 8}};
    i.src.offset = Affine::reg(b.reg());
    return i;
  });
  EXPECT_EQ(t.cost.interval, Cycles{600});
}

TEST(VectorCost, ATransposeBetweenNewQuadrantsIsSlowerWhenCalibrated) {
  const auto make = [](SmallBody& b) {
    return Transpose{b.sbuf(Dtype::F32, {32, 32}), b.sbuf(Dtype::F32, {32, 32})};
  };
  const Cost c = dve(kNeuronCoreV3, Level::C, make).cost;
  EXPECT_EQ(c.interval, Cycles{89});
  EXPECT_EQ(c.turn_interval, Cycles{225});
  const Cost d = dve(kNeuronCoreV3, Level::D, make).cost;
  EXPECT_EQ(d.interval, Cycles{64});
  EXPECT_EQ(d.turn_interval, Cycles{64});
}

TEST(VectorCost, APredicatedCopyIsDearerWhenBothInputsComeFromSbuf) {
  const auto make = [](bool tile) {
    return [=](SmallBody& b) {
      TensorCopyPredicated i{.dst = b.sbuf(Dtype::F32, {128, 512}),
                             .predicate = b.sbuf(Dtype::U8, {128, 512})};
      if (tile) i.src = b.sbuf(Dtype::F32, {128, 512});
      return i;
    };
  };
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, make(true)).cost.work, Cycles{1024});
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, make(false)).cost.work, Cycles{512});
  EXPECT_EQ(dve(kNeuronCoreV3, Level::C, make(true)).cost.work, Cycles{543});  // 542.72
}

TEST(VectorCost, SelectBetweenTwoTilesIsACopyAndAPredicatedCopy) {
  const auto make = [](bool tile) {
    return [=](SmallBody& b) {
      Select i{b.sbuf(Dtype::F32, {128, 512}), b.sbuf(Dtype::U8, {128, 512}),
               b.sbuf(Dtype::F32, {128, 512})};
      if (tile) i.on_false = b.sbuf(Dtype::F32, {128, 512});
      return i;
    };
  };
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, make(false)).cost.interval, Cycles{512});
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, make(true)).cost.interval, Cycles{512 + 1024});
}

TEST(VectorCost, MemsetOf16BitZerosIsTwiceAsFastByTheTables) {
  const auto make = [](Dtype dtype, float value) {
    return [=](SmallBody& b) { return Memset{b.sbuf(dtype, {128, 512}), value}; };
  };
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, make(Dtype::BF16, 0)).cost.work, Cycles{256});
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, make(Dtype::BF16, 1)).cost.work, Cycles{512});
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, make(Dtype::F32, 0)).cost.work, Cycles{512});
}

// ---------------------------------------------------------------- Scalar

auto activate(Function f, Dtype dtype, int64_t p, int64_t n, bool reduce = false) {
  return [=](SmallBody& b) {
    Activation i{.dst = b.sbuf(dtype, {p, n}), .data = b.sbuf(dtype, {p, n}), .op = f};
    if (reduce) {
      i.reduce_cmd = ReduceCmd::ResetReduce;
      i.reduce_res = b.sbuf(Dtype::F32, {p, 1});
    }
    return i;
  };
}
Timed act(const hw::CoreSpec& core, Level level, auto make) {
  return time_of(core, level, Engine::Scalar, make);
}

TEST(ScalarCost, TACT1AnActivationTakesOneCyclePerElement) {
  const Timed t = act(kNeuronCoreV2, Level::D, activate(Function::Exp, Dtype::F32, 128, 512));
  EXPECT_EQ(t.cost.interval, Cycles{512});
  EXPECT_NEAR(t.interval_ns, 365.7, 0.05);
}

TEST(ScalarCost, TACT2ReadingTheSumOutTakes64More) {
  const auto make = activate(Function::Exp, Dtype::F32, 128, 512, /*reduce=*/true);
  EXPECT_EQ(act(kNeuronCoreV2, Level::D, make).cost.interval, Cycles{576});
}

TEST(ScalarCost, TACT3AOneElementActivationLasts159NanosecondsOnV2) {
  const Timed t = act(kNeuronCoreV2, Level::C, activate(Function::Exp, Dtype::F32, 1, 1));
  EXPECT_NEAR(t.latency_ns, 159, 1);
}

TEST(ScalarCost, TACT4ExpOver4096ElementsLasts3710Nanoseconds) {
  const Timed t = act(kNeuronCoreV3, Level::C, activate(Function::Exp, Dtype::BF16, 4, 4096));
  EXPECT_NEAR(t.latency_ns, 3710, 0.01 * 3710);
}

TEST(ScalarCost, TACT5ExpOver128ElementsLasts400Nanoseconds) {
  const Timed t = act(kNeuronCoreV3, Level::C, activate(Function::Exp, Dtype::BF16, 128, 128));
  EXPECT_NEAR(t.latency_ns, 400, 5);
}

TEST(ScalarCost, TACT6AnotherFunctionTableTakes1283Nanoseconds) {
  EXPECT_NE(act_table(Function::Exp), act_table(Function::Sigmoid));
  EXPECT_TRUE(act_table(Function::Exp).has_value());
  for (const Function f :
       {Function::Copy, Function::Relu, Function::Square, Function::Abs, Function::Sign}) {
    EXPECT_FALSE(act_table(f).has_value()) << numerics::name(f);
  }
  const Cost c = table_load_cost(kNeuronCoreV3, Level::C);
  EXPECT_NEAR(to_ns(kNeuronCoreV3, Engine::Scalar, c.interval), 1283, 0.5);
}

TEST(ScalarCost, ShortCopiesFollowEachOtherOnlyEvery239Cycles) {
  // Published: 199 ns between fp32 copies of 128 elements.
  const Timed t = act(kNeuronCoreV3, Level::C, copy(Dtype::F32, Dtype::F32, 128));
  EXPECT_EQ(t.cost.interval, Cycles{238});
  EXPECT_NEAR(t.interval_ns, 199, 1);
  EXPECT_EQ(act(kNeuronCoreV3, Level::C, copy(Dtype::F32, Dtype::F32, 600)).cost.interval,
            Cycles{600});
}

TEST(ScalarCost, EachTileOperandDelaysTheResultAndNotTheNextInstruction) {
  const auto make = [](bool tile) {
    return [=](SmallBody& b) {
      Activation i = activate(Function::Exp, Dtype::F32, 128, 1024)(b);
      if (tile) i.bias = b.sbuf(Dtype::F32, {128, 1});
      return i;
    };
  };
  const Timed without = act(kNeuronCoreV3, Level::C, make(false));
  const Timed with = act(kNeuronCoreV3, Level::C, make(true));
  EXPECT_EQ(with.cost.interval, without.cost.interval);
  EXPECT_EQ(with.cost.latency, without.cost.latency + Cycles{114});  // 95 ns
}

TEST(ScalarCost, SixteenBitCopiesRunTwiceAsFastOnV4) {
  const auto make = copy(Dtype::BF16, Dtype::BF16, 1024);
  EXPECT_EQ(act(kNeuronCoreV3, Level::D, make).cost.interval, Cycles{1024});
  EXPECT_EQ(act(kNeuronCoreV4, Level::D, make).cost.interval, Cycles{512});
}

// ---------------------------------------------------------------- GpSimd and sequencers

TEST(GpsimdCost, TPOOL1IotaTakesAStartUpAndOneCyclePerElement) {
  const Timed t = time_of(kNeuronCoreV2, Level::D, Engine::Gpsimd, [](SmallBody& b) {
    return Iota{.dst = b.sbuf(Dtype::S32, {128, 512}), .pattern = {{1, 512}}};
  });
  EXPECT_EQ(t.cost.interval, Cycles{662});
}

TEST(GpsimdCost, PowerIsTenTimesAnIntegerAdd) {
  const auto make = [](AluOp op) {
    return [=](SmallBody& b) {
      return TensorTensor{b.sbuf(Dtype::F32, {128, 100}), b.sbuf(Dtype::F32, {128, 100}),
                          b.sbuf(Dtype::F32, {128, 100}), op};
    };
  };
  const auto cycles = [&](AluOp op) {
    return time_of(kNeuronCoreV3, Level::D, Engine::Gpsimd, make(op)).cost.interval;
  };
  EXPECT_EQ(cycles(AluOp::Add), Cycles{150 + 200});
  EXPECT_EQ(cycles(AluOp::Power), Cycles{150 + 2000});
}

TEST(ControlCost, ControlInstructionsTakeTheSameTimeOnEveryEngine) {
  const Ticks sync = control_cost(Engine::Sync, kNeuronCoreV3, Level::D).interval *
                     kNeuronCoreV3.period(Engine::Sync);
  for (const Engine e : hw::kEngines) {
    const Ticks t = control_cost(e, kNeuronCoreV3, Level::D).interval * kNeuronCoreV3.period(e);
    EXPECT_GE(t, sync);
    EXPECT_LT(t, sync + kNeuronCoreV3.period(e)) << hw::name(e);
  }
}

TEST(ControlCost, AnImmediateMoveTakes68Nanoseconds) {
  const Timed t = time_of(kNeuronCoreV3, Level::C, Engine::Sync, [](SmallBody& b) {
    return RegisterMove{{b.reg()}, int64_t{3}};
  });
  EXPECT_NEAR(t.interval_ns, 68, 0.5);
}

// ---------------------------------------------------------------- all

TEST(CostTrust, ACostIsAsTrustedAsItsWeakestFact) {
  const auto make = [](Dtype d) { return copy(d, d, 512); };
  EXPECT_EQ(dve(kNeuronCoreV2, Level::D, make(Dtype::F32)).cost.trust, hw::Trust::Documented);
  EXPECT_EQ(dve(kNeuronCoreV3, Level::C, make(Dtype::F32)).cost.trust, hw::Trust::Measured);
  EXPECT_EQ(dve(kNeuronCoreV4, Level::C, make(Dtype::F32)).cost.trust, hw::Trust::Assumed);
}

TEST(CostShape, MoreWorkNeverTakesLess) {
  for (const hw::CoreSpec* core : {&kNeuronCoreV2, &kNeuronCoreV3, &kNeuronCoreV4}) {
    for (const Level level : {Level::D, Level::C}) {
      Cost before;
      for (int64_t n = 1; n <= 512; n += 7) {
        const Cost c = pe(*core, level, 128, 128, n).cost;
        EXPECT_GE(c.interval, before.interval);
        EXPECT_GE(c.latency, before.latency);
        EXPECT_GE(c.latency, c.interval);
        before = c;
      }
    }
  }
}

}  // namespace
}  // namespace trainyard::isa
