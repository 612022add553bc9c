// Attributes as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/ir/element_value.h"
#include "compiler/ir/print.h"

namespace trainyard::compiler {
namespace {

std::string list(const Dims& dims) { return fmt::format("[{}]", fmt::join(dims, ", ")); }

std::string rows(const std::vector<Dims>& rows) {
  std::string text = "[";
  for (size_t i = 0; i < rows.size(); ++i) text += (i > 0 ? ", " : "") + list(rows[i]);
  return text + "]";
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    out += plain ? std::string(1, c) : fmt::format("\\{:02X}", static_cast<unsigned char>(c));
  }
  return out + "\"";
}

std::string entries(const Module& module, const std::vector<NamedAttribute>& items) {
  std::string text;
  for (const NamedAttribute& item : items) {
    if (!text.empty()) text += ", ";
    text += item.name + " = " + str(module, item.value);
  }
  return text;
}

std::string shardings(const std::vector<TensorSharding>& items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i) text += (i > 0 ? ", " : "") + str(items[i]);
  return text + "]";
}

struct AttributeText {
  const Module& module;

  std::string operator()(const UnitAttribute&) const { return "unit"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const IntegerAttribute& a) const {
    if (a.type == ElementType::U64) return fmt::format("{} : ui64", static_cast<uint64_t>(a.value));
    return fmt::format("{} : {}", a.value, name(a.type));
  }
  std::string operator()(const FloatAttribute& a) const {
    return fmt::format("{} : {}", a.value, name(a.type));
  }
  std::string operator()(const std::string& a) const { return quoted(a); }
  std::string operator()(const ListAttribute& a) const {
    std::string text = "[";
    for (size_t i = 0; i < a.items.size(); ++i)
      text += (i > 0 ? ", " : "") + str(module, a.items[i]);
    return text + "]";
  }
  std::string operator()(const DictionaryAttribute& a) const {
    return "{" + entries(module, a.entries) + "}";
  }
  std::string operator()(const SymbolAttribute& a) const { return "@" + a.name; }
  std::string operator()(const TypeAttribute& a) const { return str(a.type); }
  std::string operator()(const TensorAttribute& a) const {
    const Constant& data = module.constants[static_cast<size_t>(a.value)];
    return str(data) + " : " + str(data.type);
  }
  std::string operator()(const TensorSharding& a) const { return str(a); }
  std::string operator()(const ShardingListAttribute& a) const { return shardings(a.shardings); }
  std::string operator()(const AxesAttribute& a) const {
    std::string text = "{";
    for (size_t i = 0; i < a.axes.size(); ++i) text += (i > 0 ? ", " : "") + str(a.axes[i]);
    return text + "}";
  }
  std::string operator()(const Mesh& a) const { return str(a); }
  std::string operator()(const OpaqueAttribute& a) const { return quoted(a.text); }
};

