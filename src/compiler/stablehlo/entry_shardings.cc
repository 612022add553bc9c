// Shardy's attributes.
#include "compiler/stablehlo/codes.h"
#include "compiler/stablehlo/entries.h"

namespace trainyard::compiler {

MeshAxis Entries::mesh_axis(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Sdy, sdy::kMeshAxis)) wrong_kind(index, "a mesh axis");
  MeshAxis out;
  out.name = string_at(entry.bytes);
  out.size = entry.bytes.svarint();
  return out;
}

Mesh Entries::mesh(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Sdy, sdy::kMesh)) wrong_kind(index, "a mesh");
  Mesh out;
  for (const AttrIndex item : attribute_list(entry.bytes)) out.axes.push_back(mesh_axis(item));
  out.device_ids = signed_list(entry.bytes);
  return out;
}

AxisRef Entries::axis(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Sdy, sdy::kAxisRef)) wrong_kind(index, "an axis");
  AxisRef out;
  out.name = string_at(entry.bytes);
  const size_t start = entry.bytes.offset();
  const FlaggedInteger sub = entry.bytes.flagged();
  if (!sub.flag) return out;
  if (sub.value >= container_.attributes.size()) {
    fail_at("TY-SHLO-005", start, "attribute {} is named, the file has {}", sub.value,
            container_.attributes.size());
  }
  Opened part = open_attribute(sub.value);
  if (!part.is(Dialect::Sdy, sdy::kSubAxis)) wrong_kind(sub.value, "a part of an axis");
  const int64_t pre_size = part.bytes.svarint();
  out.sub = SubAxis{.pre_size = pre_size, .size = part.bytes.svarint()};
  return out;
}

std::vector<AxisRef> Entries::axes(ByteCursor& cursor) {
  std::vector<AxisRef> out;
  for (const AttrIndex item : attribute_list(cursor)) out.push_back(axis(item));
  return out;
}

DimSharding Entries::dim_sharding(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Sdy, sdy::kDimSharding)) wrong_kind(index, "a dimension's sharding");
  DimSharding out;
  out.axes = axes(entry.bytes);
  out.closed = entry.bytes.byte() != 0;
  const FlaggedInteger priority = entry.bytes.flagged();
  if (priority.flag) out.priority = static_cast<int64_t>(priority.value);
  return out;
}

TensorSharding Entries::sharding(AttrIndex index) {
  Opened entry = open_attribute(index);
  const bool with_unreduced = entry.is(Dialect::Sdy, sdy::kShardingUnreduced) ||
                              entry.is(Dialect::Sdy, sdy::kShardingReduction);
  if (!entry.is(Dialect::Sdy, sdy::kSharding) && !with_unreduced) {
    wrong_kind(index, "a tensor sharding");
  }
  TensorSharding out;
  const AttrIndex where = attribute_index(entry.bytes);
  if (open_attribute(where).dialect == Dialect::Sdy) {
    out.inline_mesh = mesh(where);
  } else {
    out.mesh_name = string(where);
  }
  for (const AttrIndex item : attribute_list(entry.bytes)) out.dims.push_back(dim_sharding(item));
  out.replicated = axes(entry.bytes);
  if (with_unreduced) out.unreduced = axes(entry.bytes);
  return out;
}

std::vector<TensorSharding> Entries::shardings(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Sdy, sdy::kPerValue) && !entry.is(Dialect::Sdy, sdy::kPerValueUnreduced)) {
    wrong_kind(index, "a list of shardings");
  }
  std::vector<TensorSharding> out;
  for (const AttrIndex item : attribute_list(entry.bytes)) out.push_back(sharding(item));
  return out;
}

std::vector<std::string> Entries::manual_axes(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Sdy, sdy::kManualAxes)) wrong_kind(index, "a list of manual axes");
  std::vector<std::string> out;
  for (const AttrIndex item : attribute_list(entry.bytes)) out.push_back(string(item));
  return out;
}

Attribute Entries::sdy_attribute(AttrIndex index, Opened& entry) {
  switch (entry.code) {
    case sdy::kMesh:
      return {mesh(index)};
    case sdy::kSharding:
    case sdy::kShardingUnreduced:
    case sdy::kShardingReduction:
      return {sharding(index)};
    case sdy::kPerValue:
    case sdy::kPerValueUnreduced:
      return {ShardingListAttribute{shardings(index)}};
    case sdy::kAxisList:
      return {AxesAttribute{axes(entry.bytes)}};
    default:
      return {OpaqueAttribute{fmt::format("sdy attribute {}", entry.code)}};
  }
}

}  // namespace trainyard::compiler
