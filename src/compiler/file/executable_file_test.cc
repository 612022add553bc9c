// Executable files: what the compiler made comes back, and bytes that nobody wrote end in an error.
#include "compiler/file/executable_file.h"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <filesystem>
#include <random>

#include "base/read_file.h"
#include "compiler/compile.h"
#include "compiler/file/container.h"
#include "compiler/ir/test_module_test.h"
#include "compiler/lower/run_module_test.h"
#include "compiler/stablehlo/reader.h"
#include "isa/testing/random_program.h"

namespace trainyard::compiler {
namespace {

using testing::bytes_of;
using testing::f32;
using testing::i32;
using testing::TestModule;
using testing::values_of;

const hw::Machine& trn2() {
  static const hw::Machine machine = *hw::find_target("trn2");
  return machine;
}

// y = x + c with a constant that zstd shrinks; z = x in int32, sorted by a GpSimd program's max.
ExecutableFile small_file() {
  TestModule test({f32({4, 256}), i32({8})});
  Constant constant;
  constant.type = *f32({4, 256}).tensor();
  std::vector<float> numbers(1024);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7);
  constant.bytes = bytes_of(numbers);
  test.module.constants.push_back(std::move(constant));
  const ValueId c = test.add(OpKind::Constant, {}, ConstantAttributes{0}, {f32({4, 256})});
  const ValueId y = test.add(OpKind::Add, {test.argument(0), c}, {}, {f32({4, 256})});
  const ValueId z =
      test.add(OpKind::Multiply, {test.argument(1), test.argument(1)}, {}, {i32({8})});
  EXPECT_TRUE(test.finish({y, z}).ok());
  Result<Executable> made = lower(test.module, trn2().core, "trn2");
  EXPECT_TRUE(made.ok()) << made.status().str();
  ExecutableFile file{.executable = std::move(*made)};
  file.executable.name = "jit_small";
  file.executable.remarks = {"multiply: on GpSimd"};
  file.executable.arguments[0].donated = true;
  file.executable.arguments[0].alias = 0;
  file.executable.arguments[0].name = "x";
  file.origin = {.compiler = compiler_name(), .module = digest("module"), .machine = "trn2"};
  file.fingerprint = 0x0123456789abcdef;
  file.caller = "options";
  return file;
}

void expect_same(const ExecutableFile& a, const ExecutableFile& b) {
  EXPECT_TRUE(isa::same_program(a.executable.program, b.executable.program));
  EXPECT_EQ(a.executable.name, b.executable.name);
  EXPECT_EQ(a.executable.remarks, b.executable.remarks);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.fingerprint, b.fingerprint);
  EXPECT_EQ(a.caller, b.caller);
  ASSERT_EQ(a.executable.arguments.size(), b.executable.arguments.size());
  for (size_t i = 0; i < a.executable.arguments.size(); ++i) {
    const Argument &x = a.executable.arguments[i], &y = b.executable.arguments[i];
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(std::tie(x.tensor, x.name, x.donated, x.alias),
              std::tie(y.tensor, y.name, y.donated, y.alias));
  }
  ASSERT_EQ(a.executable.outputs.size(), b.executable.outputs.size());
  for (size_t i = 0; i < a.executable.outputs.size(); ++i) {
    const Output &x = a.executable.outputs[i], &y = b.executable.outputs[i];
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(std::tie(x.tensor, x.name), std::tie(y.tensor, y.name));
  }
  ASSERT_EQ(a.executable.constants.size(), b.executable.constants.size());
  for (size_t i = 0; i < a.executable.constants.size(); ++i) {
    EXPECT_EQ(a.executable.constants[i].tensor, b.executable.constants[i].tensor);
    EXPECT_EQ(a.executable.constants[i].bytes, b.executable.constants[i].bytes);
  }
}

