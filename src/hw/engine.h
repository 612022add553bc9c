#pragma once
// The five instruction streams of a NeuronCore. Four drive a datapath; Sync is a sequencer only.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainyard::hw {

enum class Engine : uint8_t { Tensor, Vector, Scalar, Gpsimd, Sync };

inline constexpr std::size_t kEngineCount = 5;
inline constexpr std::array<Engine, kEngineCount> kEngines = {
    Engine::Tensor, Engine::Vector, Engine::Scalar, Engine::Gpsimd, Engine::Sync};

constexpr std::size_t index(Engine engine) { return static_cast<std::size_t>(engine); }

// The word used in programs, traces and machine files.
constexpr std::string_view name(Engine engine) {
  constexpr std::array<std::string_view, kEngineCount> kNames = {"tensor", "vector", "scalar",
                                                                 "gpsimd", "sync"};
  return kNames[index(engine)];
}

}  // namespace trainyard::hw
