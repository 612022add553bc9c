#include "cluster/training/model_list.h"

#include <algorithm>
#include <cctype>

#include "base/nearest.h"

namespace trainyard::cluster {
namespace {

// Sizes as their authors publish them: papers and config.json files.
// name, layers, hidden, heads, kv_heads, ffn, vocab, head_dim, gated, experts, top_k
constexpr DecoderSizes kDecoders[] = {
    {"llama-7b", 32, 4096, 32, 32, 11008, 32000},
    {"llama-13b", 40, 5120, 40, 40, 13824, 32000},
    {"llama-33b", 60, 6656, 52, 52, 17920, 32000},
    {"llama-65b", 80, 8192, 64, 64, 22016, 32000},
    {"llama2-7b", 32, 4096, 32, 32, 11008, 32000},
    {"llama2-13b", 40, 5120, 40, 40, 13824, 32000},
    {"llama2-70b", 80, 8192, 64, 8, 28672, 32000},
    {"llama3-8b", 32, 4096, 32, 8, 14336, 128256},
    {"llama3-70b", 80, 8192, 64, 8, 28672, 128256},
    {"llama3.1-8b", 32, 4096, 32, 8, 14336, 128256},
    {"llama3.1-70b", 80, 8192, 64, 8, 28672, 128256},
    {"llama3.1-405b", 126, 16384, 128, 8, 53248, 128256},
    {"mistral-7b", 32, 4096, 32, 8, 14336, 32000},
    {"mixtral-8x7b", 32, 4096, 32, 8, 14336, 32000, 0, true, 8, 2},
    {"mixtral-8x22b", 56, 6144, 48, 8, 16384, 32768, 0, true, 8, 2},
    {"dbrx-132b", 40, 6144, 48, 8, 10752, 100352, 0, true, 16, 4},
    // No published model: 64 layers of 64 experts, 1.0e12 weights, 33e9 of them used by a token.
    {"moe-1t", 64, 6144, 48, 8, 13312, 128256, 128, true, 64, 1},
    {"gpt2", 12, 768, 12, 12, 3072, 50257, 0, false},
    {"gpt2-medium", 24, 1024, 16, 16, 4096, 50257, 0, false},
    {"gpt2-large", 36, 1280, 20, 20, 5120, 50257, 0, false},
    {"gpt2-xl", 48, 1600, 25, 25, 6400, 50257, 0, false},
    {"gpt3-125m", 12, 768, 12, 12, 3072, 50304, 0, false},
    {"gpt3-1.3b", 24, 2048, 16, 16, 8192, 50304, 128, false},
    {"gpt3-2.7b", 32, 2560, 32, 32, 10240, 50304, 0, false},
    {"gpt3-6.7b", 32, 4096, 32, 32, 16384, 50304, 0, false},
    {"gpt3-13b", 40, 5120, 40, 40, 20480, 50304, 128, false},
    {"gpt3-23b", 28, 8192, 64, 64, 32768, 50304, 0, false},
    {"gpt3-46b", 56, 8192, 64, 64, 32768, 50304, 0, false},
    {"gpt3-175b", 96, 12288, 96, 96, 49152, 50304, 0, false},
    {"gpt-neox-20b", 44, 6144, 64, 64, 24576, 50432, 0, false},
    {"bloom-176b", 70, 14336, 112, 112, 57344, 250880, 0, false},
    {"megatron-1t", 128, 25600, 160, 160, 102400, 51200, 0, false},
};

struct Named {
  const char* name;
  Model (*make)();
};

const Named kOthers[] = {
    {"bert-base", [] { return encoder("bert-base", 12, 768, 12, 3072, 30522); }},
    {"bert-large", [] { return encoder("bert-large", 24, 1024, 16, 4096, 30522); }},
    {"roberta-base", [] { return encoder("roberta-base", 12, 768, 12, 3072, 50265); }},
    {"roberta-large", [] { return encoder("roberta-large", 24, 1024, 16, 4096, 50265); }},
    {"distilbert-base", [] { return encoder("distilbert-base", 6, 768, 12, 3072, 30522); }},
    {"vit-base", [] { return vision_transformer("vit-base", 12, 768, 12, 3072, 197, 1000); }},
    {"vit-large", [] { return vision_transformer("vit-large", 24, 1024, 16, 4096, 197, 1000); }},
    {"resnet50", resnet50},
    {"dlrm", dlrm},
    {"sd-unet", latent_unet},
    {"dit-xl", [] { return diffusion_transformer("dit-xl", 28, 1152, 16, 256); }},
};

// Lower case without what separates words; the point only where it is wanted, since "1.3b" is not
// "13b".
std::string folded(std::string_view text, bool keep_point) {
  std::string out;
  for (const char c : text) {
    if (c == '-' || c == '_' || c == ' ' || (c == '.' && !keep_point)) continue;
    out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return out;
}

// GPT-2's family has learned positions, biases, LayerNorm and dropout; Llama's has none of these.
bool gpt_style(const DecoderSizes& s) { return !s.gated; }

// Where a family of that style differs: positions by rotation (GPT-NeoX) or by slopes (BLOOM).
Model with_family(Model model) {
  Block& block = std::get<Block>(model.layers.front());
  if (model.name.starts_with("gpt2")) model.positions = 1024;
  if (model.name.starts_with("gpt-neox")) {
    model.positions = 0;
    model.tied = false;
    block.rope = true;
  }
  if (model.name.starts_with("bloom")) model.positions = 0;
  return model;
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const DecoderSizes& s : kDecoders) names.emplace_back(s.name);
  for (const Named& other : kOthers) names.emplace_back(other.name);
  return names;
}

Result<Model> find_model(std::string_view name) {
  for (const bool keep_point : {true, false}) {
    const std::string wanted = folded(name, keep_point);
    for (const DecoderSizes& s : kDecoders) {
      if (folded(s.name, keep_point) == wanted) return with_family(decoder(s));
    }
    for (const Named& other : kOthers) {
      if (folded(other.name, keep_point) == wanted) return other.make();
    }
  }
  return error("TY-CLU-201",
               "there is no model '{}'{}; give a config.json, numbers as in "
               "layers=32,hidden=4096,heads=32,ffn=11008,vocab=32000, or one of `trainyard step "
               "--list-models`",
               name, did_you_mean(name, model_names()));
}

Model decoder(const DecoderSizes& s) {
  const bool gpt = gpt_style(s);
  Block block{.count = s.layers,
              .hidden = s.hidden,
              .heads = s.heads,
              .kv_heads = s.kv_heads,
              .head_dim = s.head_dim > 0 ? s.head_dim : s.hidden / s.heads,
              .ffn = s.ffn,
              .experts = s.experts,
              .top_k = s.top_k,
              .gated = s.gated,
              .bias = gpt,
              .rope = !gpt,
              .layer_norm = gpt};
  return {.name = std::string(s.name),
          .model_class = s.experts > 0 ? ModelClass::Mixture : ModelClass::Decoder,
          .layers = {block},
          .vocab = s.vocab,
          .positions = gpt ? 2048 : 0,
          .tied = gpt};
}

Model encoder(std::string_view name, int64_t layers, int64_t hidden, int64_t heads, int64_t ffn,
              int64_t vocab) {
  Block block{.count = layers,
              .hidden = hidden,
              .heads = heads,
              .kv_heads = heads,
              .head_dim = hidden / heads,
              .ffn = ffn,
              .causal = false,
              .bias = true,
              .dropout = true,
              .layer_norm = true};
  return {.name = std::string(name),
          .model_class = ModelClass::Encoder,
          .layers = {block},
          .vocab = vocab,
          .positions = 512,
          .tied = true,
          .head = Head::MaskedLanguageModel,
          .head_positions = 0.15};
}

Model vision_transformer(std::string_view name, int64_t layers, int64_t hidden, int64_t heads,
                         int64_t ffn, int64_t tokens, int64_t classes) {
  Model model = encoder(name, layers, hidden, heads, ffn, 0);
  Dense patches{.name = "patches", .in = 3 * 16 * 16, .out = hidden, .rows = tokens - 1};
  std::get<Block>(model.layers.front()).dropout = false;
  model.layers.insert(model.layers.begin(), patches);
  model.model_class = ModelClass::Vision;
  model.positions = tokens;
  model.tied = false;
  model.head = Head::Classifier;
  model.classes = classes;
  model.head_positions = 1;
  model.fixed_sequence = tokens;
  return model;
}

Model diffusion_transformer(std::string_view name, int64_t layers, int64_t hidden, int64_t heads,
                            int64_t tokens) {
  Model model = vision_transformer(name, layers, hidden, heads, 4 * hidden, tokens, 0);
  // Each layer has scale and shift from the time step: one dense of 6 times the width per sample.
  model.layers.push_back(
      Dense{.name = "modulation", .count = layers, .in = hidden, .out = 6 * hidden, .rows = 1});
  model.head = Head::None;
  return model;
}

Model resnet50() {
  Model model{.name = "resnet50", .model_class = ModelClass::Convolution};
  model.layers.push_back(Conv{"stem", 1, 3, 64, 7, 112, 112});
  struct Stage {
    int64_t blocks, width, size;
  };
  int64_t in = 64;
  for (const Stage& s :
       {Stage{3, 64, 56}, Stage{4, 128, 28}, Stage{6, 256, 14}, Stage{3, 512, 7}}) {
    const int64_t out = 4 * s.width;
    // The stride lies in the 3 x 3 convolution (version 1.5), so this one still sees the larger
    // image.
    const int64_t before = in == 64 ? s.size : 2 * s.size;
    model.layers.push_back(Conv{"reduce_first", 1, in, s.width, 1, before, before});
    model.layers.push_back(Conv{"shortcut", 1, in, out, 1, s.size, s.size});
    model.layers.push_back(Conv{"reduce", s.blocks - 1, out, s.width, 1, s.size, s.size});
    model.layers.push_back(Conv{"spatial", s.blocks, s.width, s.width, 3, s.size, s.size});
    model.layers.push_back(Conv{"expand", s.blocks, s.width, out, 1, s.size, s.size});
    in = out;
  }
  model.head = Head::Classifier;
  model.classes = 1000;
  model.fixed_sequence = 1;
  return model;
}

// The public MLPerf DLRM: 26 tables of width 128, bottom 13-512-256-128, top 1024-1024-512-256-1.
Model dlrm() {
  Model model{.name = "dlrm", .model_class = ModelClass::Recommender, .head = Head::None};
  model.layers.push_back(Table{"tables", 26, 7'800'000, 128, 1});
  int64_t in = 13;
  for (const int64_t out : {512, 256, 128}) {
    model.layers.push_back(Dense{"bottom", 1, in, out, 1});
    in = out;
  }
  in = 479;  // 27 * 26 / 2 interactions, the bottom output, one pad
  for (const int64_t out : {1024, 1024, 512, 256, 1}) {
    model.layers.push_back(Dense{"top", 1, in, out, 1});
    in = out;
  }
  model.fixed_sequence = 1;
  return model;
}

// A UNet over 64 x 64 latents with the widths of Stable Diffusion 1: convolutions, and transformer
// layers at the three upper resolutions. Two residual blocks going down, three coming up.
Model latent_unet() {
  Model model{.name = "sd-unet", .model_class = ModelClass::Convolution, .head = Head::None};
  model.layers.push_back(Conv{"conv_in", 1, 4, 320, 3, 64, 64});
  struct Level {
    int64_t width, size, wider;
    bool attends;
  };
  for (const Level& l : {Level{320, 64, 640, true}, Level{640, 32, 1280, true},
                         Level{1280, 16, 1280, true}, Level{1280, 8, 1280, false}}) {
    model.layers.push_back(Conv{"down", 4, l.width, l.width, 3, l.size, l.size});
    model.layers.push_back(Conv{"up", 3, l.width + l.wider, l.width, 3, l.size, l.size});
    model.layers.push_back(Conv{"up_second", 3, l.width, l.width, 3, l.size, l.size});
    if (!l.attends) continue;
    model.layers.push_back(Block{.name = "attention",
                                 .count = 5,
                                 .hidden = l.width,
                                 .heads = 8,
                                 .kv_heads = 8,
                                 .head_dim = l.width / 8,
                                 .ffn = 4 * l.width,
                                 .sequence = l.size * l.size,
                                 .gated = true,
                                 .causal = false,
                                 .cross = true,
                                 .bias = true,
                                 .layer_norm = true});
  }
  // Between the levels: the sample is halved on the way down, doubled on the way up.
  for (const Level& l :
       {Level{320, 32, 640, false}, Level{640, 16, 1280, false}, Level{1280, 8, 1280, false}}) {
    model.layers.push_back(Conv{"downsample", 1, l.width, l.width, 3, l.size, l.size});
    model.layers.push_back(Conv{"upsample", 1, l.wider, l.wider, 3, 2 * l.size, 2 * l.size});
  }
  model.layers.push_back(Conv{"middle", 4, 1280, 1280, 3, 8, 8});
  Block middle = std::get<Block>(*std::ranges::find_if(model.layers, [](const Layer& layer) {
    return std::holds_alternative<Block>(layer) && std::get<Block>(layer).hidden == 1280;
  }));
  middle.name = "middle attention";
  middle.count = 1;
  middle.sequence = 8 * 8;
  model.layers.push_back(middle);
  // Each residual block adds the embedding of the time step.
  model.layers.push_back(Dense{"time", 22, 1280, 870, 1});
  model.layers.push_back(Conv{"conv_out", 1, 320, 4, 3, 64, 64});
  model.fixed_sequence = 64 * 64;
  return model;
}

}  // namespace trainyard::cluster