void expect_round_trip(const ExecutableFile& file) {
  const std::string bytes = write_executable(file);
  EXPECT_TRUE(is_executable_file(bytes));
  const Result<ExecutableFile> again = read_executable(bytes);
  ASSERT_TRUE(again.ok()) << again.status().str();
  expect_same(file, *again);
  EXPECT_TRUE(write_executable(*again) == bytes);
  const Status sound = verify_executable(again->executable, trn2().core);
  EXPECT_TRUE(sound.ok()) << sound.str();
}

void mend(std::string& bytes) {
  const size_t end = bytes.size() - 8;
  uint64_t sum = XXH64(bytes.data(), end, 0);
  for (size_t i = 0; i < 8; ++i, sum >>= 8) bytes[end + i] = static_cast<char>(sum);
}

// Read, and verify what comes of it: an error names its byte, whatever the bytes are.
void expect_sound_end(std::string_view bytes) {
  const Result<ExecutableFile> file = read_executable(bytes);
  if (!file.ok()) {
    EXPECT_TRUE(file.status().code().starts_with("TY-EXE-")) << file.status().str();
    EXPECT_TRUE(file.status().code() == "TY-EXE-009" ||
                file.status().message().find("at byte") != std::string::npos)
        << file.status().str();
    return;
  }
  const Status status = verify_executable(file->executable, trn2().core);
  EXPECT_TRUE(status.ok() || status.code().starts_with("TY-")) << status.str();
}

TEST(ExecutableFile, WhatTheCompilerMadeComesBack) { expect_round_trip(small_file()); }

TEST(ExecutableFile, ConstantsThatShrinkArePacked) {
  EXPECT_LT(write_executable(small_file()).size(), 4096u) << "4096 bytes of constants inside";
}

TEST(ExecutableFile, AMebibyteOfZerosTakesFewBytes) {
  ExecutableFile file = small_file();
  file.executable.constants[0].bytes.assign(1 << 20, 0);
  const std::string bytes = write_executable(file);
  EXPECT_LT(bytes.size(), 4096u);
  EXPECT_EQ(read_executable(bytes)->executable.constants[0].bytes.size(), 1u << 20);
}

TEST(ExecutableFile, WhatComesBackComputesTheSame) {
  const ExecutableFile file = small_file();
  const Result<ExecutableFile> again = read_executable(write_executable(file));
  ASSERT_TRUE(again.ok());
  std::vector<float> x(1024, 0.5f);
  const std::vector<int32_t> n = {1, -2, 3, 100'000, 5, 6, 7, 8};
  const auto first = testing::run_executable(file.executable, {bytes_of(x), bytes_of(n)});
  const auto second = testing::run_executable(again->executable, {bytes_of(x), bytes_of(n)});
  EXPECT_EQ(first, second);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(values_of<float>(second[0])[6], 6.5f);
}

TEST(ExecutableFile, CompiledModulesOfJaxComeBack) {
  int compiled = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/data/stablehlo")) {
    if (entry.path().extension() != ".mlirbc") continue;
    const std::optional<std::string> bytes = read_whole(entry.path());
    ASSERT_TRUE(bytes);
    Result<Module> module =
        read_stablehlo({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
    ASSERT_TRUE(module.ok()) << entry.path();
    Result<Executable> executable = compile(std::move(*module), trn2());
    if (!executable.ok()) continue;  // what the compiler refuses
    ++compiled;
    expect_round_trip({.executable = std::move(*executable)});
  }
  EXPECT_GE(compiled, 4);
}

TEST(ExecutableFile, RandomProgramsComeBack) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    ExecutableFile file;
    file.executable.program = isa::testing::random_program(seed, {.placement = true});
    const std::string bytes = write_executable(file);
    const Result<ExecutableFile> again = read_executable(bytes);
    ASSERT_TRUE(again.ok()) << again.status().str();
    expect_same(file, *again);
    EXPECT_TRUE(write_executable(*again) == bytes);
  }
}

