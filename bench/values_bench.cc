// Speed of values runs against the host's own limits: instructions on tiles in the cache, the
// overhead of one instruction, and whole matmul programs against the raw tile loop. What is
// compared runs in turns in one process. Usage: values_bench [part...], parts: tiles overhead
// matmul threads.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gemm_ceiling.h"
#include "isa/text/text.h"
#include "numerics/functions.h"
#include "sim/values.h"
#include "values_ceiling.h"

namespace trainyard::bench {
namespace {

// CPU seconds of the calling thread: a busy neighbour counts less than in wall time.
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_of(const std::function<void()>& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

double wall_seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

sim::ParallelFor threads_of(int count) {
  if (count <= 1) return sim::serial();
  return {count, [count](int64_t n, const std::function<void(int64_t, int)>& work) {
            std::atomic<int64_t> next{0};
            const auto share = [&](int worker) {
              for (int64_t i = next++; i < n; i = next++) work(i, worker);
            };
            std::vector<std::thread> others;
            for (int t = 1; t < count; ++t) others.emplace_back(share, t);
            share(0);
            for (std::thread& t : others) t.join();
          }};
}

// A program in text form with memory of random values in (-1, 1), ready to run again and again.
class Prepared {
 public:
  explicit Prepared(const std::string& text, const sim::ValueOptions& options = {})
      : program_(isa::parse_text(text, "bench.tya")) {
    if (!program_.ok()) stop(program_.status());
    auto plan = sim::ValuePlan::make(*program_, hw::kNeuronCoreV3, options);
    if (!plan.ok()) stop(plan.status());
    plan_ = *plan;
    std::minstd_rand random(5);
    for (size_t id = 0; id < program_->tensors.size(); ++id) {
      const isa::Tensor& t = program_->tensors[id];
      if (t.io == isa::Io::None) continue;
      memory_.push_back(memory_of<std::byte>(t.total_bytes()));
      if (t.dtype == isa::Dtype::F32 || t.dtype == isa::Dtype::BF16)
        fill(memory_.back(), t, random);
      bindings_.push_back({static_cast<isa::TensorId>(id),
                           {memory_.back().get(), static_cast<size_t>(t.total_bytes())}});
    }
  }

  void run(int threads = 1) {
    auto run = sim::ValueRun::make(plan_, bindings_, threads_of(threads));
    if (!run.ok()) stop(run.status());
    if ((*run)->resume() != sim::ValueRun::State::Done) stop((*run)->fault());
    executed_ = (*run)->executed();
  }
  int64_t executed() const { return executed_; }
  const sim::ValuePlan& plan() const { return *plan_; }

 private:
  [[noreturn]] static void stop(const Status& status) {
    fmt::print(stderr, "{}\n", status.str());
    std::exit(1);
  }
  static void fill(Memory<std::byte>& memory, const isa::Tensor& t, std::minstd_rand& random) {
    const int64_t size = numerics::size_of(t.dtype);
    for (int64_t i = 0; i < t.total_bytes(); i += size) {
      const float x = static_cast<float>(random()) / 1.1e9f - 1.0f;
      uint32_t bits;
      std::memcpy(&bits, &x, 4);
      if (size == 2) bits >>= 16;
      std::memcpy(memory.get() + i, &bits, size);
    }
  }

  Result<isa::Program> program_;
  std::shared_ptr<const sim::ValuePlan> plan_;
  std::vector<Memory<std::byte>> memory_;
  std::vector<sim::Binding> bindings_;
  int64_t executed_ = 0;
};

// Best seconds of each, in turns.
std::vector<double> in_turns(const std::vector<std::function<void()>>& works, int turns) {
  std::vector<double> best(works.size(), 1e9);
  for (int t = 0; t < turns; ++t) {
    for (size_t i = 0; i < works.size(); ++i) best[i] = std::min(best[i], seconds_of(works[i]));
  }
  return best;
}

// ---- instructions on tiles

constexpr int64_t kRepeats = 200;

std::string tile_program(const std::string& instruction) {
  return fmt::format(R"(
program tile target trn2
x: hbm f32[128,512] in   z: hbm bf16[128,512] in   out: hbm f32[128,512] out
a: sbuf f32[128,512]   b: sbuf f32[128,512]   y: sbuf f32[128,512]
ha: sbuf bf16[128,512]   hy: sbuf bf16[128,512]   col: sbuf f32[128,1]   cot: sbuf f32[128,1]
p: psum f32[128,512]
dma_copy a <- x   dma_copy b <- x   dma_copy y <- x   dma_copy ha <- z   dma_copy hy <- z
tensor_copy p <- a
memset col value=0.5
repeat i {} {{ {} }}
dma_copy out <- y
)",
                     kRepeats, instruction);
}

void tile_row(const char* name, const std::string& instruction,
              const std::function<void()>& ceiling, const char* ceiling_name) {
  Prepared program(tile_program(instruction));
  Prepared empty(tile_program("nop"));
  const std::vector<double> took = in_turns({[&] { program.run(); }, [&] { empty.run(); },
                                             [&] {
                                               for (int64_t i = 0; i < kRepeats; ++i) ceiling();
                                             }},
                                            12);
  const double mine = (took[0] - took[1]) / kRepeats, best = took[2] / kRepeats;
  fmt::print("  {:<34} {:7.2f} us   {:<12} {:7.2f} us   {:5.1f} % of it\n", name, mine * 1e6,
             ceiling_name, best * 1e6, 100 * best / mine);
}

void measure_tiles() {
  constexpr size_t kElements = 128 * 512;
  const Memory<float> a = memory_of<float>(kElements), b = memory_of<float>(kElements),
                      y = memory_of<float>(kElements);
  std::fill_n(a.get(), kElements, 0.25f);
  const auto exp = [&] { numerics::apply(numerics::Function::Exp, a.get(), y.get(), kElements); };
  const auto axpy = [&] { axpy_ceiling(0.5f, a.get(), b.get(), y.get(), kElements); };
  const auto copy = [&] { std::memcpy(y.get(), a.get(), kElements * sizeof(float)); };
  fmt::print("instructions on 128 x 512 tiles, one thread\n");
  tile_row("activation exp f32", "activation y <- a op=exp", exp, "exp");
  tile_row("activation exp f32, bias, reduce",
           "activation y <- a op=exp bias=col reduce_cmd=reset_reduce reduce_res=cot", exp, "exp");
  tile_row("activation exp f32 to bf16", "activation hy <- a op=exp", exp, "exp");
  tile_row("tensor_tensor add f32", "tensor_tensor y <- a, b op=add", axpy, "a*x+y");
  tile_row("tensor_tensor add bf16", "tensor_tensor hy <- ha, ha op=add", axpy, "a*x+y");
  tile_row("tensor_tensor max f32", "tensor_tensor y <- a, b op=max", axpy, "a*x+y");
  tile_row("tensor_scalar mult add f32",
           "tensor_scalar y <- a op0=multiply operand0=0.5 op1=add operand1=1.0", axpy, "a*x+y");
  tile_row("tensor_scalar mult f32, column", "tensor_scalar y <- a op0=multiply operand0=col", axpy,
           "a*x+y");
  tile_row("scalar_tensor_tensor f32",
           "scalar_tensor_tensor y <- a, b op0=multiply operand0=col op1=add", axpy, "a*x+y");
  tile_row("tensor_reduce add f32", "tensor_reduce cot <- a op=add", axpy, "a*x+y");
  tile_row("tensor_reduce max f32", "tensor_reduce cot <- a op=max", axpy, "a*x+y");
  tile_row("tensor_tensor_scan f32", "tensor_tensor_scan y <- a, b op0=multiply op1=add", axpy,
           "a*x+y");
  tile_row("tensor_copy psum f32 to bf16", "tensor_copy hy <- p", copy, "memcpy");
  tile_row("tensor_copy f32", "tensor_copy y <- a", copy, "memcpy");
  tile_row("dma_copy f32 to hbm", "dma_copy out <- a", copy, "memcpy");
  tile_row("dma_copy f32 from hbm", "dma_copy y <- x", copy, "memcpy");
  tile_row("dma_transpose f32 128 x 128", "dma_transpose y[:,0+:128] <- a[:,0+:128]", copy,
           "memcpy x4");
}

// ---- overhead

void measure_overhead() {
  constexpr int64_t kCount = 20000;
  const auto program = [&](const std::string& body) {
    return Prepared(fmt::format(R"(
program small target trn2
x: hbm f32[1,8] in
a: sbuf f32[1,8]   b: sbuf f32[1,8]   y: sbuf f32[1,8]
dma_copy a <- x   dma_copy b <- x
repeat i {} {{ {} }}
)",
                                kCount, body));
  };
  fmt::print("overhead of one instruction\n");
  for (const char* body : {"nop", "tensor_tensor y <- a, b op=add", "activation y <- a op=copy",
                           "dma_copy y <- x", "tensor_scalar y <- a op0=add operand0=1.0"}) {
    Prepared p = program(body);
    const double took = in_turns({[&] { p.run(); }}, 10)[0];
    fmt::print("  {:<44} {:6.1f} ns\n", body, took / kCount * 1e9);
  }
}

// ---- matmul

std::string matmul_program(int64_t size, const char* dtype, int64_t mb) {
  const int64_t k = size / 128, nb = size / 512, rows = size / mb;
  return fmt::format(R"(
program matmul target trn2
lhsT: hbm {0}[{1},{1}] in   rhs: hbm {0}[{1},{1}] in   out: hbm {0}[{1},{1}] out
repeat mb {2} {{
  a: sbuf {0}[128,{3},{4}]
  repeat ka {3} {{ lda: dma_copy a[:,ka,:] <- lhsT[128*ka+:128, {4}*mb+:{4}] }}
  repeat nb {5} {{
    b: sbuf {0}[128,{3},512]
    repeat kb {3} {{ ldb: dma_copy b[:,kb,:] <- rhs[128*kb+:128, 512*nb+:512] }}
    repeat m {6} {{
      p: psum f32[128,512]
      c: sbuf {0}[128,512]
      repeat k {3} {{ mm: nc_matmul p <- a[:,k,128*m+:128], b[:,k,:] first_write }}
      ev: tensor_copy c <- p
      st: dma_copy out[{4}*mb+128*m+:128, 512*nb+:512] <- c
}} }} }}
)",
                     dtype, size, mb, k, rows, nb, rows / 128);
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void measure_bf16(int threads) {
  const RawUnit* unit = best_raw_unit();
  if (unit == nullptr) {
    fmt::print("this host has no bf16 unit\n");
    return;
  }
  constexpr int64_t kSize = 4096;
  const double flops = 2.0 * kSize * kSize * kSize;
  Prepared fast(matmul_program(kSize, "bf16", 4));
  Prepared plain(matmul_program(kSize, "bf16", 4), {.shortcuts = false});
  const long before = peak_kilobytes();
  fast.run(threads);
  const long after = peak_kilobytes();
  RawTileLoop raw(*unit, kSize, threads);
  std::vector<double> ratios, plain_ratios;
  double best_raw = 1e9, best = 1e9;
  for (int turn = 0; turn < 5; ++turn) {
    const auto clock = threads == 1 ? seconds_of : wall_seconds_of;
    const auto raw_loop = [&] { static_cast<void>(raw.seconds()); };
    const double r = clock(raw_loop);
    const double mine = clock([&] { fast.run(threads); });
    const double r2 = clock(raw_loop);
    const double slow = clock([&] { plain.run(threads); });
    ratios.push_back(2 * mine / (r + r2));
    plain_ratios.push_back(2 * slow / (r + r2));
    best_raw = std::min({best_raw, r, r2});
    best = std::min(best, mine);
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(plain_ratios.begin(), plain_ratios.end());
  fmt::print("bf16 {}^3 values, {} thread{}: {:.4f} s ({:.1f} GFLOP/s), raw loop {:.4f} s\n", kSize,
             threads, threads > 1 ? "s" : "", best, flops / best / 1e9, best_raw);
  fmt::print("  ratio to the raw loop: {:.3f} (shortcuts off: {:.3f}); median of 5 turns\n",
             ratios[2], plain_ratios[2]);
  fmt::print("  memory beside the tensors: {:.1f} MB\n",
             static_cast<double>(after - before) / 1024);
}

void measure_fp32() {
  constexpr int64_t kSize = 2048;
  Prepared p(matmul_program(kSize, "f32", 2));
  const double peak = fma_peak();
  const double took = in_turns({[&] { p.run(); }}, 7)[0];
  const double flops = 2.0 * kSize * kSize * kSize;
  fmt::print("fp32 {}^3 values: {:.4f} s, {:.1f} GFLOP/s, {:.1f} % of FMA peak {:.1f}\n", kSize,
             took, flops / took / 1e9, 100 * flops / took / peak, peak / 1e9);
}

}  // namespace
}  // namespace trainyard::bench

int main(int argc, char** argv) {
  using namespace trainyard::bench;
  const std::vector<std::string> parts(argv + 1, argv + argc);
  const auto wanted = [&](const char* part) {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  if (wanted("tiles")) measure_tiles();
  if (wanted("overhead")) measure_overhead();
  if (wanted("matmul")) {
    measure_bf16(1);
    measure_fp32();
  }
  if (wanted("threads")) measure_bf16(2);
  return 0;
}
