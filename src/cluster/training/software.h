#pragma once
// The software stack of a run and its age, as far as the time of a step depends on them.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard::cluster {

enum class Stack : uint8_t {
  NeuronTorch,     // torch-neuronx, data parallel
  NeuronNemo,      // neuronx-nemo-megatron
  NeuronNxd,       // neuronx-distributed and its training library
  NeuronMegatron,  // the Megatron-LM reference of 2022
  NeuronJax,       // JAX, AXLearn on Trainium
  Megatron2021,
  Megatron,  // Megatron-Core, NeMo, Megatron-Bridge
  Composer,
  Torchtitan,
  JaxGpu,  // MaxText and others
  AxlearnGpu,
  MaxText,  // on TPU
  Axlearn,  // on TPU
  Ngc,
  Other,
};
std::string_view name(Stack stack);

struct Software {
  Stack stack = Stack::Other;
  double sdk = 0;   // minor number of the Neuron SDK: 18 for 2.18; 0: unknown, taken as newest
  double year = 0;  // 2024.5; 0: unknown, taken as newest

  bool neuron() const { return stack <= Stack::NeuronJax; }
  friend bool operator==(const Software&, const Software&) = default;
};

// What a published table says: "neuronx-distributed; Neuron 2.18.0", "2024-04-11". `hardware` tells
// which JAX it is ("trn", "gpu", "tpu").
Software parse_software(std::string_view text, std::string_view date, std::string_view hardware);

// JAX: sharding instead of pipelines, one program for a step, activations chosen by policies.
bool is_jax(const Software& software);
// Attention that never stores its scores. [cluster 12.2]
bool has_flash_attention(const Software& software);
// A softmax fused with the products around it: scores are computed in full, but stay on the chip.
bool has_fused_softmax(const Software& software);
// GPU attention by cuDNN or the third FlashAttention.
bool has_new_gpu_attention(const Software& software);
// Before 2.20 of the Neuron SDK.
bool has_old_runtime(const Software& software);
// Norms and dropout on a share of the sequence.
bool has_sequence_parallel(const Software& software);

}  // namespace trainyard::cluster