// These files were written once and are never written again: a change of the form needs a version.
TEST(ExecutableFile, FilesThatWereWrittenEarlierAreStillReadAndWrittenAlike) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fuzz/corpus/executable")) {
    const std::string bytes = read_whole(entry.path()).value_or("");
    const Result<ExecutableFile> file = read_executable(bytes);
    ASSERT_TRUE(file.ok()) << entry.path() << ": " << file.status().str();
    EXPECT_TRUE(write_executable(*file) == bytes) << entry.path();
    const Status legal = isa::verify(file->executable.program, trn2().core);
    EXPECT_TRUE(legal.ok()) << entry.path() << ": " << legal.str();
    ++files;
  }
  EXPECT_GE(files, 10);
}

TEST(ExecutableFile, EveryTruncationIsRefused) {
  const std::string bytes = write_executable(small_file());
  for (size_t n = 0; n < bytes.size(); ++n) {
    const Result<ExecutableFile> file = read_executable(std::string_view(bytes).substr(0, n));
    ASSERT_FALSE(file.ok()) << n;
    EXPECT_EQ(file.status().code(), n < 8 ? "TY-EXE-001" : "TY-EXE-003") << n;
  }
  EXPECT_EQ(read_executable(bytes + "x").status().code(), "TY-EXE-003");
}

TEST(ExecutableFile, EveryFlippedByteIsNoticed) {
  const std::string bytes = write_executable(small_file());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      ASSERT_FALSE(read_executable(damaged).ok()) << i;
    }
  }
}

TEST(ExecutableFile, EveryFlippedByteWithTheChecksumMendedEndsWell) {
  const std::string bytes = write_executable(small_file());
  for (size_t i = 0; i + 8 < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x04, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      mend(damaged);
      expect_sound_end(damaged);
    }
  }
}

TEST(ExecutableFile, RandomDamageWithTheChecksumMendedEndsWell) {
  std::mt19937_64 random(7);
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ExecutableFile file;
    file.executable.program =
        isa::testing::random_program(seed, {.several_cores = true, .placement = true});
    const std::string bytes = write_executable(file);
    for (int i = 0; i < 200; ++i) {
      std::string damaged = bytes;
      for (uint64_t n = random() % 4; n < 4; ++n) {
        damaged[random() % (damaged.size() - 8)] = static_cast<char>(random());
      }
      mend(damaged);
      expect_sound_end(damaged);
    }
  }
}

TEST(ExecutableFile, ErrorsSayWhatIsWrong) {
  const std::string bytes = write_executable(small_file());
  const auto changed = [&](size_t at, char value) {
    std::string copy = bytes;
    copy[at] = value;
    mend(copy);
    return read_executable(copy).status().code();
  };
  EXPECT_EQ(read_executable("program p target trn2").status().code(), "TY-EXE-001");
  EXPECT_EQ(changed(8, 2), "TY-EXE-002") << "a version of tomorrow";
  EXPECT_EQ(changed(12, 99), "TY-EXE-005") << "more sections than fit";
  EXPECT_EQ(changed(24, 9), "TY-EXE-005") << "a section that is needed and not known";
  EXPECT_EQ(changed(24 + 3 * 32 + 24 + 3, 0x7f), "TY-EXE-005") << "constants that grow too much";
  std::string flipped = bytes;
  flipped[100] ^= 1;
  EXPECT_EQ(read_executable(flipped).status().code(), "TY-EXE-004");
}

TEST(ExecutableFile, ConstantsThatCannotBeUnpackedAreRefused) {
  std::string bytes = write_executable(small_file());
  // The constants stand before the caller's section and the checksum.
  const size_t last = bytes.size() - 8 - small_file().caller.size() - 1;
  for (size_t i = 0; i < 12; ++i) bytes[last - i] ^= 0x55;
  mend(bytes);
  EXPECT_EQ(read_executable(bytes).status().code(), "TY-EXE-010");
}

