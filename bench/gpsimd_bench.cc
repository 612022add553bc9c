// What a call of a GpSimd program costs on the host, beyond the work that its operations do.
#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "hw/catalogue.h"
#include "isa/text/text.h"
#include "sim/values.h"

namespace trainyard {
namespace {

struct Row {
  const char* name;
  const char* text;
  int64_t calls;
};

constexpr Row kRows[] = {
    {"add, one s64 element, in place", R"(program one target trn2
gpsimd add_one {
  window x: s64[] of [] at [] update
  body() {
    zero: s64 = constant 0
    one: s64 = constant 1
    a: s64 = load zero (window x)
    b: s64 = add a, one
    store zero, b (window x)
    yield
  }
}
x: hbm u32[2] inout
repeat i 100000 { c: gpsimd_call add_one(update x) }
)",
     100'000},
    {"add, one f32 element of SBUF, copied", R"(program sbuf target trn2
gpsimd add {
  window x: f32[4] of [4] at [0] read
  window y: f32[4] of [4] at [0] write
  body() {
    zero: s64 = constant 0
    a: f32[4] = load zero (window x)
    b: f32[4] = add a, a
    store zero, b (window y)
    yield
  }
}
x: hbm f32[4] inout
s: sbuf f32[2,2]
z: memset s value=1.0
repeat i 100000 { c: gpsimd_call add(read s, write x) }
)",
     100'000},
    {"while of 10 turns on scalars", R"(program turns target trn2
gpsimd turns {
  window x: s32[1] of [1] at [0] update
  body(n: s32) {
    zero: s32 = constant 0
    one: s32 = constant 1
    k: s32 = while zero (maximum 100) {
      params i: s32
      c: i1 = lt i, n
      yield c
    } do {
      params j: s32
      m: s32 = add j, one
      yield m
    }
    store zero, k (window x)
    yield
  }
}
x: hbm i32[1] inout
repeat i 100000 { c: gpsimd_call turns(update x, 10) }
)",
     100'000},
    {"sort of 16 s32, in place", R"(program sorts target trn2
gpsimd sorts {
  window x: s32[16] of [16] at [0] update
  body() {
    sort_window (windows x) (axes 0) (orders ascending)
    yield
  }
}
x: hbm i32[16] inout
repeat i 100000 { c: gpsimd_call sorts(update x) }
)",
     100'000},
    {"tanh(x * s), 1 M f32 in strips", R"(program strips target trn2
gpsimd strips {
  window x: f32[1048576] of [1048576] at [0] update
  body(scale: f32) {
    turns: s64 = constant 1024
    factor: f32[1024] = broadcast scale
    for turns (maximum 1024) {
      params i: s64
      at: s64 = mul i, turns
      a: f32[1024] = load at (window x)
      b: f32[1024] = mul a, factor
      c: f32[1024] = tanh b
      store at, c (window x)
      yield
    }
    yield
  }
}
x: hbm f32[1048576] inout
repeat i 10 { c: gpsimd_call strips(update x, 0x3f000000) }
)",
     10},
};

int measure(const Row& row) {
  const hw::Machine machine = *hw::find_target("trn2");
  const Result<isa::Program> program = isa::parse_text(row.text, row.name);
  if (!program.ok()) return fmt::print("{}\n", program.status().str()), 1;
  const auto plan = sim::ValuePlan::make(*program, machine.core, {});
  if (!plan.ok()) return fmt::print("{}\n", plan.status().str()), 1;
  std::vector<uint64_t> memory(program->tensors[0].total_bytes() / 4 + 1);
  const sim::Binding x{0, std::as_writable_bytes(std::span(memory))
                              .first(static_cast<size_t>(program->tensors[0].total_bytes()))};
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto run = sim::ValueRun::make(*plan, {&x, 1}, sim::serial());
    if (!run.ok()) return fmt::print("{}\n", run.status().str()), 1;
    const auto begin = std::chrono::steady_clock::now();
    (*run)->resume();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  fmt::print("{:40} {:10.3f} us per call\n", row.name, best * 1e6 / static_cast<double>(row.calls));
  return 0;
}

}  // namespace
}  // namespace trainyard

int main() {
  int failed = 0;
  for (const auto& row : trainyard::kRows) failed += trainyard::measure(row);
  return failed;
}
