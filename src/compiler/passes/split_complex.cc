#include "compiler/passes/split_complex.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "compiler/passes/complex_math.h"

namespace trainyard::compiler {
namespace {

constexpr std::string_view kNoFormula = "TY-CMP-005";

bool is_complex_type(const Type& type) {
  const TensorType* tensor = type.tensor();
  return tensor != nullptr && is_complex(tensor->element);
}

TensorType part_type(const TensorType& type) {
  return tensor_of(complex_part(type.element), type.shape);
}

class Splitter {
 public:
  Result<bool> visit(Rebuild& rebuild, OpId id) {
    rebuild_ = &rebuild;
    const Op& op = rebuild.source().op(id);
    Emit emit(rebuild, op);
    if (!std::exchange(started_, true)) take_parameters_apart(emit);
    if (!touches_complex(op)) return false;
    if (op.kind == OpKind::FuncReturn) return give_back(emit, op);
    // Lists of values, with or without regions: each complex one becomes two.
    if (!op.regions.empty() || is_terminator(op.kind) || op.kind == OpKind::OptimizationBarrier) {
      return doubled(op);
    }
    if (op.results.size() != 1) return refuse(op);
    if (!is_complex_type(source().type(op.results[0]))) return to_real(emit, op);
    const auto parts = pair_of(emit, op);
    if (!parts.ok()) return parts.status();
    parts_[op.results[0]] = *parts;
    return true;
  }

 private:
  const Function& source() const { return rebuild_->source(); }

  bool touches_complex(const Op& op) const {
    const auto complex = [&](ValueId v) { return is_complex_type(source().type(v)); };
    if (std::ranges::any_of(op.operands, complex) || std::ranges::any_of(op.results, complex)) {
      return true;
    }
    return std::ranges::any_of(op.regions, [&](BlockId region) {
      return std::ranges::any_of(source().block(region).arguments, complex);
    });
  }

  Status refuse(const Op& op) const {
    return error(kNoFormula,
                 "{} on {} has no formula for complex numbers; compute it on real and "
                 "imaginary parts, or on the CPU back end",
                 name(op.kind),
                 str(source().type(op.operands.empty() ? op.results[0] : op.operands[0])));
  }

  ComplexPair parts(ValueId old) const { return parts_.at(old); }

  // Parameters are taken apart at the start; what nobody reads goes away later.
  void take_parameters_apart(Emit& emit) {
    for (const ValueId old : source().entry().arguments) {
      if (!is_complex_type(source().type(old))) continue;
      const ValueId whole = rebuild_->mapped(old);
      const TensorType type = part_type(emit.type(whole));
      const ValueId re = emit.add(OpKind::Real, {whole}, {}, type);
      parts_[old] = {re, emit.add(OpKind::Imag, {whole}, {}, type)};
    }
  }

  Result<bool> give_back(Emit& emit, const Op& op) {
    Op now;
    now.kind = op.kind;
    now.location = rebuild_->location(op.location);
    for (const ValueId v : op.operands) {
      if (!is_complex_type(source().type(v)) || rebuild_->is_mapped(v)) {
        now.operands.push_back(rebuild_->mapped(v));  // real, or a parameter
        continue;
      }
      const ComplexPair pair = parts(v);
      now.operands.push_back(
          emit.add(OpKind::Complex, {pair.re, pair.im}, {}, *source().type(v).tensor()));
    }
    rebuild_->add(std::move(now), {});
    return true;
  }

  // real, imag, abs, compare: complex in, real out.
  Result<bool> to_real(Emit& emit, const Op& op) {
    const ComplexPair a = parts(op.operands[0]);
    ValueId made = -1;
    switch (op.kind) {
      case OpKind::Real:
        made = a.re;
        break;
      case OpKind::Imag:
        made = a.im;
        break;
      case OpKind::Abs:
        made = complex_abs(emit, a);
        break;
      case OpKind::IsFinite:
        return refuse(op);
      case OpKind::Convert:
        made = emit.convert(a.re, source().type(op.results[0]).tensor()->element);
        break;
      case OpKind::Compare: {
        const ComplexPair b = parts(op.operands[1]);
        const Direction direction = std::get<CompareAttributes>(op.attributes).direction;
        if (direction != Direction::Eq && direction != Direction::Ne) return refuse(op);
        made =
            emit.binary(direction == Direction::Eq ? OpKind::And : OpKind::Or,
                        emit.compare(direction, a.re, b.re), emit.compare(direction, a.im, b.im));
        break;
      }
      default:
        return refuse(op);
    }
    rebuild_->map(op.results[0], made);
    return true;
  }