TEST(ExecutableFile, ProgramsForTwoCoresAreRefused) {
  const std::string bytes = write_executable(small_file());
  const auto sections =
      file::read_container({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  ASSERT_TRUE(sections.ok());
  const std::span<const uint8_t> one = (*sections)[1].bytes;
  std::vector<uint8_t> two = {2};  // in place of the count of 1, then the program twice
  two.insert(two.end(), one.begin() + 1, one.end());
  two.insert(two.end(), one.begin() + 1, one.end());
  const std::vector<file::NewSection> changed = {{file::Kind::Strings, (*sections)[0].bytes},
                                                 {file::Kind::Programs, two},
                                                 {file::Kind::Interface, (*sections)[2].bytes}};
  EXPECT_EQ(read_executable(file::write_container(changed)).status().code(), "TY-EXE-009");
}

TEST(ExecutableFile, ASectionThatIsOptionalAndNotKnownIsSkipped) {
  const std::string bytes = write_executable(small_file());
  const auto sections =
      file::read_container({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  const std::vector<uint8_t> later = {1, 2, 3};
  std::vector<file::NewSection> changed;
  for (const file::Section& s : *sections) {
    if (s.kind < file::kOptional && !s.compressed) {
      changed.push_back({static_cast<file::Kind>(s.kind), s.bytes});
    }
  }
  const std::vector<uint8_t> data = small_file().executable.constants[0].bytes;
  changed.push_back({file::Kind::Constants, data, true});
  changed.push_back({static_cast<file::Kind>(file::kOptional + 7), later});
  const auto file = read_executable(file::write_container(changed));
  EXPECT_TRUE(file.ok()) << file.status().str();
}

std::string verdict(const std::function<void(Executable&)>& change) {
  Executable executable = small_file().executable;
  change(executable);
  return verify_executable(executable, trn2().core).code();
}

TEST(ExecutableFile, ArraysThatDoNotFitTheProgramAreRefused) {
  EXPECT_EQ(verdict([](Executable&) {}), "");
  EXPECT_EQ(verdict([](Executable& e) { e.arguments[0].tensor = 1000; }), "TY-EXE-008");
  EXPECT_EQ(verdict([](Executable& e) { e.arguments[0].type.shape = {3}; }), "TY-EXE-008");
  EXPECT_EQ(verdict([](Executable& e) { e.arguments[0].type.shape = {-4, -256}; }), "TY-EXE-008");
  EXPECT_EQ(verdict([](Executable& e) { e.arguments[0].alias = 2; }), "TY-EXE-008");
  EXPECT_EQ(verdict([](Executable& e) { e.arguments.clear(); }), "TY-EXE-008");
  EXPECT_EQ(verdict([](Executable& e) { e.outputs[1].tensor = -1; }), "TY-EXE-008");
  EXPECT_EQ(verdict([](Executable& e) { e.constants[0].bytes.pop_back(); }), "TY-EXE-008");
  EXPECT_EQ(verdict([](Executable& e) { e.constants.push_back(e.constants[0]); }), "TY-EXE-008");
}

TEST(ExecutableFile, TheKeyDependsOnEachPart) {
  const Origin base{"compiler", "module", "machine", "options"};
  std::set<std::string> keys = {cache_key(base)};
  keys.insert(cache_key({"other", "module", "machine", "options"}));
  keys.insert(cache_key({"compiler", "other", "machine", "options"}));
  keys.insert(cache_key({"compiler", "module", "other", "options"}));
  keys.insert(cache_key({"compiler", "module", "machine", ""}));
  EXPECT_EQ(keys.size(), 5u);
  EXPECT_EQ(cache_key(base), cache_key(Origin(base)));
  hw::Machine wide = trn2();
  wide.core.sbuf.partition_bytes.value *= 2;
  EXPECT_NE(machine_digest(wide), machine_digest(trn2()));
}

}  // namespace
}  // namespace trainyard::compiler
