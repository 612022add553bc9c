#include "compiler/stablehlo/op_reader.h"

#include "compiler/stablehlo/codes.h"

namespace trainyard::compiler {

Properties Properties::from_bytes(std::string_view schema, ByteCursor bytes,
                                  const Entries& entries) {
  Properties out;
  out.offset_ = bytes.offset();
  const size_t count = entries.attribute_count();
  while (!schema.empty()) {
    const size_t space = schema.find(' ');
    std::string_view name = schema.substr(0, space);
    schema.remove_prefix(space == std::string_view::npos ? schema.size() : space + 1);
    const bool optional = name.ends_with('?');
    if (optional) name.remove_suffix(1);
    if (bytes.empty()) {
      fail_at("TY-SHLO-009", bytes.offset(), "the properties end before '{}'", name);
    }
    const size_t start = bytes.offset();
    const uint64_t raw = bytes.varint();
    if (optional && (raw & 1) == 0) continue;
    const uint64_t index = optional ? raw >> 1 : raw;
    if (index >= count) {
      fail_at("TY-SHLO-005", start, "attribute {} is named, the file has {}", index, count);
    }
    out.items_.push_back({name, index});
  }
  if (!bytes.empty()) {
    fail_at("TY-SHLO-009", bytes.offset(), "{} bytes of properties are left over", bytes.left());
  }
  return out;
}

Properties Properties::from_dictionary(AttrIndex dictionary, Entries& entries) {
  Properties out;
  for (const auto& [key, value] : entries.dictionary(dictionary)) {
    out.items_.push_back({entries.text(key), value});
  }
  return out;
}

bool Properties::has(std::string_view name) const {
  for (const Item& item : items_) {
    if (item.name == name) return true;
  }
  return false;
}

AttrIndex Properties::operator[](std::string_view name) const {
  for (const Item& item : items_) {
    if (item.name == name) return item.index;
  }
  fail_at("TY-SHLO-009", offset_, "the operation lacks its attribute '{}'", name);
}

OpAttributes read_shape_attributes(OpKind kind, const Properties& p, Entries& e) {
  switch (kind) {
    case OpKind::BroadcastInDim:
      return DimsAttributes{e.dims(p["broadcast_dimensions"])};
    case OpKind::Broadcast:
      return DimsAttributes{e.dims(p["broadcast_sizes"])};
    case OpKind::Transpose:
      return DimsAttributes{e.dims(p["permutation"])};
    case OpKind::DynamicSlice:
      return DimsAttributes{e.dims(p["slice_sizes"])};
    case OpKind::Reverse:
    case OpKind::Reduce:
    case OpKind::Map:
      return DimsAttributes{e.dims(p["dimensions"])};
    case OpKind::Concatenate:
    case OpKind::GetDimensionSize:
    case OpKind::SetDimensionSize:
      return DimAttributes{e.integer(p["dimension"])};
    case OpKind::Iota:
    case OpKind::DynamicIota:
      return DimAttributes{e.integer(p["iota_dimension"])};
    case OpKind::GetTupleElement:
      return DimAttributes{e.integer(p["index"])};
    case OpKind::Sort:
      return SortAttributes{e.integer(p["dimension"]), e.boolean(p["is_stable"])};
    case OpKind::Slice:
      return SliceAttributes{e.dims(p["start_indices"]), e.dims(p["limit_indices"]),
                             e.dims(p["strides"])};
    case OpKind::Pad:
      return PadAttributes{e.dims(p["edge_padding_low"]), e.dims(p["edge_padding_high"]),
                           e.dims(p["interior_padding"])};
    case OpKind::DynamicBroadcastInDim:
      return DynamicBroadcastAttributes{e.dims(p["broadcast_dimensions"]),
                                        e.dims(p["known_expanding_dimensions"]),
                                        e.dims(p["known_nonexpanding_dimensions"])};
    case OpKind::TorchIndexSelect:
      return TorchIndexSelectAttributes{e.integer(p["dim"]), e.integer(p["batch_dims"])};
    default:
      return std::monostate{};
  }
}

namespace {

OpAttributes read_small_attributes(OpKind kind, const Properties& p, Entries& e) {
  switch (kind) {
    case OpKind::Constant:
      return ConstantAttributes{e.constant(p["value"])};
    case OpKind::BatchNormGrad:
    case OpKind::BatchNormInference:
    case OpKind::BatchNormTraining:
      return BatchNormAttributes{e.number(p["epsilon"]), e.integer(p["feature_index"])};
    case OpKind::Cholesky:
      return CholeskyAttributes{e.boolean(p["lower"])};
    case OpKind::TriangularSolve: {
      using Transpose = TriangularSolveAttributes::Transpose;
      return TriangularSolveAttributes{
          e.boolean(p["left_side"]), e.boolean(p["lower"]), e.boolean(p["unit_diagonal"]),
          static_cast<Transpose>(e.enumeration(p["transpose_a"], vhlo::kTranspose, 4))};
    }
    case OpKind::Fft:
      return FftAttributes{
          static_cast<FftAttributes::Kind>(e.enumeration(p["fft_type"], vhlo::kFftType, 4)),
          e.dims(p["fft_length"])};
    case OpKind::ReducePrecision:
      return ReducePrecisionAttributes{e.integer(p["exponent_bits"]),
                                       e.integer(p["mantissa_bits"])};
    case OpKind::RngBitGenerator:
      return RngBitGeneratorAttributes{static_cast<RngBitGeneratorAttributes::Algorithm>(
          e.enumeration(p["rng_algorithm"], vhlo::kRngAlgorithm, 3))};
    case OpKind::Rng:
      return RngAttributes{static_cast<RngAttributes::Distribution>(
          e.enumeration(p["rng_distribution"], vhlo::kRngDistribution, 3))};
    case OpKind::Einsum:
    case OpKind::UnaryEinsum:
      return EinsumAttributes{e.string(p["einsum_config"])};
    default:
      return std::monostate{};
  }
}

}  // namespace

OpAttributes read_attributes(const OpSchema& op, const Properties& properties, Entries& entries) {
  if (op.properties.empty()) return std::monostate{};
  // The second version of each transcendental function carries an accuracy and nothing else.
  if (op.properties == "result_accuracy") {
    return entries.accuracy(properties["result_accuracy"]);
  }
  if (name(op.kind).starts_with("sdy.")) return read_sdy_attributes(op, properties, entries);
  using Reader = OpAttributes (*)(OpKind, const Properties&, Entries&);
  constexpr Reader kReaders[] = {read_shape_attributes, read_small_attributes, read_math_attributes,
                                 read_call_attributes};
  for (const Reader reader : kReaders) {
    OpAttributes out = reader(op.kind, properties, entries);
    if (!std::holds_alternative<std::monostate>(out)) return out;
  }
  fail_at("TY-SHLO-008", properties.offset(), "operation '{}' has properties that are not read",
          op.name);
}

}  // namespace trainyard::compiler
