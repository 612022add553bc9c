// Speed of the host matmul kernels against the host's own limits, and a check of every unit that
// the host has. Usage: gemm_bench [size], default 4096. The comparison runs in turns of a few dst
// tiles, so that a change of the clock or a busy neighbour hits all of them alike.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "gemm_ceiling.h"
#include "numerics/simd.h"
#include "sim/execute/gemm_matmul.h"

namespace trainyard::bench {
namespace {

using numerics::Dtype;
using sim::GemmLayout;
using sim::GemmOrder;
using sim::GemmSide;
using sim::GemmUnit;
using sim::MatmulNest;
using sim::MatmulOperand;
using sim::PackedMoving;
using sim::PackedStationary;
using sim::PsumTile;
using sim::PsumWrite;

constexpr size_t kM = 128;
constexpr size_t kN = 512;
constexpr size_t kK = 128;
constexpr size_t kPitch = kN + 16;
constexpr double kInstructionFlops = 2.0 * kM * kN * kK;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Best seconds per call, of many runs of about 1 ms: short enough to fit between the turns of a
// busy neighbour.
double best_seconds(const std::function<void()>& work) {
  const double once = std::max(seconds_of(work), 1e-7);
  const int calls = std::max(1, static_cast<int>(0.001 / once));
  double best = 1e9;
  for (int i = 0; i < 100; ++i)
    best = std::min(best, seconds_of([&] {
                            for (int c = 0; c < calls; ++c) work();
                          }) / calls);
  return best;
}

template <class T>
Memory<std::byte> random_values(size_t count) {
  Memory<std::byte> bytes = memory_of<std::byte>(count * sizeof(T));
  auto* values = reinterpret_cast<T*>(bytes.get());
  std::minstd_rand random(7);
  for (size_t i = 0; i < count; ++i) {
    const float x = static_cast<float>(random()) / 1e9f - 1.0f;
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    values[i] = static_cast<T>(sizeof(T) == 2 ? bits >> 16 : bits);
  }
  return bytes;
}

// A size x size product as packed tiles.
struct Product {
  GemmUnit unit;
  size_t size;
  Memory<std::byte> room;
  std::vector<PackedStationary> stationary;  // [k][m]
  std::vector<PackedMoving> moving;          // [k][n]
  double pack_seconds = 0;

  Product(GemmUnit which, size_t edge, Dtype dtype, const std::byte* a, const std::byte* b)
      : unit(which), size(edge) {
    const GemmLayout layout = layout_of(unit);
    const size_t value = numerics::size_of(dtype);
    const size_t pitch = edge * value;
    const size_t a_bytes = packed_bytes(layout, GemmSide::Stationary, kK, kM);
    const size_t b_bytes = packed_bytes(layout, GemmSide::Moving, kK, kN);
    room = memory_of<std::byte>(edge / kK * (edge / kM * a_bytes + edge / kN * b_bytes));
    std::byte* next = room.get();
    pack_seconds = seconds_of([&] {
      for (size_t k = 0; k < edge; k += kK)
        for (size_t m = 0; m < edge; m += kM, next += a_bytes)
          stationary.push_back(pack_stationary(
              {a + k * pitch + m * value, dtype, kK, kM, static_cast<ptrdiff_t>(pitch)}, layout,
              {next, a_bytes}));
      for (size_t k = 0; k < edge; k += kK)
        for (size_t n = 0; n < edge; n += kN, next += b_bytes)
          moving.push_back(
              pack_moving({b + k * pitch + n * value, dtype, kK, kN, static_cast<ptrdiff_t>(pitch)},
                          layout, {next, b_bytes}));
    });
  }

  size_t m_tiles() const { return size / kM; }
  size_t n_tiles() const { return size / kN; }
  size_t k_tiles() const { return size / kK; }

