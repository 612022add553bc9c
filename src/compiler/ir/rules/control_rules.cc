// Branches, loops, tuples, tokens.
#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

Status check_branches(const OpView& view, ElementType selector) {
  if (view.operand_type(0) != Type(tensor_of(selector, {}))) {
    return view.wrong(kWrongElement, "the selector is {}, a scalar of {} is expected",
                      str(view.operand_type(0)), name(selector));
  }
  if (view.op.regions.empty()) return view.wrong(kWrongCount, "there are no branches");
  const std::vector<Type> results = view.result_types();
  for (size_t i = 0; i < view.op.regions.size(); ++i) {
    TY_TRY(check_region(view, i, {}, results));
  }
  return {};
}

Status check_while(const OpView& view) {
  const std::vector<Type> state = view.operand_types();
  TY_TRY(check_region(view, 0, state, {tensor_of(ElementType::I1, {})}));
  return check_region(view, 1, state, state);
}

Inferred infer_get_tuple_element(const OpView& view) {
  const auto* tuple = std::get_if<TupleType>(&view.operand_type(0).kind);
  const int64_t index = view.attributes<DimAttributes>().dim;
  if (tuple == nullptr || index < 0 || index >= static_cast<int64_t>(tuple->elements.size())) {
    return view.wrong(kWrongAttribute, "{} has no element {}", str(view.operand_type(0)), index);
  }
  return std::vector<Type>{tuple->elements[static_cast<size_t>(index)]};
}

}  // namespace

Inferred infer_control(const OpView& view) {
  switch (view.op.kind) {
    case OpKind::If:
      TY_TRY(check_branches(view, ElementType::I1));
      return view.result_types();
    case OpKind::Case:
      TY_TRY(check_branches(view, ElementType::I32));
      return view.result_types();
    case OpKind::While:
      TY_TRY(check_while(view));
      return view.operand_types();
    case OpKind::OptimizationBarrier:
      return view.operand_types();
    case OpKind::Tuple:
      return std::vector<Type>{TupleType{view.operand_types()}};
    case OpKind::GetTupleElement:
      return infer_get_tuple_element(view);
    default:  // after_all, create_token
      for (size_t i = 0; i < view.operands(); ++i) {
        if (!std::holds_alternative<TokenType>(view.operand_type(i).kind)) {
          return view.wrong(kWrongElement, "operand {} is {}, a token is expected", i,
                            str(view.operand_type(i)));
        }
      }
      return std::vector<Type>{TokenType{}};
  }
}

}  // namespace trainyard::compiler
