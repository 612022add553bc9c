// Groups of element-wise operations over the same number of elements: one program, one loop over
// strips, the values between stay in the processors.
#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "compiler/ir/element_value.h"
#include "compiler/lower/gpsimd/emitter.h"
#include "compiler/lower/gpsimd/lowerings.h"
#include "isa/gpsimd/verify.h"

namespace trainyard::compiler {
namespace {

using gp::Bounds;
using gp::Code;

class Group {
 public:
  Group(Lowering& lowering, const Kernel& kernel) : lowering_(lowering), kernel_(kernel) {
    const Op& first = lowering.function.op(kernel.ops.front());
    elements_ = lowering.elements(first.results[0]);
    for (const OpId id : kernel.ops) {
      for (const ValueId v : lowering.function.op(id).results) {
        if (lowering.is_used_outside(v, kernel.ops)) outputs_.push_back(v);
      }
    }
  }

  Status lower() {
    // Shorter strips need less working memory.
    for (int64_t strip = lowering_.core.call.strip.value;; strip /= 2) {
      Call draft(lowering_, "elementwise");
      emit(draft, strip, {});
      const std::vector<Emitter::Literal> literals = literals_;
      Call call(lowering_, "elementwise");
      emit(call, strip, literals);
      constexpr int64_t kShortest = 16;
      if (strip > kShortest && !fits(call)) continue;
      const OpId id = kernel_.ops.back();
      return call.emit(Lowering::label(lowering_.function.op(id), id));
    }
  }

 private:
  bool fits(Call& call) const {
    gp::FunctionBuilder copy = call.body;
    return gp::working_bytes(copy.finish()) <= gp::limits(lowering_.core).working_bytes;
  }

  void emit(Call& call, int64_t strip, const std::vector<Emitter::Literal>& literals) {
    call_ = &call;
    values_.clear();
    const int64_t count = std::min(elements_, strip);
    Emitter emitter(call.body, count);
    emitter_ = &emitter;
    emitter.prepare(literals);
    before_loop(count);
    for (const ValueId v : outputs_) {
      if (!lowering_.is_bound(v)) lowering_.define(v);
    }
    call.each_strip(elements_, strip, [&](gp::ValueId base, int64_t n, Bounds load, Bounds store) {
      base_ = base;
      count_ = n;
      load_ = load;
      numbers_ = -1;
      for (const OpId id : kernel_.ops) compute(lowering_.function.op(id));
      for (const ValueId v : outputs_) {
        const gp::WindowId to = call.window(gp::Window::Use::Write, lowering_.whole(v),
                                            window_type(lowering_.type(v).element), {elements_});
        call.body.store({.window = to, .bounds = store}, base, values_.at(v));
      }
    });
    literals_ = emitter.literals();
  }

  // Strips that no turn of the loop changes: broadcast scalars.
  void before_loop(int64_t count) {
    std::unordered_set<ValueId> own;
    for (const OpId id : kernel_.ops) {
      const Op& op = lowering_.function.op(id);
      for (const ValueId v : op.operands) {
        if (own.contains(v) || values_.contains(v)) continue;
        const ValueId source = scalar_source(v);
        if (source < 0 || lowering_.constant(source) != nullptr) continue;
        values_[v] = call_->body.broadcast(call_->scalar(source), count);
      }
      own.insert(op.results.begin(), op.results.end());
    }
  }

  // The value of one element that `v` repeats, or -1.
  ValueId scalar_source(ValueId v) const {
    if (elements_ == 1) return lowering_.constant(v) != nullptr ? v : -1;
    while (true) {
      if (lowering_.elements(v) == 1) return v;
      if (const Constant* known = lowering_.constant(v)) return known->splat ? v : -1;
      const Op* op = lowering_.maker(v);
      if (op == nullptr || (op->kind != OpKind::BroadcastInDim && op->kind != OpKind::Reshape)) {
        return -1;
      }
      v = op->operands[0];
    }
  }

  // A reshape of a value of the group is that value.
  ValueId renamed(ValueId v) const {
    for (const Op* op = lowering_.maker(v); op != nullptr && op->kind == OpKind::Reshape;
         op = lowering_.maker(v)) {
      v = op->operands[0];
    }
    return v;
  }

