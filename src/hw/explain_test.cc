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

// The page that is called `name`, on any list.
Page page_about(std::string_view name, const Machine& machine = *find_target("trn2")) {
  for (const auto& pages : {target_pages(), unit_pages(machine), constant_pages(machine)}) {
    for (const Page& page : pages) {
      const bool alias = std::ranges::find(page.aliases, name) != page.aliases.end();
      if (page.name == name || alias) return page;
    }
  }
  ADD_FAILURE() << "no page about " << name;
  return {};
}

TEST(Explain, EveryGroupOfConstantsIsOnExactlyOneUnitPage) {
  std::multiset<std::string_view> shown;
  for (const Unit& unit : units()) shown.insert(unit.groups.begin(), unit.groups.end());
  for (const FieldGroup& group : core_groups())
    EXPECT_EQ(shown.count(group.name), 1u) << group.name;
  EXPECT_EQ(shown.size(), core_groups().size());
}

TEST(Explain, AUnitIsFoundByTheVendorsNamesToo) {
  for (const char* name : {"tensor", "pe", "tensore"}) {
    EXPECT_EQ(page_about(name).title, "Tensor engine (PE)") << name;
  }
  EXPECT_EQ(page_about("dve").name, "vector");
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
  const Page page = page_about("sbuf.partition_bytes", *machine);
  const PageRow* row = find_row(page, "wide");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->value, "458752");
  EXPECT_EQ(row->source, "user:wide.toml");
  EXPECT_EQ(machine_page(*machine).title, "wide: Trainium2 with 8 cores NeuronCore-v3");
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

TEST(Explain, EveryFieldHasAPageAndEveryNameIsUnique) {
  const Machine trn2 = *find_target("trn2");
  std::set<std::string> names;
  for (const auto& pages : {target_pages(), unit_pages(trn2), constant_pages(trn2)}) {
    for (const Page& page : pages) {
      EXPECT_TRUE(names.insert(page.name).second) << page.name;
      for (const std::string& alias : page.aliases)
        EXPECT_TRUE(names.insert(alias).second) << alias;
    }
  }
  for (const CoreField& field : core_fields()) EXPECT_TRUE(names.contains(std::string(field.key)));
  for (const ChipField& field : chip_fields()) EXPECT_TRUE(names.contains(std::string(field.key)));
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
    EXPECT_TRUE(found.str() == wanted) << path << " is out of date; run ./dev golden";
  }
}

}  // namespace
}  // namespace trainyard::hw
