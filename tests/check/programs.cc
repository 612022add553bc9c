#include "programs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "isa/text/text.h"

namespace trainyard::check_test {

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

isa::Program read(const std::filesystem::path& path) {
  Result<isa::Program> program = isa::parse_text(contents(path), path.filename());
  EXPECT_TRUE(program.ok()) << program.status().str();
  return program.ok() ? *program : isa::Program{};
}

isa::Program placed(isa::Program program, const place::Options& options, const hw::CoreSpec& core) {
  const Result<place::Report> report = place::place(program, core, options);
  EXPECT_TRUE(report.ok()) << report.status().str();
  return program;
}

isa::TripRecord trips_of(const isa::Program& program, int64_t turns) {
  isa::TripRecord trips;
  for (const isa::Loop& loop : program.loops) {
    trips.loops.emplace_back();
    if (loop.kind != isa::Loop::Kind::Repeat) trips.loops.back() = {{turns, 1}};
  }
  for (size_t b = 0; b < program.branches.size(); ++b) {
    trips.branches.emplace_back();
    for (int i = 0; i < 64; ++i)
      isa::TripRecord::append(trips.branches.back(), (i + static_cast<int>(b)) % 2);
  }
  return trips;
}

std::vector<sim::Finding> findings_of(const isa::Program& program, const isa::TripRecord& trips) {
  Result<sim::CheckResult> result = sim::check(program, hw::kNeuronCoreV3, trips);
  EXPECT_TRUE(result.ok()) << result.status().str();
  return result.ok() ? std::move(result->findings) : std::vector<sim::Finding>{};
}

std::string text_of(const std::vector<sim::Finding>& findings) {
  std::string text;
  for (const sim::Finding& f : findings) text += f.status.str() + "\n";
  return text;
}

std::string difference(const isa::Program& program, const isa::TripRecord& trips) {
  const std::vector<sim::Finding> findings = findings_of(program, trips);
  const auto has = [&](auto... kinds) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const sim::Finding& f) { return ((f.kind == kinds) || ...); });
  };
  using sim::FindingKind;
  const Verdict verdict = judge(program, trips);
  const auto say = [&](const char* what, bool check, bool oracle) {
    if (check == oracle) return std::string();
    return fmt::format("{}: check says {}, the oracle {} ({})\n{}", what, check, oracle,
                       verdict.why, text_of(findings));
  };
  if (std::string d = say("deadlock", has(FindingKind::Deadlock), verdict.deadlock); !d.empty())
    return d;
  if (verdict.deadlock) return "";
  if (std::string d = say("race", has(FindingKind::Race), verdict.race); !d.empty()) return d;
  if (std::string d = say("uninitialised", has(FindingKind::Uninitialised), verdict.uninitialised);
      !d.empty())
    return d;
  // Which writer a read sees means little while there are races.
  if (verdict.race) return "";
  return say("wrong writer", has(FindingKind::WrongWriter, FindingKind::Overlap), verdict.wrong);
}

}  // namespace trainyard::check_test