// Collects "key = value" pairs.
class Pairs {
 public:
  Pairs& add(std::string_view key, std::string_view value) {
    if (!text_.empty()) text_ += ", ";
    text_ += fmt::format("{} = {}", key, value);
    return *this;
  }
  Pairs& add(std::string_view key, int64_t value) { return add(key, std::to_string(value)); }
  Pairs& add(std::string_view key, const Dims& value) { return add(key, list(value)); }
  Pairs& flag(std::string_view key, bool value) { return value ? add(key, "true") : *this; }
  Pairs& some(std::string_view key, const Dims& value) {
    return value.empty() ? *this : add(key, value);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

constexpr std::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr std::string_view kOrders[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr std::string_view kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr std::string_view kAccuracyModes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
constexpr std::string_view kFfts[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kTransposes[] = {"INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kRngs[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr std::string_view kDistributions[] = {"INVALID", "UNIFORM", "NORMAL"};

template <class Enum, size_t n>
std::string_view word(const std::string_view (&names)[n], Enum value) {
  return names[static_cast<size_t>(value)];
}

void add_precision(Pairs& pairs, const std::vector<Precision>& precision) {
  std::string text;
  bool plain = true;
  for (const Precision p : precision) {
    plain &= p == Precision::Default;
    text += (text.empty() ? "" : ", ") + std::string(word(kPrecisions, p));
  }
  if (!plain) pairs.add("precision", "[" + text + "]");
}

void add_window(Pairs& pairs, const WindowAttributes& w) {
  pairs.some("window", w.dimensions).some("strides", w.strides);
  pairs.some("base_dilations", w.base_dilations).some("window_dilations", w.window_dilations);
  pairs.some("pad_low", w.padding_low).some("pad_high", w.padding_high);
}

struct OpAttributesText {
  const Module& module;

  std::string operator()(const std::monostate&) const { return ""; }
  std::string operator()(const ConstantAttributes& a) const {
    return str(module.constants[static_cast<size_t>(a.value)]);
  }
  std::string operator()(const AccuracyAttributes& a) const {
    if (a.mode == AccuracyAttributes::Mode::Default) return "";
    Pairs pairs;
    pairs.add("accuracy", word(kAccuracyModes, a.mode)).add("atol", fmt::format("{}", a.atol));
    return std::move(pairs.add("rtol", fmt::format("{}", a.rtol)).add("ulps", a.ulps)).text();
  }
  std::string operator()(const CompareAttributes& a) const {
    return fmt::format("{}, {}", word(kDirections, a.direction), word(kOrders, a.order));
  }
  std::string operator()(const DotAttributes& a) const {
    Pairs pairs;
    pairs.some("lhs_batch", a.lhs_batch).some("rhs_batch", a.rhs_batch);
    pairs.some("lhs_contracting", a.lhs_contracting).some("rhs_contracting", a.rhs_contracting);
    add_precision(pairs, a.precision);
    if (a.algorithm) {
      const DotAlgorithm& d = *a.algorithm;
      pairs.add("algorithm",
                fmt::format("<{} x {} -> {}, {} x {} components, {} operations{}>",
                            name(d.lhs_precision), name(d.rhs_precision), name(d.accumulation),
                            d.lhs_components, d.rhs_components, d.primitive_operations,
                            d.allow_imprecise_accumulation ? ", imprecise" : ""));
    }
    return std::move(pairs).text();
  }
  std::string operator()(const ConvolutionAttributes& a) const {
    Pairs pairs;
    const auto dims = [](int64_t first, int64_t second, const Dims& spatial) {
      return fmt::format("({}, {}; {})", first, second, fmt::join(spatial, ", "));
    };
    pairs.add("input", dims(a.input_batch, a.input_feature, a.input_spatial));
    pairs.add("kernel", dims(a.kernel_input_feature, a.kernel_output_feature, a.kernel_spatial));
    pairs.add("output", dims(a.output_batch, a.output_feature, a.output_spatial));
    add_window(pairs, a.window);
    Dims reversed;
    for (size_t i = 0; i < a.window_reversal.size(); ++i) {
      if (a.window_reversal[i]) reversed.push_back(static_cast<int64_t>(i));
    }
    pairs.some("reversed", reversed);
    if (a.feature_groups != 1) pairs.add("feature_groups", a.feature_groups);
    if (a.batch_groups != 1) pairs.add("batch_groups", a.batch_groups);
    add_precision(pairs, a.precision);
    return std::move(pairs).text();
  }
  std::string operator()(const GatherAttributes& a) const {
    Pairs pairs;
    pairs.add("offset_dims", a.offset_dims).some("collapsed_slice_dims", a.collapsed_slice_dims);
    pairs.some("operand_batching_dims", a.operand_batching_dims);
    pairs.some("start_indices_batching_dims", a.start_indices_batching_dims);
    pairs.add("start_index_map", a.start_index_map).add("index_vector_dim", a.index_vector_dim);
    pairs.add("slice_sizes", a.slice_sizes).flag("sorted", a.indices_are_sorted);
    return std::move(pairs).text();
  }
  std::string operator()(const ScatterAttributes& a) const {
    Pairs pairs;
    pairs.add("update_window_dims", a.update_window_dims);
    pairs.some("inserted_window_dims", a.inserted_window_dims);
    pairs.some("input_batching_dims", a.input_batching_dims);
    pairs.some("scatter_indices_batching_dims", a.scatter_indices_batching_dims);
    pairs.add("scatter_dims_to_operand_dims", a.scatter_dims_to_operand_dims);
    pairs.add("index_vector_dim", a.index_vector_dim).flag("sorted", a.indices_are_sorted);
    return std::move(pairs.flag("unique", a.unique_indices)).text();
  }
  std::string operator()(const SliceAttributes& a) const {
    Pairs pairs;
    return std::move(pairs.add("start", a.start).add("limit", a.limit).add("strides", a.strides))
        .text();
  }
  std::string operator()(const PadAttributes& a) const {
    Pairs pairs;
    return std::move(pairs.add("low", a.low).add("high", a.high).add("interior", a.interior))
        .text();
  }
  std::string operator()(const DimsAttributes& a) const { return "dims = " + list(a.dims); }
  std::string operator()(const DimAttributes& a) const { return fmt::format("dim = {}", a.dim); }
  std::string operator()(const SortAttributes& a) const {
    return fmt::format("dim = {}{}", a.dimension, a.stable ? ", stable = true" : "");
  }
  std::string operator()(const WindowAttributes& a) const {
    Pairs pairs;
    add_window(pairs, a);
    return std::move(pairs).text();
  }
  std::string operator()(const DynamicBroadcastAttributes& a) const {
    return "dims = " + list(a.dims);
  }
  std::string operator()(const BatchNormAttributes& a) const {
    return fmt::format("epsilon = {}, feature_index = {}", a.epsilon, a.feature_index);
  }
  std::string operator()(const FftAttributes& a) const {
    return fmt::format("type = {}, length = {}", word(kFfts, a.kind), list(a.length));
  }
  std::string operator()(const CholeskyAttributes& a) const {
    return a.lower ? "lower = true" : "lower = false";
  }
  std::string operator()(const TriangularSolveAttributes& a) const {
    Pairs pairs;
    pairs.flag("left_side", a.left_side).flag("lower", a.lower);
    pairs.flag("unit_diagonal", a.unit_diagonal);
    return std::move(pairs.add("transpose_a", word(kTransposes, a.transpose))).text();
  }
  std::string operator()(const ReducePrecisionAttributes& a) const {
    return fmt::format("format = e{}m{}", a.exponent_bits, a.mantissa_bits);
  }
  std::string operator()(const RngBitGeneratorAttributes& a) const {
    return fmt::format("algorithm = {}", word(kRngs, a.algorithm));
  }
  std::string operator()(const RngAttributes& a) const {
    return fmt::format("distribution = {}", word(kDistributions, a.distribution));
  }
  std::string operator()(const CollectiveAttributes& a) const {
    Pairs pairs;
    pairs.add("groups", rows(a.groups)).add("channel", a.channel).add("dim", a.dimension);
    if (a.split_count != 1) pairs.add("concat_dim", a.concat_dimension);
    if (a.split_count != 1) pairs.add("split_count", a.split_count);
    pairs.flag("use_global_device_ids", a.use_global_device_ids);
    return std::move(pairs.flag("dynamic_root", a.dynamic_root)).text();
  }
  std::string operator()(const TransferAttributes& a) const {
    Pairs pairs;
    pairs.add("channel", a.channel).add("type", a.channel_type).flag("host", a.host);
    if (!a.pairs.empty()) pairs.add("pairs", rows(a.pairs));
    if (!a.config.empty()) pairs.add("config", quoted(a.config));
    return std::move(pairs).text();
  }
  std::string operator()(const CustomCallAttributes& a) const {
    Pairs pairs;
    pairs.add("target", quoted(a.target)).add("api_version", a.api_version);
    if (!a.backend_config.empty()) pairs.add("backend_config", quoted(a.backend_config));
    if (!a.config.empty()) pairs.add("backend_config", "{" + entries(module, a.config) + "}");
    pairs.flag("has_side_effect", a.has_side_effect);
    for (const std::string& callee : a.called_computations) pairs.add("calls", "@" + callee);
    if (!a.operand_layouts.empty()) pairs.add("operand_layouts", rows(a.operand_layouts));
    if (!a.result_layouts.empty()) pairs.add("result_layouts", rows(a.result_layouts));
    for (const OutputAlias& alias : a.aliases) {
      pairs.add("alias", fmt::format("{} of operand {} {}", list(alias.output_indices),
                                     alias.operand, list(alias.operand_indices)));
    }
    return std::move(pairs).text();
  }
  std::string operator()(const CompositeAttributes& a) const {
    Pairs pairs;
    pairs.add("name", quoted(a.name)).add("attributes", "{" + entries(module, a.attributes) + "}");
    return std::move(pairs.add("decomposition", "@" + a.decomposition).add("version", a.version))
        .text();
  }
  std::string operator()(const CallAttributes& a) const { return "@" + a.callee; }
  std::string operator()(const EinsumAttributes& a) const { return "config = " + quoted(a.config); }
  std::string operator()(const TorchIndexSelectAttributes& a) const {
    return fmt::format("dim = {}, batch_dims = {}", a.dim, a.batch_dims);
  }
  std::string operator()(const ShardingAttributes& a) const { return str(a.sharding); }
  std::string operator()(const ManualComputationAttributes& a) const {
    Pairs pairs;
    pairs.add("in_shardings", shardings(a.in_shardings));
    pairs.add("out_shardings", shardings(a.out_shardings));
    return std::move(pairs.add("manual_axes", fmt::format("[{}]", fmt::join(a.manual_axes, ", "))))
        .text();
  }
  std::string operator()(const ShardingGroupAttributes& a) const {
    return fmt::format("group = {}", a.group);
  }
  std::string operator()(const OtherAttributes& a) const { return entries(module, a.entries); }
};

}  // namespace

std::string str(const Module& module, const Attribute& attribute) {
  return std::visit(AttributeText{module}, attribute.kind);
}

std::string str(const Module& module, const OpAttributes& attributes) {
  return std::visit(OpAttributesText{module}, attributes);
}

}  // namespace trainyard::compiler