  void tile_by_instructions(size_t m, size_t n, const PsumTile& dst) const {
    for (size_t k = 0; k < k_tiles(); ++k)
      matmul_packed(stationary[k * m_tiles() + m], moving[k * n_tiles() + n], dst,
                    k > 0 ? PsumWrite::Accumulate : PsumWrite::Overwrite, unit);
  }
};

void copy_out(const PsumTile& psum, float* result, size_t size, size_t m, size_t n) {
  for (size_t row = 0; row < kM; ++row)
    std::memcpy(result + (m * kM + row) * size + n * kN, psum.data + row * psum.pitch,
                kN * sizeof(float));
}

// Computes a share of a product, dst tiles first ... last - 1, m fastest, as worker 0 or 1.
using Share = std::function<void(size_t first, size_t last, int worker)>;

Share by_instructions(const Product& product, float* result, const Memory<float> (&psums)[2]) {
  return [&product, result, &psums](size_t first, size_t last, int worker) {
    const PsumTile psum{psums[worker].get(), kPitch};
    for (size_t tile = first; tile < last; ++tile) {
      const size_t m = tile % product.m_tiles();
      const size_t n = tile / product.m_tiles();
      product.tile_by_instructions(m, n, psum);
      copy_out(psum, result, product.size, m, n);
    }
  };
}

// `result` is written in place, as a fused nest may do.
struct NestRun {
  MatmulNest nest;
  std::vector<PsumTile> dst;

