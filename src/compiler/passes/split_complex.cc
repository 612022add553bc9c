#include "compiler/passes/split_complex.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace trainyard::compiler {
namespace {

const TensorType* complex_type(const Type& type) {
  const TensorType* tensor = type.tensor();
  return tensor != nullptr && is_complex(tensor->element) ? tensor : nullptr;
}

TensorType part_type(TensorType type) {
  type.element = complex_part(type.element);
  return type;
}

class Splitter {
 public:
  Result<bool> visit(Rebuild& rebuild, OpId id) {
    rebuild_ = &rebuild;
    const Op& op = rebuild.source().op(id);
    if (!touches(op)) return false;
    Emit emit(rebuild, op);
    if (is_terminator(op.kind)) return finish(emit, op);
    if (!op.regions.empty()) return with_regions(emit, op);
    return one(emit, op);
  }

 private:
  bool is_complex_value(ValueId v) const {
    return complex_type(rebuild_->source().type(v)) != nullptr;
  }
  bool touches(const Op& op) const {
    return std::ranges::any_of(op.operands, [&](ValueId v) { return is_complex_value(v); }) ||
           std::ranges::any_of(op.results, [&](ValueId v) { return is_complex_value(v); });
  }

  Parts parts(Emit& emit, ValueId old) {
    if (const auto known = parts_.find(old); known != parts_.end()) return known->second;
    const TensorType type = part_type(*rebuild_->source().type(old).tensor());
    const ValueId now = rebuild_->mapped(old);
    return {emit.add(OpKind::Real, {now}, {}, type), emit.add(OpKind::Imag, {now}, {}, type)};
  }
  void put(ValueId old, Parts p) { parts_[old] = p; }
  ValueId joined(Emit& emit, ValueId old) {
    if (!is_complex_value(old) || rebuild_->is_mapped(old)) return rebuild_->mapped(old);
    const Parts p = parts(emit, old);
    const TensorType type = *rebuild_->source().type(old).tensor();
    const ValueId value = emit.add(OpKind::Complex, {p.re, p.im}, {}, type);
    return value;
  }

  // What leaves main is complex again.
  Result<bool> finish(Emit& emit, const Op& op) {
    Op last;
    last.kind = op.kind;
    last.location = rebuild_->location(op.location);
    for (const ValueId v : op.operands) last.operands.push_back(joined(emit, v));
    rebuild_->add(std::move(last), {});
    return true;
  }

  void flatten(Emit& emit, std::span<const ValueId> old, std::vector<ValueId>& out) {
    for (const ValueId v : old) {
      if (!is_complex_value(v)) {
        out.push_back(rebuild_->mapped(v));
        continue;
      }
      const Parts p = parts(emit, v);
      out.insert(out.end(), {p.re, p.im});
    }
  }
  std::vector<Type> flat_types(std::span<const ValueId> old) const {
    std::vector<Type> out;
    for (const ValueId v : old) {
      const Type& type = rebuild_->source().type(v);
      const TensorType* pair = complex_type(type);
      if (pair == nullptr) {
        out.push_back(type);
      } else {
        out.insert(out.end(), 2, part_type(*pair));
      }
    }
    return out;
  }

  // Loops, branches, reductions, sorts and scatters get one operand more for each complex one.
  Result<bool> with_regions(Emit& emit, const Op& op) {
    if (op.kind == OpKind::SelectAndScatter) return false;
    Op made;
    made.kind = op.kind;
    made.attributes = op.attributes;
    made.extra = op.extra;
    made.location = rebuild_->location(op.location);
    flatten(emit, op.operands, made.operands);
    for (const BlockId region : op.regions) {
      const Result<BlockId> inner = split_region(emit, region, op.kind == OpKind::Sort);
      if (!inner.ok()) return inner.status();
      made.regions.push_back(*inner);
    }
    const OpId id = rebuild_->add(std::move(made), flat_types(op.results));
    size_t next = 0;
    for (const ValueId old : op.results) {
      const std::vector<ValueId>& now = rebuild_->to.op(id).results;
      if (is_complex_value(old)) {
        put(old, {now[next], now[next + 1]});
        next += 2;
      } else {
        rebuild_->map(old, now[next++]);
      }
    }
    return true;
  }

