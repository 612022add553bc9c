#include "cluster/training/csv.h"

#include <gtest/gtest.h>

namespace trainyard::cluster {
namespace {

TEST(Csv, QuotesHoldCommasLinesAndQuotes) {
  const Result<CsvTable> t =
      parse_csv("a,b\n\"x, y\",\"he said \"\"no\"\"\nand left\"\n1,2\n", "t");
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->rows[0][0], "x, y");
  EXPECT_EQ(t->rows[0][1], "he said \"no\"\nand left");
  EXPECT_EQ(t->lines[1], 4);
  EXPECT_EQ(t->column("b"), 1);
  EXPECT_EQ(t->column("c"), -1);
}

TEST(Csv, WhatIsWrittenReadsBack) {
  const std::vector<std::string> fields = {"plain", "a,b", "q\"q", "two\nlines", ""};
  const Result<CsvTable> t = parse_csv("a,b,c,d,e\n" + csv_line(fields), "t");
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->rows[0], fields);
}

TEST(Csv, MalformedTablesAreRefusedWithTheLine) {
  for (const auto& [text, line] : std::vector<std::pair<std::string, int>>{
           {"a,b\n1,2\n3\n", 3}, {"a,b\n\"open,2\n", 2}, {"", 1}, {"a,a\n1,2\n", 1}}) {
    const Result<CsvTable> t = parse_csv(text, "rows.csv");
    ASSERT_FALSE(t.ok()) << text;
    EXPECT_EQ(t.status().code(), "TY-CLU-230");
    EXPECT_EQ(t.status().place().line, line) << text;
  }
}

}  // namespace
}  // namespace trainyard::cluster
