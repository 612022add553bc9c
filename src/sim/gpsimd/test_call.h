#pragma once
// Small calls for the tests of this folder: declare windows with their elements, build, run.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "isa/gpsimd/builder.h"
#include "isa/gpsimd/verify.h"
#include "sim/gpsimd/run.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

struct TestCall {
  Program program;
  FunctionBuilder body{""};
  std::vector<std::vector<std::byte>> tensors;

  // A window over a whole tensor, updated.
  template <class T>
  WindowId window(Type type, std::vector<int64_t> shape, const std::vector<T>& elements) {
    const auto id = static_cast<WindowId>(tensors.size());
    const std::vector<int64_t> start(shape.size(), 0);
    program.windows.push_back(
        {"w" + std::to_string(id), type, shape, shape, start, Window::Use::Update});
    tensors.emplace_back(elements.size() * sizeof(T));
    std::memcpy(tensors.back().data(), elements.data(), tensors.back().size());
    return id;
  }
  template <class T>
  std::vector<T> elements(WindowId id) const {
    std::vector<T> out(tensors[id].size() / sizeof(T));
    std::memcpy(out.data(), tensors[id].data(), tensors[id].size());
    return out;
  }
  // The error's code, or nothing.
  std::string run(const std::vector<uint64_t>& scalars = {}, int64_t cycle_limit = 1'000'000'000) {
    program.body = body.finish();
    const Status good = verify(program, limits(hw::kNeuronCoreV3));
    EXPECT_TRUE(good.ok()) << good.str();
    if (!good.ok()) return good.code();
    std::vector<std::span<std::byte>> spans(tensors.begin(), tensors.end());
    const Result<RunCost> cost =
        gpsimd::run(program, {spans, scalars}, hw::kNeuronCoreV3, {.cycle_limit = cycle_limit});
    return cost.ok() ? "" : cost.status().code();
  }
};

}  // namespace trainyard::sim::gpsimd
