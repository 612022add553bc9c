#include "compiler/ir/supported.h"

#include <algorithm>
#include <array>

namespace trainyard::compiler {
namespace {

constexpr std::string_view kDynamicCode = "TY-SHLO-040";
constexpr std::string_view kQuantizedCode = "TY-SHLO-041";
constexpr std::string_view kOpCode = "TY-SHLO-042";
constexpr std::string_view kCustomCallCode = "TY-SHLO-043";
constexpr std::string_view kTypeCode = "TY-SHLO-044";
constexpr std::string_view kHostCode = "TY-SHLO-045";

constexpr std::string_view kStatic =
    "give every dimension a fixed size, for example with jax.jit on concrete shapes";
constexpr std::string_view kDequantize =
    "dequantise in the program: compute in int8 or bf16 with explicit scales";
constexpr std::string_view kNoHost = "compute on the host between two jitted functions";
constexpr std::string_view kShardyStep = "give JAX's own program, before Shardy's passes";

constexpr std::array kRefused{
    RefusedOp{OpKind::AsyncDone, kOpCode, "asynchronous operations are StableHLO 1.15",
              "export the program for StableHLO 1.13.0"},
    RefusedOp{OpKind::AsyncStart, kOpCode, "asynchronous operations are StableHLO 1.15",
              "export the program for StableHLO 1.13.0"},
    RefusedOp{OpKind::CollectiveReduce, kOpCode, "collective_reduce is StableHLO 1.19",
              "use all_reduce"},
    RefusedOp{OpKind::CrossReplicaSum, kOpCode, "cross-replica-sum is deprecated",
              "use all_reduce"},
    RefusedOp{OpKind::DynamicBroadcastInDim, kDynamicCode, "the shape is known at run time only",
              kStatic},
    RefusedOp{OpKind::DynamicConv, kDynamicCode, "the padding is known at run time only", kStatic},
    RefusedOp{OpKind::DynamicGather, kDynamicCode, "the slice sizes are known at run time only",
              kStatic},
    RefusedOp{OpKind::DynamicIota, kDynamicCode, "the shape is known at run time only", kStatic},
    RefusedOp{OpKind::DynamicPad, kDynamicCode, "the padding is known at run time only", kStatic},
    RefusedOp{OpKind::DynamicReshape, kDynamicCode, "the shape is known at run time only", kStatic},
    RefusedOp{OpKind::RealDynamicSlice, kDynamicCode, "the bounds are known at run time only",
              "use dynamic_slice, whose sizes are fixed"},
    RefusedOp{OpKind::SetDimensionSize, kDynamicCode, "the size is known at run time only",
              kStatic},
    RefusedOp{OpKind::Einsum, kOpCode, "einsum is deprecated in StableHLO", "use dot_general"},
    RefusedOp{OpKind::UnaryEinsum, kOpCode, "unary_einsum is deprecated in StableHLO",
              "use reduce and transpose"},
    RefusedOp{OpKind::Fft, kOpCode, "Fourier transforms have no kernel here",
              "write it as a product with the DFT matrix, or run it on the CPU back end"},
    RefusedOp{OpKind::Rng, kOpCode, "stablehlo.rng has no defined numbers",
              "use jax.random, which computes them from a key"},
    RefusedOp{OpKind::TorchIndexSelect, kOpCode, "torch_index_select is deprecated in StableHLO",
              "use gather"},
    RefusedOp{OpKind::Infeed, kHostCode, "there is no infeed queue", kNoHost},
    RefusedOp{OpKind::Outfeed, kHostCode, "there is no outfeed queue", kNoHost},
    RefusedOp{OpKind::Send, kHostCode, "a running program cannot talk to the host", kNoHost},
    RefusedOp{OpKind::Recv, kHostCode, "a running program cannot talk to the host", kNoHost},
    RefusedOp{OpKind::UniformQuantize, kQuantizedCode, "quantised types have no kernels",
              kDequantize},
    RefusedOp{OpKind::UniformDequantize, kQuantizedCode, "quantised types have no kernels",
              kDequantize},
    RefusedOp{OpKind::SdyAllGather, kOpCode, "the program is already partitioned", kShardyStep},
    RefusedOp{OpKind::SdyAllReduce, kOpCode, "the program is already partitioned", kShardyStep},
    RefusedOp{OpKind::SdyAllSlice, kOpCode, "the program is already partitioned", kShardyStep},
    RefusedOp{OpKind::SdyAllToAll, kOpCode, "the program is already partitioned", kShardyStep},
    RefusedOp{OpKind::SdyCollectivePermute, kOpCode, "the program is already partitioned",
              kShardyStep},
    RefusedOp{OpKind::SdyReduceScatter, kOpCode, "the program is already partitioned", kShardyStep},
    RefusedOp{OpKind::SdyNamedComputation, kOpCode, "named computations are not taken",
              kShardyStep},
};

// JAX sends these on every platform; they mean something without a library behind them.
constexpr std::string_view kKnownCustomCalls[] = {
    "ApproxTopK",            // top_k with a comparator; exact is allowed
    "LayoutConstraint",      // identity
    "Sharding",              // identity with mhlo.sharding
    "SPMDFullToShardShape",  // the edges of a manual region, with Shardy off
    "SPMDShardToFullShape",
    "annotate_device_placement",  // identity: there is one memory
};

std::string_view custom_call_remedy(std::string_view target) {
  if (target == "Qr" || target == "ProductOfElementaryHouseholderReflectors") {
    return "orthogonalise with jnp.linalg.cholesky (CholeskyQR), or run qr on the CPU back end";
  }
  if (target == "tpu_custom_call" || target.starts_with("mosaic") || target.starts_with("triton") ||
      target.starts_with("__gpu$")) {
    return "Pallas kernels are for another chip; use interpret=True or write the kernel in NKI";
  }
  if (target == "shape_assertion" || target.starts_with("stablehlo.dynamic_")) return kStatic;
  if (target == "CustomSPMDPartitioning" || target == "InspectSharding") {
    return "drop custom_partitioning and inspect_array_sharding from the program";
  }
  return "express the function with jax.numpy or jax.lax, or run it on the CPU back end";
}

// Why a value of this type cannot be compiled, or ok.
// Narrow floats of other machines.
bool is_unknown_float(ElementType element) {
  switch (element) {
    case ElementType::F4E2M1FN:
    case ElementType::F6E2M3FN:
    case ElementType::F6E3M2FN:
    case ElementType::F8E4M3FNUZ:
    case ElementType::F8E4M3B11FNUZ:
    case ElementType::F8E5M2FNUZ:
    case ElementType::F8E8M0FNU:
      return true;
    default:
      return false;
  }
}

Status check_type(const Type& type) {
  if (const TensorType* tensor = type.tensor()) {
    if (!tensor->is_static() || !tensor->bounds.empty()) {
      return error(kDynamicCode, "{} has a size that is known at run time only; {}", str(type),
                   kStatic);
    }
    if (tensor->element == ElementType::Quantized) {
      return error(kQuantizedCode, "{} is quantised; {}", str(type), kDequantize);
    }
    if (!tensor->elements()) {
      return error(kTypeCode, "{} has more than 2^63 elements; use smaller dimensions", str(type));
    }
    if (is_unknown_float(tensor->element)) {
      return error(kTypeCode,
                   "{} has elements that no engine converts; use float8_e5m2, float8_e4m3, "
                   "float8_e4m3fn or float8_e3m4",
                   str(type));
    }
    const bool odd = tensor->element == ElementType::Index ||
                     tensor->element == ElementType::None || tensor->element == ElementType::TF32;
    if (!odd) return {};
  }
  if (std::holds_alternative<TokenType>(type.kind)) return {};
  if (const auto* tuple = std::get_if<TupleType>(&type.kind)) {
    for (const Type& element : tuple->elements) TY_TRY(check_type(element));
    return {};
  }
  return error(kTypeCode, "{} is no type of a device program; use tensors of numbers", str(type));
}

Status check_op(const Op& op) {
  const auto row = std::ranges::find(kRefused, op.kind, &RefusedOp::kind);
  if (row != kRefused.end()) {
    return error(row->code, "{} is not supported: {}; {}", name(op.kind), row->why, row->remedy);
  }
  const auto* call = std::get_if<CustomCallAttributes>(&op.attributes);
  if (call != nullptr && !is_known_custom_call(call->target)) {
    return error(kCustomCallCode, "custom call \"{}\" is not known; {}", call->target,
                 custom_call_remedy(call->target));
  }
  return {};
}

Status check_function(const Module& module, const Function& function) {
  const auto told = [&](const Status& status, LocationId location) {
    return status.ok() ? status
                       : Status(status.code(), status.message() + " (in @" + function.name + ")",
                                user_place(module, function, location));
  };
  for (const Op& op : function.ops) TY_TRY(told(check_op(op), op.location));
  for (const Value& value : function.values) {
    TY_TRY(told(check_type(value.type), value.location));
  }
  return {};
}

}  // namespace

std::span<const RefusedOp> refused_ops() { return kRefused; }

bool is_known_custom_call(std::string_view target) {
  return std::ranges::find(kKnownCustomCalls, target) != std::end(kKnownCustomCalls);
}

Status check_supported(const Module& module) {
  for (const Function& function : module.functions) TY_TRY(check_function(module, function));
  return {};
}

}  // namespace trainyard::compiler
