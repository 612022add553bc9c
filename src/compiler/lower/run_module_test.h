#pragma once
// Runs a graph of the compiler on the simulated core, for tests that look at numbers.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/lower/lowering.h"
#include "hw/catalogue.h"
#include "isa/text/text.h"
#include "isa/verify.h"
#include "sim/values.h"

namespace trainyard::compiler::testing {

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> out(values.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

template <class T>
std::vector<T> values_of(const std::vector<uint8_t>& bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

// The bytes of each result; empty after a failure, which is reported.
inline std::vector<std::vector<uint8_t>> run_executable(
    const Executable& exe, const std::vector<std::vector<uint8_t>>& arguments) {
  const hw::CoreSpec& core = hw::find_target("trn2")->core;
  const Status legal = isa::verify(exe.program, core);
  EXPECT_TRUE(legal.ok()) << legal.str() << isa::print_text(exe.program);
  if (!legal.ok()) return {};
  std::vector<std::vector<uint8_t>> memory;
  std::vector<sim::Binding> bindings;
  const auto bind = [&](isa::TensorId tensor, std::vector<uint8_t> bytes) {
    memory.push_back(std::move(bytes));
    if (tensor >= 0) bindings.push_back({tensor, std::as_writable_bytes(std::span(memory.back()))});
  };
  memory.reserve(exe.arguments.size() + exe.constants.size() + exe.outputs.size());
  for (size_t i = 0; i < exe.arguments.size(); ++i) bind(exe.arguments[i].tensor, arguments[i]);
  for (const ConstantData& data : exe.constants) bind(data.tensor, data.bytes);
  const size_t first = memory.size();
  for (const Output& output : exe.outputs) {
    const int64_t size = *output.type.elements() * byte_size(output.type.element);
    bind(output.tensor, std::vector<uint8_t>(static_cast<size_t>(size)));
  }
  const auto plan = sim::ValuePlan::make(exe.program, core, {});
  EXPECT_TRUE(plan.ok()) << plan.status().str();
  if (!plan.ok()) return {};
  const auto run = sim::ValueRun::make(*plan, bindings, sim::serial());
  EXPECT_TRUE(run.ok()) << run.status().str();
  if (!run.ok()) return {};
  EXPECT_NE((*run)->resume(), sim::ValueRun::State::Fault) << (*run)->fault().str();
  return {memory.begin() + static_cast<ptrdiff_t>(first), memory.end()};
}

// Lowers the module as it is, without passes, and runs it.
inline std::vector<std::vector<uint8_t>> lower_and_run(
    const Module& module, const std::vector<std::vector<uint8_t>>& arguments) {
  const auto exe = lower(module, hw::find_target("trn2")->core, "trn2");
  EXPECT_TRUE(exe.ok()) << exe.status().str();
  return exe.ok() ? run_executable(*exe, arguments) : std::vector<std::vector<uint8_t>>();
}

// Compiles the module with all passes, each verified, and runs it.
inline std::vector<std::vector<uint8_t>> compile_and_run(
    const Module& module, const std::vector<std::vector<uint8_t>>& arguments) {
  CompileOptions options;
  options.verify_passes = true;
  const auto exe = compile(module, *hw::find_target("trn2"), options);
  EXPECT_TRUE(exe.ok()) << exe.status().str();
  return exe.ok() ? run_executable(*exe, arguments) : std::vector<std::vector<uint8_t>>();
}

}  // namespace trainyard::compiler::testing
