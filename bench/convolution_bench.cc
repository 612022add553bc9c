// convolution_bench [BATCH IMAGE FEATURES OUTPUTS WINDOW] [--channels-first] [--time | --check]:
// host speed of a compiled convolution, its two gradients and a dot of as many products, all f32.
// Speed is that of the fastest of five runs in CPU seconds. --time places each and gives its time
// on the simulated core; --check proves the placement, too.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/lower/lowering.h"
#include "hw/catalogue.h"
#include "runtime/kernel.h"
#include "sim/values.h"

namespace {

using namespace trainyard;
using compiler::ConvolutionAttributes;
using compiler::Dims;
using compiler::OpKind;

struct Sizes {
  int64_t batch = 64, image = 32, features = 64, outputs = 64, window = 3;
  bool channels_first = false;
  double flops() const {
    return 2.0 * static_cast<double>(batch * image * image * features) *
           static_cast<double>(outputs * window * window);
  }
};

compiler::Module one_op(OpKind kind, compiler::OpAttributes attributes, const Dims& lhs,
                        const Dims& rhs, const Dims& result) {
  const auto f32 = [](const Dims& shape) {
    return compiler::tensor_of(compiler::ElementType::F32, shape);
  };
  compiler::Module module;
  module.files.push_back("bench");
  module.locations.push_back({});
  compiler::Function& main = module.functions.emplace_back();
  main.name = "main";
  main.is_public = true;
  main.body = compiler::add_block(main, {f32(lhs), f32(rhs)});
  main.argument_attributes.resize(2);
  main.result_types = {f32(result)};
  main.result_attributes.resize(1);
  compiler::Op op;
  op.kind = kind;
  op.operands = main.entry().arguments;
  op.attributes = std::move(attributes);
  const compiler::OpId id = compiler::add_op(main, main.body, std::move(op), {f32(result)});
  compiler::Op end;
  end.kind = OpKind::FuncReturn;
  end.operands = main.op(id).results;
  compiler::add_op(main, main.body, std::move(end), {});
  return module;
}

ConvolutionAttributes attributes_of(int64_t low, int64_t high) {
  ConvolutionAttributes a;
  a.window = {.strides = {1, 1},
              .base_dilations = {1, 1},
              .window_dilations = {1, 1},
              .padding_low = {low, low},
              .padding_high = {high, high}};
  a.window_reversal = {false, false};
  a.input_feature = a.output_feature = 3;
  a.input_spatial = a.output_spatial = {1, 2};
  a.kernel_input_feature = 2, a.kernel_output_feature = 3, a.kernel_spatial = {0, 1};
  return a;
}

compiler::Module forward(const Sizes& s) {
  const int64_t low = (s.window - 1) / 2, high = s.window / 2;
  ConvolutionAttributes a = attributes_of(low, high);
  if (s.channels_first) {
    a.input_feature = a.output_feature = 1;
    a.input_spatial = a.output_spatial = a.kernel_spatial = {2, 3};
    a.kernel_output_feature = 0, a.kernel_input_feature = 1;
    return one_op(OpKind::Convolution, a, {s.batch, s.features, s.image, s.image},
                  {s.outputs, s.features, s.window, s.window},
                  {s.batch, s.outputs, s.image, s.image});
  }
  return one_op(OpKind::Convolution, a, {s.batch, s.image, s.image, s.features},
                {s.window, s.window, s.features, s.outputs},
                {s.batch, s.image, s.image, s.outputs});
}

// One kernel for each channel.
compiler::Module depthwise(const Sizes& s) {
  ConvolutionAttributes a = attributes_of((s.window - 1) / 2, s.window / 2);
  a.feature_groups = s.features;
  const Dims image = {s.batch, s.image, s.image, s.features};
  return one_op(OpKind::Convolution, a, image, {s.window, s.window, 1, s.features}, image);
}

compiler::Module depthwise_kernel_gradient(const Sizes& s) {
  ConvolutionAttributes a = attributes_of((s.window - 1) / 2, s.window / 2);
  a.batch_groups = s.features;
  a.input_batch = 3, a.input_feature = 0;
  a.kernel_input_feature = 0, a.kernel_output_feature = 3, a.kernel_spatial = {1, 2};
  a.output_batch = 2, a.output_feature = 3, a.output_spatial = {0, 1};
  const Dims image = {s.batch, s.image, s.image, s.features};
  return one_op(OpKind::Convolution, a, image, image, {s.window, s.window, 1, s.features});
}

compiler::Module input_gradient(const Sizes& s) {
  const int64_t low = (s.window - 1) / 2, high = s.window / 2;
  ConvolutionAttributes a = attributes_of(high, low);
  a.window_reversal = {true, true};
  a.kernel_input_feature = 3, a.kernel_output_feature = 2;
  return one_op(OpKind::Convolution, a, {s.batch, s.image, s.image, s.outputs},
                {s.window, s.window, s.features, s.outputs},
                {s.batch, s.image, s.image, s.features});
}

compiler::Module kernel_gradient(const Sizes& s) {
  const int64_t low = (s.window - 1) / 2, high = s.window / 2;
  ConvolutionAttributes a = attributes_of(low, high);
  a.input_batch = 3, a.input_feature = 0;
  a.kernel_input_feature = 0, a.kernel_output_feature = 3, a.kernel_spatial = {1, 2};
  a.output_batch = 2, a.output_feature = 3, a.output_spatial = {0, 1};
  return one_op(OpKind::Convolution, a, {s.batch, s.image, s.image, s.features},
                {s.batch, s.image, s.image, s.outputs},
                {s.window, s.window, s.features, s.outputs});
}

compiler::Module equal_dot(const Sizes& s) {
  const int64_t m = s.batch * s.image * s.image, k = s.features * s.window * s.window;
  const compiler::DotAttributes dims{.lhs_contracting = {1}, .rhs_contracting = {0}};
  return one_op(OpKind::DotGeneral, dims, {m, k}, {k, s.outputs}, {m, s.outputs});
}

// Memory for the arguments and the result of an executable.
struct Buffers {
  std::vector<std::vector<float>> memory;
  std::vector<sim::Binding> bindings;

