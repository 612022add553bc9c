// Single instructions on tiles that stay in the cache, against loops written for this host.
#include <cstring>

#include "rows.h"
#include "vector_ceiling.h"

namespace trainyard::bench {
namespace {

constexpr size_t kTile = 128 * 512;

// Values per second of `body` (statements on tiles x, y, z of 128 x 512 fp32), repeated.
double rate_of(const std::string& body, int repeats) {
  const std::string text =
      "program tile target trn2\nin: hbm f32[128,512] in\nout: hbm f32[128,512] out\n"
      "x: sbuf f32[128,512]\ny: sbuf f32[128,512]\nz: sbuf f32[128,512]\n"
      "l1: dma_copy x <- in\nl2: dma_copy y <- in\nl3: dma_copy z <- in\n" +
      fmt::format("repeat i {} {{ {} }}\ns: dma_copy out <- z\n", repeats, body);
  const runtime::Kernel kernel = must(load_text(text, "tile"));
  const Bound bound(kernel.program());
  const double start = thread_seconds();
  const auto r = kernel.run(bound.bindings(), {.mode = runtime::Mode::Values});
  must(r.ok() ? Status() : r.status());
  return static_cast<double>(kTile) * repeats / (thread_seconds() - start);
}

template <class F>
double rate(F&& f, int repeats) {
  const double start = thread_seconds();
  for (int i = 0; i < repeats; ++i) f();
  return static_cast<double>(kTile) * repeats / (thread_seconds() - start);
}

template <class Ours, class Ceiling>
Row compare(std::string name, double bar, Ours&& ours, Ceiling&& ceiling) {
  std::vector<double> a, b, ratio;
  for (int i = 0; i < 5; ++i) {
    a.push_back(ours() / 1e9);
    b.push_back(ceiling() / 1e9);
    ratio.push_back(a.back() / b.back());
  }
  return {std::move(name), median(a), median(b), "G/s", median(ratio), bar, true, ""};
}

Row copy_row(int64_t columns) {
  const int64_t bytes = 128 * columns * 4;
  const int repeats = static_cast<int>(std::max<int64_t>(4, (int64_t{1} << 28) / bytes));
  const std::string text = fmt::format(
      "program copy target trn2\nx: hbm f32[128,{0}] in\ny: hbm f32[128,{0}] out\n"
      "repeat i {1} {{ c: dma_copy y <- x }}\n",
      columns, repeats);
  const runtime::Kernel kernel = must(load_text(text, "copy"));
  const Bound bound(kernel.program());
  std::vector<std::byte> from(static_cast<size_t>(bytes), std::byte{1}), to(from.size());
  const double moved = static_cast<double>(bytes) * repeats;
  return compare(
      fmt::format("dma_copy of {} KiB, of memcpy", bytes / 1024), 0.70,
      [&] {
        const double start = thread_seconds();
        const auto r = kernel.run(bound.bindings(), {.mode = runtime::Mode::Values});
        must(r.ok() ? Status() : r.status());
        return moved / (thread_seconds() - start);
      },
      [&] {
        const double start = thread_seconds();
        for (int i = 0; i < repeats; ++i) {
          std::memcpy(to.data(), from.data(), from.size());
          asm volatile("" : : "r"(to.data()) : "memory");
        }
        return moved / (thread_seconds() - start);
      });
}

}  // namespace

std::vector<Row> vector_rows() {
  std::vector<float> x(kTile, 0.3f), y(kTile, 0.1f);
  const auto axpy_rate = [&] { return rate([&] { axpy(0.5f, x.data(), y.data(), kTile); }, 2000); };
  const auto exp_rate = [&] { return rate([&] { fast_exp(x.data(), y.data(), kTile); }, 1000); };
  std::vector<Row> rows;
  rows.push_back(compare(
      "activation exp, of the exp loop", 0.60,
      [] { return rate_of("a: activation z <- x op=exp", 1000); }, exp_rate));
  rows.push_back(compare(
      "tensor_tensor add fp32, of a*x+y", 0.60,
      [] { return rate_of("a: tensor_tensor z <- x, y op=add", 2000); }, axpy_rate));
  rows.push_back(compare(
      "tensor_scalar fp32, of a*x+y", 0.60,
      [] { return rate_of("a: tensor_scalar z <- x op0=multiply operand0=0.5", 2000); },
      axpy_rate));
  for (const int64_t columns : {64, 2048, 32768}) rows.push_back(copy_row(columns));
  return rows;
}

}  // namespace trainyard::bench
