// Runs over the files of the tree that hold programs: those that must be refused, those whose
// printed form is fixed, and the examples of the documentation. CTest runs this from the root.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "isa/text/text.h"
#include "isa/verify.h"

namespace trainyard::isa {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> programs_in(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  if (!std::filesystem::is_directory(folder)) {
    ADD_FAILURE() << folder << " is not here; run from the root of the sources";
    return paths;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".tya") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The first line of a file says what its error is: `# expect: TY-TXT-004 the name 'x' is taken`.
TEST(TextFiles, ProgramsThatMustBeRefusedAreRefusedWithTheExpectedText) {
  constexpr std::string_view kExpect = "# expect: ";
  std::set<std::string> codes;
  for (const auto& path : programs_in("tests/refuse/text")) {
    const std::string text = contents(path);
    ASSERT_TRUE(text.starts_with(kExpect)) << path;
    const std::string expected = text.substr(kExpect.size(), text.find('\n') - kExpect.size());
    const Result<Program> program = parse_text(text, path.filename());
    ASSERT_FALSE(program.ok()) << path << " is accepted";
    const Status& s = program.status();
    EXPECT_TRUE((s.code() + " " + s.message()).starts_with(expected))
        << path << "\n  expected " << expected << "\n  got      " << s.str();
    EXPECT_TRUE(s.place().known()) << path;
    codes.insert(s.code());
  }
  EXPECT_EQ(codes.size(), 13u) << "each code has a file";
}

// TRAINYARD_UPDATE_GOLDEN=1 writes what is printed now; review the change as code.
TEST(TextFiles, GoldenProgramsArePrintedAsTheyStand) {
  for (const auto& path : programs_in("tests/golden/text")) {
    const std::string text = contents(path);
    const Result<Program> program = parse_text(text, path.filename());
    ASSERT_TRUE(program.ok()) << program.status().str();
    const std::string printed = print_text(*program);
    EXPECT_EQ(printed, text) << path;
    if (std::getenv("TRAINYARD_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(path, std::ios::binary) << printed;
    }
  }
}

TEST(TextFiles, ExamplesOfTheDocumentationAreReadAndLegal) {
  const std::string page = contents("docs/program.md");
  const std::regex block("```tya\n([^`]*)```");
  int examples = 0;
  for (std::sregex_iterator i(page.begin(), page.end(), block), end; i != end; ++i, ++examples) {
    const std::string text = (*i)[1];
    const Result<Program> program = parse_text(text, "docs/program.md");
    ASSERT_TRUE(program.ok()) << program.status().str() << "\n" << text;
    const Status legal = verify(*program, hw::kNeuronCoreV3);
    EXPECT_TRUE(legal.ok()) << legal.str() << "\n" << text;
  }
  EXPECT_GE(examples, 4);
}

}  // namespace
}  // namespace trainyard::isa
