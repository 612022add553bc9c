// Any text of a GpSimd program is refused with a place or an error code, or runs to an end; what is
// verified comes back from its printed form.
#include <vector>

#include "base/check.h"
#include "isa/gpsimd/cost.h"
#include "isa/gpsimd/text.h"
#include "isa/gpsimd/verify.h"
#include "sim/gpsimd/run.h"

namespace {

using namespace trainyard;
using namespace trainyard::isa::gpsimd;

// Bytes of all tensors together; beyond that a program is not run.
constexpr int64_t kMostBytes = 1 << 16;
constexpr int64_t kMostCycles = 200'000;

void run_bounded(const Program& program) {
  std::vector<std::vector<std::byte>> tensors;
  int64_t total = 0;
  for (const Window& w : program.windows) {
    int64_t bytes = size_of(w.type);
    for (const int64_t extent : w.tensor) bytes *= extent;
    total += bytes;
    if (bytes > kMostBytes || total > kMostBytes) return;
    tensors.emplace_back(bytes);
    for (int64_t i = 0; i < bytes; ++i) tensors.back()[i] = static_cast<std::byte>(i * 37 + 11);
  }
  const std::vector<std::span<std::byte>> spans(tensors.begin(), tensors.end());
  const std::vector<uint64_t> scalars(program.body.blocks[0].params.size(), 3);
  const auto cost =
      sim::gpsimd::run(program, {spans, scalars}, hw::kNeuronCoreV3, {.cycle_limit = kMostCycles});
  TY_CHECK(cost.ok() || cost.status().code().starts_with("TY-GPS-02"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Result<Program> program = parse_text({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!program.ok()) {
    TY_CHECK(program.status().place().known());
    return 0;
  }
  if (!verify(*program, limits(hw::kNeuronCoreV3)).ok()) return 0;
  const std::string printed = print_text(*program);
  const Result<Program> again = parse_text(printed, "printed");
  TY_CHECK(again.ok() && *again == *program && print_text(*again) == printed);
  TY_CHECK(most_cycles(*program, hw::kNeuronCoreV3).value >= 0);
  run_bounded(*program);
  return 0;
}
