// The model of a published row: by its numbers, with head size and kind of MLP chosen so that the
// published number of parameters comes out.
#include <cmath>
#include <regex>

#include "cluster/training/model_list.h"
#include "cluster/training/published_fields.h"

namespace trainyard::cluster {
namespace {

struct Sizes {
  int64_t layers, hidden, heads, kv_heads, ffn, vocab;
  double parameters;  // 0: not published
};

struct Fit {
  Model model;
  double miss = 1e30;  // relative
};

Model candidate(const Sizes& z, int64_t head_dim, bool gated, bool tied) {
  Model model = decoder({.name = "",
                         .layers = z.layers,
                         .hidden = z.hidden,
                         .heads = z.heads,
                         .kv_heads = z.kv_heads,
                         .ffn = z.ffn,
                         .vocab = z.vocab,
                         .head_dim = head_dim,
                         .gated = gated});
  model.positions = 0;
  model.tied = tied;
  return model;
}

// The pair of head size and MLP that comes nearest; the plain head size wins ties.
Fit best_dense(const Sizes& z) {
  Fit best;
  const int64_t plain = z.hidden / z.heads;
  for (const int64_t head_dim : {plain, int64_t{64}, int64_t{128}, int64_t{256}}) {
    for (const bool gated : {true, false}) {
      for (const bool tied : {false, true}) {
        Model model = candidate(z, head_dim, gated, tied);
        const double miss = std::abs(parameters(model) / z.parameters - 1);
        if (miss < best.miss - 0.002) best = {std::move(model), miss};
      }
    }
  }
  return best;
}

// Experts that make up for what a dense model lacks.
int64_t experts_for(const Sizes& z) {
  Model one = candidate(z, 0, true, false);
  Block& block = std::get<Block>(one.layers.front());
  const double dense = parameters(one);
  block.ffn = 0;
  const double expert = dense - parameters(one);
  return static_cast<int64_t>(std::llround((z.parameters - parameters(one)) / expert));
}

Result<Sizes> read_sizes(const RowFields& row) {
  Sizes z{};
  struct Column {
    const char* name;
    int64_t* value;
  };
  for (const Column& c : {Column{"layers", &z.layers}, Column{"hidden", &z.hidden},
                          Column{"heads", &z.heads}, Column{"ffn", &z.ffn}}) {
    const Result<int64_t> value = row.required(c.name);
    if (!value) return value.status();
    if (*value > 10'000'000) {
      return error("TY-CLU-232", "{} = {}: at most 10,000,000", c.name, *value);
    }
    *c.value = *value;
  }
  const auto kv = row.integer("kv_heads"), vocab = row.integer("vocab");
  const auto parameters = row.number("params_b");
  if (!kv) return kv.status();
  if (!vocab) return vocab.status();
  if (!parameters) return parameters.status();
  z.kv_heads = kv->value_or(0) > 0 ? **kv : z.heads;
  z.vocab = vocab->value_or(0);
  z.parameters = parameters->value_or(0) * 1e9;
  if (z.heads > z.hidden || z.kv_heads > z.heads) {
    return error("TY-CLU-232", "heads {} and kv_heads {} do not go with hidden {}", z.heads,
                 z.kv_heads, z.hidden);
  }
  return z;
}

bool is_encoder(std::string_view name) {
  return contains(name, "bert") || contains(name, "electra") || contains(name, "deberta");
}

// "8x7b" names eight experts, two of which see a token.
int64_t experts_in_name(const std::string& name) {
  std::smatch match;
  if (!std::regex_search(name, match, std::regex("([0-9]+)x[0-9.]+b"))) return 0;
  return std::stoll(match[1].str().substr(0, 6));
}

}  // namespace

Status read_model(const RowFields& row, Model& model, std::vector<std::string>& notes) {
  const std::string name = row.word("model");
  const bool sized = !row.text("layers").empty() && !row.text("hidden").empty() &&
                     !row.text("heads").empty() && !row.text("ffn").empty();
  if (!sized) {
    Result<Model> known = find_model(name);
    if (!known) return known.status();
    model = std::move(*known);
    notes.push_back("sizes of the built-in model");
    return {};
  }
  Result<Sizes> sizes = read_sizes(row);
  if (!sizes) return sizes.status();
  Sizes& z = *sizes;
  if (row.text("vocab").empty() && !contains(name, "vit")) {
    z.vocab = 32000;
    notes.push_back("vocab 32000: assumed");
  }
  if (is_encoder(name)) {
    model = encoder(name, z.layers, z.hidden, z.heads, z.ffn, z.vocab);
    if (row.text("kind") == "finetune") {
      model.head = Head::Classifier;
      model.classes = 2;
    }
  } else if (contains(name, "vit") || z.vocab == 0) {
    const Result<int64_t> tokens = row.required("seq_len");
    if (!tokens) return tokens.status();
    model = vision_transformer(name, z.layers, z.hidden, z.heads, z.ffn, *tokens, 1000);
  } else if (z.parameters == 0) {
    model = candidate(z, 0, !contains(name, "gpt"), false);
    notes.push_back("no params_b: head size hidden / heads");
  } else {
    Fit fit = best_dense(z);
    const int64_t experts = std::max(experts_in_name(name), fit.miss > 0.3 ? experts_for(z) : 0);
    if (experts > 1) {
      Model mixture = candidate(z, 0, true, false);
      Block& block = std::get<Block>(mixture.layers.front());
      block.experts = experts;
      block.top_k = std::min<int64_t>(2, experts);
      mixture.model_class = ModelClass::Mixture;
      fit = {mixture, std::abs(parameters(mixture) / z.parameters - 1)};
      notes.push_back(fmt::format("{} experts, 2 per token", experts));
    }
    model = std::move(fit.model);
    const Block& block = std::get<Block>(model.layers.front());
    if (block.head_dim != z.hidden / z.heads) {
      notes.push_back(fmt::format("head_dim {} by params_b", block.head_dim));
    }
    if (fit.miss > 0.05) {
      notes.push_back(fmt::format("params_b missed by {:.0f} %", 100 * fit.miss));
    }
  }
  model.name = row.text("model");
  return {};
}

}  // namespace trainyard::cluster
