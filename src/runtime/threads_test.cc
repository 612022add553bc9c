// Threads of the caller and threads of the pool, at the same time. ./dev test-slow runs these tests
// under ThreadSanitizer, so they are small.
#include "runtime/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/kernel.h"

namespace trainyard::runtime {
namespace {

// Both have loops whose iterations are independent, so a pool finds work in them.
constexpr std::string_view kMatmul = R"(program matmul target trn2
lhsT: hbm bf16[256,512] in
rhs: hbm bf16[256,512] in
out: hbm f32[512,512] out
repeat mb 4 {
  a: sbuf bf16[128,2,128]
  b: sbuf bf16[128,2,512]
  p: psum f32[128,512]
  c: sbuf f32[128,512]
  repeat ka 2 {
    lda: dma_copy a[:,ka,:] <- lhsT[128*ka+:128, 128*mb+:128]
    ldb: dma_copy b[:,ka,:] <- rhs[128*ka+:128, :]
  }
  repeat k 2 {
    mm: nc_matmul p <- a[:,k,:], b[:,k,:]
  }
  ev: tensor_copy c <- p
  st: dma_copy out[128*mb+:128, :] <- c
}
)";
constexpr std::string_view kSoftmax = R"(program softmax target trn2
x: hbm f32[512,256] in
y: hbm f32[512,256] out
repeat i 4 {
  t: sbuf f32[128,256]
  e: sbuf f32[128,256]
  top: sbuf f32[128,1]
  neg: sbuf f32[128,1]
  sum: sbuf f32[128,1]
  inv: sbuf f32[128,1]
  ld: dma_copy t <- x[128*i+:128, :]
  mx: tensor_reduce top <- t op=max
  mn: tensor_scalar neg <- top op0=multiply operand0=-1.0
  ex: activation e <- t op=exp bias=neg reduce_cmd=reset_reduce reduce_res=sum
  rc: reciprocal inv <- sum
  mu: tensor_scalar e <- e op0=multiply operand0=inv
  st: dma_copy y[128*i+:128, :] <- e
}
)";

using Bytes = std::vector<std::byte>;

// Small whole numbers: integers above 0, or fp32, or, as its upper halves, bf16.
Bytes filled(const isa::Tensor& tensor) {
  Bytes bytes(static_cast<size_t>(tensor.total_bytes()));
  const size_t size = numerics::size_of(tensor.dtype);
  const bool is_integer = tensor.dtype == numerics::Dtype::S32;
  for (size_t i = 0; i * size < bytes.size(); ++i) {
    const auto value =
        is_integer ? std::bit_cast<std::array<std::byte, 4>>(static_cast<int32_t>(i % 7 + 3))
                   : std::bit_cast<std::array<std::byte, 4>>(static_cast<float>(i * i % 23) - 9);
    std::copy_n(value.end() - static_cast<int64_t>(size), size, &bytes[i * size]);
  }
  return bytes;
}

class Job {
 public:
  explicit Job(std::string_view text)
      : kernel_(Kernel::from_text(text, "job.tya", *hw::find_target("trn2"))) {
    EXPECT_TRUE(kernel_.ok()) << kernel_.status().str();
  }

  // The bytes of the last HBM tensor, which every program here writes, after a run with fresh
  // tensors.
  Bytes run(const sim::ParallelFor& parallel = sim::serial()) const {
    std::vector<Bytes> memory;  // bindings point into it
    std::vector<sim::Binding> bindings;
    const std::vector<isa::Tensor>& tensors = kernel_->program().tensors;
    memory.reserve(tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].on_chip()) continue;
      memory.push_back(filled(tensors[i]));
      bindings.push_back({static_cast<isa::TensorId>(i), memory.back()});
    }
    const Result<RunResult> r = kernel_->run(bindings, {.mode = Mode::Both}, parallel);
    EXPECT_TRUE(r.ok()) << r.status().str();
    return memory.back();
  }

  Bytes before() const {
    for (const isa::Tensor& t : kernel_->program().tensors) {
      if (t.io == isa::Io::Out) return filled(t);
    }
    return {};
  }

 private:
  Result<Kernel> kernel_;
};

TEST(Threads, APoolOfTwoGivesTheBytesOfOneThread) {
  const Threads pool(2);
  for (const std::string_view text : {kMatmul, kSoftmax}) {
    const Job job(text);
    const Bytes alone = job.run();
    EXPECT_NE(alone, job.before());
    EXPECT_EQ(job.run(pool.parallel_for()), alone);
  }
}

TEST(Threads, TwoKernelsAtTheSameTimeGiveTheBytesOfEachAlone) {
  const Job matmul(kMatmul), softmax(kSoftmax);
  const Bytes product = matmul.run(), shares = softmax.run();
  Bytes first, second;
  std::thread other([&] { first = matmul.run(); });
  second = softmax.run();
  other.join();
  EXPECT_EQ(first, product);
  EXPECT_EQ(second, shares);
}

TEST(Threads, OneKernelMayRunTwiceAtTheSameTime) {
  const Job job(kSoftmax);
  const Bytes alone = job.run();
  Bytes first, second;
  std::thread other([&] { first = job.run(); });
  second = job.run();
  other.join();
  EXPECT_EQ(first, alone);
  EXPECT_EQ(second, alone);
}

TEST(Threads, OneKernelMayRunOnFourThreadsThatShareAPool) {
  const Threads pool(3);
  const Job job(kMatmul);
  const Bytes alone = job.run();
  std::array<Bytes, 4> results;
  std::vector<std::thread> callers;
  for (Bytes& result : results)
    callers.emplace_back([&] { result = job.run(pool.parallel_for()); });
  for (std::thread& caller : callers) caller.join();
  for (const Bytes& result : results) EXPECT_EQ(result, alone);
}

TEST(Threads, TwoCallersMayShareThePool) {
  const Threads pool(2);
  const Job matmul(kMatmul), softmax(kSoftmax);
  const Bytes product = matmul.run(), shares = softmax.run();
  Bytes first, second;
  std::thread other([&] { first = matmul.run(pool.parallel_for()); });
  second = softmax.run(pool.parallel_for());
  other.join();
  EXPECT_EQ(first, product);
  EXPECT_EQ(second, shares);
}

TEST(Threads, EveryExampleGivesTheBytesOfOneThread) {
  const Threads pool(3);
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator("examples")) {
    if (entry.path().extension() != ".tya") continue;
    SCOPED_TRACE(entry.path());
    std::ifstream in(entry.path());
    const Job job(std::string(std::istreambuf_iterator<char>(in), {}));
    const Bytes alone = job.run();
    EXPECT_NE(alone, job.before());
    EXPECT_TRUE(job.run(pool.parallel_for()) == alone);
    ++examples;
  }
  EXPECT_GE(examples, 5);
}

}  // namespace
}  // namespace trainyard::runtime
