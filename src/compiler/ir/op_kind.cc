#include "compiler/ir/op_kind.h"

#include <array>

namespace trainyard::compiler {
namespace {

constexpr int n = kVariadic;

constexpr std::array kOps{
    OpShape{OpKind::Abs, "stablehlo.abs", 1, 1, 0},
    OpShape{OpKind::Add, "stablehlo.add", 2, 1, 0},
    OpShape{OpKind::AfterAll, "stablehlo.after_all", n, 1, 0},
    OpShape{OpKind::AllGather, "stablehlo.all_gather", n, n, 0},
    OpShape{OpKind::AllReduce, "stablehlo.all_reduce", n, n, 1},
    OpShape{OpKind::AllToAll, "stablehlo.all_to_all", n, n, 0},
    OpShape{OpKind::And, "stablehlo.and", 2, 1, 0},
    OpShape{OpKind::AsyncDone, "stablehlo.async_done", 1, n, 0},
    OpShape{OpKind::AsyncStart, "stablehlo.async_start", n, 1, 1},
    OpShape{OpKind::Atan2, "stablehlo.atan2", 2, 1, 0},
    OpShape{OpKind::BatchNormGrad, "stablehlo.batch_norm_grad", 5, 3, 0},
    OpShape{OpKind::BatchNormInference, "stablehlo.batch_norm_inference", 5, 1, 0},
    OpShape{OpKind::BatchNormTraining, "stablehlo.batch_norm_training", 3, 3, 0},
    OpShape{OpKind::BitcastConvert, "stablehlo.bitcast_convert", 1, 1, 0},
    OpShape{OpKind::Broadcast, "stablehlo.broadcast", 1, 1, 0},
    OpShape{OpKind::BroadcastInDim, "stablehlo.broadcast_in_dim", 1, 1, 0},
    OpShape{OpKind::Case, "stablehlo.case", 1, n, n},
    OpShape{OpKind::Cbrt, "stablehlo.cbrt", 1, 1, 0},
    OpShape{OpKind::Ceil, "stablehlo.ceil", 1, 1, 0},
    OpShape{OpKind::Cholesky, "stablehlo.cholesky", 1, 1, 0},
    OpShape{OpKind::Clamp, "stablehlo.clamp", 3, 1, 0},
    OpShape{OpKind::CollectiveBroadcast, "stablehlo.collective_broadcast", n, 1, 0},
    OpShape{OpKind::CollectivePermute, "stablehlo.collective_permute", 1, 1, 0},
    OpShape{OpKind::CollectiveReduce, "stablehlo.collective_reduce", n, n, 1},
    OpShape{OpKind::Compare, "stablehlo.compare", 2, 1, 0},
    OpShape{OpKind::Complex, "stablehlo.complex", 2, 1, 0},
    OpShape{OpKind::Composite, "stablehlo.composite", n, n, n},
    OpShape{OpKind::Concatenate, "stablehlo.concatenate", n, 1, 0},
    OpShape{OpKind::Constant, "stablehlo.constant", 0, 1, 0},
    OpShape{OpKind::Convert, "stablehlo.convert", 1, 1, 0},
    OpShape{OpKind::Convolution, "stablehlo.convolution", 2, 1, 0},
    OpShape{OpKind::Cosine, "stablehlo.cosine", 1, 1, 0},
    OpShape{OpKind::CountLeadingZeros, "stablehlo.count_leading_zeros", 1, 1, 0},
    OpShape{OpKind::CreateToken, "stablehlo.create_token", 0, 1, 0},
    OpShape{OpKind::CrossReplicaSum, "stablehlo.cross-replica-sum", 1, 1, 0},
    OpShape{OpKind::CustomCall, "stablehlo.custom_call", n, n, 0},
    OpShape{OpKind::Divide, "stablehlo.divide", 2, 1, 0},
    OpShape{OpKind::Dot, "stablehlo.dot", 2, 1, 0},
    OpShape{OpKind::DotGeneral, "stablehlo.dot_general", 2, 1, 0},
    OpShape{OpKind::DynamicBroadcastInDim, "stablehlo.dynamic_broadcast_in_dim", 2, 1, 0},
    OpShape{OpKind::DynamicConv, "stablehlo.dynamic_conv", 3, 1, 0},
    OpShape{OpKind::DynamicGather, "stablehlo.dynamic_gather", 3, 1, 0},
    OpShape{OpKind::DynamicIota, "stablehlo.dynamic_iota", 1, 1, 0},
    OpShape{OpKind::DynamicPad, "stablehlo.dynamic_pad", 5, 1, 0},
    OpShape{OpKind::DynamicReshape, "stablehlo.dynamic_reshape", 2, 1, 0},
    OpShape{OpKind::DynamicSlice, "stablehlo.dynamic_slice", n, 1, 0},
    OpShape{OpKind::DynamicUpdateSlice, "stablehlo.dynamic_update_slice", n, 1, 0},
    OpShape{OpKind::Einsum, "stablehlo.einsum", 2, 1, 0},
    OpShape{OpKind::Exponential, "stablehlo.exponential", 1, 1, 0},
    OpShape{OpKind::ExponentialMinusOne, "stablehlo.exponential_minus_one", 1, 1, 0},
    OpShape{OpKind::Fft, "stablehlo.fft", 1, 1, 0},
    OpShape{OpKind::Floor, "stablehlo.floor", 1, 1, 0},
    OpShape{OpKind::Gather, "stablehlo.gather", 2, 1, 0},
    OpShape{OpKind::GetDimensionSize, "stablehlo.get_dimension_size", 1, 1, 0},
    OpShape{OpKind::GetTupleElement, "stablehlo.get_tuple_element", 1, 1, 0},
    OpShape{OpKind::If, "stablehlo.if", 1, n, 2},
    OpShape{OpKind::Imag, "stablehlo.imag", 1, 1, 0},
    OpShape{OpKind::Infeed, "stablehlo.infeed", 1, n, 0},
    OpShape{OpKind::Iota, "stablehlo.iota", 0, 1, 0},
    OpShape{OpKind::IsFinite, "stablehlo.is_finite", 1, 1, 0},
    OpShape{OpKind::Log, "stablehlo.log", 1, 1, 0},
    OpShape{OpKind::LogPlusOne, "stablehlo.log_plus_one", 1, 1, 0},
    OpShape{OpKind::Logistic, "stablehlo.logistic", 1, 1, 0},
    OpShape{OpKind::Map, "stablehlo.map", n, 1, 1},
    OpShape{OpKind::Maximum, "stablehlo.maximum", 2, 1, 0},
    OpShape{OpKind::Minimum, "stablehlo.minimum", 2, 1, 0},
    OpShape{OpKind::Multiply, "stablehlo.multiply", 2, 1, 0},
    OpShape{OpKind::Negate, "stablehlo.negate", 1, 1, 0},
    OpShape{OpKind::Not, "stablehlo.not", 1, 1, 0},
    OpShape{OpKind::OptimizationBarrier, "stablehlo.optimization_barrier", n, n, 0},
    OpShape{OpKind::Or, "stablehlo.or", 2, 1, 0},
    OpShape{OpKind::Outfeed, "stablehlo.outfeed", n, 1, 0},
    OpShape{OpKind::Pad, "stablehlo.pad", 2, 1, 0},
    OpShape{OpKind::PartitionId, "stablehlo.partition_id", 0, 1, 0},
    OpShape{OpKind::Popcnt, "stablehlo.popcnt", 1, 1, 0},
    OpShape{OpKind::Power, "stablehlo.power", 2, 1, 0},
    OpShape{OpKind::Real, "stablehlo.real", 1, 1, 0},
    OpShape{OpKind::RealDynamicSlice, "stablehlo.real_dynamic_slice", 4, 1, 0},
    OpShape{OpKind::Recv, "stablehlo.recv", 1, n, 0},
    OpShape{OpKind::Reduce, "stablehlo.reduce", n, n, 1},
    OpShape{OpKind::ReducePrecision, "stablehlo.reduce_precision", 1, 1, 0},
    OpShape{OpKind::ReduceScatter, "stablehlo.reduce_scatter", 1, 1, 1},
    OpShape{OpKind::ReduceWindow, "stablehlo.reduce_window", n, n, 1},
    OpShape{OpKind::Remainder, "stablehlo.remainder", 2, 1, 0},
    OpShape{OpKind::ReplicaId, "stablehlo.replica_id", 0, 1, 0},
    OpShape{OpKind::Reshape, "stablehlo.reshape", 1, 1, 0},
    OpShape{OpKind::Return, "stablehlo.return", n, 0, 0},
    OpShape{OpKind::Reverse, "stablehlo.reverse", 1, 1, 0},
    OpShape{OpKind::Rng, "stablehlo.rng", 3, 1, 0},
    OpShape{OpKind::RngBitGenerator, "stablehlo.rng_bit_generator", 1, 2, 0},
    OpShape{OpKind::RoundNearestAfz, "stablehlo.round_nearest_afz", 1, 1, 0},
    OpShape{OpKind::RoundNearestEven, "stablehlo.round_nearest_even", 1, 1, 0},
    OpShape{OpKind::Rsqrt, "stablehlo.rsqrt", 1, 1, 0},
    OpShape{OpKind::Scatter, "stablehlo.scatter", n, n, 1},
    OpShape{OpKind::Select, "stablehlo.select", 3, 1, 0},
    OpShape{OpKind::SelectAndScatter, "stablehlo.select_and_scatter", 3, 1, 2},
    OpShape{OpKind::Send, "stablehlo.send", n, 1, 0},
    OpShape{OpKind::SetDimensionSize, "stablehlo.set_dimension_size", 2, 1, 0},
    OpShape{OpKind::ShiftLeft, "stablehlo.shift_left", 2, 1, 0},
    OpShape{OpKind::ShiftRightArithmetic, "stablehlo.shift_right_arithmetic", 2, 1, 0},
    OpShape{OpKind::ShiftRightLogical, "stablehlo.shift_right_logical", 2, 1, 0},
    OpShape{OpKind::Sign, "stablehlo.sign", 1, 1, 0},
    OpShape{OpKind::Sine, "stablehlo.sine", 1, 1, 0},
    OpShape{OpKind::Slice, "stablehlo.slice", 1, 1, 0},
    OpShape{OpKind::Sort, "stablehlo.sort", n, n, 1},
    OpShape{OpKind::Sqrt, "stablehlo.sqrt", 1, 1, 0},
    OpShape{OpKind::Subtract, "stablehlo.subtract", 2, 1, 0},
    OpShape{OpKind::Tan, "stablehlo.tan", 1, 1, 0},
    OpShape{OpKind::Tanh, "stablehlo.tanh", 1, 1, 0},
    OpShape{OpKind::TorchIndexSelect, "stablehlo.torch_index_select", 2, 1, 0},
    OpShape{OpKind::Transpose, "stablehlo.transpose", 1, 1, 0},
    OpShape{OpKind::TriangularSolve, "stablehlo.triangular_solve", 2, 1, 0},
    OpShape{OpKind::Tuple, "stablehlo.tuple", n, 1, 0},
    OpShape{OpKind::UnaryEinsum, "stablehlo.unary_einsum", 1, 1, 0},
    OpShape{OpKind::UniformDequantize, "stablehlo.uniform_dequantize", 1, 1, 0},
    OpShape{OpKind::UniformQuantize, "stablehlo.uniform_quantize", 1, 1, 0},
    OpShape{OpKind::While, "stablehlo.while", n, n, 2},
    OpShape{OpKind::Xor, "stablehlo.xor", 2, 1, 0},
    OpShape{OpKind::Call, "func.call", n, n, 0},
    OpShape{OpKind::FuncReturn, "func.return", n, 0, 0},
    OpShape{OpKind::SdyAllGather, "sdy.all_gather", 1, 1, 0},
    OpShape{OpKind::SdyAllReduce, "sdy.all_reduce", 1, 1, 0},
    OpShape{OpKind::SdyAllSlice, "sdy.all_slice", 1, 1, 0},
    OpShape{OpKind::SdyAllToAll, "sdy.all_to_all", 1, 1, 0},
    OpShape{OpKind::SdyCollectivePermute, "sdy.collective_permute", 1, 1, 0},
    OpShape{OpKind::SdyConstant, "sdy.constant", 0, 1, 0},
    OpShape{OpKind::SdyManualComputation, "sdy.manual_computation", n, n, 1},
    OpShape{OpKind::SdyNamedComputation, "sdy.named_computation", n, n, 1},
    OpShape{OpKind::SdyPropagationBarrier, "sdy.propagation_barrier", 1, 1, 0},
    OpShape{OpKind::SdyReduceScatter, "sdy.reduce_scatter", 1, 1, 0},
    OpShape{OpKind::SdyReshard, "sdy.reshard", 1, 1, 0},
    OpShape{OpKind::SdyReturn, "sdy.return", n, 0, 0},
    OpShape{OpKind::SdyShardingConstraint, "sdy.sharding_constraint", 1, 1, 0},
    OpShape{OpKind::SdyShardingGroup, "sdy.sharding_group", 1, 0, 0},
};

constexpr bool in_enum_order() {
  for (size_t i = 0; i < kOps.size(); ++i) {
    if (static_cast<size_t>(kOps[i].kind) != i) return false;
  }
  return true;
}
static_assert(in_enum_order());
static_assert(kOps.size() == static_cast<size_t>(OpKind::SdyShardingGroup) + 1);

}  // namespace

const OpShape& shape_of(OpKind kind) { return kOps[static_cast<size_t>(kind)]; }
std::string_view name(OpKind kind) { return shape_of(kind).name; }
int op_kind_count() { return static_cast<int>(kOps.size()); }

std::optional<OpKind> op_kind(std::string_view name) {
  for (const OpShape& op : kOps) {
    if (op.name == name) return op.kind;
  }
  return std::nullopt;
}

bool is_terminator(OpKind kind) {
  return kind == OpKind::Return || kind == OpKind::FuncReturn || kind == OpKind::SdyReturn;
}

}  // namespace trainyard::compiler
