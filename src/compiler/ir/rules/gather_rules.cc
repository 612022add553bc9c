// gather and scatter: both map a tensor of index vectors to slices of an operand.
#include <algorithm>

#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

// What gather and scatter call differently and mean alike.
struct IndexRule {
  const TensorType& operand;
  const TensorType& indices;
  int64_t index_vector_dim;
  const Dims& index_map;
  const Dims& operand_batching;
  const Dims& indices_batching;
  const Dims& removed;  // collapsed_slice_dims, inserted_window_dims
};

Status check_indices(const OpView& view, const IndexRule& rule) {
  const int64_t rank = rule.indices.rank();
  if (!is_integer(rule.indices.element)) {
    return view.wrong(kWrongElement, "the indices are {}, integers are expected",
                      str(rule.indices));
  }
  if (rule.index_vector_dim < 0 || rule.index_vector_dim > rank) {
    return view.wrong(kWrongAttribute, "index_vector_dim is {}, the indices are {}",
                      rule.index_vector_dim, str(rule.indices));
  }
  const int64_t length = rule.index_vector_dim == rank
                             ? 1
                             : rule.indices.shape[static_cast<size_t>(rule.index_vector_dim)];
  if (length != static_cast<int64_t>(rule.index_map.size())) {
    return view.wrong(kWrongShape, "an index vector has {} entries, the map names {} dimensions",
                      length, rule.index_map.size());
  }
  TY_TRY(check_dims(view, "the index map", joined(rule.index_map, rule.operand_batching),
                    rule.operand.rank()));
  TY_TRY(check_dims(view, "the slice", joined(rule.removed, rule.operand_batching),
                    rule.operand.rank()));
  TY_TRY(check_dims(view, "the batching of the indices", rule.indices_batching, rank));
  if (rule.operand_batching.size() != rule.indices_batching.size()) {
    return view.wrong(kWrongAttribute, "{} batching dimensions of the operand, {} of the indices",
                      rule.operand_batching.size(), rule.indices_batching.size());
  }
  for (size_t i = 0; i < rule.operand_batching.size(); ++i) {
    const int64_t left = rule.operand.shape[static_cast<size_t>(rule.operand_batching[i])];
    const int64_t right = rule.indices.shape[static_cast<size_t>(rule.indices_batching[i])];
    if (left != right || rule.indices_batching[i] == rule.index_vector_dim) {
      return view.wrong(kWrongShape, "batching dimension {} of {} has size {}, {} of {} has {}",
                        rule.operand_batching[i], str(rule.operand), left, rule.indices_batching[i],
                        str(rule.indices), right);
    }
  }
  return {};
}

// The shape of the indices without the index vector.
Dims batch_shape(const IndexRule& rule) {
  Dims shape = rule.indices.shape;
  if (rule.index_vector_dim < rule.indices.rank()) {
    shape.erase(shape.begin() + rule.index_vector_dim);
  }
  return shape;
}

