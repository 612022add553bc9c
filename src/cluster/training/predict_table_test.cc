#include "cluster/training/predict_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace trainyard::cluster {
namespace {

using Row = std::map<std::string, std::string>;

// A run of the first kind that Trainium has published: 70 B on 32 instances.
Row llama() {
  return {{"id", "x"},
          {"hw", "trn1"},
          {"config_key", "k"},
          {"kind", "train"},
          {"model", "Llama2-70B"},
          {"params_b", "68.98"},
          {"layers", "80"},
          {"hidden", "8192"},
          {"heads", "64"},
          {"kv_heads", "8"},
          {"ffn", "28672"},
          {"vocab", "32000"},
          {"seq_len", "4096"},
          {"global_batch", "1024"},
          {"micro_batch", "1"},
          {"dtype", "bf16"},
          {"recompute", "selective"},
          {"tp", "32"},
          {"pp", "8"},
          {"sharding", "zero1"},
          {"instance_type", "trn1.32xlarge"},
          {"chips", "512"},
          {"tokens_per_s", "59146"},
          {"software", "neuronx-distributed; Neuron 2.21.0"},
          {"date", "2024-12-20"}};
}

Row with(Row row, const std::string& key, const std::string& value) {
  row[key] = value;
  return row;
}

std::string csv_of(const Row& row) {
  std::vector<std::string> header, fields;
  for (const auto& [key, value] : row) {
    header.push_back(key);
    fields.push_back(value);
  }
  return csv_line(header) + csv_line(fields);
}

// The answer as a table again: our own reader must read it.
Row predicted(const Row& row) {
  const Result<CsvTable> table = parse_csv(csv_of(row), "rows.csv");
  const Result<CsvTable> out = parse_csv(predict_table(*table).csv, "predicted.csv");
  EXPECT_TRUE(out.ok()) << out.status().str();
  Row result;
  for (size_t i = 0; i < out->header.size(); ++i) result[out->header[i]] = out->rows[0][i];
  return result;
}

TEST(PredictTable, EveryColumnComesBackWithThePredictionBesideIt) {
  const Row out = predicted(llama());
  EXPECT_EQ(out.at("model"), "Llama2-70B");
  EXPECT_EQ(out.at("status"), "ok");
  const double rate = std::stod(out.at("predicted_tokens_per_s"));
  EXPECT_NEAR(rate / 59146, std::stod(out.at("ratio")), 1e-3);
  EXPECT_NEAR(1024 * 4096 / rate, std::stod(out.at("predicted_step_time_s")), 0.05);
  EXPECT_LT(std::stod(out.at("predicted_low")), rate);
  EXPECT_GT(std::stod(out.at("predicted_high")), rate);
  EXPECT_GT(std::stod(out.at("predicted_memory_gb")), 1);
  EXPECT_GT(std::stod(out.at("predicted_mfu_pct")), 10);
}

TEST(PredictTable, APublishedRateNeverChangesThePrediction) {
  const Row known = predicted(llama()), blind = predicted(with(llama(), "tokens_per_s", ""));
  EXPECT_EQ(known.at("predicted_tokens_per_s"), blind.at("predicted_tokens_per_s"));
  EXPECT_EQ(blind.at("ratio"), "");
}

TEST(PredictTable, WhatARowLeavesOutIsAssumedAndListed) {
  for (const char* key : {"micro_batch", "recompute", "global_batch", "vocab", "pp"}) {
    const Row out = predicted(with(llama(), key, ""));
    EXPECT_EQ(out.at("status"), "ok") << key;
    EXPECT_NE(out.at("assumed").find(key), std::string::npos) << key << ": " << out.at("assumed");
  }
  EXPECT_EQ(predicted(with(llama(), "micro_batch", "unknown")).at("status"), "ok");
  EXPECT_EQ(predicted(with(llama(), "tp", "32?")).at("status"), "ok");
}

TEST(PredictTable, WhatCannotBeAssumedIsRefusedByRow) {
  const auto status = [](const char* key, const char* value) {
    return predicted(with(llama(), key, value)).at("status");
  };
  EXPECT_EQ(status("seq_len", ""), "TY-CLU-231");
  EXPECT_EQ(status("chips", ""), "TY-CLU-231");
  EXPECT_EQ(status("tp", "many"), "TY-CLU-232");
  EXPECT_EQ(status("layers", "-80"), "TY-CLU-232");
  EXPECT_EQ(status("dtype", "int3"), "TY-CLU-232");
  EXPECT_EQ(status("chips", "1e14"), "TY-CLU-232");
  EXPECT_EQ(status("hw", "abacus"), "TY-CLU-233");
  EXPECT_EQ(status("tp", "7"), "TY-CLU-210");
}

TEST(PredictTable, ARowInAnOldStackIsSlowerThanInANewOne) {
  const Row old = with(llama(), "software", "neuronx-distributed; Neuron 2.16.0");
  EXPECT_LT(std::stod(predicted(old).at("predicted_tokens_per_s")),
            std::stod(predicted(llama()).at("predicted_tokens_per_s")));
}

}  // namespace
}  // namespace trainyard::cluster
