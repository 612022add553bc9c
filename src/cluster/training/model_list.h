#pragma once
// Models by name.
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cluster/training/model.h"

namespace trainyard::cluster {

std::vector<std::string> model_names();

// The model of the built-in list; letter case, '-', '_' and '.' do not matter.
// TY-CLU-201 with the nearest name if there is none.
Result<Model> find_model(std::string_view name);

// A decoder from its numbers. `head_dim` 0 means hidden / heads.
struct DecoderSizes {
  std::string_view name;
  int64_t layers, hidden, heads, kv_heads, ffn, vocab;
  int64_t head_dim = 0;
  bool gated = true;
  int64_t experts = 0, top_k = 0;
};
Model decoder(const DecoderSizes& sizes);

// An encoder with learned positions, biases and a masked language model head (BERT).
Model encoder(std::string_view name, int64_t layers, int64_t hidden, int64_t heads, int64_t ffn,
              int64_t vocab);

// A vision transformer over `tokens` patches, class token included.
Model vision_transformer(std::string_view name, int64_t layers, int64_t hidden, int64_t heads,
                         int64_t ffn, int64_t tokens, int64_t classes);

// Convolution and recommender models by their layer lists.
Model resnet50();
Model dlrm();
Model latent_unet();
Model diffusion_transformer(std::string_view name, int64_t layers, int64_t hidden, int64_t heads,
                            int64_t tokens);

}  // namespace trainyard::cluster
