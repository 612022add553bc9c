#include <unordered_map>

#include "compiler/ir/element_value.h"
#include "compiler/lower/gpsimd/emitter.h"
#include "compiler/lower/gpsimd/lowerings.h"
#include "compiler/lower/views.h"

namespace trainyard::compiler {
namespace {

class Combiner {
 public:
  Combiner(Lowering& lowering, std::string name)
      : lowering_(lowering), body_(std::move(name)), emitter_(body_, 0) {}

  Result<gp::Function> make(BlockId region) {
    const Block& block = lowering_.function.block(region);
    for (const ValueId v : block.arguments) {
      values_[v] = body_.param({window_type(lowering_.type(v).element), 0});
    }
    std::vector<gp::ValueId> results;
    for (const OpId id : block.ops) {
      const Op& op = lowering_.function.op(id);
      if (op.kind == OpKind::Constant) continue;
      std::vector<gp::ValueId> in;
      for (const ValueId v : op.operands) {
        const Result<gp::ValueId> value = operand(v);
        if (!value.ok()) return value.status().at(lowering_.place(op));
        in.push_back(*value);
      }
      if (is_terminator(op.kind)) {
        results = in;
      } else if (is_view_op(op.kind) || op.kind == OpKind::OptimizationBarrier) {
        for (size_t i = 0; i < op.results.size(); ++i) values_[op.results[i]] = in[i];
      } else if (is_elementwise(lowering_.function, op) && op.kind != OpKind::Iota) {
        values_[op.results[0]] = emitter_.emit(lowering_.function, op, in);
      } else {
        return error("TY-LOW-002",
                     "{} stands in the computation of a reduction, sort or scatter, which takes "
                     "element-wise operations on scalars; compute it outside",
                     name(op.kind))
            .at(lowering_.place(op));
      }
    }
    return body_.finish(std::move(results));
  }

 private:
  Result<gp::ValueId> operand(ValueId v) {
    if (const auto known = values_.find(v); known != values_.end()) return known->second;
    const Constant* data = lowering_.constant(v);
    if (data == nullptr) {
      return error("TY-LOW-002",
                   "the computation of a reduction, sort or scatter uses a value from outside; "
                   "pass it as an operand");
    }
    return emitter_.constant(window_type(data->type.element), element_bits(*data, 0));
  }

  Lowering& lowering_;
  gp::FunctionBuilder body_;
  Emitter emitter_;
  std::unordered_map<ValueId, gp::ValueId> values_;
};

}  // namespace

Result<gp::Function> combiner(Lowering& lowering, BlockId region, std::string name) {
  return Combiner(lowering, std::move(name)).make(region);
}

}  // namespace trainyard::compiler
