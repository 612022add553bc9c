#pragma once
// What an operation carries besides operands, results and regions: one struct per kind of
// structure. `OpAttributes` is the closed set; an operation without any holds std::monostate.
// Lists of dimensions count from 0, major first. All sizes are in elements.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/attribute.h"
#include "compiler/ir/call_attributes.h"
#include "compiler/ir/types.h"

namespace trainyard::compiler {

enum class Precision : uint8_t { Default, High, Highest };

// result = values of a constant; the data is in Module::constants.
struct ConstantAttributes {
  ConstantId value = 0;
};

// Accuracy asked of a transcendental function. Default leaves it to the compiler.
struct AccuracyAttributes {
  enum class Mode : uint8_t { Default, Highest, Tolerance };
  Mode mode = Mode::Default;
  double atol = 0;
  double rtol = 0;
  int64_t ulps = 0;
};

struct CompareAttributes {
  enum class Direction : uint8_t { Eq, Ne, Ge, Gt, Le, Lt };
  enum class Order : uint8_t { NoType, Float, TotalOrder, Signed, Unsigned };
  Direction direction = Direction::Eq;
  Order order = Order::NoType;
};

// The arithmetic that a dot_general asks for.
struct DotAlgorithm {
  ElementType lhs_precision = ElementType::F32;
  ElementType rhs_precision = ElementType::F32;
  ElementType accumulation = ElementType::F32;
  int64_t lhs_components = 1;
  int64_t rhs_components = 1;
  int64_t primitive_operations = 1;
  bool allow_imprecise_accumulation = false;
};

// result[batch..., lhs free..., rhs free...] = sum over contracting of lhs * rhs.
struct DotAttributes {
  Dims lhs_batch;
  Dims rhs_batch;
  Dims lhs_contracting;
  Dims rhs_contracting;
  std::vector<Precision> precision;  // none, or one per operand
  std::optional<DotAlgorithm> algorithm;
};

// A window that slides over some dimensions. Padding may be negative (it cuts). A list that is
// empty stands for the neutral value (1, or 0 for padding) in every dimension.
struct WindowAttributes {
  Dims dimensions;
  Dims strides;
  Dims base_dilations;
  Dims window_dilations;
  Dims padding_low;
  Dims padding_high;
};

struct ConvolutionAttributes {
  WindowAttributes window;  // `dimensions` is empty: the kernel's shape gives it
  std::vector<bool> window_reversal;
  int64_t input_batch = 0;
  int64_t input_feature = 0;
  Dims input_spatial;
  int64_t kernel_input_feature = 0;
  int64_t kernel_output_feature = 0;
  Dims kernel_spatial;
  int64_t output_batch = 0;
  int64_t output_feature = 0;
  Dims output_spatial;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
  std::vector<Precision> precision;
};

// Operands: operand, start_indices. Start indices are clamped so that each slice lies inside.
struct GatherAttributes {
  Dims offset_dims;
  Dims collapsed_slice_dims;
  Dims operand_batching_dims;
  Dims start_indices_batching_dims;
  Dims start_index_map;
  int64_t index_vector_dim = 0;
  Dims slice_sizes;  // empty for dynamic_gather, whose third operand holds them
  bool indices_are_sorted = false;
};

// Operands: n inputs, scatter_indices, n updates. An update outside the input is dropped.
struct ScatterAttributes {
  Dims update_window_dims;
  Dims inserted_window_dims;
  Dims input_batching_dims;
  Dims scatter_indices_batching_dims;
  Dims scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
};

struct SliceAttributes {
  Dims start;
  Dims limit;  // exclusive
  Dims strides;
};

// result size = low + high + size + interior * max(size - 1, 0); low and high may be negative.
struct PadAttributes {
  Dims low;
  Dims high;
  Dims interior;
};

// One list of dimensions or sizes: broadcast_in_dim, broadcast (sizes put in front), transpose
// (permutation), reverse, reduce, map, dynamic_slice (sizes).
struct DimsAttributes {
  Dims dims;
};

// One dimension: concatenate, iota, get_dimension_size, set_dimension_size, dynamic_iota,
// get_tuple_element (an index into the tuple).
struct DimAttributes {
  int64_t dim = 0;
};

struct SortAttributes {
  int64_t dimension = 0;
  bool stable = false;
};

struct DynamicBroadcastAttributes {
  Dims dims;
  Dims known_expanding;
  Dims known_nonexpanding;
};

struct BatchNormAttributes {
  double epsilon = 0;
  int64_t feature_index = 0;
};

struct FftAttributes {
  enum class Kind : uint8_t { Fft, Ifft, Rfft, Irfft };
  Kind kind = Kind::Fft;
  Dims length;
};

struct CholeskyAttributes {
  bool lower = false;
};

struct TriangularSolveAttributes {
  enum class Transpose : uint8_t { Invalid, No, Transpose, Adjoint };
  bool left_side = false;
  bool lower = false;
  bool unit_diagonal = false;
  Transpose transpose = Transpose::No;
};

struct ReducePrecisionAttributes {
  int64_t exponent_bits = 8;
  int64_t mantissa_bits = 23;
};

struct RngBitGeneratorAttributes {
  enum class Algorithm : uint8_t { Default, ThreeFry, Philox };
  Algorithm algorithm = Algorithm::Default;
};

struct RngAttributes {
  enum class Distribution : uint8_t { Invalid, Uniform, Normal };
  Distribution distribution = Distribution::Uniform;
};

using OpAttributes =
    std::variant<std::monostate, ConstantAttributes, AccuracyAttributes, CompareAttributes,
                 DotAttributes, ConvolutionAttributes, GatherAttributes, ScatterAttributes,
                 SliceAttributes, PadAttributes, DimsAttributes, DimAttributes, SortAttributes,
                 WindowAttributes, DynamicBroadcastAttributes, BatchNormAttributes, FftAttributes,
                 CholeskyAttributes, TriangularSolveAttributes, ReducePrecisionAttributes,
                 RngBitGeneratorAttributes, RngAttributes, CollectiveAttributes, TransferAttributes,
                 CustomCallAttributes, CompositeAttributes, CallAttributes, EinsumAttributes,
                 TorchIndexSelectAttributes, ShardingAttributes, ManualComputationAttributes,
                 ShardingGroupAttributes, OtherAttributes>;

}  // namespace trainyard::compiler