  explicit Buffers(const compiler::Executable& exe) {
    const auto bind = [&](isa::TensorId tensor, int64_t elements) {
      std::vector<float>& data = memory.emplace_back(static_cast<size_t>(elements));
      for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 17) - 8.0F;
      bindings.push_back({tensor, std::as_writable_bytes(std::span(data))});
    };
    for (const auto& a : exe.arguments) bind(a.tensor, *a.type.elements());
    for (const auto& o : exe.outputs) bind(o.tensor, *o.type.elements());
  }
};

// The time of the core, and which share of it each unit works.
void print_time(const sim::TimeResult& time) {
  const auto share = [&](Ticks busy) {
    return 100.0 * static_cast<double>(busy.value) / static_cast<double>(time.total.value);
  };
  fmt::print("  {} ticks:", time.total.value);
  for (const hw::Engine e : {hw::Engine::Tensor, hw::Engine::Vector, hw::Engine::Scalar}) {
    fmt::print(" {} {:.0f} %", hw::name(e), share(time.engines[hw::index(e)].busy));
  }
  fmt::print(" dma {:.0f} %",
             share(*std::max_element(time.dma_engine_busy.begin(), time.dma_engine_busy.end())));
}

Status measure(const std::string& name, const compiler::Module& module, double flops,
               std::optional<runtime::Mode> mode) {
  const Result<hw::Machine> machine = hw::find_target("trn2");
  const auto exe = compiler::lower(module, machine->core, "trn2");
  if (!exe.ok()) return exe.status();
  Buffers buffers(*exe);
  const auto plan = sim::ValuePlan::make(exe->program, machine->core, {.share_memory = true});
  if (!plan.ok()) return plan.status();
  auto run = sim::ValueRun::make(*plan, buffers.bindings, sim::serial());
  if (!run.ok()) return run.status();
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    if (i > 0) TY_TRY((*run)->rebind(buffers.bindings));
    if ((*run)->resume() == sim::ValueRun::State::Fault) return (*run)->fault();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  fmt::print("{:<16} {:8.1f} ms {:7.1f} GFLOP/s", name, best * 1e3, flops / best / 1e9);
  if (mode) {
    Result<runtime::Kernel> kernel = runtime::Kernel::make(exe->program, *machine);
    if (!kernel.ok()) return kernel.status();
    runtime::RunOptions options;
    options.mode = *mode;
    const auto result = kernel->run(buffers.bindings, options);
    if (!result.ok()) return result.status();
    if (result->check && !result->check->findings.empty()) {
      return result->check->findings.front().status;
    }
    if (result->time) print_time(*result->time);
  }
  fmt::print("\n");
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Sizes s;
  std::vector<int64_t*> fields = {&s.batch, &s.image, &s.features, &s.outputs, &s.window};
  std::optional<runtime::Mode> mode;
  size_t next = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text == "--time" || text == "--check") {
      mode = runtime::parse_mode(text.substr(2));
    } else if (text == "--channels-first") {
      s.channels_first = true;
    } else if (next < fields.size()) {
      *fields[next++] = std::stoll(text);
    }
  }
  struct Row {
    std::string name;
    compiler::Module module;
  };
  for (const Row& row :
       {Row{"forward", forward(s)}, Row{"input gradient", input_gradient(s)},
        Row{"kernel gradient", kernel_gradient(s)}, Row{"dot", equal_dot(s)},
        Row{"depthwise", depthwise(s)}, Row{"depthwise kernel", depthwise_kernel_gradient(s)}}) {
    const bool each = row.name.starts_with("depthwise");
    const double flops = s.flops() / static_cast<double>(each ? s.outputs : 1);
    const Status status = measure(row.name, row.module, flops, mode);
    if (!status.ok()) fmt::print("{:<16} {}\n", row.name, status.str());
  }
  return 0;
}
