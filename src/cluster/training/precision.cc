#include "cluster/training/precision.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace trainyard::cluster {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

constexpr std::array<std::string_view, 5> kOptimizers = {"adamw", "lamb", "lion", "sgd",
                                                         "adafactor"};

}  // namespace

std::string_view name(Compute compute) {
  constexpr std::array<std::string_view, 4> kNames = {"fp32", "tf32", "16-bit", "fp8"};
  return kNames[static_cast<size_t>(compute)];
}

std::string_view name(Optimizer optimizer) { return kOptimizers[static_cast<size_t>(optimizer)]; }

std::optional<Optimizer> parse_optimizer(std::string_view text) {
  const std::string word = lower(text);
  // "LAMB/AdamW?" of a published table names both; what it names first counts.
  for (size_t i = 0; i < kOptimizers.size(); ++i) {
    if (word.starts_with(kOptimizers[i])) return static_cast<Optimizer>(i);
  }
  if (word.starts_with("adam") || word.empty()) return Optimizer::AdamW;
  return std::nullopt;
}

std::optional<Precision> parse_precision(std::string_view text) {
  const std::string word = lower(text);
  using enum Compute;
  if (has(word, "fp8") || has(word, "mxfp8") || has(word, "nvfp4")) {
    return Precision{"fp8", Fp8, 2, 4, 4, 4};
  }
  if (word == "tf32") return Precision{"tf32", Tf32, 4, 4, 0, 4};
  if (word == "fp32") return Precision{"fp32", Fp32, 4, 4, 0, 4};
  if (has(word, "+sr")) return Precision{"bf16+SR", Half, 2, 2, 0, 2};
  // The weights stay in fp32 and are cast where a product reads them.
  if (has(word, "autocast")) return Precision{"bf16 autocast", Half, 2, 4, 4, 4};
  if (has(word, "bf16") || has(word, "fp16") || word == "mixed" || word == "amp" || word.empty()) {
    return Precision{"mixed", Half, 2, 4, 4, 4};
  }
  return std::nullopt;
}

double moments(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::AdamW:
    case Optimizer::Lamb:
      return 2;
    case Optimizer::Lion:
    case Optimizer::Sgd:
      return 1;
    case Optimizer::Adafactor:  // rows and columns only
      return 0.01;
  }
  return 2;
}

}  // namespace trainyard::cluster