  // The new block's arguments, in their order; a sort compares pairs: all real parts, then all
  // imaginary ones.
  Result<BlockId> split_region(Emit& emit, BlockId region, bool pairs) {
    const std::vector<ValueId> old = rebuild_->source().block(region).arguments;
    const OpId last = rebuild_->source().block(region).ops.back();
    Status status;
    const BlockId made = emit.region(flat_types(old), [&](std::span<const ValueId> in) {
      std::vector<ValueId> plain(old.size(), -1);
      size_t next = 0;
      for (size_t i = 0; i < old.size(); ++i) {
        if (!is_complex_value(old[i])) {
          plain[i] = in[next++];
        } else if (pairs) {
          put(old[i], {in[next], in[next + 2]});
          put(old[i + 1], {in[next + 1], in[next + 3]});
          next += 4;
          ++i;
        } else {
          put(old[i], {in[next], in[next + 1]});
          next += 2;
        }
      }
      status = rebuild_->splice(region, plain).status();
      std::vector<ValueId> out;
      if (status.ok()) flatten(emit, rebuild_->source().op(last).operands, out);
      return out;
    });
    if (!status.ok()) return status;
    return made;
  }

  Result<bool> one(Emit& emit, const Op& op) {
    const TensorType result = *rebuild_->source().type(op.results[0]).tensor();
    const TensorType part = part_type(result);
    const auto in = [&](size_t i) { return parts(emit, op.operands[i]); };
    switch (op.kind) {
      case OpKind::Real:
      case OpKind::Imag: {
        if (!parts_.contains(op.operands[0])) return false;
        const Parts p = in(0);
        rebuild_->map(op.results[0], op.kind == OpKind::Real ? p.re : p.im);
        return true;
      }
      case OpKind::Complex:
        put(op.results[0], {rebuild_->mapped(op.operands[0]), rebuild_->mapped(op.operands[1])});
        return true;
      case OpKind::Constant:
        put(op.results[0], constant(emit, op, part));
        return true;
      case OpKind::Iota: {
        const ValueId re = emit.add(OpKind::Iota, {}, op.attributes, part);
        put(op.results[0], {re, emit.constant(part, 0)});
        return true;
      }
      case OpKind::Convert:
        return convert(emit, op, result);
      case OpKind::Abs:
        rebuild_->map(op.results[0], complex_abs(emit, in(0)));
        return true;
      case OpKind::Compare:
        return compare(emit, op, result);
      case OpKind::Multiply:
        put(op.results[0], complex_multiply(emit, in(0), in(1)));
        return true;
      case OpKind::Divide:
        put(op.results[0], complex_divide(emit, in(0), in(1)));
        return true;
      case OpKind::Power:
        put(op.results[0], complex_power(emit, in(0), in(1)));
        return true;
      case OpKind::DotGeneral:
      case OpKind::Convolution:
        put(op.results[0], product(emit, op, part));
        return true;
      default:
        break;
    }
    if (op.operands.size() == 1) {
      if (const auto p = complex_function(emit, op.kind, in(0))) {
        put(op.results[0], *p);
        return true;
      }
    }
    return part_by_part(emit, op);
  }

  // Additions and movements do the same to both parts.
  Result<bool> part_by_part(Emit& emit, const Op& op) {
    switch (op.kind) {
      case OpKind::Add:
      case OpKind::Subtract:
      case OpKind::Select:
      case OpKind::Slice:
      case OpKind::Transpose:
      case OpKind::BroadcastInDim:
      case OpKind::Reshape:
      case OpKind::Reverse:
      case OpKind::Concatenate:
      case OpKind::Pad:
      case OpKind::DynamicSlice:
      case OpKind::DynamicUpdateSlice:
      case OpKind::Gather:
      case OpKind::OptimizationBarrier:
        break;
      default:
        return false;
    }
    std::vector<std::vector<ValueId>> made(2);
    for (size_t which = 0; which < 2; ++which) {
      Op copy;
      copy.kind = op.kind;
      copy.attributes = op.attributes;
      copy.extra = op.extra;
      copy.location = rebuild_->location(op.location);
      for (const ValueId v : op.operands) {
        const bool pair = is_complex_value(v);
        const Parts p = pair ? parts(emit, v) : Parts{};
        copy.operands.push_back(!pair ? rebuild_->mapped(v) : which == 0 ? p.re : p.im);
      }
      std::vector<Type> types;
      for (const ValueId v : op.results) {
        types.push_back(part_type(*rebuild_->source().type(v).tensor()));
      }
      const OpId id = rebuild_->add(std::move(copy), types);
      made[which] = rebuild_->to.op(id).results;
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      const ValueId old = op.results[i];
      if (is_complex_value(old)) {
        put(old, {made[0][i], made[1][i]});
      } else {
        rebuild_->map(old, made[0][i]);
      }
    }
    return true;
  }

