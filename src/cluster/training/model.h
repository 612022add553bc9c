#pragma once
// What is trained: layers with their sizes, enough to count parameters, FLOPs, bytes and kernels.
// No weights and no values. Models come from a Hugging Face config.json (model_config.h), from the
// built-in list (model_list.h) or from numbers.
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trainyard::cluster {

// One transformer layer: attention, then a dense or expert MLP. `count` equal ones in a row.
struct Block {
  std::string name = "layer";
  int64_t count = 1;
  int64_t hidden = 0;
  int64_t heads = 0, kv_heads = 0, head_dim = 0;
  int64_t ffn = 0;                 // of one expert, where there are experts
  int64_t experts = 0, top_k = 0;  // 0 experts: a dense MLP
  int64_t shared_ffn = 0;          // an expert that every token visits; 0: none
  int64_t window = 0;              // sliding window of the attention; 0: the whole sequence
  int64_t sequence = 0;            // its own sequence length; 0: that of the job
  bool gated = false;              // gate and up projections (SwiGLU, GEGLU)
  bool causal = true;
  bool cross = false;       // attends to another stack too (decoder of T5)
  bool bias = false;        // biases of the projections
  bool rope = false;        // rotary positions
  bool dropout = false;     // random masks in attention and MLP
  bool layer_norm = false;  // mean and variance instead of RMS

  int64_t q_width() const { return heads * head_dim; }
  int64_t kv_width() const { return kv_heads * head_dim; }
  friend bool operator==(const Block&, const Block&) = default;
};

// A convolution over images of `out_rows` x `out_cols` pixels, with its norm and activation.
struct Conv {
  std::string name = "conv";
  int64_t count = 1;
  int64_t in = 0, out = 0;  // channels
  int64_t kernel = 1;       // square
  int64_t out_rows = 0, out_cols = 0;
  int64_t groups = 1;
  friend bool operator==(const Conv&, const Conv&) = default;
};

// A dense layer applied `rows` times per sample.
struct Dense {
  std::string name = "dense";
  int64_t count = 1;
  int64_t in = 0, out = 0;
  int64_t rows = 1;
  friend bool operator==(const Dense&, const Dense&) = default;
};

// `count` embedding tables of a recommender, with `lookups` rows read per table and sample.
struct Table {
  std::string name = "table";
  int64_t count = 1;
  int64_t rows = 0, width = 0;
  int64_t lookups = 1;
  friend bool operator==(const Table&, const Table&) = default;
};

using Layer = std::variant<Block, Conv, Dense, Table>;

// What stands after the last layer.
enum class Head : uint8_t { LanguageModel, MaskedLanguageModel, Classifier, None };
std::string_view name(Head head);

// For reports, and for the classes by which errors are judged.
enum class ModelClass : uint8_t {
  Decoder,
  Mixture,
  Encoder,
  EncoderDecoder,
  Vision,
  Convolution,
  Recommender
};
std::string_view name(ModelClass model_class);

struct Model {
  std::string name;
  ModelClass model_class = ModelClass::Decoder;
  std::vector<Layer> layers;
  int64_t vocab = 0;      // 0: no token embedding
  int64_t positions = 0;  // rows of a learned position table
  bool tied = false;      // input embedding and head share their weights
  Head head = Head::LanguageModel;
  int64_t classes = 0;         // of a classifier head
  double head_positions = 1;   // share of the positions that the head sees (masked models: 0.15)
  int64_t fixed_sequence = 0;  // tokens or pixels of one sample, where the model fixes them

  friend bool operator==(const Model&, const Model&) = default;
};

// ---- Counts ------------------------------------------------------------------------------------

// Weights of one layer of each kind (not times its count).
double parameters(const Block& block);
double parameters(const Conv& conv);
double parameters(const Dense& dense);
double parameters(const Table& table);
// Those that one token uses: of the experts only top_k.
double active_parameters(const Block& block);

int64_t count(const Layer& layer);
std::string_view name(const Layer& layer);

// All weights, embeddings and head included.
double parameters(const Model& model);
double embedding_parameters(const Model& model);  // tokens and positions
double head_parameters(const Model& model);       // of the head's product, shared or not

// The widest hidden size, which is that of embeddings and head.
int64_t hidden_size(const Model& model);
// Transformer layers, or all layers where there is none.
int64_t layer_count(const Model& model);

// FLOPs of forward and backward for one sample of `sequence` tokens by the convention
// 6 P_matmul + 12 L q s per token: attention is not halved for a causal mask, nothing is
// recomputed, the input embedding is no product. [cluster 5.5]
double model_flops(const Model& model, int64_t sequence);
// The same with only the visible half of a causal mask counted.
double causal_model_flops(const Model& model, int64_t sequence);

}  // namespace trainyard::cluster
