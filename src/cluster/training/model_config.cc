#include "cluster/training/model_config.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/nearest.h"
#include "base/read_file.h"
#include "cluster/training/json_fields.h"
#include "cluster/training/model_list.h"

namespace trainyard::cluster {
namespace {

using nlohmann::json;

constexpr int64_t kWide = 1'000'000;  // the widest layer and the longest list that is believed

Block block_of(JsonFields& f, std::initializer_list<const char*> layers,
               std::initializer_list<const char*> hidden,
               std::initializer_list<const char*> heads) {
  Block b;
  b.count = f.need(layers, 1, kWide);
  b.hidden = f.need(hidden, 1, kWide);
  b.heads = f.need(heads, 1, kWide);
  b.kv_heads = f.get({"num_key_value_heads"}, b.heads, 1, kWide);
  if (b.heads > b.hidden) {
    f.fail(error("TY-CLU-204", "{} attention heads for a hidden size of {}", b.heads, b.hidden));
    b.heads = b.kv_heads = 1;
  }
  b.head_dim = f.get({"head_dim"}, b.hidden / b.heads, 1, kWide);
  return b;
}

// Llama, Mistral, Qwen2, Mixtral and kin.
Model llama(JsonFields& f) {
  Block b = block_of(f, {"num_hidden_layers"}, {"hidden_size"}, {"num_attention_heads"});
  b.ffn = f.need({"intermediate_size"}, 1, kWide);
  b.gated = true;
  b.rope = true;
  b.experts = f.get({"num_local_experts", "num_experts"}, 0, 0, 100'000);
  if (b.experts > 0) b.top_k = f.need({"num_experts_per_tok"}, 1, b.experts);
  if (b.experts > 0) b.ffn = f.get({"moe_intermediate_size"}, b.ffn, 1, kWide);
  if (f.flag("use_sliding_window", true)) b.window = f.get({"sliding_window"}, 0, 0, kWide * 1000);
  f.refuse({"kv_lora_rank", "q_lora_rank"}, "latent attention is not modelled");
  f.refuse({"first_k_dense_replace"}, "layers that are dense among experts are not modelled");
  return {.model_class = b.experts > 0 ? ModelClass::Mixture : ModelClass::Decoder,
          .layers = {b},
          .vocab = f.need({"vocab_size"}, 1, kWide * 100),
          .tied = f.flag("tie_word_embeddings", false)};
}

Block plain(Block b) {
  b.bias = true;
  b.layer_norm = true;
  return b;
}

Model gpt2(JsonFields& f) {
  Block b = plain(block_of(f, {"n_layer"}, {"n_embd"}, {"n_head"}));
  b.ffn = f.get({"n_inner"}, 4 * b.hidden, 1, kWide);
  b.dropout = true;
  return {.layers = {b},
          .vocab = f.need({"vocab_size"}, 1, kWide * 100),
          .positions = f.need({"n_positions", "n_ctx"}, 1, kWide * 100),
          .tied = f.flag("tie_word_embeddings", true)};
}

Model gpt_neox(JsonFields& f) {
  Block b = plain(block_of(f, {"num_hidden_layers"}, {"hidden_size"}, {"num_attention_heads"}));
  b.ffn = f.need({"intermediate_size"}, 1, kWide);
  b.rope = true;
  return {.layers = {b},
          .vocab = f.need({"vocab_size"}, 1, kWide * 100),
          .tied = f.flag("tie_word_embeddings", false)};
}

Model bloom(JsonFields& f) {
  Block b = plain(block_of(f, {"n_layer", "num_hidden_layers"}, {"hidden_size", "n_embed"},
                           {"n_head", "num_attention_heads"}));
  b.ffn = 4 * b.hidden;
  return {.layers = {b},
          .vocab = f.need({"vocab_size"}, 1, kWide * 100),
          .tied = f.flag("tie_word_embeddings", true)};
}

Model bert(JsonFields& f) {
  Block b = plain(block_of(f, {"num_hidden_layers"}, {"hidden_size"}, {"num_attention_heads"}));
  b.ffn = f.need({"intermediate_size"}, 1, kWide);
  b.causal = false;
  b.dropout = true;
  return {.model_class = ModelClass::Encoder,
          .layers = {b},
          .vocab = f.need({"vocab_size"}, 1, kWide * 100),
          .positions = f.get({"max_position_embeddings"}, 512, 1, kWide * 100),
          .tied = true,
          .head = Head::MaskedLanguageModel,
          .head_positions = 0.15};
}

Model t5(JsonFields& f) {
  Block encoder = block_of(f, {"num_layers"}, {"d_model"}, {"num_heads"});
  encoder.name = "encoder";
  encoder.head_dim = f.need({"d_kv"}, 1, kWide);
  encoder.ffn = f.need({"d_ff"}, 1, kWide);
  encoder.gated = f.text("feed_forward_proj", "relu").starts_with("gated");
  encoder.causal = false;
  encoder.dropout = true;
  Block decoder = encoder;
  decoder.name = "decoder";
  decoder.count = f.get({"num_decoder_layers"}, encoder.count, 1, kWide);
  decoder.causal = true;
  decoder.cross = true;
  return {.model_class = ModelClass::EncoderDecoder,
          .layers = {encoder, decoder},
          .vocab = f.need({"vocab_size"}, 1, kWide * 100),
          .tied = f.flag("tie_word_embeddings", true)};
}

Model vit(JsonFields& f) {
  const int64_t image = f.need({"image_size"}, 1, 65'536),
                patch = f.need({"patch_size"}, 1, 65'536);
  const Block b = block_of(f, {"num_hidden_layers"}, {"hidden_size"}, {"num_attention_heads"});
  const int64_t side = std::max<int64_t>(1, image / patch);
  Model model = vision_transformer("", b.count, b.hidden, b.heads,
                                   f.need({"intermediate_size"}, 1, kWide), side * side + 1, 1000);
  std::get<Dense>(model.layers.front()).in = f.get({"num_channels"}, 3, 1, 4096) * patch * patch;
  return model;
}

struct ConfigType {
  const char* name;
  Model (*read)(JsonFields&);
};

constexpr ConfigType kTypes[] = {
    {"llama", llama},    {"mistral", llama},   {"mixtral", llama}, {"qwen2", llama},
    {"qwen3", llama},    {"qwen2_moe", llama}, {"gpt2", gpt2},     {"gpt_neox", gpt_neox},
    {"bloom", bloom},    {"bert", bert},       {"roberta", bert},  {"xlm-roberta", bert},
    {"camembert", bert}, {"t5", t5},           {"mt5", t5},        {"vit", vit},
    {"deit", vit},
};

Layer read_layer(JsonFields& f, const std::string& kind) {
  const int64_t times = f.get({"count"}, 1, 1, kWide);
  const std::string name = f.text("name", kind.c_str());
  if (kind == "conv") {
    f.only({"kind", "name", "count", "in", "out", "kernel", "out_rows", "out_cols", "groups"});
    return Conv{name,
                times,
                f.need({"in"}, 1, kWide),
                f.need({"out"}, 1, kWide),
                f.get({"kernel"}, 1, 1, 1024),
                f.need({"out_rows"}, 1, kWide),
                f.need({"out_cols"}, 1, kWide),
                f.get({"groups"}, 1, 1, kWide)};
  }
  if (kind == "dense") {
    f.only({"kind", "name", "count", "in", "out", "rows"});
    return Dense{name, times, f.need({"in"}, 1, kWide), f.need({"out"}, 1, kWide),
                 f.get({"rows"}, 1, 1, kWide)};
  }
  if (kind == "table") {
    f.only({"kind", "name", "count", "rows", "width", "lookups"});
    return Table{name, times, f.need({"rows"}), f.need({"width"}, 1, kWide),
                 f.get({"lookups"}, 1, 1, kWide)};
  }
  f.only({"kind", "name", "count", "hidden", "heads", "kv_heads", "head_dim", "ffn", "gated",
          "causal", "sequence", "window", "cross", "rope", "dropout", "experts", "top_k",
          "shared_ffn"});
  Block b{.name = name,
          .count = times,
          .hidden = f.need({"hidden"}, 1, kWide),
          .heads = f.need({"heads"}, 1, kWide)};
  b.kv_heads = f.get({"kv_heads"}, b.heads, 1, kWide);
  b.head_dim = f.get({"head_dim"}, std::max<int64_t>(1, b.hidden / b.heads), 1, kWide);
  b.ffn = f.need({"ffn"}, 1, kWide);
  b.gated = f.flag("gated", false);
  b.causal = f.flag("causal", false);
  b.sequence = f.get({"sequence"}, 0, 0, kWide * 1000);
  b.window = f.get({"window"}, 0, 0, kWide * 1000);
  b.cross = f.flag("cross", false);
  b.rope = f.flag("rope", false);
  b.dropout = f.flag("dropout", false);
  b.experts = f.get({"experts"}, 0, 0, 100'000);
  if (b.experts > 0) b.top_k = f.need({"top_k"}, 1, b.experts);
  b.shared_ffn = f.get({"shared_ffn"}, 0, 0, kWide);
  return b;
}

Result<Model> read_layer_list(const json& object, const std::string& where) {
  JsonFields top(object, where);
  top.only({"name", "layers", "vocab", "classes", "fixed_sequence"});
  Model model{.name = top.text("name", "layers"),
              .model_class = ModelClass::Convolution,
              .vocab = top.get({"vocab"}, 0, 0, kWide * 100),
              .head = Head::None};
  model.classes = top.get({"classes"}, 0, 0, kWide);
  if (model.classes > 0) model.head = Head::Classifier;
  if (model.vocab > 0) model.head = Head::LanguageModel;
  model.fixed_sequence = top.get({"fixed_sequence"}, model.vocab > 0 ? 0 : 1, 0, kWide * 1000);
  if (!top.status().ok()) return top.status();
  const json& list = object.at("layers");
  if (!list.is_array() || list.empty() || list.size() > 100'000) {
    return error("TY-CLU-204", "{}: layers must be a list of 1 to 100,000 objects", where);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("{}: layers[{}]", where, i);
    if (!list[i].is_object()) return error("TY-CLU-204", "{} is no object", place);
    JsonFields f(list[i], place);
    const std::string kind = f.text("kind", "");
    const std::vector<std::string> kinds = {"block", "conv", "dense", "table"};
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      return error("TY-CLU-204", "{}: kind = '{}': block, conv, dense or table{}", place, kind,
                   did_you_mean(kind, kinds));
    }
    model.layers.push_back(read_layer(f, kind));
    if (!f.status().ok()) return f.status();
    if (kind == "table") model.model_class = ModelClass::Recommender;
  }
  return model;
}

Status check_model(const Model& model, const std::string& where) {
  if ((model.head != Head::None || model.vocab > 0) && hidden_size(model) == 0) {
    return error("TY-CLU-204",
                 "{}: classes or vocab need a layer of kind block, conv or dense before the head",
                 where);
  }
  const double size = parameters(model);
  if (size > 0 && size < 1e16) return {};
  return error("TY-CLU-204", "{}: {:.3g} parameters; from 1 to 1e16 can be planned", where, size);
}

}  // namespace

std::vector<std::string> config_types() {
  std::vector<std::string> names;
  for (const ConfigType& type : kTypes) names.emplace_back(type.name);
  return names;
}

Result<Model> parse_model_config(std::string_view text, std::string_view file) {
  const std::string where(file);
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded() || !object.is_object()) {
    return error("TY-CLU-202", "{} is no JSON object; take the config.json of the model", where);
  }
  if (object.contains("layers") && !object.contains("model_type")) {
    Result<Model> model = read_layer_list(object, where);
    if (model) TY_TRY(check_model(*model, where));
    return model;
  }
  JsonFields fields(object, where);
  const std::string type = fields.text("model_type", "");
  const auto* found =
      std::ranges::find_if(kTypes, [&](const ConfigType& t) { return type == t.name; });
  if (found == std::end(kTypes)) {
    return error("TY-CLU-205", "{}: model_type = '{}' is not known{}; give the sizes as numbers",
                 where, type, did_you_mean(type, config_types()));
  }
  Model model = found->read(fields);
  if (!fields.status().ok()) return fields.status();
  model.name = fields.text("_name_or_path", type.c_str());
  if (model.name.empty()) model.name = type;
  TY_TRY(check_model(model, where));
  return model;
}

Result<Model> load_model_config(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  const std::string file = fs::is_directory(path, none) ? path + "/config.json" : path;
  const std::optional<std::string> text = read_whole(file);
  if (!text) return error("TY-CLU-202", "cannot read '{}'. {}", file, unreadable(file));
  return parse_model_config(*text, file);
}

// "layers=32,hidden=4096,..." as a JSON object of whole numbers, read by the same rules.
Result<Model> parse_model_numbers(std::string_view text) {
  json object = json::object();
  for (size_t from = 0; from <= text.size();) {
    const size_t to = std::min(text.find(',', from), text.size());
    const std::string pair(text.substr(from, to - from));
    const size_t at = pair.find('=');
    double value = 0;
    bool good = at != std::string::npos && at > 0;
    if (good) {
      const char* end = pair.data() + pair.size();
      const auto parsed = std::from_chars(pair.data() + at + 1, end, value);
      good = parsed.ec == std::errc() && parsed.ptr == end;
    }
    if (!good) {
      return error("TY-CLU-204", "--model: '{}' is no KEY=NUMBER, as in layers=32", pair);
    }
    const std::string key = pair.substr(0, at);
    if (object.contains(key)) return error("TY-CLU-204", "--model: '{}' stands twice", key);
    object[key] = value;
    from = to + 1;
  }
  JsonFields f(object, "--model");
  f.only({"layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab", "gated", "experts",
          "top_k"});
  const Block b = block_of(f, {"layers"}, {"hidden"}, {"heads"});
  DecoderSizes z{.name = "by numbers",
                 .layers = b.count,
                 .hidden = b.hidden,
                 .heads = b.heads,
                 .kv_heads = f.get({"kv_heads"}, b.heads, 1, kWide),
                 .ffn = f.need({"ffn"}, 1, kWide),
                 .vocab = f.need({"vocab"}, 1, kWide * 100),
                 .head_dim = b.head_dim,
                 .gated = f.get({"gated"}, 1, 0, 1) == 1,
                 .experts = f.get({"experts"}, 0, 0, 100'000)};
  if (z.experts > 0) z.top_k = f.need({"top_k"}, 1, z.experts);
  if (!f.status().ok()) return f.status();
  Model model = decoder(z);
  model.positions = 0;
  TY_TRY(check_model(model, "--model"));
  return model;
}

Result<Model> load_model(const std::string& name_or_path) {
  namespace fs = std::filesystem;
  if (name_or_path.find('=') != std::string::npos) return parse_model_numbers(name_or_path);
  std::error_code none;
  const bool path = name_or_path.ends_with(".json") ||
                    name_or_path.find('/') != std::string::npos ||
                    fs::is_directory(name_or_path, none);
  return path ? load_model_config(name_or_path) : find_model(name_or_path);
}

}  // namespace trainyard::cluster