  Parts constant(Emit& emit, const Op& op, const TensorType& part) {
    const auto id = std::get<ConstantAttributes>(op.attributes).value;
    const Constant data = rebuild_->module.constants[static_cast<size_t>(id)];
    const auto size = static_cast<size_t>(byte_size(part.element));
    ValueId made[2] = {};
    for (size_t which = 0; which < 2; ++which) {
      Constant half{part, data.splat, std::vector<uint8_t>(data.bytes.size() / 2)};
      for (size_t at = 0; at < half.bytes.size(); at += size) {
        std::memcpy(half.bytes.data() + at, data.bytes.data() + 2 * at + which * size, size);
      }
      const ConstantId now = add_constant(rebuild_->module, std::move(half));
      made[which] = emit.add(OpKind::Constant, {}, ConstantAttributes{now}, part);
    }
    return {made[0], made[1]};
  }

  Result<bool> convert(Emit& emit, const Op& op, const TensorType& result) {
    const ValueId from = op.operands[0];
    const ElementType to = complex_part(result.element);
    const bool pair = is_complex_value(from);
    const Parts p = pair ? parts(emit, from) : Parts{rebuild_->mapped(from), -1};
    const auto as = [&](ValueId v) { return emit.type(v).element == to ? v : emit.convert(v, to); };
    if (!is_complex(result.element)) {
      rebuild_->map(op.results[0], as(p.re));
    } else {
      const ValueId re = as(p.re);
      put(op.results[0], {re, pair ? as(p.im) : emit.like(re, 0)});
    }
    return true;
  }

  Result<bool> compare(Emit& emit, const Op& op, const TensorType& result) {
    const Direction direction = std::get<CompareAttributes>(op.attributes).direction;
    if (direction != Direction::Eq && direction != Direction::Ne) return false;
    const Parts a = parts(emit, op.operands[0]), b = parts(emit, op.operands[1]);
    const OpKind kind = direction == Direction::Eq ? OpKind::And : OpKind::Or;
    rebuild_->map(
        op.results[0],
        emit.add(kind, {emit.compare(direction, a.re, b.re), emit.compare(direction, a.im, b.im)},
                 {}, result));
    return true;
  }

  Parts product(Emit& emit, const Op& op, const TensorType& part) {
    const auto operand = [&](size_t i) {
      const ValueId v = op.operands[i];
      return is_complex_value(v) ? parts(emit, v) : Parts{rebuild_->mapped(v), -1};
    };
    const Parts a = operand(0), b = operand(1);
    const auto times = [&](ValueId x, ValueId y) {
      return emit.add(op.kind, {x, y}, op.attributes, part);
    };
    if (a.im < 0) return {times(a.re, b.re), times(a.re, b.im)};
    if (b.im < 0) return {times(a.re, b.re), times(a.im, b.re)};
    return {emit.minus(times(a.re, b.re), times(a.im, b.im)),
            emit.plus(times(a.re, b.im), times(a.im, b.re))};
  }

  Rebuild* rebuild_ = nullptr;
  std::unordered_map<ValueId, Parts> parts_;  // by value of the source
};

}  // namespace

Status split_complex(Module& module) {
  const Function* main = module.main();
  const bool any = main != nullptr && std::ranges::any_of(main->values, [](const Value& v) {
                     return complex_type(v.type) != nullptr;
                   });
  if (!any) return {};
  Splitter splitter;
  return rebuild_main(module,
                      [&](Rebuild& rebuild, OpId id) { return splitter.visit(rebuild, id); });
}

}  // namespace trainyard::compiler
