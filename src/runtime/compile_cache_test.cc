// The cache of compiled programs, and programs that come from files.
#include "runtime/compile_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/read_file.h"
#include "runtime/code.h"

namespace trainyard::runtime {
namespace {

namespace fs = std::filesystem;

class CompileCacheTest : public testing::Test {
 protected:
  CompileCacheTest()
      : folder_(fs::temp_directory_path() / fmt::format("trainyard_cache_{}", ::getpid())),
        module_(read_whole("tests/data/stablehlo/mlp_grad.mlirbc").value_or("")) {
    fs::remove_all(folder_);
    settings_.cache = folder_;
  }
  ~CompileCacheTest() override { fs::remove_all(folder_); }

  Result<std::shared_ptr<Code>> compile() const {
    return Code::compile({reinterpret_cast<const uint8_t*>(module_.data()), module_.size()},
                         settings_);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (!fs::exists(folder_)) return found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path());
    return found;
  }

  fs::path folder_;
  std::string module_;
  Settings settings_{.machine = *hw::find_target("trn2")};
};

TEST_F(CompileCacheTest, TheSecondCompilationTakesTheFileOfTheFirst) {
  const auto first = compile();
  ASSERT_TRUE(first.ok()) << first.status().str();
  ASSERT_EQ(files().size(), 1u);
  // Shows that the file is used: another name in it is what the second one has.
  Result<compiler::ExecutableFile> file = compiler::read_executable(*read_whole(files()[0]));
  ASSERT_TRUE(file.ok());
  file->executable.name = "from_the_cache";
  std::ofstream(files()[0], std::ios::binary) << compiler::write_executable(*file);
  const auto second = compile();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(*(*second)->name(), "from_the_cache");
  EXPECT_EQ((*second)->fingerprint(), (*first)->fingerprint());
  EXPECT_TRUE(isa::same_program((*first)->executable().program, (*second)->executable().program));
}

TEST_F(CompileCacheTest, ADamagedFileIsCompiledAndWrittenAgain) {
  ASSERT_TRUE(compile().ok());
  const std::string whole = *read_whole(files()[0]);
  std::ofstream(files()[0], std::ios::binary) << whole.substr(0, whole.size() / 2);
  ASSERT_TRUE(compile().ok());
  EXPECT_EQ(*read_whole(files()[0]), whole) << "equal inputs give equal bytes";
}

TEST_F(CompileCacheTest, AFileUnderAnotherKeyIsNotTaken) {
  ASSERT_TRUE(compile().ok());
  Result<compiler::ExecutableFile> file = compiler::read_executable(*read_whole(files()[0]));
  file->executable.name = "stranger";
  file->origin.module = compiler::digest("another module");
  std::ofstream(files()[0], std::ios::binary) << compiler::write_executable(*file);
  const auto again = compile();
  ASSERT_TRUE(again.ok());
  EXPECT_NE(*(*again)->name(), "stranger");
}

TEST_F(CompileCacheTest, AnotherMachineHasAnotherEntry) {
  ASSERT_TRUE(compile().ok());
  settings_.machine = *hw::find_target("trn1");
  ASSERT_TRUE(compile().ok());
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(CompileCache(folder_).entries().size(), 2u);
}

TEST_F(CompileCacheTest, AFolderThatCannotBeMadeChangesNothing) {
  settings_.cache = "/proc/nowhere";
  EXPECT_TRUE(compile().ok());
}

TEST_F(CompileCacheTest, ASerializedProgramIsLoadedForItsMachineOnly) {
  settings_.cache.clear();
  const auto code = compile();
  ASSERT_TRUE(code.ok());
  const std::string bytes = (*code)->serialize("options");
  EXPECT_EQ(bytes, (*code)->serialize("options"));
  Result<compiler::ExecutableFile> file = compiler::read_executable(bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->caller, "options");
  const auto again = Code::load(*file, settings_);
  ASSERT_TRUE(again.ok()) << again.status().str();
  EXPECT_EQ((*again)->serialize("options"), bytes);
  settings_.machine = *hw::find_target("trn1");
  EXPECT_EQ(Code::load(*file, settings_).status().code(), "TY-EXE-011");
}

TEST_F(CompileCacheTest, TheKeyIsToldPartByPart) {
  const std::string words = in_words(origin_of(module_, settings_.machine));
  for (const std::string_view part : {"module ", "compiler  trainyard", "machine   trn2", "key "}) {
    EXPECT_NE(words.find(part), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace trainyard::runtime
