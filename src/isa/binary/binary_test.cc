// The binary form of programs by itself: what is written comes back. The container around it, and
// bytes that nobody wrote, are tested in compiler/file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "isa/binary/program.h"
#include "isa/testing/random_program.h"
#include "isa/text/text.h"
#include "numerics/functions.h"

namespace trainyard::isa::binary {
namespace {

struct Written {
  std::vector<uint8_t> bytes;
  std::vector<std::string> strings;
  friend bool operator==(const Written&, const Written&) = default;
};

Written write(const Program& program) {
  StringTable strings;
  Writer writer(strings);
  write_program(writer, program);
  return {writer.bytes(), strings.strings()};
}

Result<Program> read(const Written& written) {
  ReadContext context(written.bytes.size() + 1000);
  context.strings = written.strings;
  Reader reader(written.bytes, 0, context);
  Program program = read_program(reader);
  if (!reader.ok()) return reader.status();
  EXPECT_TRUE(reader.at_end());
  return program;
}

void expect_round_trip(const Program& program, const std::string& what) {
  const Written written = write(program);
  const Result<Program> again = read(written);
  ASSERT_TRUE(again.ok()) << what << ": " << again.status().str();
  EXPECT_TRUE(same_program(program, *again)) << what;
  EXPECT_TRUE(write(*again) == written) << what << ": also source lines and numbering";
}

TEST(Binary, RandomProgramsComeBack) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Program p =
        testing::random_program(seed, {.several_cores = seed % 4 == 0, .placement = seed % 2 == 0});
    expect_round_trip(p, fmt::format("seed {}", seed));
  }
}

TEST(Binary, EveryProgramInTextFormOfTheTreeComesBack) {
  int programs = 0;
  for (const std::string folder : {"examples", "tests", "bench", "docs"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".tya") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream text;
      text << file.rdbuf();
      const Result<Program> program = parse_text(text.str(), entry.path());
      if (!program.ok()) continue;  // those that must be refused
      ++programs;
      expect_round_trip(*program, entry.path());
    }
  }
  EXPECT_GT(programs, 50);
}

TEST(Binary, AProgramTakesFewBytes) {
  const auto text = parse_text(
      "program p target trn2\na: hbm f32[128,512] in\nb: sbuf f32[128,512]\n"
      "l: dma_copy b <- a\n",
      "p.tya");
  ASSERT_TRUE(text.ok());
  EXPECT_LE(write(*text).bytes.size(), 100u);
}

TEST(Binary, NumbersKeepTheirBits) {
  StringTable strings;
  const std::vector<int64_t> numbers = {0,   -1,        1,         63,        64,       -64,
                                        -65, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  Writer writer(strings);
  for (const int64_t n : numbers) writer.number(n);
  writer.number(std::bit_cast<float>(0x7FC12345u));
  ReadContext context(100);
  Reader reader(writer.bytes(), 0, context);
  for (const int64_t n : numbers) {
    int64_t back = 0;
    reader.number(back);
    EXPECT_EQ(back, n);
  }
  float nan = 0;
  reader.number(nan);
  EXPECT_EQ(std::bit_cast<uint32_t>(nan), 0x7FC12345u);
  EXPECT_TRUE(reader.ok() && reader.at_end());
}

TEST(Binary, ANumberOfMoreThan64BitsIsRefused) {
  const std::vector<uint8_t> bytes = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02};
  ReadContext context(bytes.size());
  Reader reader(bytes, 40, context);
  uint64_t value = 1;
  reader.bits(value);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(reader.status().code(), "TY-EXE-006");
  EXPECT_NE(reader.status().message().find("at byte 50"), std::string::npos);
}

TEST(Binary, AListLongerThanTheFileIsRefusedBeforeMemoryIsTaken) {
  StringTable strings;
  Writer writer(strings);
  writer.bits(uint64_t{1} << 60);
  ReadContext context(10);
  Reader reader(writer.bytes(), 0, context);
  std::vector<int64_t> numbers;
  reader.list(numbers, [&](int64_t& n) { reader.number(n); });
  EXPECT_EQ(reader.status().code(), "TY-EXE-006");
  EXPECT_EQ(numbers.capacity(), 0u);
}

TEST(Binary, AStringNamedManyTimesMeetsTheBudget) {
  ReadContext context(1000);
  context.strings.emplace_back(100'000, 'x');
  const std::vector<uint8_t> bytes(1000, 0);
  Reader reader(bytes, 0, context);
  std::string text;
  while (reader.ok() && !reader.at_end()) reader.text(text);
  EXPECT_EQ(reader.status().code(), "TY-EXE-007");
}

template <class E>
void expect_codes(size_t count) {
  std::set<E> listed(kCodes<E>.begin(), kCodes<E>.end());
  EXPECT_EQ(listed.size(), kCodes<E>.size()) << kWhat<E> << ": each once";
  EXPECT_EQ(listed.size(), count) << kWhat<E> << ": all of them";
  for (uint64_t code = 0; code < count; ++code) EXPECT_EQ(to_code(*from_code<E>(code)), code);
  EXPECT_FALSE(from_code<E>(count));
}

TEST(Binary, EveryEnumeratorHasACode) {
  expect_codes<AluOp>(EnumNames<AluOp>::value.size());
  expect_codes<Accumulate>(EnumNames<Accumulate>::value.size());
  expect_codes<PerfMode>(EnumNames<PerfMode>::value.size());
  expect_codes<ReduceCmd>(EnumNames<ReduceCmd>::value.size());
  expect_codes<DgeMode>(EnumNames<DgeMode>::value.size());
  expect_codes<OobMode>(EnumNames<OobMode>::value.size());
  expect_codes<RegisterOp>(EnumNames<RegisterOp>::value.size());
  expect_codes<CollectiveKind>(EnumNames<CollectiveKind>::value.size());
  expect_codes<Function>(numerics::all_functions().size());
  expect_codes<Dtype>(numerics::kAllDtypes.size());
  expect_codes<Engine>(hw::kEngineCount);
  expect_codes<gpsimd::Type>(gpsimd::kTypeCount);
  expect_codes<gpsimd::Code>(gpsimd::kCodeCount);
  EXPECT_EQ(kInstructionCodes.size(), std::variant_size_v<Instruction>);
}

// Old files must stay readable: a code that moves is caught here.
TEST(Binary, CodesStayWhereTheyAre) {
  EXPECT_EQ(to_code(Dtype::BF16), 2u);
  EXPECT_EQ(to_code(Dtype::U32), 13u);
  EXPECT_EQ(to_code(AluOp::ShiftRight), 28u);
  EXPECT_EQ(to_code(Function::Abs), 25u);
  EXPECT_EQ(to_code(CollectiveKind::Broadcast), 5u);
  EXPECT_EQ(to_code(gpsimd::Code::Sort), 71u);
  EXPECT_EQ(to_code(gpsimd::Type::F64), 12u);
  EXPECT_EQ(kInstructionCodes[0], "nc_matmul");
  EXPECT_EQ(kInstructionCodes[28], "gpsimd_call");
}

}  // namespace
}  // namespace trainyard::isa::binary
