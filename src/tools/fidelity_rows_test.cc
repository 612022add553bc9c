#include "tools/fidelity_rows.h"

#include <gtest/gtest.h>

namespace trainyard::tools {
namespace {

constexpr std::string_view kHeader = R"(# id: V-X-1
# what: a kernel
# source: nki-perf
# Prose with a colon: this is no key.
# measure: total
# published: 39.89 ms
# band: 3 %
# measure: busy tensor
# case: sequence 1024
# repeat: t=2 o=4
# published: 87.28 %
# calibrates: pe.mm_extra
# band: 15 %
# note: one
# note: two
# id: V-X-2
# what: another
# not_modelled: nobody knows
# published: 7
program p
# id: not read any more
)";

TEST(FidelityRows, AMeasureBeginsARowThatKeepsIdAndWhat) {
  const auto rows = read_fidelity_rows(kHeader, "f.tya");
  ASSERT_TRUE(rows.ok()) << rows.status().str();
  ASSERT_EQ(rows->size(), 3u);
  const FidelityRow &a = (*rows)[0], &b = (*rows)[1], &c = (*rows)[2];
  EXPECT_EQ(a.id, "V-X-1");
  EXPECT_EQ(a.published, (Quantity{39.89, "ms"}));
  EXPECT_EQ(a.band, 3);
  EXPECT_EQ(b.id, "V-X-1");
  EXPECT_EQ(b.source, "nki-perf");
  EXPECT_EQ(b.variant, "sequence 1024");
  EXPECT_EQ(b.repeats, (std::map<std::string, int64_t>{{"o", 4}, {"t", 2}}));
  EXPECT_EQ(b.calibrates, "pe.mm_extra");
  EXPECT_EQ(b.note, "one two");
  EXPECT_TRUE(a.repeats.empty());
  EXPECT_EQ(c.id, "V-X-2");
  EXPECT_EQ(c.not_modelled, "nobody knows");
  EXPECT_EQ(c.published, (Quantity{7, ""}));
}

TEST(FidelityRows, WhatCannotBeReadIsRefusedAtItsLine) {
  const auto refusal = [](std::string_view text) {
    const auto rows = read_fidelity_rows(text, "f.tya");
    return rows.ok() ? "accepted" : rows.status().code() + " " + rows.status().place().str();
  };
  EXPECT_EQ(refusal("# measure: total\n# publish: 3 ms\n"), "TY-FID-001 f.tya:2:1");
  EXPECT_EQ(refusal("# measure: total\n# published: 3 minutes\n"), "TY-FID-001 f.tya:2:1");
  EXPECT_EQ(refusal("# measure: total\n# published: fast\n"), "TY-FID-001 f.tya:2:1");
  EXPECT_EQ(refusal("# measure: total\n# band: 3 ms\n"), "TY-FID-001 f.tya:2:1");
  EXPECT_EQ(refusal("# measure: total\n# repeat: t\n"), "TY-FID-001 f.tya:2:1");
  EXPECT_EQ(refusal("# published: 3 ms\n"), "TY-FID-001 f.tya:1:1");
  EXPECT_EQ(refusal("# id: a\n# what: b\n# measure: total\n# published: 3 ms\n"),
            "TY-FID-001 f.tya:3:1");  // no band
}

TEST(FidelityRows, UnitsScaleToSecondsAndBytes) {
  EXPECT_EQ(scale_of("us"), 1e-6);
  EXPECT_EQ(scale_of("GB/s"), 1e9);
  EXPECT_EQ(scale_of(""), 1);
  EXPECT_EQ(scale_of("fortnight"), 0);
}

}  // namespace
}  // namespace trainyard::tools
