#pragma once
// Models from JSON: a Hugging Face config.json, or a list of layers of one's own:
//
//   {"name": "mine", "layers": [{"kind": "conv", "in": 3, "out": 64, "kernel": 7,
//    "out_rows": 112, "out_cols": 112}, {"kind": "dense", "in": 64, "out": 10}]}
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cluster/training/model.h"

namespace trainyard::cluster {

// The values of "model_type" that are understood.
std::vector<std::string> config_types();

// `file` is the name in errors. TY-CLU-202 no JSON, TY-CLU-203 a key that is needed and absent,
// TY-CLU-204 a value that cannot be, TY-CLU-205 an unknown model_type, TY-CLU-206 a key that would
// change the model in a way that is not modelled, TY-CLU-207 an unknown key of a layer list.
Result<Model> parse_model_config(std::string_view text, std::string_view file);

// A path of a JSON file, or a folder with a config.json in it; TY-CLU-202 if it cannot be read.
Result<Model> load_model_config(const std::string& path);

// A decoder by its numbers: "layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocab=128256", and
// where wanted head_dim, gated (0 or 1, default 1), experts, top_k. TY-CLU-203, 204 and 207.
Result<Model> parse_model_numbers(std::string_view text);

// A name of the built-in list, a path, or numbers.
Result<Model> load_model(const std::string& name_or_path);

}  // namespace trainyard::cluster
