#include "isa/verify/refusal_test.h"

namespace trainyard::isa {
namespace {

auto matmul(int64_t k, int64_t m, int64_t n, Dtype a = Dtype::BF16, Dtype c = Dtype::F32) {
  return [=](SmallBody& b) {
    return Matmul{b.psum(c, {m, n}), b.sbuf(a, {k, m}), b.sbuf(a, {k, n})};
  };
}

auto with(auto make, auto change) {
  return [=](SmallBody& b) {
    Matmul mm = make(b);
    change(mm, b);
    return mm;
  };
}

TEST(VerifyMatmul, TheLargestTileOfEachGenerationIsFine) {
  expect_ok(matmul(128, 128, 512), kNeuronCoreV2);
  expect_ok(matmul(128, 128, 512), kNeuronCoreV3);
  expect_ok(matmul(128, 128, 4096), kNeuronCoreV4);
  expect_ok(matmul(128, 128, 8192, Dtype::BF16, Dtype::BF16), kNeuronCoreV4);
}

TEST(VerifyMatmul, AMovingTileThatIsTooWideIsRefusedWithTheSplitThatWorks) {
  expect_refused(matmul(128, 128, 1100), kNeuronCoreV3, "TY-ISA-140",
                 {"moving has 1100", "512", "3 instructions"});
  expect_refused(matmul(128, 128, 513), kNeuronCoreV2, "TY-ISA-140", {"513", "2 instructions"});
  // 4,096 f32 columns fill PSUM, so a wider destination is bf16.
  expect_refused(matmul(128, 64, 8192), kNeuronCoreV4, "TY-ISA-111", {"16384"});
}

TEST(VerifyMatmul, AStationaryTileHasAtMost128Columns) {
  expect_refused(
      [](SmallBody& b) {
        return Matmul{b.psum(Dtype::F32, {128, 64}), b.sbuf(Dtype::BF16, {128, 129}),
                      b.sbuf(Dtype::BF16, {128, 64})};
      },
      kNeuronCoreV3, "TY-ISA-140", {"stationary has 129", "128", "2 instructions"});
}

TEST(VerifyMatmul, TheContractionLiesOnThePartitionsOfBoth) {
  expect_refused(with(matmul(128, 128, 64),
                      [](Matmul& mm, SmallBody& b) {
                        mm.moving = b.sbuf(Dtype::BF16, {64, 64});
                      }),
                 kNeuronCoreV3, "TY-ISA-127", {"128 partitions", "64"});
}

TEST(VerifyMatmul, TheDestinationHasTheShapeOfTheProduct) {
  expect_refused(with(matmul(128, 128, 64),
                      [](Matmul& mm, SmallBody& b) {
                        mm.dst = b.psum(Dtype::F32, {64, 128});
                      }),
                 kNeuronCoreV3, "TY-ISA-127", {"64 x 128", "128 x 64"});
}

TEST(VerifyMatmul, TypesPairAsTheArrayCanMultiplyThem) {
  const auto pair = [](Dtype a, Dtype c) {
    return [=](SmallBody& b) {
      return Matmul{b.psum(Dtype::F32, {128, 64}), b.sbuf(a, {128, 128}), b.sbuf(c, {128, 64})};
    };
  };
  expect_ok(pair(Dtype::BF16, Dtype::F16), kNeuronCoreV3);
  expect_ok(pair(Dtype::F8E4M3, Dtype::BF16), kNeuronCoreV3);
  expect_ok(pair(Dtype::F32, Dtype::TF32), kNeuronCoreV3);
  expect_refused(pair(Dtype::BF16, Dtype::F32), kNeuronCoreV3, "TY-ISA-142",
                 {"bf16", "f32", "convert"});
  expect_refused(pair(Dtype::S8, Dtype::S8), kNeuronCoreV3, "TY-ISA-142", {"i8", "floats", "bf16"});
  expect_refused(pair(Dtype::F8E4M3, Dtype::F8E4M3FN), kNeuronCoreV4, "TY-ISA-142",
                 {"e4m3", "mixed"});
}

TEST(VerifyMatmul, ResultsAreFp32AndFromV4OnAlsoBf16) {
  const auto bf16 = matmul(128, 128, 64, Dtype::BF16, Dtype::BF16);
  expect_refused(bf16, kNeuronCoreV2, "TY-ISA-142", {"dst is bf16", "f32"});
  expect_refused(bf16, kNeuronCoreV3, "TY-ISA-142", {"dst is bf16", "f32"});
  expect_ok(bf16, kNeuronCoreV4);
  expect_refused(matmul(128, 128, 64, Dtype::BF16, Dtype::F16), kNeuronCoreV4, "TY-ISA-142",
                 {"f32 or bf16"});
}

TEST(VerifyMatmul, OneMatmulWritesInsideOneBankBeforeV4) {
  const auto at = [](int64_t offset) {
    return [=](SmallBody& b) {
      Matmul mm = matmul(128, 128, 256)(b);
      mm.dst = b.psum(Dtype::F32, {128, 1024});
      mm.dst.dims = {{1, 256}};
      mm.dst.offset = offset;
      return mm;
    };
  };
  for (const hw::CoreSpec* core : {&kNeuronCoreV2, &kNeuronCoreV3}) {
    expect_ok(at(0), *core);
    expect_ok(at(256), *core);
    expect_ok(at(512), *core);
    expect_refused(at(384), *core, "TY-ISA-141", {"1024 bytes", "byte 1536", "begin at a bank"});
  }
  expect_ok(at(384), kNeuronCoreV4);
}

TEST(VerifyMatmul, TheBankRuleHoldsForEveryCounterValue) {
  const auto stepped = [](int64_t step, int64_t times) {
    SmallBody b;
    const Access acc = b.psum(Dtype::F32, {128, 2048});
    const Affine i = b.repeat(times);
    Matmul mm = matmul(128, 128, 256)(b);
    mm.dst = acc;
    mm.dst.dims = {{1, 256}};
    mm.dst.offset = i * step;
    b.add(mm);
    return b.program;
  };
  expect_ok(stepped(512, 4), kNeuronCoreV3);
  expect_ok(stepped(256, 8), kNeuronCoreV3);
  expect_ok(stepped(128, 3), kNeuronCoreV3);  // 0, 128, 256: all in the first bank
  expect_refused(stepped(128, 4), kNeuronCoreV3, "TY-ISA-141", {"bank"});
}

TEST(VerifyMatmul, TheBankOfAPlacedTensorCounts) {
  SmallBody b;
  const TensorId t = b.declare(Memory::Psum, Dtype::F32, {128, 256});
  b.program.placement.tensors[t].address = 1536;
  Matmul mm = matmul(128, 128, 256)(b);
  mm.dst = b.all(t);
  b.add(mm);
  expect_refused(b.program, kNeuronCoreV3, "TY-ISA-141", {"byte 1536"});
}

TEST(VerifyMatmul, TransposeModeNeedsV3AndASquareIdentity) {
  const auto transpose = with(matmul(128, 64, 128, Dtype::BF16, Dtype::BF16),
                              [](Matmul& mm, SmallBody&) { mm.is_transpose = true; });
  expect_refused(transpose, kNeuronCoreV2, "TY-ISA-131", {"is_transpose", "nc_transpose"});
  expect_ok(transpose, kNeuronCoreV3);
  expect_refused(with(matmul(128, 64, 256, Dtype::BF16, Dtype::BF16),
                      [](Matmul& mm, SmallBody&) { mm.is_transpose = true; }),
                 kNeuronCoreV3, "TY-ISA-144", {"128 x 256", "square"});
  expect_refused(with(matmul(128, 64, 128), [](Matmul& mm, SmallBody&) { mm.is_transpose = true; }),
                 kNeuronCoreV3, "TY-ISA-144", {"dst is f32", "keeps the type"});
}

Matmul double_row(SmallBody& b, Dtype dtype, int64_t rows) {
  return {.dst = b.psum(Dtype::F32, {128, 512}),
          .stationary = b.sbuf(dtype, {128, rows, 256 / rows}),
          .moving = b.sbuf(dtype, {128, rows, 1024 / rows}),
          .perf_mode = PerfMode::DoubleRow};
}

TEST(VerifyMatmul, DoubleRowTakesTwoFp8RowsFromV3On) {
  const auto make = [](Dtype dtype, int64_t rows) {
    return [=](SmallBody& b) { return double_row(b, dtype, rows); };
  };
  expect_ok(make(Dtype::F8E4M3, 2), kNeuronCoreV3);
  expect_refused(make(Dtype::F8E4M3, 2), kNeuronCoreV2, "TY-ISA-131",
                 {"double_row", "two matmuls"});
  expect_refused(make(Dtype::BF16, 2), kNeuronCoreV3, "TY-ISA-144", {"bf16", "fp8"});
  expect_refused(make(Dtype::F8E4M3, 4), kNeuronCoreV3, "TY-ISA-144", {"4 elements", "pad"});
  expect_refused(with(make(Dtype::F8E4M3, 2),
                      [](Matmul& mm, SmallBody&) { mm.tile_rows = 128, mm.tile_columns = 64; }),
                 kNeuronCoreV3, "TY-ISA-144", {"column tiles"});
}

TEST(VerifyMatmul, ArrayTilesAreWholePartsOfTheArray) {
  const auto tile = [](int64_t row, int64_t column, int64_t rows, int64_t columns, int64_t start) {
    return [=](SmallBody& b) {
      const TensorId dst = b.declare(Memory::Psum, Dtype::F32, {32, 512});
      b.program.placement.tensors[dst].partition = start;
      Matmul mm = matmul(128, 32, 512)(b);
      mm.dst = b.all(dst);
      mm.tile_row = row, mm.tile_column = column, mm.tile_rows = rows, mm.tile_columns = columns;
      return mm;
    };
  };
  for (int64_t c = 0; c < 128; c += 32) expect_ok(tile(0, c, 128, 32, c), kNeuronCoreV3);
  expect_refused(tile(0, 0, 128, 32, 0), kNeuronCoreV2, "TY-ISA-143", {"tile_columns is 32", "64"});
  expect_refused(tile(0, 0, 128, 48, 0), kNeuronCoreV3, "TY-ISA-143", {"48", "32, 64 or 128"});
  expect_refused(tile(0, 16, 128, 32, 0), kNeuronCoreV3, "TY-ISA-143", {"tile_column is 16"});
  expect_refused(tile(0, 128, 128, 32, 0), kNeuronCoreV3, "TY-ISA-143", {"128"});
  expect_refused(tile(0, 0, 128, 0, 0), kNeuronCoreV3, "TY-ISA-143", {"both or neither"});
  expect_refused(tile(0, 0, 64, 64, 0), kNeuronCoreV3, "TY-ISA-143", {"128 rows", "64"});
  expect_refused(tile(0, 32, 128, 32, 0), kNeuronCoreV3, "TY-ISA-143",
                 {"dst begins at partition 0", "tile_column = 32"});
}

TEST(VerifyTranspose, SizesDependOnTheEngine) {
  const auto make = [](int64_t p, int64_t f, bool psum) {
    return [=](SmallBody& b) {
      return Transpose{psum ? b.psum(Dtype::BF16, {f, p}) : b.sbuf(Dtype::BF16, {f, p}),
                       b.sbuf(Dtype::BF16, {p, f})};
    };
  };
  for (const hw::CoreSpec* core : {&kNeuronCoreV2, &kNeuronCoreV3, &kNeuronCoreV4}) {
    expect_ok(make(128, 128, true), *core);
    expect_ok(make(32, 32, false), *core);
    expect_refused(make(64, 32, false), *core, "TY-ISA-133", {"64 x 32", "32 x 32", "psum"});
  }
  expect_refused(
      [](SmallBody& b) {
        return Transpose{b.psum(Dtype::F32, {32, 32}), b.sbuf(Dtype::BF16, {32, 32})};
      },
      kNeuronCoreV3, "TY-ISA-129", {"does not convert"});
  expect_refused(
      [](SmallBody& b) {
        return Transpose{b.psum(Dtype::F32, {128, 64}), b.sbuf(Dtype::F32, {128, 64})};
      },
      kNeuronCoreV3, "TY-ISA-127", {"64 x 128"});
}

}  // namespace
}  // namespace trainyard::isa
