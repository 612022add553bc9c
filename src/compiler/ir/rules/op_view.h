#pragma once
// An operation together with the function it stands in: what a rule about types looks at.
#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

struct OpView {
  const Module& module;
  const Function& function;
  const Op& op;

  size_t operands() const { return op.operands.size(); }
  size_t results() const { return op.results.size(); }
  const Type& operand_type(size_t i) const { return function.type(op.operands[i]); }
  const Type& result_type(size_t i) const { return function.type(op.results[i]); }
  // The type of operand or result i, which must be a tensor: rules run after all_tensors().
  const TensorType& operand(size_t i) const { return *operand_type(i).tensor(); }
  const TensorType& result(size_t i) const { return *result_type(i).tensor(); }
  std::vector<Type> operand_types() const;
  std::vector<Type> result_types() const;
  bool all_tensors() const;  // operands and results
  // False when a type of the operation is outside the rules: a dynamic or quantised tensor, a
  // future. Such operations are refused by check_supported.
  bool has_plain_types() const;

  const Block& region(size_t i) const { return function.block(op.regions[i]); }
  std::vector<Type> region_arguments(size_t i) const;
  std::vector<Type> region_results(size_t i) const;  // what its terminator returns

  template <class T>
  const T& attributes() const {
    const T* found = std::get_if<T>(&op.attributes);
    TY_CHECK(found != nullptr);
    return *found;
  }

  // An error about this operation: "stablehlo.add: text".
  template <class... Args>
  Status wrong(std::string_view code, fmt::format_string<Args...> text, Args&&... args) const {
    return Status(
        code, fmt::format("{}: {}", name(op.kind), fmt::format(text, std::forward<Args>(args)...)));
  }
};

// Error codes of the verifier, one per kind of mistake.
inline constexpr std::string_view kWrongCount = "TY-SHLO-020";
inline constexpr std::string_view kWrongElement = "TY-SHLO-021";
inline constexpr std::string_view kWrongShape = "TY-SHLO-022";
inline constexpr std::string_view kWrongAttribute = "TY-SHLO-023";
inline constexpr std::string_view kWrongResult = "TY-SHLO-024";
inline constexpr std::string_view kWrongRegion = "TY-SHLO-025";
inline constexpr std::string_view kWrongCall = "TY-SHLO-026";
inline constexpr std::string_view kWrongOrder = "TY-SHLO-027";
inline constexpr std::string_view kWrongSharding = "TY-SHLO-028";

std::string str(const std::vector<Type>& types);  // "(tensor<2xf32>, tensor<i32>)"

// Ok when `dims` are different dimensions of a tensor of rank `rank`.
Status check_dims(const OpView& view, std::string_view what, const Dims& dims, int64_t rank);
// Ok when the region takes and returns exactly these types.
Status check_region(const OpView& view, size_t region, const std::vector<Type>& arguments,
                    const std::vector<Type>& results);

}  // namespace trainyard::compiler
