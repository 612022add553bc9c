#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

enum class Rule : uint8_t {
  Elementwise,
  ShapeOp,
  Slicing,
  Product,
  Window,
  Gather,
  Control,
  Reduction,
  Collective,
  LinearAlgebra,
  Sharding,
  Declared,  // no rule: the program declares the result
};

// No default branch: an operation without a rule must not compile.
Rule rule_of(OpKind kind) {
  switch (kind) {
    case OpKind::Abs:
    case OpKind::Add:
    case OpKind::And:
    case OpKind::Atan2:
    case OpKind::BitcastConvert:
    case OpKind::Cbrt:
    case OpKind::Ceil:
    case OpKind::Clamp:
    case OpKind::Compare:
    case OpKind::Complex:
    case OpKind::Convert:
    case OpKind::Cosine:
    case OpKind::CountLeadingZeros:
    case OpKind::Divide:
    case OpKind::Exponential:
    case OpKind::ExponentialMinusOne:
    case OpKind::Floor:
    case OpKind::Imag:
    case OpKind::IsFinite:
    case OpKind::Log:
    case OpKind::LogPlusOne:
    case OpKind::Logistic:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Multiply:
    case OpKind::Negate:
    case OpKind::Not:
    case OpKind::Or:
    case OpKind::Popcnt:
    case OpKind::Power:
    case OpKind::Real:
    case OpKind::ReducePrecision:
    case OpKind::Remainder:
    case OpKind::RoundNearestAfz:
    case OpKind::RoundNearestEven:
    case OpKind::Rsqrt:
    case OpKind::Select:
    case OpKind::ShiftLeft:
    case OpKind::ShiftRightArithmetic:
    case OpKind::ShiftRightLogical:
    case OpKind::Sign:
    case OpKind::Sine:
    case OpKind::Sqrt:
    case OpKind::Subtract:
    case OpKind::Tan:
    case OpKind::Tanh:
    case OpKind::Xor:
      return Rule::Elementwise;
    case OpKind::Broadcast:
    case OpKind::BroadcastInDim:
    case OpKind::Concatenate:
    case OpKind::Constant:
    case OpKind::Iota:
    case OpKind::Pad:
    case OpKind::Reshape:
    case OpKind::Reverse:
    case OpKind::Transpose:
    case OpKind::SdyConstant:
      return Rule::ShapeOp;
    case OpKind::DynamicSlice:
    case OpKind::DynamicUpdateSlice:
    case OpKind::Slice:
      return Rule::Slicing;
    case OpKind::Convolution:
    case OpKind::Dot:
    case OpKind::DotGeneral:
      return Rule::Product;
    case OpKind::ReduceWindow:
    case OpKind::SelectAndScatter:
      return Rule::Window;
    case OpKind::Gather:
    case OpKind::Scatter:
      return Rule::Gather;
    case OpKind::AfterAll:
    case OpKind::Case:
    case OpKind::CreateToken:
    case OpKind::GetTupleElement:
    case OpKind::If:
    case OpKind::OptimizationBarrier:
    case OpKind::Tuple:
    case OpKind::While:
      return Rule::Control;
    case OpKind::Map:
    case OpKind::Reduce:
    case OpKind::Sort:
      return Rule::Reduction;
    case OpKind::AllGather:
    case OpKind::AllReduce:
    case OpKind::AllToAll:
    case OpKind::CollectiveBroadcast:
    case OpKind::CollectivePermute:
    case OpKind::CollectiveReduce:
    case OpKind::CrossReplicaSum:
    case OpKind::PartitionId:
    case OpKind::ReduceScatter:
    case OpKind::ReplicaId:
      return Rule::Collective;
    case OpKind::BatchNormGrad:
    case OpKind::BatchNormInference:
    case OpKind::BatchNormTraining:
    case OpKind::Cholesky:
    case OpKind::Fft:
    case OpKind::GetDimensionSize:
    case OpKind::Rng:
    case OpKind::RngBitGenerator:
    case OpKind::TriangularSolve:
      return Rule::LinearAlgebra;
    case OpKind::SdyManualComputation:
    case OpKind::SdyPropagationBarrier:
    case OpKind::SdyReshard:
    case OpKind::SdyShardingConstraint:
      return Rule::Sharding;
    case OpKind::AsyncDone:
    case OpKind::AsyncStart:
    case OpKind::Composite:
    case OpKind::CustomCall:
    case OpKind::DynamicBroadcastInDim:
    case OpKind::DynamicConv:
    case OpKind::DynamicGather:
    case OpKind::DynamicIota:
    case OpKind::DynamicPad:
    case OpKind::DynamicReshape:
    case OpKind::Einsum:
    case OpKind::Infeed:
    case OpKind::Outfeed:
    case OpKind::RealDynamicSlice:
    case OpKind::Recv:
    case OpKind::Return:
    case OpKind::Send:
    case OpKind::SetDimensionSize:
    case OpKind::TorchIndexSelect:
    case OpKind::UnaryEinsum:
    case OpKind::UniformDequantize:
    case OpKind::UniformQuantize:
    case OpKind::Call:
    case OpKind::FuncReturn:
    case OpKind::SdyAllGather:
    case OpKind::SdyAllReduce:
    case OpKind::SdyAllSlice:
    case OpKind::SdyAllToAll:
    case OpKind::SdyCollectivePermute:
    case OpKind::SdyNamedComputation:
    case OpKind::SdyReduceScatter:
    case OpKind::SdyReturn:
    case OpKind::SdyShardingGroup:
      return Rule::Declared;
  }
  return Rule::Declared;
}

bool needs_tensors(Rule rule) {
  return rule != Rule::Control && rule != Rule::Sharding && rule != Rule::Declared;
}

}  // namespace

Dims joined(const Dims& a, const Dims& b) {
  Dims out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

Dims without(const Dims& shape, const Dims& dims) {
  std::vector<bool> drop(shape.size(), false);
  for (const int64_t dim : dims) drop[static_cast<size_t>(dim)] = true;
  Dims out;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!drop[i]) out.push_back(shape[i]);
  }
  return out;
}

Inferred infer_results(const OpView& view) {
  const Rule rule = rule_of(view.op.kind);
  if (!view.has_plain_types()) return view.result_types();
  if (needs_tensors(rule) && !view.all_tensors()) {
    return view.wrong(kWrongElement, "takes and returns tensors; it has {} -> {}",
                      str(view.operand_types()), str(view.result_types()));
  }
  switch (rule) {
    case Rule::Elementwise:
      return infer_elementwise(view);
    case Rule::ShapeOp:
      return infer_shape_op(view);
    case Rule::Slicing:
      return infer_slicing(view);
    case Rule::Product:
      return infer_product(view);
    case Rule::Window:
      return infer_window(view);
    case Rule::Gather:
      return infer_gather(view);
    case Rule::Control:
      return infer_control(view);
    case Rule::Reduction:
      return infer_reduction(view);
    case Rule::Collective:
      return infer_collective(view);
    case Rule::LinearAlgebra:
      return infer_linear_algebra(view);
    case Rule::Sharding:
      return infer_sharding_op(view);
    case Rule::Declared:
      break;
  }
  return view.result_types();
}

}  // namespace trainyard::compiler
