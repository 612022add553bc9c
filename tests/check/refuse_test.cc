// Programs with a planted mistake. The first lines of a file say what must be found:
// `# expect: TY-HAZ-001 some part of the message`, and `# zero_region` asks for that rule.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "isa/text/text.h"
#include "programs.h"

namespace trainyard::check_test {
namespace {

struct Expectation {
  std::string code, part;
};

struct File {
  std::vector<Expectation> expected;
  sim::CheckOptions options;
};

File head_of(const std::string& text) {
  File file;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("#");) {
    constexpr std::string_view kExpect = "# expect: ";
    if (line == "# zero_region") file.options.zero_region = true;
    if (!line.starts_with(kExpect)) continue;
    const std::string rest = line.substr(kExpect.size());
    const size_t space = rest.find(' ');
    file.expected.push_back({rest.substr(0, space), rest.substr(space + 1)});
  }
  return file;
}

TEST(CheckRefuse, EveryPlantedMistakeIsFoundAndNothingElse) {
  std::map<std::string, int> files_of;
  for (const auto& path : programs_in("tests/refuse/check")) {
    const File file = head_of(contents(path));
    ASSERT_FALSE(file.expected.empty()) << path;
    const isa::Program program = read(path);
    const Result<sim::CheckResult> result =
        sim::check(program, hw::kNeuronCoreV3, trips_of(program), file.options);
    ASSERT_TRUE(result.ok()) << path << " " << result.status().str();
    std::set<std::string> codes;
    for (const Expectation& e : file.expected) {
      codes.insert(e.code);
      ++files_of[e.code];
      const bool found =
          std::any_of(result->findings.begin(), result->findings.end(), [&](const auto& f) {
            return f.status.code() == e.code &&
                   f.status.message().find(e.part) != std::string::npos;
          });
      EXPECT_TRUE(found) << path << "\n  expected " << e.code << " " << e.part << "\n  got\n"
                         << text_of(result->findings);
    }
    for (const sim::Finding& f : result->findings) {
      EXPECT_TRUE(codes.contains(f.status.code())) << path << "\n" << f.status.str();
      EXPECT_TRUE(f.status.place().known()) << path << "\n" << f.status.str();
      EXPECT_NE(f.status.message().find("    fix   "), std::string::npos) << f.status.str();
    }
  }
  for (const char* code :
       {"TY-MEM-003", "TY-MEM-006", "TY-MEM-007", "TY-MEM-008", "TY-HAZ-001", "TY-HAZ-002",
        "TY-HAZ-003", "TY-HAZ-004", "TY-HAZ-005", "TY-HAZ-006", "TY-HAZ-007", "TY-HAZ-008"}) {
    EXPECT_GE(files_of[code], 3) << code;
  }
}

}  // namespace
}  // namespace trainyard::check_test