Inferred infer_gather_op(const OpView& view) {
  const auto& a = view.attributes<GatherAttributes>();
  const TensorType& operand = view.operand(0);
  const IndexRule rule{operand,
                       view.operand(1),
                       a.index_vector_dim,
                       a.start_index_map,
                       a.operand_batching_dims,
                       a.start_indices_batching_dims,
                       a.collapsed_slice_dims};
  TY_TRY(check_indices(view, rule));
  if (a.slice_sizes.size() != operand.shape.size()) {
    return view.wrong(kWrongAttribute, "{} slice sizes are given for {}", a.slice_sizes.size(),
                      str(operand));
  }
  for (size_t i = 0; i < a.slice_sizes.size(); ++i) {
    if (a.slice_sizes[i] < 0 || a.slice_sizes[i] > operand.shape[i]) {
      return view.wrong(kWrongAttribute, "slice size {} does not fit dimension {} of {}",
                        a.slice_sizes[i], i, str(operand));
    }
  }
  const Dims removed = joined(a.collapsed_slice_dims, a.operand_batching_dims);
  for (const int64_t dim : removed) {
    if (a.slice_sizes[static_cast<size_t>(dim)] > 1) {
      return view.wrong(kWrongAttribute, "dimension {} is dropped, its slice size is {}", dim,
                        a.slice_sizes[static_cast<size_t>(dim)]);
    }
  }
  const Dims offsets = without(a.slice_sizes, removed);
  const Dims batch = batch_shape(rule);
  const size_t rank = offsets.size() + batch.size();
  if (offsets.size() != a.offset_dims.size() || !std::ranges::is_sorted(a.offset_dims)) {
    return view.wrong(kWrongAttribute, "{} offset dimensions are given, the slices have {}",
                      a.offset_dims.size(), offsets.size());
  }
  TY_TRY(check_dims(view, "offset_dims", a.offset_dims, static_cast<int64_t>(rank)));
  Dims shape;
  size_t next_offset = 0;
  size_t next_batch = 0;
  for (size_t i = 0; i < rank; ++i) {
    const bool is_offset =
        next_offset < a.offset_dims.size() && a.offset_dims[next_offset] == static_cast<int64_t>(i);
    shape.push_back(is_offset ? offsets[next_offset++] : batch[next_batch++]);
  }
  return std::vector<Type>{tensor_of(operand.element, std::move(shape))};
}

Status check_update(const OpView& view, const ScatterAttributes& a, const IndexRule& rule,
                    const TensorType& update) {
  const Dims removed = joined(a.inserted_window_dims, a.input_batching_dims);
  const Dims window = without(rule.operand.shape, removed);
  const Dims batch = batch_shape(rule);
  if (a.update_window_dims.size() != window.size() ||
      update.shape.size() != window.size() + batch.size()) {
    return view.wrong(kWrongShape, "the update {} does not fit the operand {} and the indices {}",
                      str(update), str(rule.operand), str(rule.indices));
  }
  TY_TRY(check_dims(view, "update_window_dims", a.update_window_dims, update.rank()));
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t size = update.shape[static_cast<size_t>(a.update_window_dims[i])];
    if (size > window[i]) {
      return view.wrong(kWrongShape, "a window of {} is {} long, the operand {} has {}",
                        str(update), size, str(rule.operand), window[i]);
    }
  }
  if (without(update.shape, a.update_window_dims) != batch) {
    return view.wrong(kWrongShape, "the update {} does not have one window per index of {}",
                      str(update), str(rule.indices));
  }
  return {};
}

Inferred infer_scatter(const OpView& view) {
  const size_t n = view.operands() / 2;
  if (view.operands() < 3 || view.operands() % 2 == 0 || view.results() != n) {
    return view.wrong(kWrongCount, "{} operands and {} results", view.operands(), view.results());
  }
  const auto& a = view.attributes<ScatterAttributes>();
  std::vector<Type> elements;
  std::vector<Type> out;
  for (size_t i = 0; i < n; ++i) {
    const IndexRule rule{view.operand(i),       view.operand(n),
                         a.index_vector_dim,    a.scatter_dims_to_operand_dims,
                         a.input_batching_dims, a.scatter_indices_batching_dims,
                         a.inserted_window_dims};
    TY_TRY(check_indices(view, rule));
    TY_TRY(check_update(view, a, rule, view.operand(n + 1 + i)));
    const ElementType element = view.result(i).element;
    elements.push_back(tensor_of(element, {}));
    out.push_back(tensor_of(element, view.operand(i).shape));
  }
  std::vector<Type> arguments = elements;
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  TY_TRY(check_region(view, 0, arguments, elements));
  return out;
}

}  // namespace

Inferred infer_gather(const OpView& view) {
  return view.op.kind == OpKind::Gather ? infer_gather_op(view) : infer_scatter(view);
}

}  // namespace trainyard::compiler
