// Operations between devices. Without groups all devices form one, whose size is not known here;
// the declared result then stands.
#include <algorithm>

#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

Status check_groups(const OpView& view, const CollectiveAttributes& a) {
  Dims ids;
  for (const Dims& group : a.groups) {
    for (const int64_t id : group) {
      if (id < -1) return view.wrong(kWrongAttribute, "a group names device {}", id);
      if (id >= 0) ids.push_back(id);
    }
  }
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice != ids.end()) {
    return view.wrong(kWrongAttribute, "device {} is in two groups", *twice);
  }
  return {};
}

Status check_permutation(const OpView& view, const CollectiveAttributes& a) {
  for (const size_t side : {size_t{0}, size_t{1}}) {
    Dims ids;
    for (const Dims& pair : a.groups) {
      if (pair.size() != 2 || pair[side] < 0) {
        return view.wrong(kWrongAttribute, "a pair is not a source and a target device");
      }
      ids.push_back(pair[side]);
    }
    std::ranges::sort(ids);
    const auto twice = std::ranges::adjacent_find(ids);
    if (twice != ids.end()) {
      return view.wrong(kWrongAttribute, "device {} is {} twice", *twice,
                        side == 0 ? "a source" : "a target");
    }
  }
  return {};
}

Status check_reducer(const OpView& view, ElementType element) {
  const Type scalar = tensor_of(element, {});
  return check_region(view, 0, {scalar, scalar}, {scalar});
}

// One operand's result: dimension `dim` times `multiply`, divided by `divide`.
Result<TensorType> resized(const OpView& view, TensorType type, int64_t dim, int64_t multiply,
                           int64_t divide) {
  TY_TRY(check_dims(view, "dim", {dim}, type.rank()));
  int64_t& size = type.shape[static_cast<size_t>(dim)];
  if (divide < 1 || multiply < 1 || size % divide != 0) {
    return view.wrong(kWrongShape, "dimension {} of {} does not split into {}", dim, str(type),
                      divide);
  }
  const Wide after = Wide{size} / divide * multiply;
  if (!is_size(after)) return view.wrong(kWrongShape, "dimension {} gets too large", dim);
  size = static_cast<int64_t>(after);
  return type;
}

Result<TensorType> infer_one(const OpView& view, const CollectiveAttributes& a, size_t i) {
  const TensorType& type = view.operand(i);
  const bool known = !a.groups.empty();
  const int64_t group = known ? static_cast<int64_t>(a.groups[0].size()) : 1;
  switch (view.op.kind) {
    case OpKind::AllGather:
      return known ? resized(view, type, a.dimension, group, 1) : view.result(i);
    case OpKind::ReduceScatter: {
      TY_TRY(check_reducer(view, view.result(i).element));
      Result<TensorType> out = known ? resized(view, type, a.dimension, 1, group) : view.result(i);
      if (out.ok()) out->element = view.result(i).element;
      return out;
    }
    case OpKind::AllToAll: {
      const Result<TensorType> split = resized(view, type, a.dimension, 1, a.split_count);
      if (!split.ok()) return split.status();
      return resized(view, *split, a.concat_dimension, a.split_count, 1);
    }
    case OpKind::AllReduce:
    case OpKind::CollectiveReduce: {
      const ElementType element = view.result(i).element;
      TY_TRY(check_reducer(view, element));
      return tensor_of(element, type.shape);
    }
    default:
      return type;
  }
}

}  // namespace

Inferred infer_collective(const OpView& view) {
  if (view.op.kind == OpKind::PartitionId || view.op.kind == OpKind::ReplicaId) {
    return std::vector<Type>{tensor_of(ElementType::U32, {})};
  }
  const auto& a = view.attributes<CollectiveAttributes>();
  TY_TRY(view.op.kind == OpKind::CollectivePermute ? check_permutation(view, a)
                                                   : check_groups(view, a));
  // A dynamic root is one more operand; the results follow the others.
  const size_t data = a.dynamic_root ? view.operands() - 1 : view.operands();
  if (view.operands() == 0 || view.results() != data) {
    return view.wrong(kWrongCount, "{} operands and {} results", view.operands(), view.results());
  }
  std::vector<Type> out;
  for (size_t i = 0; i < data; ++i) {
    Result<TensorType> one = infer_one(view, a, i);
    if (!one.ok()) return one.status();
    out.push_back(std::move(one).value());
  }
  return out;
}

}  // namespace trainyard::compiler
