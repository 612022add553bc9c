// Properties of collectives, transfers, calls and Shardy's operations.
#include "compiler/stablehlo/codes.h"
#include "compiler/stablehlo/op_reader.h"

namespace trainyard::compiler {
namespace {

// Replica groups and source-target pairs are tensors of rank 2, one row a group.
std::vector<Dims> rows(AttrIndex index, Entries& e, size_t offset) {
  if (e.is_mesh_axes_group(index)) {
    fail_at("TY-SHLO-007", offset,
            "replica groups by mesh axes are StableHLO 1.16; export the program for 1.13.0");
  }
  const IntegerTensor data = e.integers(index);
  if (data.shape.size() != 2) fail_at("TY-SHLO-010", offset, "replica groups are not a matrix");
  const size_t width = static_cast<size_t>(data.shape[1]);
  const size_t height = width == 0 ? 0 : data.values.size() / width;
  std::vector<Dims> out;
  for (size_t row = 0; row < height; ++row) {
    const auto begin = data.values.begin() + static_cast<std::ptrdiff_t>(row * width);
    out.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width));
    e.budget().spend(sizeof(Dims), offset);
  }
  return out;
}

CollectiveAttributes collective(const Properties& p, Entries& e) {
  const auto integer_or = [&](std::string_view name, int64_t fallback) {
    return p.has(name) ? e.integer(p[name]) : fallback;
  };
  const auto flag = [&](std::string_view name) { return p.has(name) && e.boolean(p[name]); };
  const std::string_view groups =
      p.has("source_target_pairs") ? "source_target_pairs" : "replica_groups";
  CollectiveAttributes out;
  out.groups = rows(p[groups], e, p.offset());
  out.channel = integer_or("channel_id", 0);
  out.use_global_device_ids = flag("use_global_device_ids");
  out.dynamic_root = flag("has_dynamic_root");
  out.split_count = integer_or("split_count", 1);
  out.concat_dimension = integer_or("concat_dimension", 0);
  for (const char* name : {"all_gather_dim", "scatter_dimension", "split_dimension"}) {
    if (p.has(name)) out.dimension = e.integer(p[name]);
  }
  return out;
}

TransferAttributes transfer(const Properties& p, Entries& e) {
  TransferAttributes out;
  if (p.has("channel_id")) out.channel = e.integer(p["channel_id"]);
  if (p.has("channel_type")) out.channel_type = e.integer(p["channel_type"]);
  if (p.has("is_host_transfer")) out.host = e.boolean(p["is_host_transfer"]);
  if (p.has("source_target_pairs")) out.pairs = rows(p["source_target_pairs"], e, p.offset());
  if (p.has("infeed_config")) out.config = e.string(p["infeed_config"]);
  if (p.has("outfeed_config")) out.config = e.string(p["outfeed_config"]);
  return out;
}

std::vector<Dims> layouts(AttrIndex index, Entries& e) {
  std::vector<Dims> out;
  for (const AttrIndex item : e.list(index)) out.push_back(e.integers(item).values);
  return out;
}

CustomCallAttributes custom_call(const Properties& p, Entries& e) {
  CustomCallAttributes out;
  out.target = e.string(p["call_target_name"]);
  out.has_side_effect = e.boolean(p["has_side_effect"]);
  constexpr uint64_t kApiVersions = 5;
  out.api_version =
      static_cast<int64_t>(e.enumeration(p["api_version"], vhlo::kApiVersion, kApiVersions));
  constexpr int64_t kTypedFfi = 4;
  if (out.api_version == kTypedFfi && e.is_dictionary(p["backend_config"])) {
    out.config = e.named(p["backend_config"]);
  } else {
    out.backend_config = e.string(p["backend_config"]);
  }
  for (const AttrIndex item : e.list(p["called_computations"])) {
    out.called_computations.push_back(e.string(item));
  }
  out.operand_layouts = layouts(p["operand_layouts"], e);
  out.result_layouts = layouts(p["result_layouts"], e);
  for (const AttrIndex item : e.list(p["output_operand_aliases"])) {
    out.aliases.push_back(e.alias(item));
  }
  return out;
}

CompositeAttributes composite(const Properties& p, Entries& e) {
  return {.name = e.string(p["name"]),
          .attributes = e.named(p["composite_attributes"]),
          .decomposition = e.string(p["decomposition"]),
          .version = e.integer(p["version"])};
}

std::vector<NamedAttribute> all_properties(const OpSchema& op, const Properties& p, Entries& e) {
  std::vector<NamedAttribute> out;
  std::string_view names = op.properties;
  while (!names.empty()) {
    const size_t space = names.find(' ');
    std::string_view name = names.substr(0, space);
    names.remove_prefix(space == std::string_view::npos ? names.size() : space + 1);
    if (name.ends_with('?')) name.remove_suffix(1);
    if (p.has(name)) out.push_back({std::string(name), e.attribute(p[name])});
  }
  return out;
}

}  // namespace

OpAttributes read_call_attributes(OpKind kind, const Properties& p, Entries& e) {
  switch (kind) {
    case OpKind::AllGather:
    case OpKind::AllReduce:
    case OpKind::AllToAll:
    case OpKind::CollectiveBroadcast:
    case OpKind::CollectivePermute:
    case OpKind::CollectiveReduce:
    case OpKind::ReduceScatter:
    case OpKind::CrossReplicaSum:
      return collective(p, e);
    case OpKind::Send:
    case OpKind::Recv:
    case OpKind::Infeed:
    case OpKind::Outfeed:
      return transfer(p, e);
    case OpKind::CustomCall:
      return custom_call(p, e);
    case OpKind::Composite:
      return composite(p, e);
    case OpKind::Call:
      return CallAttributes{e.string(p["callee"])};
    default:
      return std::monostate{};
  }
}

OpAttributes read_sdy_attributes(const OpSchema& op, const Properties& p, Entries& e) {
  switch (op.kind) {
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard:
      return ShardingAttributes{e.sharding(p["sharding"])};
    case OpKind::SdyManualComputation:
      return ManualComputationAttributes{e.shardings(p["in_shardings"]),
                                         e.shardings(p["out_shardings"]),
                                         e.manual_axes(p["manual_axes"])};
    case OpKind::SdyShardingGroup:
      return ShardingGroupAttributes{e.integer(p["group_id"])};
    case OpKind::SdyConstant:
      return ConstantAttributes{e.constant(p["value"])};
    default:
      return OtherAttributes{all_properties(op, p, e)};
  }
}

}  // namespace trainyard::compiler
