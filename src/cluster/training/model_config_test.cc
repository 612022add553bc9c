#include "cluster/training/model_config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::cluster {
namespace {

constexpr const char* kLlama3 = R"({"model_type": "llama", "hidden_size": 8192,
  "intermediate_size": 28672, "num_attention_heads": 64, "num_hidden_layers": 80,
  "num_key_value_heads": 8, "vocab_size": 128256, "rope_theta": 500000.0,
  "tie_word_embeddings": false, "torch_dtype": "bfloat16"})";

TEST(ModelConfig, ALlamaConfigHas70BillionParameters) {
  const Result<Model> m = parse_model_config(kLlama3, "config.json");
  ASSERT_TRUE(m.ok()) << m.status().str();
  EXPECT_NEAR(parameters(*m) / 1e9, 70.55, 0.01);
}

TEST(ModelConfig, EachFamilyIsRead) {
  struct Example {
    const char* text;
    double billions;
    ModelClass kind;
  };
  for (const Example& e : {
           Example{R"({"model_type":"gpt2","n_layer":12,"n_embd":768,"n_head":12,
             "vocab_size":50257,"n_positions":1024,"n_inner":null})",
                   0.1244, ModelClass::Decoder},
           Example{R"({"model_type":"gpt_neox","num_hidden_layers":44,"hidden_size":6144,
             "num_attention_heads":64,"intermediate_size":24576,"vocab_size":50432})",
                   20.55, ModelClass::Decoder},
           Example{R"({"model_type":"mixtral","num_hidden_layers":32,"hidden_size":4096,
             "num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,
             "vocab_size":32000,"num_local_experts":8,"num_experts_per_tok":2})",
                   46.7, ModelClass::Mixture},
           Example{R"({"model_type":"bert","num_hidden_layers":24,"hidden_size":1024,
             "num_attention_heads":16,"intermediate_size":4096,"vocab_size":30522,
             "max_position_embeddings":512})",
                   0.335, ModelClass::Encoder},
           Example{R"({"model_type":"t5","num_layers":24,"d_model":1024,"num_heads":32,"d_kv":128,
             "d_ff":16384,"vocab_size":32128})",
                   2.85, ModelClass::EncoderDecoder},
           Example{R"({"model_type":"vit","image_size":224,"patch_size":16,"hidden_size":768,
             "num_hidden_layers":12,"num_attention_heads":12,"intermediate_size":3072})",
                   0.0866, ModelClass::Vision},
           Example{R"({"model_type":"bloom","n_layer":70,"hidden_size":14336,"n_head":112,
             "vocab_size":250880})",
                   176.2, ModelClass::Decoder},
       }) {
    const Result<Model> m = parse_model_config(e.text, "config.json");
    ASSERT_TRUE(m.ok()) << m.status().str();
    EXPECT_NEAR(parameters(*m) / 1e9, e.billions, 0.02 * e.billions) << e.text;
    EXPECT_EQ(m->model_class, e.kind);
  }
}

std::string code_of(const std::string& text) {
  const Result<Model> m = parse_model_config(text, "config.json");
  return m.ok() ? "" : m.status().code();
}

TEST(ModelConfig, WhatCannotBeReadIsRefusedByCode) {
  EXPECT_EQ(code_of("{\"model_type\": "), "TY-CLU-202");
  EXPECT_EQ(code_of("[1, 2]"), "TY-CLU-202");
  EXPECT_EQ(code_of(R"({"model_type":"llama","hidden_size":4096})"), "TY-CLU-203");
  EXPECT_EQ(code_of(R"({"model_type":"gpt2","n_layer":-12,"n_embd":768,"n_head":12,
    "vocab_size":50257,"n_positions":1024})"),
            "TY-CLU-204");
  EXPECT_EQ(code_of(R"({"model_type":"gpt2","n_layer":12.5,"n_embd":768,"n_head":12,
    "vocab_size":50257,"n_positions":1024})"),
            "TY-CLU-204");
  EXPECT_EQ(code_of(R"({"model_type":"gpt2","n_layer":12,"n_embd":7,"n_head":12,
    "vocab_size":50257,"n_positions":1024})"),
            "TY-CLU-204");
  EXPECT_EQ(code_of(R"({"model_type":"mamba"})"), "TY-CLU-205");
  EXPECT_EQ(code_of(R"({"model_type":"llama","num_hidden_layers":2,"hidden_size":64,
    "num_attention_heads":4,"intermediate_size":128,"vocab_size":100,"kv_lora_rank":512})"),
            "TY-CLU-206");
  EXPECT_EQ(code_of(R"({"layers":[{"kind":"dense","in":4,"out":4,"depth":3}]})"), "TY-CLU-207");
}

