#include "compiler/ir/rules/op_view.h"

#include <algorithm>

namespace trainyard::compiler {
namespace {

std::vector<Type> types_of(const Function& function, const std::vector<ValueId>& values) {
  std::vector<Type> out;
  out.reserve(values.size());
  for (const ValueId value : values) out.push_back(function.type(value));
  return out;
}

bool is_plain(const Type& type) {
  if (const TensorType* tensor = type.tensor()) {
    return tensor->is_static() && tensor->element != ElementType::Quantized &&
           tensor->element != ElementType::None;
  }
  return !std::holds_alternative<OtherType>(type.kind) &&
         !std::holds_alternative<FutureType>(type.kind);
}

}  // namespace

std::vector<Type> OpView::operand_types() const { return types_of(function, op.operands); }
std::vector<Type> OpView::result_types() const { return types_of(function, op.results); }

bool OpView::all_tensors() const {
  const auto is_tensor = [&](ValueId value) { return function.type(value).tensor() != nullptr; };
  return std::ranges::all_of(op.operands, is_tensor) && std::ranges::all_of(op.results, is_tensor);
}

bool OpView::has_plain_types() const {
  const auto plain = [&](ValueId value) { return is_plain(function.type(value)); };
  return std::ranges::all_of(op.operands, plain) && std::ranges::all_of(op.results, plain);
}

std::vector<Type> OpView::region_arguments(size_t i) const {
  return types_of(function, region(i).arguments);
}

std::vector<Type> OpView::region_results(size_t i) const {
  const Block& block = region(i);
  return block.ops.empty() ? std::vector<Type>{}
                           : types_of(function, function.op(block.ops.back()).operands);
}

std::string str(const std::vector<Type>& types) {
  std::string text = "(";
  for (size_t i = 0; i < types.size(); ++i) text += (i > 0 ? ", " : "") + str(types[i]);
  return text + ")";
}

Status check_dims(const OpView& view, std::string_view what, const Dims& dims, int64_t rank) {
  Dims sorted = dims;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] < 0 || sorted[i] >= rank) {
      return view.wrong(kWrongAttribute, "{} names dimension {} of a tensor of rank {}", what,
                        sorted[i], rank);
    }
    if (i > 0 && sorted[i] == sorted[i - 1]) {
      return view.wrong(kWrongAttribute, "{} names dimension {} twice", what, sorted[i]);
    }
  }
  return {};
}

Status check_region(const OpView& view, size_t region, const std::vector<Type>& arguments,
                    const std::vector<Type>& results) {
  const std::vector<Type> takes = view.region_arguments(region);
  if (takes != arguments) {
    return view.wrong(kWrongRegion, "region {} takes {}, {} is expected", region, str(takes),
                      str(arguments));
  }
  const std::vector<Type> returns = view.region_results(region);
  if (returns != results) {
    return view.wrong(kWrongRegion, "region {} returns {}, {} is expected", region, str(returns),
                      str(results));
  }
  return {};
}

}  // namespace trainyard::compiler