  gp::ValueId operand(ValueId v) {
    if (const auto known = values_.find(renamed(v)); known != values_.end()) return known->second;
    if (const auto known = values_.find(v); known != values_.end()) return known->second;
    if (const ValueId source = scalar_source(v); source >= 0 && lowering_.constant(source)) {
      const Constant& data = *lowering_.constant(source);
      return emitter_->constant(window_type(data.type.element), element_bits(data, 0));
    }
    const gp::ValueId value = load(v);
    values_[v] = value;
    return value;
  }

  gp::ValueId load(ValueId v) {
    const gp::WindowId from = call_->read(strided_view(lowering_, v));
    const gp::Type type = window_type(lowering_.type(v).element);
    return call_->body.load({.window = from, .bounds = load_}, {type, count_}, base_);
  }

  // The number of each element of the strip.
  gp::ValueId numbers(gp::Type type) {
    if (numbers_ >= 0) return numbers_;
    gp::FunctionBuilder& b = call_->body;
    const gp::ValueId base = b.broadcast(b.convert(base_, type), count_);
    return numbers_ = b.binary(Code::Add, b.iota(type, count_), base);
  }

  gp::ValueId iota(const Op& op) {
    const std::vector<int64_t>& shape = lowering_.type(op.results[0]).shape;
    const auto dim = static_cast<size_t>(std::get<DimAttributes>(op.attributes).dim);
    int64_t stride = 1, before = 1;
    for (size_t i = dim + 1; i < shape.size(); ++i) stride *= shape[i];
    for (size_t i = 0; i < dim; ++i) before *= shape[i];
    const bool small = elements_ < std::numeric_limits<int32_t>::max() - gp::kMostStrip;
    const gp::Type type = small ? gp::Type::U32 : gp::Type::U64;
    gp::ValueId x = divided(numbers(type), type, stride);
    if (before > 1) x = rest(x, type, shape[dim]);
    const TensorType& result = lowering_.type(op.results[0]);
    return emitter_->convert(small ? ElementType::U32 : ElementType::U64, result.element, x);
  }
  gp::ValueId divided(gp::ValueId x, gp::Type type, int64_t by) {
    if (by == 1) return x;
    const auto n = static_cast<uint64_t>(by);
    if (!std::has_single_bit(n))
      return call_->body.binary(Code::Div, x, emitter_->integer(type, by));
    return call_->body.binary(Code::Shr, x, emitter_->integer(type, std::countr_zero(n)));
  }
  gp::ValueId rest(gp::ValueId x, gp::Type type, int64_t by) {
    const bool power = std::has_single_bit(static_cast<uint64_t>(by));
    return call_->body.binary(power ? Code::And : Code::Rem, x,
                              emitter_->integer(type, power ? by - 1 : by));
  }

  void compute(const Op& op) {
    if (op.kind == OpKind::Iota) {
      values_[op.results[0]] = iota(op);
      return;
    }
    std::vector<gp::ValueId> in;
    for (const ValueId v : op.operands) in.push_back(operand(v));
    values_[op.results[0]] =
        op.kind == OpKind::Reshape ? in[0] : emitter_->emit(lowering_.function, op, in);
  }

  Lowering& lowering_;
  const Kernel& kernel_;
  int64_t elements_ = 0;
  std::vector<ValueId> outputs_;
  std::vector<Emitter::Literal> literals_;

  Call* call_ = nullptr;
  Emitter* emitter_ = nullptr;
  gp::ValueId base_ = -1;
  int64_t count_ = 0;
  Bounds load_ = Bounds::Fault;
  gp::ValueId numbers_ = -1;
  std::unordered_map<ValueId, gp::ValueId> values_;
};

}  // namespace

Status lower_elementwise(Lowering& lowering, const Kernel& kernel) {
  const Op& first = lowering.function.op(kernel.ops.front());
  if (is_empty(lowering.type(first.results[0]))) {
    for (const OpId id : kernel.ops) lowering.bind(lowering.function.op(id).results[0], -1);
    return {};
  }
  if (kernel.ops.size() == 1 && first.kind == OpKind::BitcastConvert) {
    lowering.bind(first.results[0], lowering.hbm(first.operands[0]));
    return {};
  }
  return Group(lowering, kernel).lower();
}

}  // namespace trainyard::compiler