  Result<ComplexPair> pair_of(Emit& emit, const Op& op) {
    const TensorType result = *source().type(op.results[0]).tensor();
    const TensorType part = part_type(result);
    switch (op.kind) {
      case OpKind::Complex:
        return ComplexPair{rebuild_->mapped(op.operands[0]), rebuild_->mapped(op.operands[1])};
      case OpKind::Constant:
        return constant(emit, op, part);
      case OpKind::Iota: {
        const ValueId re = emit.add(OpKind::Iota, {}, op.attributes, part);
        return ComplexPair{re, emit.constant(part, 0)};
      }
      case OpKind::Convert:
        return convert(emit, op, part);
      case OpKind::DotGeneral:
      case OpKind::Convolution:
        return product(emit, op, part);
      case OpKind::BroadcastInDim:
      case OpKind::Concatenate:
      case OpKind::DynamicSlice:
      case OpKind::DynamicUpdateSlice:
      case OpKind::Gather:
      case OpKind::Pad:
      case OpKind::Reshape:
      case OpKind::Reverse:
      case OpKind::Select:
      case OpKind::Slice:
      case OpKind::Transpose:
        return each_part(emit, op, part);
      default:
        break;
    }
    std::optional<ComplexPair> pair;
    if (op.operands.size() == 1) {
      pair = complex_unary(emit, op.kind, parts(op.operands[0]));
    } else if (op.operands.size() == 2) {
      const ComplexPair a = parts(op.operands[0]);
      pair = complex_binary(emit, op.kind, a, parts(op.operands[1]));
    }
    if (!pair) return refuse(op);
    return *pair;
  }

  ComplexPair constant(Emit& emit, const Op& op, const TensorType& part) {
    const auto id = std::get<ConstantAttributes>(op.attributes).value;
    const Constant& data = rebuild_->module.constants[static_cast<size_t>(id)];
    const auto size = static_cast<size_t>(byte_size(part.element));
    Constant re{.type = part, .splat = data.splat};
    Constant im = re;
    for (size_t i = 0; i < data.bytes.size(); i += 2 * size) {
      const auto at = data.bytes.begin() + static_cast<ptrdiff_t>(i);
      const auto middle = at + static_cast<ptrdiff_t>(size);
      re.bytes.insert(re.bytes.end(), at, middle);
      im.bytes.insert(im.bytes.end(), middle, middle + static_cast<ptrdiff_t>(size));
    }
    Module& module = rebuild_->module;
    const ConstantId re_id = add_constant(module, std::move(re));
    const ConstantId im_id = add_constant(module, std::move(im));
    return {emit.add(OpKind::Constant, {}, ConstantAttributes{re_id}, part),
            emit.add(OpKind::Constant, {}, ConstantAttributes{im_id}, part)};
  }

  ComplexPair convert(Emit& emit, const Op& op, const TensorType& part) {
    const ValueId from = op.operands[0];
    if (!is_complex_type(source().type(from))) {
      return {emit.convert(rebuild_->mapped(from), part.element), emit.constant(part, 0)};
    }
    const ComplexPair pair = parts(from);
    return {emit.convert(pair.re, part.element), emit.convert(pair.im, part.element)};
  }

  // A product of sums: (a + ib)(c + id), four real ones.
  ComplexPair product(Emit& emit, const Op& op, const TensorType& part) {
    const ComplexPair a = parts(op.operands[0]);
    const ComplexPair b = parts(op.operands[1]);
    const auto real = [&](ValueId x, ValueId y) {
      return emit.add(op.kind, {x, y}, op.attributes, part);
    };
    return {emit.minus(real(a.re, b.re), real(a.im, b.im)),
            emit.plus(real(a.re, b.im), real(a.im, b.re))};
  }

