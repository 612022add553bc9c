#pragma once
// The closed set of operations: all of StableHLO, calls and returns of functions, and Shardy's.
// The meaning of each is StableHLO's; ir/op_attributes.h adds what an operation carries besides
// its operands. Names are the same here, in the printed IR, in errors and in docs.
#include <cstdint>
#include <optional>
#include <string_view>

namespace trainyard::compiler {

enum class OpKind : uint8_t {
  Abs,
  Add,
  AfterAll,
  AllGather,
  AllReduce,
  AllToAll,
  And,
  AsyncDone,
  AsyncStart,
  Atan2,
  BatchNormGrad,
  BatchNormInference,
  BatchNormTraining,
  BitcastConvert,
  Broadcast,
  BroadcastInDim,
  Case,
  Cbrt,
  Ceil,
  Cholesky,
  Clamp,
  CollectiveBroadcast,
  CollectivePermute,
  CollectiveReduce,
  Compare,
  Complex,
  Composite,
  Concatenate,
  Constant,
  Convert,
  Convolution,
  Cosine,
  CountLeadingZeros,
  CreateToken,
  CrossReplicaSum,
  CustomCall,
  Divide,
  Dot,
  DotGeneral,
  DynamicBroadcastInDim,
  DynamicConv,
  DynamicGather,
  DynamicIota,
  DynamicPad,
  DynamicReshape,
  DynamicSlice,
  DynamicUpdateSlice,
  Einsum,
  Exponential,
  ExponentialMinusOne,
  Fft,
  Floor,
  Gather,
  GetDimensionSize,
  GetTupleElement,
  If,
  Imag,
  Infeed,
  Iota,
  IsFinite,
  Log,
  LogPlusOne,
  Logistic,
  Map,
  Maximum,
  Minimum,
  Multiply,
  Negate,
  Not,
  OptimizationBarrier,
  Or,
  Outfeed,
  Pad,
  PartitionId,
  Popcnt,
  Power,
  Real,
  RealDynamicSlice,
  Recv,
  Reduce,
  ReducePrecision,
  ReduceScatter,
  ReduceWindow,
  Remainder,
  ReplicaId,
  Reshape,
  Return,
  Reverse,
  Rng,
  RngBitGenerator,
  RoundNearestAfz,
  RoundNearestEven,
  Rsqrt,
  Scatter,
  Select,
  SelectAndScatter,
  Send,
  SetDimensionSize,
  ShiftLeft,
  ShiftRightArithmetic,
  ShiftRightLogical,
  Sign,
  Sine,
  Slice,
  Sort,
  Sqrt,
  Subtract,
  Tan,
  Tanh,
  TorchIndexSelect,
  Transpose,
  TriangularSolve,
  Tuple,
  UnaryEinsum,
  UniformDequantize,
  UniformQuantize,
  While,
  Xor,
  Call,
  FuncReturn,
  SdyAllGather,
  SdyAllReduce,
  SdyAllSlice,
  SdyAllToAll,
  SdyCollectivePermute,
  SdyConstant,
  SdyManualComputation,
  SdyNamedComputation,
  SdyPropagationBarrier,
  SdyReduceScatter,
  SdyReshard,
  SdyReturn,
  SdyShardingConstraint,
  SdyShardingGroup,
};

inline constexpr int kVariadic = -1;

// How many operands, results and regions an operation has; kVariadic where its rules decide.
struct OpShape {
  OpKind kind;
  std::string_view name;  // "stablehlo.add"
  int operands;
  int results;
  int regions;
};

const OpShape& shape_of(OpKind kind);
std::string_view name(OpKind kind);
std::optional<OpKind> op_kind(std::string_view name);
int op_kind_count();

// True for the last operation of a block.
bool is_terminator(OpKind kind);

}  // namespace trainyard::compiler