TEST(ModelConfig, ADecoderCanBeGivenByItsNumbers) {
  const Result<Model> m =
      load_model("layers=80,hidden=8192,heads=64,kv_heads=8,ffn=28672,vocab=128256");
  ASSERT_TRUE(m.ok()) << m.status().str();
  EXPECT_NEAR(parameters(*m) / 1e9, 70.55, 0.01);
  const Result<Model> mixture = load_model(
      "layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocab=32000,experts=8,top_k=2");
  ASSERT_TRUE(mixture.ok()) << mixture.status().str();
  EXPECT_NEAR(parameters(*mixture) / 1e9, 46.7, 0.1);
  const auto code = [](const char* text) { return load_model(text).status().code(); };
  EXPECT_EQ(code("layers=32,hidden=4096"), "TY-CLU-203");
  EXPECT_EQ(code("layers=32,hidden=x"), "TY-CLU-204");
  EXPECT_EQ(code("=32"), "TY-CLU-204");
  EXPECT_EQ(code("layers=32,,"), "TY-CLU-204");
  EXPECT_EQ(code("layers=32,layers=33"), "TY-CLU-204");
  EXPECT_EQ(code("layers=-1,hidden=64,heads=4,ffn=64,vocab=100"), "TY-CLU-204");
  EXPECT_EQ(code("layers=1,hidden=64,heads=4,ffn=64,vocab=100,depth=3"), "TY-CLU-207");
}

TEST(ModelConfig, LlamaOneToThreeAndMistralDifferInHeadsAndVocabulary) {
  const auto billions = [](int layers, int hidden, int ffn, int kv, int vocab, const char* more) {
    const std::string text = fmt::format(
        R"({{"model_type":"{}","num_hidden_layers":{},"hidden_size":{},"intermediate_size":{},
            "num_attention_heads":{},"num_key_value_heads":{},"vocab_size":{}{}}})",
        more[0] != '\0' ? "mistral" : "llama", layers, hidden, ffn, hidden / 128, kv, vocab, more);
    const Result<Model> m = parse_model_config(text, "config.json");
    return m.ok() ? parameters(*m) / 1e9 : 0;
  };
  EXPECT_NEAR(billions(60, 6656, 17920, 52, 32000, ""), 32.5, 0.1);
  EXPECT_NEAR(billions(40, 5120, 13824, 40, 32000, ""), 13.02, 0.02);
  EXPECT_NEAR(billions(32, 4096, 14336, 8, 128256, ""), 8.03, 0.01);
  EXPECT_NEAR(billions(32, 4096, 14336, 8, 32000, R"(,"sliding_window":4096)"), 7.24, 0.01);
}

TEST(ModelConfig, ASlidingWindowLimitsTheScores) {
  const auto flops = [](const char* window) {
    const std::string text =
        fmt::format(R"({{"model_type":"mistral","num_hidden_layers":2,"hidden_size":256,
            "intermediate_size":512,"num_attention_heads":2,"vocab_size":100{}}})",
                    window);
    return model_flops(*parse_model_config(text, "config.json"), 8192);
  };
  const double all = flops(""), windowed = flops(R"(,"sliding_window":4096)");
  EXPECT_NEAR(all - windowed, 12.0 * 2 * 256 * 8192 * 4096, 1);
}

TEST(ModelConfig, AMisspeltKeyIsNamed) {
  const Result<Model> m = parse_model_config(
      R"({"model_type":"llama","num_hidden_layer":2,"hidden_size":64,"num_attention_heads":4,
          "intermediate_size":128,"vocab_size":100})",
      "config.json");
  ASSERT_FALSE(m.ok());
  EXPECT_NE(m.status().message().find("'num_hidden_layers' is missing (did you mean "
                                      "'num_hidden_layer'?)"),
            std::string::npos)
      << m.status().message();
}

TEST(ModelConfig, AModelCanBeAListOfLayers) {
  const Result<Model> m = parse_model_config(R"({"name":"tiny","classes":10,"layers":[
    {"kind":"conv","in":3,"out":8,"kernel":3,"out_rows":32,"out_cols":32},
    {"kind":"dense","in":8,"out":8},
    {"kind":"table","count":2,"rows":1000,"width":16}]})",
                                             "tiny.json");
  ASSERT_TRUE(m.ok()) << m.status().str();
  EXPECT_DOUBLE_EQ(parameters(*m), 3 * 8 * 9 + 8 * 8 + 2 * 1000 * 16 + 10 * 8);
}

TEST(ModelConfig, AHeadNeedsALayerBeforeIt) {
  EXPECT_EQ(code_of(R"({"classes":10,"layers":[{"kind":"table","rows":1000,"width":16}]})"),
            "TY-CLU-204");
}

TEST(ModelConfig, ABlockOfAListMayHaveExperts) {
  const Result<Model> m = parse_model_config(R"({"vocab":100,"layers":[{"kind":"block",
    "hidden":64,"heads":4,"ffn":128,"experts":4,"top_k":2,"gated":true,"causal":true}]})",
                                             "tiny.json");
  ASSERT_TRUE(m.ok()) << m.status().str();
  // Attention, router, four experts of three matrices, two norms; embedding and head.
  EXPECT_DOUBLE_EQ(parameters(*m), 4 * 64 * 64 + 64 * 4 + 4 * 3 * 64 * 128 + 2 * 64 + 2 * 100 * 64);
}

}  // namespace
}  // namespace trainyard::cluster
