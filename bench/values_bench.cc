// Speed of values runs against the host's own limits: instructions on tiles in the cache, the
// overhead of one instruction, and whole matmul programs against the raw tile loop. What is
// compared runs in turns in one process. Usage: values_bench [part...], parts: tiles overhead
// matmul threads.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gemm_ceiling.h"
#include "isa/text/text.h"
#include "numerics/functions.h"
#include "sim/values.h"
#include "vector_ceiling.h"

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

  void run() {
    auto run = sim::ValueRun::make(plan_, bindings_, sim::serial());
    if (!run.ok()) stop(run.status());
    if ((*run)->resume() != sim::ValueRun::State::Done) stop((*run)->fault());
  }

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
  const auto ceiling = [&] { axpy(0.5f, a.get(), y.get(), kElements); };
  const auto copy = [&] { std::memcpy(y.get(), a.get(), kElements * sizeof(float)); };
  fmt::print("instructions on 128 x 512 tiles, one thread\n");
  tile_row("activation exp f32", "activation y <- a op=exp", exp, "exp");
  tile_row("activation exp f32, bias, reduce",
           "activation y <- a op=exp bias=col reduce_cmd=reset_reduce reduce_res=cot", exp, "exp");
  tile_row("activation exp f32 to bf16", "activation hy <- a op=exp", exp, "exp");
  tile_row("tensor_tensor add f32", "tensor_tensor y <- a, b op=add", ceiling, "a*x+y");
  tile_row("tensor_tensor add bf16", "tensor_tensor hy <- ha, ha op=add", ceiling, "a*x+y");
  tile_row("tensor_tensor max f32", "tensor_tensor y <- a, b op=max", ceiling, "a*x+y");
  tile_row("tensor_scalar mult add f32",
           "tensor_scalar y <- a op0=multiply operand0=0.5 op1=add operand1=1.0", ceiling, "a*x+y");
  tile_row("tensor_scalar mult f32, column", "tensor_scalar y <- a op0=multiply operand0=col", ceiling,
           "a*x+y");
  tile_row("scalar_tensor_tensor f32",
           "scalar_tensor_tensor y <- a, b op0=multiply operand0=col op1=add", ceiling, "a*x+y");
  tile_row("tensor_reduce add f32", "tensor_reduce cot <- a op=add", ceiling, "a*x+y");
  tile_row("tensor_reduce max f32", "tensor_reduce cot <- a op=max", ceiling, "a*x+y");
  tile_row("tensor_tensor_scan f32", "tensor_tensor_scan y <- a, b op0=multiply op1=add", ceiling,
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
  return 0;
}
