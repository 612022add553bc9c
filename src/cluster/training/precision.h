#pragma once
// Formats of a training run, and what each weight costs in memory.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::cluster {

// What the products are computed in.
enum class Compute : uint8_t { Fp32, Tf32, Half, Fp8 };
std::string_view name(Compute compute);  // "fp32", "tf32", "16-bit", "fp8"

enum class Optimizer : uint8_t { AdamW, Lamb, Lion, Sgd, Adafactor };
std::string_view name(Optimizer optimizer);
std::optional<Optimizer> parse_optimizer(std::string_view text);

// Bytes per weight of each kind of state. [cluster 5.3]
struct Precision {
  std::string_view name;  // "mixed"
  Compute compute = Compute::Half;
  double weight = 2;    // as products read them
  double gradient = 4;  // as accumulated
  double master = 4;    // a second copy of the weights that the optimiser updates
  double moment = 4;    // of one moment; AdamW has two

  friend bool operator==(const Precision&, const Precision&) = default;
};

// "mixed" (bf16 with fp32 masters), "bf16+SR", "bf16", "fp32", "tf32", "fp8", and the spellings of
// published tables: "amp_bf16", "bf16 autocast+fp32 optim", "fp16", ...
std::optional<Precision> parse_precision(std::string_view text);

// Moments that the optimiser keeps for each weight.
double moments(Optimizer optimizer);

}  // namespace trainyard::cluster
