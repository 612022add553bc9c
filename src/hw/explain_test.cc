#include "hw/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "hw/fields.h"
#include "hw/machine_file.h"
#include "hw/units.h"

namespace trainyard::hw {
namespace {

const PageRow* find_row(const Page& page, std::string_view key) {
  const auto found = std::ranges::find(page.rows, key, &PageRow::key);
  return found == page.rows.end() ? nullptr : &*found;
}

Page page_about(std::string_view name) { return *explain(name, *find_target("trn2")); }

TEST(Explain, EveryGroupOfConstantsIsOnExactlyOneUnitPage) {
  std::multiset<std::string_view> shown;
  for (const Unit& unit : units()) shown.insert(unit.groups.begin(), unit.groups.end());
  for (const FieldGroup& group : core_groups())
    EXPECT_EQ(shown.count(group.name), 1u) << group.name;
  EXPECT_EQ(shown.size(), core_groups().size());
}

TEST(Explain, AUnitIsFoundByTheVendorsNamesToo) {
  for (const char* name : {"tensor", "pe", "PE", "TensorE"}) {
    EXPECT_EQ(page_about(name).title, "Tensor engine (PE)") << name;
  }
  EXPECT_EQ(page_about("DVE").name, "vector");
  EXPECT_EQ(page_about("semaphore").name, "semaphores");
}

TEST(Explain, AUnitPageHasItsConstantsWithTrustAndSource) {
  const Page page = page_about("tensor");
  const PageRow* floor = find_row(page, "pe.mm_floor");
  ASSERT_NE(floor, nullptr);
  EXPECT_EQ(floor->value, "64");
  EXPECT_EQ(floor->unit, "cycles");
  EXPECT_EQ(floor->trust, "assumed");
  EXPECT_EQ(floor->source, "nki-trn1");
  EXPECT_GE(page.paragraphs.size(), 3u);
}

TEST(Explain, AConstantShowsItsValueOnEveryChip) {
  const Page page = page_about("sbuf.partition_bytes");
  EXPECT_EQ(page.title, "physical bytes of one partition");
  EXPECT_EQ(find_row(page, "trn1")->value, "196608");
  EXPECT_EQ(find_row(page, "trn2")->value, "229376");
  EXPECT_EQ(find_row(page, "trn3")->value, "262144");
  EXPECT_EQ(page_about("core.sbuf.partition_bytes").title, page.title);
}

TEST(Explain, AMachineFileAppearsBesideTheCatalogue) {
  const auto machine = parse_machine(
      "base = \"trn2\"\nname = \"wide\"\n[core.sbuf]\npartition_bytes = 458752\n", "wide.toml");
  ASSERT_TRUE(machine);
  const PageRow* row = find_row(*explain("sbuf.partition_bytes", *machine), "wide");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->value, "458752");
  EXPECT_EQ(row->source, "user:wide.toml");
  EXPECT_EQ(explain("wide", *machine)->title, "wide: Trainium2 with 8 cores NeuronCore-v3");
}

TEST(Explain, ATargetPageNamesPeaksAndMemory) {
  const std::string page = text(page_about("trn2"));
  EXPECT_NE(page.find("78.6 in bf16"), std::string::npos) << page;
  EXPECT_NE(page.find("157.3 in fp8 double-row"), std::string::npos) << page;
  EXPECT_NE(page.find("a kernel may use 212984"), std::string::npos) << page;
  EXPECT_NE(page.find("96 GiB HBM per chip at 2864 GB/s"), std::string::npos) << page;
}

TEST(Explain, PlainTextAlignsItsRows) {
  EXPECT_EQ(text(page_about("sem.handoff_ns")),
            "from completion on one engine to the start of a waiter on another\n"
            "\n"
            "Key in a machine file: core.sem.handoff_ns. Allowed: 0 to 1000000.\n"
            "\n"
            "  trn1  30 ns  measured (nki-perf)\n"
            "  inf2  30 ns  measured (nki-perf)\n"
            "  trn2  30 ns  measured (nki-dma)\n"
            "  trn3  30 ns  assumed (nki-dma)\n");
}

TEST(Explain, ProseStaysWithin100Columns) {
  for (const Page& page : unit_pages(*find_target("trn2"))) {
    Page prose = page;
    prose.rows.clear();
    std::istringstream lines(text(prose));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Explain, EveryFieldHasAPage) {
  EXPECT_EQ(constant_pages(*find_target("trn2")).size(),
            core_fields().size() + chip_fields().size());
  for (const CoreField& field : core_fields())
    EXPECT_TRUE(explain(field.key, *find_target("trn2")));
}

TEST(Explain, AnUnknownNameIsRefusedWithTheNearest) {
  const auto page = explain("pe.mm_flor", *find_target("trn2"));
  ASSERT_FALSE(page);
  EXPECT_EQ(page.status().str(),
            "TY-HW-009  there is no target, unit or constant 'pe.mm_flor' (did you mean "
            "'pe.mm_floor'?)");
}

// TRAINYARD_UPDATE_DOCS=1 writes the pages instead of comparing them.
TEST(Explain, TheMachinePagesOfTheDocsAreUpToDate) {
  const bool update = std::getenv("TRAINYARD_UPDATE_DOCS") != nullptr;
  for (const Unit& unit : units()) {
    const std::string path = "docs/machine/" + std::string(unit.name) + ".md";
    const std::string wanted = unit_markdown(unit.name);
    if (update) std::ofstream(path) << wanted;
    std::ostringstream found;
    found << std::ifstream(path).rdbuf();
    EXPECT_EQ(found.str(), wanted) << path << ": run hw_test with TRAINYARD_UPDATE_DOCS=1";
  }
}

}  // namespace
}  // namespace trainyard::hw
