#pragma once
// The one-screen summary of a run, as text and as JSON.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel.h"

namespace trainyard::tools {

// What bounds a run and how far it is from the bound.
struct Bound {
  std::string name;  // "Tensor", "DMA", ...
  double busy = 0;   // share of the total time
  double roof = 0;   // seconds that this resource needs alone, at its full rate
};

// What a proof of check holds for: one run-time loop or branch, and how often it went round or
// whether it was taken. Nothing if it was never reached.
struct ProvenFor {
  std::string_view what;  // "loop", "branch"
  std::string name;
  std::optional<int64_t> least, most;
};

struct RunSummary {
  const runtime::Kernel& kernel;
  const runtime::RunResult& result;
  runtime::Mode mode;
  isa::Level level;
  int threads = 1;
  std::vector<std::pair<std::string, uint64_t>> digests;
  std::string trace_file;

  Bound bound() const;
  void print() const;
  nlohmann::ordered_json json() const;

 private:
  void print_values() const;
  void print_hazards() const;
  std::vector<ProvenFor> proven_for() const;
  std::string proven_in_words() const;
  void print_memory() const;
  void print_time() const;
  void print_engines() const;
  std::string engine_note(hw::Engine e) const;
  const isa::Inst* busiest(hw::Engine e) const;
  std::string roof_in_words(const Bound& b) const;
  std::string advice() const;
  double seconds(Ticks t) const;
};

std::string in_words(double seconds);       // "205 us"
std::string_view title(hw::Engine engine);  // "GpSimd"

}  // namespace trainyard::tools
