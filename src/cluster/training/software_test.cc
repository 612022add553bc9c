#include "cluster/training/software.h"

#include <gtest/gtest.h>

namespace trainyard::cluster {
namespace {

TEST(Software, DatesOfPublishedTablesAreYearsWithTheirFraction) {
  const auto year = [](std::string_view date) { return parse_software("jax", date, "gpu").year; };
  EXPECT_EQ(year(""), 0);
  EXPECT_EQ(year("2024"), 2024);
  EXPECT_NEAR(year("2024-04-11"), 2024 + 3.5 / 12, 1e-9);
  EXPECT_NEAR(year("2025-07"), 2025 + 6.5 / 12, 1e-9);
  // A span of years ends with the last day of its second year.
  EXPECT_EQ(year("2023-2024"), 2024);
  EXPECT_LE(year("2024-99"), 2025);
}

TEST(Software, TheSameFrameworkIsAnotherStackOnAnotherMachine) {
  EXPECT_EQ(parse_software("AXLearn/JAX", "2024", "h100").stack, Stack::AxlearnGpu);
  EXPECT_EQ(parse_software("AXLearn/JAX", "2024", "v6e").stack, Stack::Axlearn);
  EXPECT_EQ(parse_software("AXLearn/JAX Neuron", "2025", "trn2").stack, Stack::NeuronJax);
  EXPECT_EQ(parse_software("MaxText", "2025", "v5p").stack, Stack::MaxText);
  EXPECT_EQ(parse_software("MaxText (NGC DGXC recipe 25.01)", "2025", "h100").stack, Stack::JaxGpu);
}

TEST(Software, EveryStackHasItsOwnName) {
  EXPECT_EQ(name(Stack::NeuronTorch), "torch-neuronx");
  EXPECT_EQ(name(Stack::JaxGpu), "jax on gpu");
  EXPECT_EQ(name(Stack::AxlearnGpu), "axlearn on gpu");
  EXPECT_EQ(name(Stack::MaxText), "maxtext");
  EXPECT_EQ(name(Stack::Other), "other");
}

TEST(Software, FlashAttentionComesWithTheReleasesThatShippedIt) {
  EXPECT_FALSE(has_flash_attention(
      parse_software("neuronx-distributed; Neuron 2.18.0", "2024-04-11", "trn1")));
  EXPECT_TRUE(has_flash_attention(
      parse_software("neuronx-distributed; Neuron 2.20.0", "2024-09-16", "trn1")));
  EXPECT_FALSE(has_new_gpu_attention(parse_software("AXLearn/JAX", "2023-2024", "h100")));
}

}  // namespace
}  // namespace trainyard::cluster
