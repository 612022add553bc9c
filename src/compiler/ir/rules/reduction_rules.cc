// Operations that apply a region to elements: reduce, map, sort.
#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

Inferred infer_reduce(const OpView& view) {
  const size_t n = view.operands() / 2;
  if (view.operands() == 0 || view.operands() % 2 != 0 || view.results() != n) {
    return view.wrong(kWrongCount, "{} operands and {} results", view.operands(), view.results());
  }
  const Dims& dims = view.attributes<DimsAttributes>().dims;
  TY_TRY(check_dims(view, "dims", dims, view.operand(0).rank()));
  // The sum may be kept in a wider type than the input: the region decides.
  std::vector<Type> elements;
  std::vector<Type> out;
  for (size_t i = 0; i < n; ++i) {
    const TensorType& input = view.operand(i);
    if (input.shape != view.operand(0).shape || !view.operand(n + i).is_scalar()) {
      return view.wrong(kWrongShape, "input {} is {}, its initial value is {}", i, str(input),
                        str(view.operand(n + i)));
    }
    const ElementType element = view.result(i).element;
    elements.push_back(tensor_of(element, {}));
    out.push_back(tensor_of(element, without(input.shape, dims)));
  }
  std::vector<Type> arguments = elements;
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  TY_TRY(check_region(view, 0, arguments, elements));
  return out;
}

Inferred infer_map(const OpView& view) {
  if (view.operands() == 0) return view.wrong(kWrongCount, "there is nothing to map");
  std::vector<Type> arguments;
  for (size_t i = 0; i < view.operands(); ++i) {
    if (view.operand(i).shape != view.operand(0).shape) {
      return view.wrong(kWrongShape, "operand {} is {}, operand 0 is {}", i, str(view.operand(i)),
                        str(view.operand(0)));
    }
    arguments.push_back(tensor_of(view.operand(i).element, {}));
  }
  const ElementType element = view.result(0).element;
  TY_TRY(check_region(view, 0, arguments, {tensor_of(element, {})}));
  return std::vector<Type>{tensor_of(element, view.operand(0).shape)};
}

Inferred infer_sort(const OpView& view) {
  if (view.operands() == 0) return view.wrong(kWrongCount, "there is nothing to sort");
  std::vector<Type> arguments;
  for (size_t i = 0; i < view.operands(); ++i) {
    if (view.operand(i).shape != view.operand(0).shape) {
      return view.wrong(kWrongShape, "operand {} is {}, operand 0 is {}", i, str(view.operand(i)),
                        str(view.operand(0)));
    }
    const Type scalar = tensor_of(view.operand(i).element, {});
    arguments.push_back(scalar);
    arguments.push_back(scalar);
  }
  const int64_t rank = view.operand(0).rank();
  const int64_t dimension = view.attributes<SortAttributes>().dimension;
  TY_TRY(check_dims(view, "dim",
                    {dimension < 0 && dimension >= -rank ? dimension + rank : dimension}, rank));
  TY_TRY(check_region(view, 0, arguments, {tensor_of(ElementType::I1, {})}));
  return view.operand_types();
}

}  // namespace

Inferred infer_reduction(const OpView& view) {
  switch (view.op.kind) {
    case OpKind::Reduce:
      return infer_reduce(view);
    case OpKind::Map:
      return infer_map(view);
    default:
      return infer_sort(view);
  }
}

}  // namespace trainyard::compiler
