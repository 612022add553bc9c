#include "cluster/training/model.h"

#include <algorithm>
#include <array>

namespace trainyard::cluster {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

double mlp_products(const Block& b, int64_t ffn) { return (b.gated ? 3.0 : 2.0) * b.hidden * ffn; }

// Weights of matrices, if a token meets `experts` of the layer's experts.
double products(const Block& b, double experts) {
  const double attention = 2.0 * b.hidden * (b.q_width() + b.kv_width()) * (b.cross ? 2 : 1);
  if (b.experts == 0) return attention + mlp_products(b, b.ffn);
  const double router = static_cast<double>(b.hidden) * b.experts;
  return attention + router + mlp_products(b, b.shared_ffn) + experts * mlp_products(b, b.ffn);
}

// Norms and biases.
double vectors(const Block& b, double experts) {
  double sum = (b.cross ? 3.0 : 2.0) * b.hidden * (b.layer_norm ? 2 : 1);
  if (!b.bias) return sum;
  sum += (b.q_width() + 2.0 * b.kv_width() + b.hidden) * (b.cross ? 2 : 1);
  return sum + std::max(experts, 1.0) * ((b.gated ? 2.0 : 1.0) * b.ffn + b.hidden);
}

int64_t sequence_of(const Block& b, int64_t sequence) {
  return b.sequence > 0 ? b.sequence : sequence;
}

// FLOPs of scores and weighted values, forward and backward, of one sample.
double attention_flops(const Block& b, int64_t sequence, bool skip_masked) {
  const double s = static_cast<double>(sequence_of(b, sequence));
  const double keys = b.window > 0 ? std::min<double>(s, b.window) : s;
  const double visible = skip_masked && b.causal ? keys * (1 - 0.5 * keys / s) : keys;
  return 12.0 * b.q_width() * s * visible * (b.cross ? 2 : 1);
}

double block_flops(const Block& b, int64_t sequence, bool skip_masked) {
  return 6 * products(b, static_cast<double>(b.top_k)) *
             static_cast<double>(sequence_of(b, sequence)) +
         attention_flops(b, sequence, skip_masked);
}

double flops(const Model& model, int64_t sequence, bool skip_masked) {
  const int64_t tokens = model.fixed_sequence > 0 ? model.fixed_sequence : sequence;
  double sum = 0;
  for (const Layer& layer : model.layers) {
    sum += static_cast<double>(count(layer)) *
           std::visit(Overloaded{
                          [&](const Block& b) { return block_flops(b, tokens, skip_masked); },
                          [](const Conv& c) { return 6 * parameters(c) * c.out_rows * c.out_cols; },
                          [](const Dense& d) { return 6 * parameters(d) * d.rows; },
                          [](const Table&) { return 0.0; },
                      },
                      layer);
  }
  // The convention counts the head for every position, masked or not.
  const double head_tokens = model.head == Head::Classifier ? 1 : static_cast<double>(tokens);
  return sum + 6 * head_parameters(model) * head_tokens;
}

}  // namespace

std::string_view name(Head head) {
  constexpr std::array<std::string_view, 4> kNames = {"language_model", "masked_language_model",
                                                      "classifier", "none"};
  return kNames[static_cast<size_t>(head)];
}

std::string_view name(ModelClass model_class) {
  constexpr std::array<std::string_view, 7> kNames = {
      "decoder", "mixture", "encoder", "encoder-decoder", "vision", "convolution", "recommender"};
  return kNames[static_cast<size_t>(model_class)];
}

double parameters(const Block& block) {
  const auto experts = static_cast<double>(block.experts);
  return products(block, experts) + vectors(block, experts);
}
double active_parameters(const Block& block) {
  const auto experts = static_cast<double>(block.top_k);
  return products(block, experts) + vectors(block, experts);
}
double parameters(const Conv& conv) {
  return static_cast<double>(conv.in) / conv.groups * conv.out * conv.kernel * conv.kernel;
}
double parameters(const Dense& dense) { return static_cast<double>(dense.in) * dense.out; }
double parameters(const Table& table) { return static_cast<double>(table.rows) * table.width; }

int64_t count(const Layer& layer) {
  return std::visit([](const auto& l) { return l.count; }, layer);
}
std::string_view name(const Layer& layer) {
  return std::visit([](const auto& l) -> std::string_view { return l.name; }, layer);
}

double embedding_parameters(const Model& model) {
  return static_cast<double>(model.vocab + model.positions) * hidden_size(model);
}

double head_parameters(const Model& model) {
  const double hidden = static_cast<double>(hidden_size(model));
  switch (model.head) {
    case Head::LanguageModel:
      return model.vocab * hidden;
    case Head::MaskedLanguageModel:  // a dense layer before the vocabulary
      return (model.vocab + hidden) * hidden;
    case Head::Classifier:
      return model.classes * hidden;
    case Head::None:
      return 0;
  }
  return 0;
}

double parameters(const Model& model) {
  double sum = embedding_parameters(model) + head_parameters(model);
  if (model.tied) sum -= static_cast<double>(model.vocab) * hidden_size(model);
  for (const Layer& layer : model.layers) {
    sum += static_cast<double>(count(layer)) *
           std::visit([](const auto& l) { return parameters(l); }, layer);
  }
  return sum;
}

int64_t hidden_size(const Model& model) {
  int64_t widest = 0;
  for (const Layer& layer : model.layers) {
    if (const auto* block = std::get_if<Block>(&layer)) widest = std::max(widest, block->hidden);
    if (const auto* dense = std::get_if<Dense>(&layer)) widest = std::max(widest, dense->out);
    if (const auto* conv = std::get_if<Conv>(&layer)) widest = std::max(widest, conv->out);
  }
  return widest;
}

int64_t layer_count(const Model& model) {
  int64_t blocks = 0, all = 0;
  for (const Layer& layer : model.layers) {
    all += count(layer);
    if (std::holds_alternative<Block>(layer)) blocks += count(layer);
  }
  return blocks > 0 ? blocks : all;
}

double model_flops(const Model& model, int64_t sequence) { return flops(model, sequence, false); }
double causal_model_flops(const Model& model, int64_t sequence) {
  return flops(model, sequence, true);
}

}  // namespace trainyard::cluster