  NestRun(const Product& product, float* result) {
    const size_t pitch = product.size + 16;
    for (size_t m = 0; m < product.m_tiles(); ++m)
      for (size_t n = 0; n < product.n_tiles(); ++n)
        dst.push_back({result + m * kM * pitch + n * kN, pitch});
    nest = {product.m_tiles(),   product.n_tiles(), product.k_tiles(),
            product.stationary,  product.moving,    dst,
            PsumWrite::Overwrite};
  }
};

Share by_nest(const NestRun& run, const Product& product) {
  return [&run, &product](size_t first, size_t last, int) {
    const size_t n = first / product.m_tiles();
    const size_t m = first % product.m_tiles();
    matmul_nest(run.nest, {m, m + (last - first), n, n + 1}, product.unit);
  };
}

void on_threads(const Share& share, size_t first, size_t last, int threads) {
  if (threads == 1) return share(first, last, 0);
  const size_t middle = (first + last) / 2;
  std::thread other([&] { share(middle, last, 1); });
  share(first, middle, 0);
  other.join();
}

// Runs all shares in turns of 4 dst tiles; seconds of each for the whole product, every turn
// counted with the best of its rounds. Sizes are multiples of 512, so a turn never crosses from one
// n to the next.
std::vector<double> in_turns(const std::vector<Share>& shares, size_t tiles, int threads) {
  constexpr size_t kTurn = 4;
  constexpr int kRounds = 5;
  std::vector<double> total(shares.size(), 0);
  for (size_t first = 0; first < tiles; first += kTurn) {
    std::vector<double> best(shares.size(), 1e9);
    for (int round = 0; round < kRounds; ++round)
      for (size_t s = 0; s < shares.size(); ++s)
        best[s] = std::min(
            best[s], seconds_of([&] { on_threads(shares[s], first, first + kTurn, threads); }));
    for (size_t s = 0; s < shares.size(); ++s) total[s] += best[s];
  }
  return total;
}

void compare_with_raw_loop(size_t size) {
  const RawUnit* raw = best_raw_unit();
  if (raw == nullptr) return fmt::print("no raw tile loop for this host\n");
  const Memory<std::byte> a = random_values<uint16_t>(size * size);
  const Memory<std::byte> b = random_values<uint16_t>(size * size);
  const Memory<float> result = memory_of<float>(size * (size + 16));
  const GemmUnit unit = choose_unit(Dtype::BF16, Dtype::BF16, GemmOrder::Default);
  const Product product(unit, size, Dtype::BF16, a.get(), b.get());
  RawTileLoop loop(*raw, size, 2);
  const NestRun nest(product, result.get());
  const Memory<float> psums[2] = {memory_of<float>(kM * kPitch), memory_of<float>(kM * kPitch)};
  const std::vector<Share> shares = {
      [&](size_t first, size_t last, int worker) { loop.run(first, last, worker); },
      by_instructions(product, result.get(), psums), by_nest(nest, product)};
  const double flops = 2.0 * static_cast<double>(size) * static_cast<double>(size) * size;
  for (int threads : {1, 2}) {
    const std::vector<double> took = in_turns(shares, loop.tiles(), threads);
    fmt::print("bf16 {}^3, {} thread{}\n", size, threads, threads > 1 ? "s" : "");
    const std::string names[] = {fmt::format("raw tile loop ({})", raw->name),
                                 fmt::format("matmul_packed ({})", name(unit)),
                                 fmt::format("matmul_nest ({})", name(unit))};
    for (size_t s = 0; s < took.size(); ++s)
      fmt::print("  {:<30} {:7.4f} s  {:7.1f} GFLOP/s  {:.3f} x raw\n", names[s], took[s],
                 flops / took[s] / 1e9, took[s] / took[0]);
  }
  fmt::print("  {:<30} {:7.4f} s for both operands\n", "pack once", product.pack_seconds);
}

void measure_packing() {
  fmt::print("pack one tile from rows at a 4 KiB pitch\n");
  const Memory<std::byte> source = random_values<uint32_t>(kK * 2048);
  const Memory<std::byte> room = memory_of<std::byte>(kK * kN * 8);
  const struct {
    const char* name;
    Dtype dtype;
    GemmLayout layout;
  } cases[] = {{"bf16 to pairs", Dtype::BF16, GemmLayout::Bf16Pairs},
               {"bf16 to AMX tiles", Dtype::BF16, GemmLayout::Bf16Tiles},
               {"f8e4m3 to pairs", Dtype::F8E4M3, GemmLayout::Bf16Pairs},
               {"bf16 to f32", Dtype::BF16, GemmLayout::F32},
               {"f16 to f32", Dtype::F16, GemmLayout::F32},
               {"f32 to f32", Dtype::F32, GemmLayout::F32}};
  for (const auto& c : cases) {
    const double a = best_seconds([&] {
      (void)pack_stationary({source.get(), c.dtype, kK, kM, 4096}, c.layout,
                            {room.get(), kK * kN * 8});
    });
    const double b = best_seconds([&] {
      (void)pack_moving({source.get(), c.dtype, kK, kN, 4096}, c.layout, {room.get(), kK * kN * 8});
    });
    fmt::print("  {:<20} stationary 128x128 {:6.2f} us   moving 128x512 {:6.2f} us\n", c.name,
               a * 1e6, b * 1e6);
  }
}

void measure_instruction() {
  fmt::print("one instruction 128 x 128 x 512, hot, accumulating\n");
  const Memory<std::byte> a = random_values<uint32_t>(kK * kM);
  const Memory<std::byte> b = random_values<uint32_t>(kK * kN);
  const Memory<std::byte> rooms[] = {memory_of<std::byte>(kK * kM * 8),
                                     memory_of<std::byte>(kK * kN * 8)};
  const Memory<float> psum = memory_of<float>(kM * kPitch);
  for (GemmUnit unit : sim::kGemmUnits) {
    if (!is_available(unit)) continue;
    const Dtype dtype = takes_bf16(unit) ? Dtype::BF16 : Dtype::F32;
    const ptrdiff_t value = numerics::size_of(dtype);
    const ptrdiff_t a_pitch = static_cast<ptrdiff_t>(kM) * value;
    const ptrdiff_t b_pitch = static_cast<ptrdiff_t>(kN) * value;
    const PackedStationary stationary = pack_stationary(
        {a.get(), dtype, kK, kM, a_pitch}, layout_of(unit), {rooms[0].get(), kK * kM * 8});
    const PackedMoving moving = pack_moving({b.get(), dtype, kK, kN, b_pitch}, layout_of(unit),
                                            {rooms[1].get(), kK * kN * 8});
    const double took = best_seconds([&] {
      matmul_packed(stationary, moving, {psum.get(), kPitch}, PsumWrite::Accumulate, unit);
    });
    fmt::print("  {:<12} {:8.2f} us  {:7.1f} GFLOP/s\n", name(unit), took * 1e6,
               kInstructionFlops / took / 1e9);
  }
}

void measure_fp32(size_t size) {
  const Memory<std::byte> a = random_values<uint32_t>(size * size);
  const Memory<std::byte> b = random_values<uint32_t>(size * size);
  const Memory<float> result = memory_of<float>(size * (size + 16));
  const GemmUnit unit = choose_unit(Dtype::F32, Dtype::F32, GemmOrder::Default);
  const Product product(unit, size, Dtype::F32, a.get(), b.get());
  const NestRun nest(product, result.get());
  const Memory<float> psums[2] = {memory_of<float>(kM * kPitch), memory_of<float>(kM * kPitch)};
  const std::vector<double> took =
      in_turns({by_instructions(product, result.get(), psums), by_nest(nest, product)},
               product.m_tiles() * product.n_tiles(), 1);
  const double flops = 2.0 * static_cast<double>(size) * static_cast<double>(size) * size;
  const double peak = fma_peak();
  fmt::print("fp32 {}^3 ({}), 1 thread; FMA peak {:.1f} GFLOP/s\n", size, name(unit), peak / 1e9);
  const auto row = [&](const char* what, double seconds) {
    fmt::print("  {:<30} {:7.4f} s  {:7.1f} GFLOP/s  {:.1f} % of FMA peak\n", what, seconds,
               flops / seconds / 1e9, 100 * flops / seconds / peak);
  };
  row("matmul_packed", took[0]);
  row("matmul_nest", took[1]);
  row("pack and matmul_nest", took[1] + product.pack_seconds);
}

// Sums of small integers are exact in any order, so every unit must give the same, right values.
bool is_right(GemmUnit unit) {
  constexpr size_t m = 45, n = 131, k = 77;
  std::vector<uint16_t> a(k * m), b(k * n);
  std::minstd_rand random(3);
  const auto digit = [&](std::vector<uint16_t>& values) {
    for (uint16_t& v : values) {
      const float x = static_cast<float>(random() % 17) - 8.0f;
      uint32_t bits;
      std::memcpy(&bits, &x, 4);
      v = static_cast<uint16_t>(bits >> 16);
    }
  };
  digit(a);
  digit(b);
  const auto value = [](uint16_t v) {
    const uint32_t bits = static_cast<uint32_t>(v) << 16;
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
  };
  const GemmLayout layout = layout_of(unit);
  const size_t bytes = packed_bytes(layout, GemmSide::Moving, k, n) * 2;
  const Memory<std::byte> rooms[] = {memory_of<std::byte>(bytes), memory_of<std::byte>(bytes)};
  std::vector<float> dst(m * n, 1.0f);
  matmul_packed(pack_stationary({reinterpret_cast<std::byte*>(a.data()), Dtype::BF16, k, m, m * 2},
                                layout, {rooms[0].get(), bytes}),
                pack_moving({reinterpret_cast<std::byte*>(b.data()), Dtype::BF16, k, n, n * 2},
                            layout, {rooms[1].get(), bytes}),
                {dst.data(), n}, PsumWrite::Accumulate, unit);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      float sum = 1.0f;
      for (size_t t = 0; t < k; ++t) sum += value(a[t * m + i]) * value(b[t * n + j]);
      if (dst[i * n + j] != sum) return false;
    }
  return true;
}

int run(size_t size) {
  bool right = true;
  for (GemmUnit unit : sim::kGemmUnits) {
    const bool available = is_available(unit);
    const bool passed = available && is_right(unit);
    right = right && (passed || !available);
    fmt::print("unit {:<12} {}\n", name(unit),
               !available ? "not on this host, or not in use"
               : passed   ? "ran, values right"
                          : "ran, VALUES WRONG");
  }
  if (!right) return 1;
  fmt::print("peak of one core, GFLOP/s: fp32 FMA {:.1f}, bf16 dot {:.1f}, AMX {:.1f}\n",
             fma_peak() / 1e9, bf16_dot_peak() / 1e9, amx_peak() / 1e9);
  measure_instruction();
  measure_packing();
  measure_fp32(2048);
  compare_with_raw_loop(size);
  return 0;
}

}  // namespace
}  // namespace trainyard::bench

int main(int argc, char** argv) {
  const size_t size = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 4096;
  if (size == 0 || size % 512 != 0) {
    fmt::print(stderr, "size {} is not a multiple of 512\n", size);
    return 2;
  }
  return trainyard::bench::run(size);
}
