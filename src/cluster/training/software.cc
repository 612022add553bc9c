#include "cluster/training/software.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace trainyard::cluster {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// The number after `mark`, or 0.
double number_after(const std::string& text, std::string_view mark) {
  const size_t at = text.find(mark);
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + mark.size(), nullptr);
}

// "2024" and "2024-04-11" as a year with its fraction; "2023-2024", a span of years, as its middle.
double year_of(std::string_view date) {
  const double first = std::strtod(std::string(date.substr(0, 4)).c_str(), nullptr);
  if (date.size() < 7 || date[4] != '-') return first;
  const std::string_view rest = date.substr(5);
  const double second = std::strtod(std::string(rest).c_str(), nullptr);
  if (second > 1000) return (first + second + 1) / 2;
  return first + (std::clamp(second, 1.0, 12.0) - 0.5) / 12;
}

struct Sign {
  std::string_view part;
  Stack stack;
};

// The first that fits counts.
constexpr Sign kNeuron[] = {
    {"nemo-megatron", Stack::NeuronNemo},
    {"neuronx-distributed", Stack::NeuronNxd},
    {"nxd", Stack::NeuronNxd},
    {"optimum", Stack::NeuronNxd},
    {"megatron-lm", Stack::NeuronMegatron},
    {"axlearn", Stack::NeuronJax},
    {"jax", Stack::NeuronJax},
    {"torch-neuronx", Stack::NeuronTorch},
};
constexpr Sign kGpu[] = {
    {"megatron-lm 2021", Stack::Megatron2021},
    {"megatron", Stack::Megatron},
    {"nemo", Stack::Megatron},
    {"composer", Stack::Composer},
    {"llm-foundry", Stack::Composer},
    {"torchtitan", Stack::Torchtitan},
    {"axlearn", Stack::AxlearnGpu},  // before "jax": its rows say "AXLearn/JAX"
    {"maxtext", Stack::JaxGpu},
    {"jax", Stack::JaxGpu},
    {"ngc", Stack::Ngc},
};
constexpr Sign kTpu[] = {
    {"axlearn", Stack::Axlearn}, {"maxtext", Stack::MaxText}, {"jax", Stack::MaxText}};

template <size_t N>
Stack find(const std::string& text, const Sign (&signs)[N], Stack otherwise) {
  const auto* found = std::ranges::find_if(
      signs, [&](const Sign& s) { return text.find(s.part) != std::string::npos; });
  return found == std::end(signs) ? otherwise : found->stack;
}

}  // namespace

std::string_view name(Stack stack) {
  constexpr std::array<std::string_view, 15> kNames = {"torch-neuronx",
                                                       "neuronx-nemo-megatron",
                                                       "neuronx-distributed",
                                                       "megatron-lm on neuron",
                                                       "jax on neuron",
                                                       "megatron-lm 2021",
                                                       "megatron-core",
                                                       "composer",
                                                       "torchtitan",
                                                       "jax on gpu",
                                                       "axlearn on gpu",
                                                       "maxtext",
                                                       "axlearn",
                                                       "ngc",
                                                       "other"};
  return kNames[static_cast<size_t>(stack)];
}

Software parse_software(std::string_view text, std::string_view date, std::string_view hardware) {
  const std::string words = lower(text);
  Software s;
  s.year = year_of(date);
  if (hardware.starts_with("trn") || hardware.starts_with("inf")) {
    s.stack = find(words, kNeuron, Stack::NeuronNxd);
    s.sdk = number_after(words, "neuron 2.");
  } else if (hardware.starts_with("tpu") || hardware.starts_with("v")) {
    s.stack = find(words, kTpu, Stack::MaxText);
  } else {
    s.stack = find(words, kGpu, Stack::Other);
  }
  return s;
}

bool is_jax(const Software& s) {
  return s.stack == Stack::MaxText || s.stack == Stack::Axlearn || s.stack == Stack::JaxGpu ||
         s.stack == Stack::AxlearnGpu || s.stack == Stack::NeuronJax;
}

bool has_flash_attention(const Software& s) {
  const double sdk = s.sdk > 0 ? s.sdk : 99;
  const double year = s.year > 0 ? s.year : 9999;
  switch (s.stack) {
    case Stack::NeuronNemo:  // with release 0.6.0
      return year >= 2024.5;
    case Stack::NeuronNxd:
      return sdk >= 19;
    case Stack::NeuronTorch:
    case Stack::NeuronMegatron:
      return false;
    case Stack::Megatron2021:
    case Stack::Ngc:
      return false;
    case Stack::Megatron:
      return year >= 2023;
    default:
      return true;
  }
}

bool has_new_gpu_attention(const Software& s) {
  const bool takes_it = s.stack == Stack::Megatron || s.stack == Stack::JaxGpu ||
                        s.stack == Stack::AxlearnGpu || s.stack == Stack::Other;
  return takes_it && (s.year == 0 || s.year >= 2024.5);
}

bool has_fused_softmax(const Software& s) { return s.stack == Stack::NeuronNxd; }

bool has_old_runtime(const Software& s) { return s.sdk > 0 && s.sdk < 20; }

bool has_sequence_parallel(const Software& s) {
  return s.stack != Stack::NeuronMegatron && s.stack != Stack::Megatron2021;
}

}  // namespace trainyard::cluster
