#include "hw/fields.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <set>
#include <string>

namespace trainyard::hw {
namespace {

size_t fact_bytes(FieldKind kind) {
  switch (kind) {
    case FieldKind::Integer:
      return sizeof(Fact<int64_t>);
    case FieldKind::Real:
      return sizeof(Fact<double>);
    case FieldKind::Cycles:
      return sizeof(Fact<Cycles>);
    case FieldKind::Flag:
      return sizeof(Fact<bool>);
  }
  return 0;
}

// The first column of the table in docs/sources.md: | `nki-trn1` | ...
std::set<std::string> source_keys() {
  std::set<std::string> keys;
  std::ifstream in("docs/sources.md");
  for (std::string line; std::getline(in, line);) {
    const size_t end = line.find("` |");
    if (line.starts_with("| `") && end != std::string::npos) keys.insert(line.substr(3, end - 3));
  }
  return keys;
}

TEST(Fields, NoFactOfASpecIsMissingFromItsTable) {
  size_t core = sizeof(std::string_view) + 8 /* generation, padded */ + sizeof(int64_t) +
                sizeof(std::array<Ticks, kEngineCount>);
  for (const CoreField& field : core_fields()) core += fact_bytes(field.kind);
  EXPECT_EQ(core, sizeof(CoreSpec));

  size_t chip = 2 * sizeof(std::string_view) + 8 /* generation, padded */;
  for (const ChipField& field : chip_fields()) chip += fact_bytes(field.kind);
  EXPECT_EQ(chip, sizeof(ChipSpec));
}

TEST(Fields, EveryKeyIsUniqueAndFindsItsField) {
  std::set<std::string_view> keys;
  for (const CoreField& field : core_fields()) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    EXPECT_EQ(find_field(core_fields(), field.key), &field);
    EXPECT_FALSE(field.meaning.empty()) << field.key;
  }
  for (const ChipField& field : chip_fields()) EXPECT_TRUE(keys.insert(field.key).second);
  EXPECT_EQ(find_field(core_fields(), "core.pe.nothing"), nullptr);
}

TEST(Fields, EveryFactLiesInItsRangeAndNamesAListedSource) {
  const std::set<std::string> sources = source_keys();
  ASSERT_GT(sources.size(), 20u) << "docs/sources.md";
  const auto expect_sound = [&](std::string_view owner, const auto& field, const FactView& fact) {
    EXPECT_GE(fact.value, field.low) << owner << " " << field.key;
    EXPECT_LE(fact.value, field.high) << owner << " " << field.key;
    EXPECT_TRUE(sources.contains(std::string(fact.source)))
        << owner << " " << field.key << " has source '" << fact.source << "'";
  };
  for (const Generation g : {Generation::V2, Generation::V3, Generation::V4}) {
    const CoreSpec& core = core_spec(g);
    for (const CoreField& field : core_fields()) expect_sound(core.name, field, field.get(core));
  }
  for (const ChipSpec& chip : chips()) {
    for (const ChipField& field : chip_fields()) expect_sound(chip.name, field, field.get(chip));
  }
}

// Our own choices are assumptions; only the documents of others can document a number.
TEST(Fields, WhatTrainyardItselfDefinesIsAssumed) {
  for (const Generation g : {Generation::V2, Generation::V3, Generation::V4}) {
    for (const CoreField& field : core_fields()) {
      const FactView fact = field.get(core_spec(g));
      EXPECT_TRUE(fact.source != "trainyard" || fact.trust == Trust::Assumed) << field.key;
    }
  }
}

TEST(Fields, RangesStayWithinTheExactIntegersOfADouble) {
  for (const CoreField& field : core_fields()) {
    EXPECT_LE(field.high, 9e15) << field.key;
    EXPECT_GE(field.low, -9e15) << field.key;
    EXPECT_LT(field.low, field.high) << field.key;
  }
}

TEST(Fields, WritingAFieldChangesThatFieldAlone) {
  for (const CoreField& field : core_fields()) {
    CoreSpec changed = kNeuronCoreV3;
    const FactView before = field.get(changed);
    const double other = before.value == field.low ? field.high : field.low;
    field.set(changed, {other, Trust::Assumed, "user:test"});
    EXPECT_NE(changed, kNeuronCoreV3) << field.key;
    field.set(changed, before);
    EXPECT_EQ(changed, kNeuronCoreV3) << field.key;
  }
}

}  // namespace
}  // namespace trainyard::hw
