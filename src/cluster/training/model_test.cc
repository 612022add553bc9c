#include "cluster/training/model.h"

#include <gtest/gtest.h>

#include "cluster/training/model_list.h"

namespace trainyard::cluster {
namespace {

double billions(const char* name) { return parameters(*find_model(name)) / 1e9; }

TEST(Model, PublishedSizesComeOutOfTheLayerNumbers) {
  // As their authors count them.
  EXPECT_NEAR(billions("llama2-7b"), 6.738, 0.01);
  EXPECT_NEAR(billions("llama2-70b"), 68.98, 0.05);
  EXPECT_NEAR(billions("llama3-8b"), 8.03, 0.01);
  EXPECT_NEAR(billions("llama3.1-405b"), 405.9, 0.5);
  EXPECT_NEAR(billions("gpt3-175b"), 175, 1);
  EXPECT_NEAR(billions("bert-large"), 0.336, 0.01);
  EXPECT_NEAR(billions("bloom-176b"), 176.2, 1);
  EXPECT_NEAR(billions("mixtral-8x7b"), 46.7, 0.2);
  EXPECT_NEAR(billions("vit-base"), 0.0866, 0.001);
  EXPECT_NEAR(billions("resnet50"), 0.0255, 0.0003);
  EXPECT_NEAR(billions("moe-1t"), 1000, 20);
  EXPECT_NEAR(billions("gpt-neox-20b"), 20.55, 0.05);
  EXPECT_NEAR(billions("gpt2"), 0.1244, 0.0005);
  EXPECT_NEAR(billions("dbrx-132b"), 131.6, 0.5);
  EXPECT_NEAR(billions("dit-xl"), 0.675, 0.01);
  EXPECT_NEAR(billions("dlrm"), 26, 1);
  EXPECT_NEAR(billions("sd-unet"), 0.86, 0.03);
}

TEST(Model, ATokenOfAMixtureUsesOnlyItsExperts) {
  const Model model = *find_model("mixtral-8x7b");
  const Block& block = std::get<Block>(model.layers.front());
  EXPECT_NEAR((active_parameters(block) * 32 + 2 * 32000 * 4096.0) / 1e9, 12.9, 0.1);
}

TEST(Model, FlopsFollowTheConventionOfPublishedTables) {
  // 6 P_matmul + 12 L q s per token; P_matmul leaves out the input embedding.
  const Model model = *find_model("llama2-7b");
  const double s = 4096, weights = 6.738415616e9 - 32000.0 * 4096 - 65.0 * 4096;
  const double expected = s * (6 * weights + 12 * 32 * 4096.0 * s);
  EXPECT_NEAR(model_flops(model, 4096) / expected, 1, 1e-4);
}

TEST(Model, ACausalMaskHalvesTheScoresOnly) {
  const Model model = *find_model("llama2-7b");
  const double scores = 12.0 * 32 * 4096 * 4096.0 * 4096.0;
  EXPECT_NEAR(model_flops(model, 4096) - causal_model_flops(model, 4096), scores / 2,
              1e-6 * scores);
}

TEST(Model, NamesAreFoundWhateverTheirSpelling) {
  EXPECT_TRUE(find_model("Llama3-70B").ok());
  EXPECT_TRUE(find_model("llama3_70b").ok());
  // The point counts where both are names.
  EXPECT_NEAR(billions("GPT3-1.3B"), 1.3, 0.05);
  EXPECT_NEAR(billions("gpt3-13b"), 12.9, 0.3);
  EXPECT_EQ(find_model("llama31-8b")->name, "llama3.1-8b");
  const Result<Model> unknown = find_model("lama3-70b");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), "TY-CLU-201");
  EXPECT_NE(unknown.status().message().find("llama3-70b"), std::string::npos);
}

TEST(Model, EveryBuiltInModelHasWeightsAndWork) {
  for (const std::string& name : model_names()) {
    const Result<Model> model = find_model(name);
    ASSERT_TRUE(model.ok()) << name;
    EXPECT_GT(parameters(*model), 1e6) << name;
    EXPECT_GT(model_flops(*model, 128), 0) << name;
  }
}

TEST(Model, EveryBuiltInNameFindsItself) {
  for (const std::string& name : model_names()) EXPECT_EQ(find_model(name)->name, name);
}

TEST(Model, AResnetTakesTwelveGigaflopsPerImageForwardAndBackward) {
  // 4.1 GMAC forward, as published for 224 x 224.
  EXPECT_NEAR(model_flops(*find_model("resnet50"), 1) / 6 / 1e9, 4.1, 0.15);
}

}  // namespace
}  // namespace trainyard::cluster
