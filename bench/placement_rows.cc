// Quality of placements on a simulated trn2, and how long it takes to find them.
#include "rows.h"

namespace trainyard::bench {
namespace {

double simulated_seconds(const runtime::Kernel& kernel) {
  const auto r = kernel.run({}, {.mode = runtime::Mode::Time});
  must(r.ok() ? Status() : r.status());
  return hw::seconds(kernel.core(), r->time->total);
}

// 20,000 small kernels one after the other: 100,000 static instructions.
std::string long_program() {
  constexpr int kKernels = 20000;
  std::string text = "program long target trn2\nx: hbm f32[128,512] in\ny: hbm f32[128,512] out\n";
  for (int i = 0; i + 1 < kKernels; ++i) text += fmt::format("h{}: hbm f32[128,512]\n", i);
  for (int i = 0; i < kKernels; ++i) {
    const std::string from = i == 0 ? "x" : fmt::format("h{}", i - 1);
    const std::string to = i + 1 == kKernels ? "y" : fmt::format("h{}", i);
    text += fmt::format(
        "repeat r{0} 4 {{ t{0}: sbuf f32[128,128] u{0}: sbuf f32[128,128]\n"
        "l{0}: dma_copy t{0} <- {1}[:,128*r{0}+:128]\na{0}: activation u{0} <- t{0} op=exp\n"
        "m{0}: tensor_scalar u{0} <- u{0} op0=multiply operand0=2.0\nc{0}: tensor_tensor t{0} <- "
        "u{0}, t{0} op=add\n"
        "s{0}: dma_copy {2}[:,128*r{0}+:128] <- t{0} }}\n",
        i, from, to);
  }
  return text;
}

}  // namespace

std::vector<Row> placement_rows() {
  std::vector<Row> rows;
  const runtime::Kernel matmul = must(load_example("matmul"));
  const double peak = hw::peak_flops(matmul.core(), hw::MatmulMode::Bits16) / 1e12;
  const double flops = 2.0 * 4096 * 4096 * 4096 / simulated_seconds(matmul) / 1e12;
  rows.push_back(
      {"placed matmul, simulated, of peak", flops, peak, "TFLOP/s", flops / peak, 0.90, true, ""});
  const runtime::Kernel softmax = must(load_example("softmax"));
  const double rate = std::min(16 * softmax.core().dma.sustained_bytes_per_ns.value,
                               softmax.core().hbm.stack_bytes_per_ns.value / 2);
  const double moved = 2.0 * 4096 * 4096 * 4 / simulated_seconds(softmax) / 1e9;
  rows.push_back({"placed softmax, simulated, of the roof", moved, rate, "GB/s", moved / rate, 0.80,
                  true, ""});
  const double good = simulated_seconds(must(load_example("attention"))) * 1e6;
  const double plain = simulated_seconds(must(load_example("attention", {.plain = true}))) * 1e6;
  rows.push_back({"placed attention, simulated, over plain body order", good, plain, "us",
                  good / plain, 0.60, false, ""});
  const std::string text = long_program();
  const double start = thread_seconds();
  const runtime::Kernel placed = must(load_text(text, "long"));
  const double seconds = thread_seconds() - start;
  rows.push_back({"100,000 instructions: read, verify, place", seconds, 10, "s", seconds / 10, 1,
                  false, fmt::format("{} edges", placed.placement().edges_kept)});
  return rows;
}

}  // namespace trainyard::bench