  // Moves treat both parts alike.
  ComplexPair each_part(Emit& emit, const Op& op, const TensorType& part) {
    std::vector<ValueId> re;
    std::vector<ValueId> im;
    for (const ValueId v : op.operands) {
      if (is_complex_type(source().type(v))) {
        const ComplexPair pair = parts(v);
        re.push_back(pair.re);
        im.push_back(pair.im);
      } else {
        re.push_back(rebuild_->mapped(v));
        im.push_back(rebuild_->mapped(v));
      }
    }
    const ValueId first = emit.add(op.kind, re, op.attributes, part);
    return {first, emit.add(op.kind, im, op.attributes, part)};
  }

  // Types in order, complex ones as two.
  std::vector<Type> doubled_types(const std::vector<ValueId>& values) const {
    std::vector<Type> out;
    for (const ValueId v : values) {
      const Type& type = source().type(v);
      if (is_complex_type(type)) {
        out.insert(out.end(), 2, part_type(*type.tensor()));
      } else {
        out.push_back(type);
      }
    }
    return out;
  }

  // An operation on lists of values. Reductions and scatters give their region one argument per
  // value on each side, so doubling each value keeps the order; a sort has (left, right) pairs.
  Result<bool> doubled(const Op& op) {
    if (op.kind == OpKind::SelectAndScatter) return refuse(op);
    Op now;
    now.kind = op.kind;
    now.attributes = op.attributes;
    now.extra = op.extra;
    now.location = rebuild_->location(op.location);
    for (const ValueId v : op.operands) {
      if (is_complex_type(source().type(v))) {
        const ComplexPair pair = parts(v);
        now.operands.push_back(pair.re);
        now.operands.push_back(pair.im);
      } else {
        now.operands.push_back(rebuild_->mapped(v));
      }
    }
    for (const BlockId region : op.regions) {
      const Result<BlockId> made = region_of(region, op.kind == OpKind::Sort ? 2 : 1);
      if (!made.ok()) return made.status();
      now.regions.push_back(*made);
    }
    const OpId made = rebuild_->add(std::move(now), doubled_types(op.results));
    set_values(op.results, rebuild_->to.op(made).results, 1);
    return true;
  }

  // Values come in groups of `group` of one type; a complex group is all real parts, then all
  // imaginary ones.
  void set_values(const std::vector<ValueId>& old, const std::vector<ValueId>& now, size_t group) {
    size_t at = 0;
    for (size_t i = 0; i < old.size(); i += group) {
      const bool complex = is_complex_type(source().type(old[i]));
      for (size_t k = 0; k < group; ++k) {
        if (complex) {
          parts_[old[i + k]] = {now[at + k], now[at + group + k]};
        } else {
          rebuild_->map(old[i + k], now[at + k]);
        }
      }
      at += complex ? 2 * group : group;
    }
  }

  Result<BlockId> region_of(BlockId region, size_t group) {
    const Block& from = source().block(region);
    const BlockId made = add_block(rebuild_->to, doubled_types(from.arguments));
    const std::vector<ValueId> arguments = rebuild_->to.block(made).arguments;
    set_values(from.arguments, arguments, group);
    const BlockId outer = std::exchange(rebuild_->block, made);
    const Status status = rebuild_->visit_all(from.ops);
    rebuild_->block = outer;
    if (!status.ok()) return status;
    return made;
  }

  Rebuild* rebuild_ = nullptr;
  bool started_ = false;
  std::unordered_map<ValueId, ComplexPair> parts_;  // by value of the source
};

}  // namespace

Status split_complex(Module& module) {
  const Function& main = *main_of(module);
  const bool any = std::ranges::any_of(
      main.values, [](const Value& value) { return is_complex_type(value.type); });
  if (!any) return {};
  Splitter splitter;
  return rebuild_main(module,
                      [&](Rebuild& rebuild, OpId id) { return splitter.visit(rebuild, id); });
}

}  // namespace trainyard::compiler
