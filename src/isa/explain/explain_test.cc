#include "isa/explain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "isa/movement.h"

namespace trainyard::isa {
namespace {

hw::Page page(std::string_view name, std::string_view target = "trn2") {
  const std::vector<hw::Page> pages = instruction_pages(*hw::find_target(target));
  const auto at = std::ranges::find(pages, name, &hw::Page::name);
  return at == pages.end() ? hw::Page{} : *at;
}

std::string joined(const hw::Page& p) {
  std::string all;
  for (const std::string& s : p.paragraphs) all += s + "\n";
  return all;
}

TEST(Explain, EveryInstructionHasAPageWithAFormulaAndConstants) {
  const std::vector<hw::Page> pages = instruction_pages(*hw::find_target("trn2"));
  EXPECT_EQ(pages.size(), std::variant_size_v<Instruction>);
  for (const hw::Page& p : pages) {
    EXPECT_FALSE(p.title.empty()) << p.name;
    EXPECT_EQ(joined(p).find('{'), std::string::npos) << p.name;
    EXPECT_FALSE(p.rows.empty()) << p.name;
    for (const hw::PageRow& row : p.rows) {
      EXPECT_FALSE(row.trust.empty()) << row.key;
      EXPECT_FALSE(row.source.empty()) << row.key;
    }
  }
}

TEST(Explain, ThePageOfMatmulHasTheNumbersOfTheTarget) {
  EXPECT_NE(joined(page("nc_matmul")).find("N at most 512 moving columns"), std::string::npos);
  EXPECT_NE(joined(page("nc_matmul", "trn3")).find("N at most 4096 moving columns"),
            std::string::npos);
  EXPECT_NE(
      joined(page("nc_matmul", "trn1")).find("bits pass unchanged, moving is an identity): no"),
      std::string::npos);
  const hw::Page p = page("nc_matmul");
  const auto row = std::ranges::find(p.rows, "pe.mm_floor", &hw::PageRow::key);
  ASSERT_NE(row, p.rows.end());
  EXPECT_EQ(row->value, "64");
  EXPECT_EQ(row->trust, "assumed");
}

TEST(Explain, OperandsAndAttributesAreThoseOfTheInstruction) {
  const std::string text = joined(page("nc_matmul"));
  EXPECT_NE(text.find("writes dst; reads stationary, moving"), std::string::npos) << text;
  EXPECT_NE(text.find("accumulate (first_write, overwrite, accumulate)"), std::string::npos);
  EXPECT_NE(joined(page("activation")).find("takes numbers or tiles scale, bias (optional)"),
            std::string::npos);
  EXPECT_NE(joined(page("nop")).find("Operands: none."), std::string::npos);
}

}  // namespace
}  // namespace trainyard::isa
