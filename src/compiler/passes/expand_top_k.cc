// ApproxTopK: the k best along a dimension, found exactly by a stable sort. The recall that the
// caller asks for is a lower bound, so the exact answer is always allowed.
#include "compiler/passes/expand.h"

namespace trainyard::compiler {
namespace {

constexpr std::string_view kApproxTopK = "TY-CMP-004";

const IntegerAttribute* integer_of(const Op& op, std::string_view key) {
  const Attribute* config = find(op.extra, "mhlo.backend_config");
  const auto* entries =
      config == nullptr ? nullptr : std::get_if<DictionaryAttribute>(&config->kind);
  const auto& call = std::get<CustomCallAttributes>(op.attributes);
  const Attribute* found =
      entries != nullptr ? find(entries->entries, key) : find(call.config, key);
  return found == nullptr ? nullptr : std::get_if<IntegerAttribute>(&found->kind);
}

}  // namespace

Expanded expand_approx_top_k(Rebuild& rebuild, Emit& emit, const Op& op,
                             const std::vector<ValueId>& in) {
  const auto& call = std::get<CustomCallAttributes>(op.attributes);
  const IntegerAttribute* dim = integer_of(op, "reduction_dim");
  const Function* comparator = call.called_computations.size() != 1
                                   ? nullptr
                                   : rebuild.module.find_function(call.called_computations[0]);
  const size_t count = in.size() / 2;  // operands, then their initial values
  if (dim == nullptr || comparator == nullptr || op.results.size() != count || count == 0 ||
      comparator->entry().arguments.size() != in.size() || dim->value < 0 ||
      dim->value >= emit.type(in[0]).rank()) {
    return error(kApproxTopK,
                 "ApproxTopK lacks its reduction_dim or its comparator; use "
                 "jax.lax.top_k");
  }
  std::vector<Type> scalars;
  std::vector<Type> types;
  for (size_t i = 0; i < count; ++i) {
    const TensorType type = emit.type(in[i]);
    scalars.insert(scalars.end(), 2, tensor_of(type.element, {}));
    types.emplace_back(type);
  }
  Status inlined;
  Op sort;
  sort.kind = OpKind::Sort;
  sort.operands = {in.begin(), in.begin() + static_cast<ptrdiff_t>(count)};
  sort.attributes = SortAttributes{.dimension = dim->value, .stable = true};
  sort.location = rebuild.location(op.location);
  sort.regions = {emit.region(scalars, [&](std::span<const ValueId> pairs) {
    auto less = rebuild.inline_function(*comparator, pairs, op.location);
    if (!less.ok()) inlined = less.status();
    return less.ok() ? *less : std::vector<ValueId>();
  })};
  TY_TRY(inlined);
  const std::vector<ValueId> sorted = rebuild.to.op(rebuild.add(std::move(sort), types)).results;
  std::vector<ValueId> results;
  for (size_t i = 0; i < count; ++i) {
    const TensorType& want = *rebuild.source().type(op.results[i]).tensor();
    results.push_back(
        emit.slice(sorted[i], dim->value, 0, want.shape[static_cast<size_t>(dim->value)]));
  }
  return results;
}

}  // namespace trainyard::compiler
