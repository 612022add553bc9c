#include "compiler/stablehlo/op_schema.h"

#include <algorithm>
#include <array>
#include <span>

namespace trainyard::compiler {
namespace {

constexpr std::array kVhloOps{
    OpSchema{"abs_v1", OpKind::Abs, ""},
    OpSchema{"add_v1", OpKind::Add, ""},
    OpSchema{"after_all_v1", OpKind::AfterAll, ""},
    OpSchema{"all_gather_v1", OpKind::AllGather,
             "all_gather_dim channel_id replica_groups use_global_device_ids"},
    OpSchema{"all_gather_v2", OpKind::AllGather,
             "all_gather_dim channel_id replica_groups use_global_device_ids"},
    OpSchema{"all_reduce_v1", OpKind::AllReduce, "channel_id replica_groups use_global_device_ids"},
    OpSchema{"all_reduce_v2", OpKind::AllReduce, "channel_id replica_groups use_global_device_ids"},
    OpSchema{"all_to_all_v1", OpKind::AllToAll,
             "channel_id concat_dimension replica_groups split_count split_dimension"},
    OpSchema{"all_to_all_v2", OpKind::AllToAll,
             "channel_id concat_dimension replica_groups split_count split_dimension"},
    OpSchema{"and_v1", OpKind::And, ""},
    OpSchema{"async_done_v1", OpKind::AsyncDone, ""},
    OpSchema{"async_start_v1", OpKind::AsyncStart, ""},
    OpSchema{"atan2_v1", OpKind::Atan2, ""},
    OpSchema{"batch_norm_grad_v1", OpKind::BatchNormGrad, "epsilon feature_index"},
    OpSchema{"batch_norm_inference_v1", OpKind::BatchNormInference, "epsilon feature_index"},
    OpSchema{"batch_norm_training_v1", OpKind::BatchNormTraining, "epsilon feature_index"},
    OpSchema{"bitcast_convert_v1", OpKind::BitcastConvert, ""},
    OpSchema{"broadcast_in_dim_v1", OpKind::BroadcastInDim, "broadcast_dimensions"},
    OpSchema{"broadcast_v1", OpKind::Broadcast, "broadcast_sizes"},
    OpSchema{"call_v1", OpKind::Call, "callee"},
    OpSchema{"case_v1", OpKind::Case, ""},
    OpSchema{"cbrt_v1", OpKind::Cbrt, ""},
    OpSchema{"cbrt_v2", OpKind::Cbrt, "result_accuracy"},
    OpSchema{"ceil_v1", OpKind::Ceil, ""},
    OpSchema{"cholesky_v1", OpKind::Cholesky, "lower"},
    OpSchema{"clamp_v1", OpKind::Clamp, ""},
    OpSchema{"collective_broadcast_v1", OpKind::CollectiveBroadcast, "channel_id replica_groups"},
    OpSchema{"collective_broadcast_v2", OpKind::CollectiveBroadcast,
             "channel_id has_dynamic_root replica_groups"},
    OpSchema{"collective_permute_v1", OpKind::CollectivePermute, "channel_id source_target_pairs"},
    OpSchema{"collective_reduce_v1", OpKind::CollectiveReduce,
             "channel_id has_dynamic_root replica_groups use_global_device_ids"},
    OpSchema{"compare_v1", OpKind::Compare, "compare_type comparison_direction"},
    OpSchema{"complex_v1", OpKind::Complex, ""},
    OpSchema{"composite_v1", OpKind::Composite, "composite_attributes decomposition name version"},
    OpSchema{"composite_v2", OpKind::Composite, "composite_attributes decomposition name version"},
    OpSchema{"concatenate_v1", OpKind::Concatenate, "dimension"},
    OpSchema{"constant_v1", OpKind::Constant, "value"},
    OpSchema{"convert_v1", OpKind::Convert, ""},
    OpSchema{"convolution_v1", OpKind::Convolution,
             "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
             "input_spatial_dimensions kernel_input_feature_dimension "
             "kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation "
             "output_batch_dimension output_feature_dimension output_spatial_dimensions padding "
             "precision_config rhs_dilation window_reversal window_strides"},
    OpSchema{"cosine_v1", OpKind::Cosine, ""},
    OpSchema{"cosine_v2", OpKind::Cosine, "result_accuracy"},
    OpSchema{"count_leading_zeros_v1", OpKind::CountLeadingZeros, ""},
    OpSchema{"create_token_v1", OpKind::CreateToken, ""},
    OpSchema{"cross-replica-sum_v1", OpKind::CrossReplicaSum, "replica_groups"},
    OpSchema{"custom_call_v1", OpKind::CustomCall,
             "api_version backend_config call_target_name called_computations has_side_effect "
             "operand_layouts output_operand_aliases result_layouts"},
    OpSchema{"custom_call_v2", OpKind::CustomCall,
             "api_version backend_config call_target_name called_computations has_side_effect "
             "operand_layouts output_operand_aliases result_layouts result_tilings"},
    OpSchema{"divide_v1", OpKind::Divide, ""},
    OpSchema{"dot_general_v1", OpKind::DotGeneral,
             "lhs_batching_dimensions lhs_contracting_dimensions precision_config "
             "rhs_batching_dimensions rhs_contracting_dimensions"},
    OpSchema{"dot_general_v2", OpKind::DotGeneral,
             "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions "
             "lhs_component_count lhs_contracting_dimensions lhs_precision_type "
             "num_primitive_operations precision_config rhs_batching_dimensions "
             "rhs_component_count rhs_contracting_dimensions rhs_precision_type"},
    OpSchema{"dot_v1", OpKind::Dot, "precision_config"},
    OpSchema{"dynamic_broadcast_in_dim_v1", OpKind::DynamicBroadcastInDim,
             "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions"},
    OpSchema{"dynamic_conv_v1", OpKind::DynamicConv,
             "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
             "input_spatial_dimensions kernel_input_feature_dimension "
             "kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation "
             "output_batch_dimension output_feature_dimension output_spatial_dimensions padding "
             "precision_config rhs_dilation window_reversal window_strides"},
    OpSchema{
        "dynamic_conv_v2", OpKind::DynamicConv,
        "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
        "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
        "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
        "output_spatial_dimensions precision_config rhs_dilation window_reversal window_strides"},
    OpSchema{
        "dynamic_gather_v1", OpKind::DynamicGather,
        "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map"},
    OpSchema{"dynamic_gather_v2", OpKind::DynamicGather,
             "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims "
             "operand_batching_dims start_index_map start_indices_batching_dims"},
    OpSchema{"dynamic_iota_v1", OpKind::DynamicIota, "iota_dimension"},
    OpSchema{"dynamic_pad_v1", OpKind::DynamicPad, ""},
    OpSchema{"dynamic_reshape_v1", OpKind::DynamicReshape, ""},
    OpSchema{"dynamic_slice_v1", OpKind::DynamicSlice, "slice_sizes"},
    OpSchema{"dynamic_update_slice_v1", OpKind::DynamicUpdateSlice, ""},
    OpSchema{"einsum_v1", OpKind::Einsum, "einsum_config"},
    OpSchema{"exponential_minus_one_v1", OpKind::ExponentialMinusOne, ""},
    OpSchema{"exponential_minus_one_v2", OpKind::ExponentialMinusOne, "result_accuracy"},
    OpSchema{"exponential_v1", OpKind::Exponential, ""},
    OpSchema{"exponential_v2", OpKind::Exponential, "result_accuracy"},
    OpSchema{"fft_v1", OpKind::Fft, "fft_length fft_type"},
    OpSchema{"floor_v1", OpKind::Floor, ""},
    OpSchema{"gather_v1", OpKind::Gather,
             "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes "
             "start_index_map"},
    OpSchema{"gather_v2", OpKind::Gather,
             "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims "
             "operand_batching_dims slice_sizes start_index_map start_indices_batching_dims"},
    OpSchema{"get_dimension_size_v1", OpKind::GetDimensionSize, "dimension"},
    OpSchema{"get_tuple_element_v1", OpKind::GetTupleElement, "index"},
    OpSchema{"if_v1", OpKind::If, ""},
    OpSchema{"imag_v1", OpKind::Imag, ""},
    OpSchema{"infeed_v1", OpKind::Infeed, "infeed_config layout"},
    OpSchema{"iota_v1", OpKind::Iota, "iota_dimension"},
    OpSchema{"is_finite_v1", OpKind::IsFinite, ""},
    OpSchema{"log_plus_one_v1", OpKind::LogPlusOne, ""},
    OpSchema{"log_plus_one_v2", OpKind::LogPlusOne, "result_accuracy"},
    OpSchema{"log_v1", OpKind::Log, ""},
    OpSchema{"log_v2", OpKind::Log, "result_accuracy"},
    OpSchema{"logistic_v1", OpKind::Logistic, ""},
    OpSchema{"logistic_v2", OpKind::Logistic, "result_accuracy"},
    OpSchema{"map_v1", OpKind::Map, "dimensions"},
    OpSchema{"maximum_v1", OpKind::Maximum, ""},
    OpSchema{"minimum_v1", OpKind::Minimum, ""},
    OpSchema{"multiply_v1", OpKind::Multiply, ""},
    OpSchema{"negate_v1", OpKind::Negate, ""},
    OpSchema{"not_v1", OpKind::Not, ""},
    OpSchema{"optimization_barrier_v1", OpKind::OptimizationBarrier, ""},
    OpSchema{"or_v1", OpKind::Or, ""},
    OpSchema{"outfeed_v1", OpKind::Outfeed, "outfeed_config"},
    OpSchema{"pad_v1", OpKind::Pad, "edge_padding_high edge_padding_low interior_padding"},
    OpSchema{"partition_id_v1", OpKind::PartitionId, ""},
    OpSchema{"popcnt_v1", OpKind::Popcnt, ""},
    OpSchema{"power_v1", OpKind::Power, ""},
    OpSchema{"real_dynamic_slice_v1", OpKind::RealDynamicSlice, ""},
    OpSchema{"real_v1", OpKind::Real, ""},
    OpSchema{"recv_v1", OpKind::Recv, "channel_id channel_type is_host_transfer"},
    OpSchema{"recv_v2", OpKind::Recv,
             "channel_id channel_type is_host_transfer source_target_pairs"},
    OpSchema{"reduce_precision_v1", OpKind::ReducePrecision, "exponent_bits mantissa_bits"},
    OpSchema{"reduce_scatter_v1", OpKind::ReduceScatter,
             "channel_id replica_groups scatter_dimension use_global_device_ids"},
    OpSchema{"reduce_v1", OpKind::Reduce, "dimensions"},
    OpSchema{"reduce_window_v1", OpKind::ReduceWindow,
             "base_dilations padding window_dilations window_dimensions window_strides"},
    OpSchema{"remainder_v1", OpKind::Remainder, ""},
    OpSchema{"replica_id_v1", OpKind::ReplicaId, ""},
    OpSchema{"reshape_v1", OpKind::Reshape, ""},
    OpSchema{"return_v1", OpKind::Return, ""},
    OpSchema{"reverse_v1", OpKind::Reverse, "dimensions"},
    OpSchema{"rng_bit_generator_v1", OpKind::RngBitGenerator, "rng_algorithm"},
    OpSchema{"rng_v1", OpKind::Rng, "rng_distribution"},
    OpSchema{"round_nearest_afz_v1", OpKind::RoundNearestAfz, ""},
    OpSchema{"round_nearest_even_v1", OpKind::RoundNearestEven, ""},
    OpSchema{"rsqrt_v1", OpKind::Rsqrt, ""},
    OpSchema{"rsqrt_v2", OpKind::Rsqrt, "result_accuracy"},
    OpSchema{"scatter_v1", OpKind::Scatter,
             "index_vector_dim indices_are_sorted inserted_window_dims "
             "scatter_dims_to_operand_dims unique_indices update_window_dims"},
    OpSchema{"scatter_v2", OpKind::Scatter,
             "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims "
             "scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices "
             "update_window_dims"},
    OpSchema{"select_and_scatter_v1", OpKind::SelectAndScatter,
             "padding window_dimensions window_strides"},
    OpSchema{"select_v1", OpKind::Select, ""},
    OpSchema{"send_v1", OpKind::Send, "channel_id channel_type is_host_transfer"},
    OpSchema{"send_v2", OpKind::Send,
             "channel_id channel_type is_host_transfer source_target_pairs"},
    OpSchema{"set_dimension_size_v1", OpKind::SetDimensionSize, "dimension"},
    OpSchema{"shift_left_v1", OpKind::ShiftLeft, ""},
    OpSchema{"shift_right_arithmetic_v1", OpKind::ShiftRightArithmetic, ""},
    OpSchema{"shift_right_logical_v1", OpKind::ShiftRightLogical, ""},
    OpSchema{"sign_v1", OpKind::Sign, ""},
    OpSchema{"sine_v1", OpKind::Sine, ""},
    OpSchema{"sine_v2", OpKind::Sine, "result_accuracy"},
    OpSchema{"slice_v1", OpKind::Slice, "limit_indices start_indices strides"},
    OpSchema{"sort_v1", OpKind::Sort, "dimension is_stable"},
    OpSchema{"sqrt_v1", OpKind::Sqrt, ""},
    OpSchema{"sqrt_v2", OpKind::Sqrt, "result_accuracy"},
    OpSchema{"subtract_v1", OpKind::Subtract, ""},
    OpSchema{"tan_v1", OpKind::Tan, ""},
    OpSchema{"tan_v2", OpKind::Tan, "result_accuracy"},
    OpSchema{"tanh_v1", OpKind::Tanh, ""},
    OpSchema{"tanh_v2", OpKind::Tanh, "result_accuracy"},
    OpSchema{"torch_index_select_v1", OpKind::TorchIndexSelect, "batch_dims dim"},
    OpSchema{"transpose_v1", OpKind::Transpose, "permutation"},
    OpSchema{"triangular_solve_v1", OpKind::TriangularSolve,
             "left_side lower transpose_a unit_diagonal"},
    OpSchema{"tuple_v1", OpKind::Tuple, ""},
    OpSchema{"unary_einsum_v1", OpKind::UnaryEinsum, "einsum_config"},
    OpSchema{"uniform_dequantize_v1", OpKind::UniformDequantize, ""},
    OpSchema{"uniform_quantize_v1", OpKind::UniformQuantize, ""},
    OpSchema{"while_v1", OpKind::While, ""},
    OpSchema{"xor_v1", OpKind::Xor, ""},
};

constexpr std::array kSdyOps{
    OpSchema{"all_gather", OpKind::SdyAllGather, "gathering_axes out_sharding"},
    OpSchema{"all_reduce", OpKind::SdyAllReduce, "out_sharding reduction_axes"},
    OpSchema{"all_slice", OpKind::SdyAllSlice, "out_sharding slicing_axes"},
    OpSchema{"all_to_all", OpKind::SdyAllToAll, "out_sharding params"},
    OpSchema{"collective_permute", OpKind::SdyCollectivePermute, "out_sharding"},
    OpSchema{"constant", OpKind::SdyConstant, "value"},
    OpSchema{"manual_computation", OpKind::SdyManualComputation,
             "in_shardings manual_axes out_shardings"},
    OpSchema{"named_computation", OpKind::SdyNamedComputation, "in_shardings? name out_shardings?"},
    OpSchema{"propagation_barrier", OpKind::SdyPropagationBarrier, "allowed_direction"},
    OpSchema{"reduce_scatter", OpKind::SdyReduceScatter, "out_sharding reduce_scatter_axes"},
    OpSchema{"reshard", OpKind::SdyReshard, "sharding"},
    OpSchema{"return", OpKind::SdyReturn, ""},
    OpSchema{"sharding_constraint", OpKind::SdyShardingConstraint, "sharding"},
    OpSchema{"sharding_group", OpKind::SdyShardingGroup, "group_id"},
};

constexpr auto by_name = [](const OpSchema& a, const OpSchema& b) { return a.name < b.name; };
static_assert(std::is_sorted(kVhloOps.begin(), kVhloOps.end(), by_name));
static_assert(std::is_sorted(kSdyOps.begin(), kSdyOps.end(), by_name));

const OpSchema* search(std::span<const OpSchema> table, std::string_view name) {
  const auto at = std::lower_bound(table.begin(), table.end(), OpSchema{name, {}, {}}, by_name);
  return at != table.end() && at->name == name ? &*at : nullptr;
}

}  // namespace

const OpSchema* find_schema(std::string_view dialect, std::string_view name) {
  if (dialect == "vhlo") return search(kVhloOps, name);
  if (dialect == "sdy") return search(kSdyOps, name);
  return nullptr;
}

}  // namespace trainyard::compiler
