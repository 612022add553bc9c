// Blocks and functions: kernels in order, arguments in, outputs out.
#include "base/check.h"
#include "compiler/lower/kernels.h"
#include "compiler/lower/views.h"

namespace trainyard::compiler {

Status lower_nothing(Lowering& lowering, const Kernel& kernel) {
  for (const OpId id : kernel.ops) {
    const Op& op = lowering.function.op(id);
    if (op.kind == OpKind::Constant) continue;  // bound by its first use
    for (size_t i = 0; i < op.results.size(); ++i) {
      const ValueId value = op.results[i];
      if (lowering.function.type(value).tensor() == nullptr) continue;  // a token
      lowering.bind(value, lowering.hbm(op.operands[i]));
    }
  }
  return {};
}

namespace {

Status lower_kernel(Lowering& lowering, const Kernel& kernel) {
  switch (kernel.kind) {
    case KernelKind::Nothing:
      return lower_nothing(lowering, kernel);
    case KernelKind::Move: {
      const Op& op = lowering.function.op(kernel.ops.front());
      if (!is_view_op(op.kind)) return lower_move(lowering, kernel);
      const ValueId value = op.results[0];
      lowering.bind(value, materialize(lowering, value, lowering.allocate(value)));
      return {};
    }
    case KernelKind::Tile:
      return lower_tile(lowering, kernel);
    case KernelKind::Dot:
      return lower_dot(lowering, kernel);
    case KernelKind::Convolution:
      return lower_convolution(lowering, kernel);
    case KernelKind::Gpsimd:
      return lower_gpsimd(lowering, kernel);
    case KernelKind::Control:
      return lower_control(lowering, kernel);
  }
  return {};
}

std::string string_attribute(const std::vector<NamedAttribute>& attributes, std::string_view key) {
  const Attribute* found = find(attributes, key);
  const auto* text = found == nullptr ? nullptr : std::get_if<std::string>(&found->kind);
  return text == nullptr ? std::string() : *text;
}

void declare_arguments(Lowering& lowering) {
  const Function& main = lowering.function;
  for (size_t i = 0; i < main.entry().arguments.size(); ++i) {
    const ValueId value = main.entry().arguments[i];
    Argument argument;
    argument.type = lowering.type(value);
    argument.name = lowering.module.locations[static_cast<size_t>(main.value(value).location)].name;
    if (i < main.argument_attributes.size()) {
      const auto& attributes = main.argument_attributes[i];
      if (const Attribute* alias = find(attributes, "tf.aliasing_output")) {
        if (const auto* k = std::get_if<IntegerAttribute>(&alias->kind)) argument.alias = k->value;
      }
      argument.donated = argument.alias || find(attributes, "jax.buffer_donor") != nullptr;
    }
    if (!is_empty(argument.type)) {
      argument.tensor =
          lowering.body.declare(hbm_tensor(argument.type, "arg" + std::to_string(i), isa::Io::In));
      lowering.bind(value, argument.tensor);
    }
    lowering.executable.arguments.push_back(std::move(argument));
  }
}

// The value whose kernel may write an output in place: reshapes only rename bytes.
ValueId written_value(const Lowering& lowering, ValueId value) {
  for (const Op* op = lowering.maker(value); op != nullptr && op->kind == OpKind::Reshape;
       op = lowering.maker(value)) {
    value = op->operands[0];
  }
  return value;
}

void declare_outputs(Lowering& lowering, const Op& terminator) {
  for (size_t i = 0; i < terminator.operands.size(); ++i) {
    const ValueId value = terminator.operands[i];
    Output output;
    output.type = lowering.type(value);
    if (i < lowering.function.result_attributes.size()) {
      output.name = string_attribute(lowering.function.result_attributes[i], "jax.result_info");
    }
    if (!is_empty(output.type)) {
      output.tensor =
          lowering.body.declare(hbm_tensor(output.type, "out" + std::to_string(i), isa::Io::Out));
      const ValueId written = written_value(lowering, value);
      if (lowering.maker(written) != nullptr && !lowering.is_reserved(written)) {
        lowering.reserve(written, output.tensor);
      }
    }
    lowering.executable.outputs.push_back(std::move(output));
  }
}

}  // namespace

Status lower_block(Lowering& lowering, BlockId block) {
  for (const Kernel& kernel : plan_kernels(lowering, block)) {
    const Op& op = lowering.function.op(kernel.ops.front());
    lowering.set_source(op);
    if (const Status status = lower_kernel(lowering, kernel); !status.ok()) {
      return status.at(lowering.place(op));
    }
  }
  return {};
}

Result<Executable> lower(const Module& module, const hw::CoreSpec& core, std::string_view target) {
  const Function* main = module.main();
  TY_CHECK(main != nullptr);
  Executable executable;
  executable.name = module.name.empty() ? "main" : module.name;
  executable.program.target = target;
  Lowering lowering(module, *main, core, executable);
  const Op& terminator = main->op(main->entry().ops.back());
  declare_arguments(lowering);
  declare_outputs(lowering, terminator);
  TY_TRY(lower_block(lowering, main->body));
  for (size_t i = 0; i < terminator.operands.size(); ++i) {
    const isa::TensorId out = executable.outputs[i].tensor;
    const isa::TensorId from = lowering.hbm(terminator.operands[i]);
    if (out >= 0 && from != out) lowering.copy(out, from, "return_" + std::to_string(i));
  }
  executable.program = lowering.body.finish();
  return executable;
}

}  // namespace trainyard::compiler
