// sort and top_k.
#include "compiler/lower/gpsimd/lowerings.h"

namespace trainyard::compiler {

Status lower_sort(Lowering& lowering, const Op& op, OpId id) {
  const TensorType& type = lowering.type(op.results[0]);
  if (is_empty(type)) return {};
  for (size_t i = 0; i < op.results.size(); ++i) define_from(lowering, op, id, i, i);
  if (type.is_scalar()) return {};
  Result<gp::Function> less = combiner(lowering, op.regions[0], "before");
  if (!less.ok()) return less.status();
  Call call(lowering, "sort");
  gp::WindowWork work;
  for (const ValueId v : op.results) work.windows.push_back(call.update(v));
  work.axes = {std::get<SortAttributes>(op.attributes).dimension};
  work.fold = {gp::Fold::Kind::Function, call.add(std::move(*less))};
  call.body.primitive(gp::Code::Sort, std::move(work));
  return call.emit(Lowering::label(op, id));
}

Status lower_top_k(Lowering& lowering, const Op& op, OpId id) {
  if (is_empty(lowering.type(op.results[0]))) return {};
  for (const ValueId v : op.results) lowering.define(v);
  const auto& composite = std::get<CompositeAttributes>(op.attributes);
  const Attribute* flag = find(composite.attributes, "largest");
  const bool* largest = flag == nullptr ? nullptr : std::get_if<bool>(&flag->kind);
  Call call(lowering, "top_k");
  gp::WindowWork work{
      .windows = {call.read(op.operands[0]), call.write(op.results[0]), call.write(op.results[1])}};
  work.orders = {largest == nullptr || *largest ? gp::Order::Descending : gp::Order::Ascending};
  call.body.primitive(gp::Code::TopK, std::move(work));
  return call.emit(Lowering::label(op, id));
}

}  // namespace trainyard::compiler
