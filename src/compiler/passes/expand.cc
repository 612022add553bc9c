#include "compiler/passes/expand.h"

#include <map>

#include "base/check.h"

namespace trainyard::compiler {
namespace {

constexpr std::string_view kTuple = "TY-CMP-001";

Dims counted(int64_t from, size_t n) {
  Dims out;
  for (size_t i = 0; i < n; ++i) out.push_back(from + static_cast<int64_t>(i));
  return out;
}

class Expander {
 public:
  Result<bool> visit(Rebuild& rebuild, OpId id) {
    const Op& op = rebuild.source().op(id);
    if (op.kind == OpKind::Tuple) {
      tuples_[op.results[0]] = rebuild.mapped(op.operands);
      return true;
    }
    Emit emit(rebuild, op);
    Expanded results = one(rebuild, emit, op);
    if (!results.ok()) return results.status();
    if (results->empty()) return false;
    for (size_t i = 0; i < results->size(); ++i) rebuild.map(op.results[i], (*results)[i]);
    return true;
  }

 private:
  // What the results become; nothing for an operation that stays.
  Expanded one(Rebuild& rebuild, Emit& emit, const Op& op) {
    const std::vector<ValueId> in = rebuild.mapped(op.operands);
    switch (op.kind) {
      case OpKind::GetTupleElement:
        return tuple_element(op);
      case OpKind::Broadcast:
      case OpKind::Dot:
      case OpKind::Clamp:
      case OpKind::Select:
      case OpKind::Real:
      case OpKind::Imag:
      case OpKind::GetDimensionSize:
        return simple(rebuild, emit, op, in);
      case OpKind::AllGather:
      case OpKind::AllReduce:
      case OpKind::AllToAll:
      case OpKind::CollectiveBroadcast:
      case OpKind::CollectivePermute:
      case OpKind::ReduceScatter:
      case OpKind::PartitionId:
      case OpKind::ReplicaId:
        return collective(rebuild, emit, op, in);
      case OpKind::BatchNormGrad:
      case OpKind::BatchNormInference:
      case OpKind::BatchNormTraining:
        return expand_batch_norm(emit, op, in);
      case OpKind::Cholesky:
        return expand_cholesky(rebuild, emit, op, in);
      case OpKind::TriangularSolve:
        return expand_triangular_solve(rebuild, emit, op, in);
      case OpKind::Map:
        return expand_map(rebuild, emit, op, in);
      case OpKind::ReducePrecision:
        return expand_reduce_precision(emit, op, in);
      case OpKind::RngBitGenerator:
        return expand_random_bits(emit, op, in, *rebuild.source().type(op.results[1]).tensor());
      case OpKind::CustomCall:
        if (std::get<CustomCallAttributes>(op.attributes).target != "ApproxTopK") break;
        return expand_approx_top_k(rebuild, emit, op, in);
      default:
        break;
    }
    return std::vector<ValueId>();
  }

  static Expanded simple(Rebuild& rebuild, Emit& emit, const Op& op,
                         const std::vector<ValueId>& in) {
    const TensorType result = *rebuild.source().type(op.results[0]).tensor();
    switch (op.kind) {
      case OpKind::Broadcast: {
        const size_t rank = emit.type(in[0]).shape.size();
        const auto first = static_cast<int64_t>(result.shape.size() - rank);
        return std::vector{emit.broadcast(in[0], result.shape, counted(first, rank))};
      }
      case OpKind::Dot: {
        DotAttributes dims = std::get<DotAttributes>(op.attributes);
        dims.lhs_contracting = {emit.type(in[0]).rank() - 1};
        dims.rhs_contracting = {0};
        return std::vector{emit.add(OpKind::DotGeneral, in, dims, result)};
      }
      case OpKind::Clamp: {
        const auto full = [&](ValueId v) {
          return emit.type(v).shape == result.shape ? v : emit.broadcast(v, result.shape, {});
        };
        const ValueId low = emit.binary(OpKind::Maximum, in[1], full(in[0]));
        return std::vector{emit.binary(OpKind::Minimum, low, full(in[2]))};
      }
      case OpKind::Select:
        if (emit.type(in[0]).shape == result.shape) return std::vector<ValueId>();
        return std::vector{emit.select(emit.broadcast(in[0], result.shape, {}), in[1], in[2])};
      case OpKind::Real:
      case OpKind::Imag:
        if (is_complex(emit.type(in[0]).element)) return std::vector<ValueId>();
        return std::vector{op.kind == OpKind::Real ? in[0] : emit.like(in[0], 0)};
      default: {  // get_dimension_size
        const auto dim = static_cast<size_t>(std::get<DimAttributes>(op.attributes).dim);
        return std::vector{emit.constant(result, static_cast<double>(emit.type(in[0]).shape[dim]))};
      }
    }
  }

  // With one device everybody's data is one's own.
  static Expanded collective(Rebuild& rebuild, Emit& emit, const Op& op,
                             const std::vector<ValueId>& in) {
    if (op.kind == OpKind::PartitionId || op.kind == OpKind::ReplicaId) {
      return std::vector{emit.constant(*rebuild.source().type(op.results[0]).tensor(), 0)};
    }
    const auto& groups = std::get<CollectiveAttributes>(op.attributes).groups;
    if (op.kind != OpKind::CollectivePermute || !groups.empty()) return in;
    std::vector<ValueId> zeros;  // nobody sends
    for (const ValueId v : in) zeros.push_back(emit.like(v, 0));
    return zeros;
  }

  Expanded tuple_element(const Op& op) {
    const auto found = tuples_.find(op.operands[0]);
    if (found == tuples_.end()) {
      return error(kTuple,
                   "a tuple comes from outside of the function; pass its elements one by one");
    }
    return std::vector{
        found->second[static_cast<size_t>(std::get<DimAttributes>(op.attributes).dim)]};
  }

  std::map<ValueId, std::vector<ValueId>> tuples_;  // of the source -> elements in the new function
};

}  // namespace

Status expand(Module& module) {
  Expander expander;
  TY_TRY(
      rebuild_main(module, [&](Rebuild& rebuild, OpId id) { return expander.visit(rebuild, id); }));
  // Comparators of custom calls have been put in place.
  return {};
}

}  // namespace trainyard::compiler
