// Properties of products, windows, gathers and scatters.
#include "compiler/stablehlo/codes.h"
#include "compiler/stablehlo/op_reader.h"

namespace trainyard::compiler {
namespace {

std::vector<Precision> precision(AttrIndex index, Entries& e) {
  std::vector<Precision> out;
  for (const AttrIndex item : e.list(index)) {
    out.push_back(static_cast<Precision>(e.enumeration(item, vhlo::kPrecision, 3)));
  }
  return out;
}

// VHLO writes "no algorithm" as the none type in all seven fields.
std::optional<DotAlgorithm> dot_algorithm(const Properties& p, Entries& e) {
  if (!p.has("accumulation_type")) return std::nullopt;
  DotAlgorithm out;
  out.accumulation = e.element_or_none(p["accumulation_type"]);
  if (out.accumulation == ElementType::None) return std::nullopt;
  out.lhs_precision = e.element_or_none(p["lhs_precision_type"]);
  out.rhs_precision = e.element_or_none(p["rhs_precision_type"]);
  out.lhs_components = e.integer(p["lhs_component_count"]);
  out.rhs_components = e.integer(p["rhs_component_count"]);
  out.primitive_operations = e.integer(p["num_primitive_operations"]);
  out.allow_imprecise_accumulation = e.boolean(p["allow_imprecise_accumulation"]);
  return out;
}

DotAttributes dot_general(const Properties& p, Entries& e) {
  return {.lhs_batch = e.dims(p["lhs_batching_dimensions"]),
          .rhs_batch = e.dims(p["rhs_batching_dimensions"]),
          .lhs_contracting = e.dims(p["lhs_contracting_dimensions"]),
          .rhs_contracting = e.dims(p["rhs_contracting_dimensions"]),
          .precision = precision(p["precision_config"], e),
          .algorithm = dot_algorithm(p, e)};
}

// Padding is a tensor of shape [n, 2]: low and high of each dimension.
void read_padding(WindowAttributes& window, AttrIndex index, Entries& e, size_t offset) {
  const IntegerTensor padding = e.integers(index);
  if (padding.shape.size() != 2 || padding.shape[1] != 2) {
    fail_at("TY-SHLO-010", offset, "padding is not a list of (low, high) pairs");
  }
  for (size_t i = 0; i < padding.values.size(); i += 2) {
    window.padding_low.push_back(padding.values[i]);
    window.padding_high.push_back(padding.values[i + 1]);
  }
}

ConvolutionAttributes convolution(const Properties& p, Entries& e) {
  ConvolutionAttributes out;
  out.window.strides = e.dims(p["window_strides"]);
  out.window.base_dilations = e.dims(p["lhs_dilation"]);
  out.window.window_dilations = e.dims(p["rhs_dilation"]);
  if (p.has("padding")) read_padding(out.window, p["padding"], e, p.offset());
  out.window_reversal = e.booleans(p["window_reversal"]);
  out.input_batch = e.integer(p["input_batch_dimension"]);
  out.input_feature = e.integer(p["input_feature_dimension"]);
  out.input_spatial = e.dims(p["input_spatial_dimensions"]);
  out.kernel_input_feature = e.integer(p["kernel_input_feature_dimension"]);
  out.kernel_output_feature = e.integer(p["kernel_output_feature_dimension"]);
  out.kernel_spatial = e.dims(p["kernel_spatial_dimensions"]);
  out.output_batch = e.integer(p["output_batch_dimension"]);
  out.output_feature = e.integer(p["output_feature_dimension"]);
  out.output_spatial = e.dims(p["output_spatial_dimensions"]);
  out.feature_groups = e.integer(p["feature_group_count"]);
  out.batch_groups = e.integer(p["batch_group_count"]);
  out.precision = precision(p["precision_config"], e);
  return out;
}

WindowAttributes window(const Properties& p, Entries& e) {
  WindowAttributes out;
  out.dimensions = e.dims(p["window_dimensions"]);
  out.strides = e.dims(p["window_strides"]);
  if (p.has("base_dilations")) out.base_dilations = e.dims(p["base_dilations"]);
  if (p.has("window_dilations")) out.window_dilations = e.dims(p["window_dilations"]);
  read_padding(out, p["padding"], e, p.offset());
  return out;
}

Dims optional_dims(std::string_view name, const Properties& p, Entries& e) {
  return p.has(name) ? e.dims(p[name]) : Dims{};
}

GatherAttributes gather(const Properties& p, Entries& e) {
  return {.offset_dims = e.dims(p["offset_dims"]),
          .collapsed_slice_dims = e.dims(p["collapsed_slice_dims"]),
          .operand_batching_dims = optional_dims("operand_batching_dims", p, e),
          .start_indices_batching_dims = optional_dims("start_indices_batching_dims", p, e),
          .start_index_map = e.dims(p["start_index_map"]),
          .index_vector_dim = e.integer(p["index_vector_dim"]),
          .slice_sizes = optional_dims("slice_sizes", p, e),
          .indices_are_sorted = e.boolean(p["indices_are_sorted"])};
}

ScatterAttributes scatter(const Properties& p, Entries& e) {
  return {.update_window_dims = e.dims(p["update_window_dims"]),
          .inserted_window_dims = e.dims(p["inserted_window_dims"]),
          .input_batching_dims = optional_dims("input_batching_dims", p, e),
          .scatter_indices_batching_dims = optional_dims("scatter_indices_batching_dims", p, e),
          .scatter_dims_to_operand_dims = e.dims(p["scatter_dims_to_operand_dims"]),
          .index_vector_dim = e.integer(p["index_vector_dim"]),
          .indices_are_sorted = e.boolean(p["indices_are_sorted"]),
          .unique_indices = e.boolean(p["unique_indices"])};
}

}  // namespace

OpAttributes read_math_attributes(OpKind kind, const Properties& p, Entries& e) {
  switch (kind) {
    case OpKind::Compare:
      return CompareAttributes{static_cast<CompareAttributes::Direction>(e.enumeration(
                                   p["comparison_direction"], vhlo::kComparisonDirection, 6)),
                               static_cast<CompareAttributes::Order>(
                                   e.enumeration(p["compare_type"], vhlo::kComparisonType, 5))};
    case OpKind::DotGeneral:
      return dot_general(p, e);
    case OpKind::Dot:
      return DotAttributes{.lhs_batch = {},
                           .rhs_batch = {},
                           .lhs_contracting = {},
                           .rhs_contracting = {},
                           .precision = precision(p["precision_config"], e),
                           .algorithm = {}};
    case OpKind::Convolution:
    case OpKind::DynamicConv:
      return convolution(p, e);
    case OpKind::ReduceWindow:
    case OpKind::SelectAndScatter:
      return window(p, e);
    case OpKind::Gather:
    case OpKind::DynamicGather:
      return gather(p, e);
    case OpKind::Scatter:
      return scatter(p, e);
    default:
      return std::monostate{};
  }
}

}  // namespace trainyard::compiler
