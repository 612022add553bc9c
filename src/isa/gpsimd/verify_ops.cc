#include <algorithm>

#include "isa/gpsimd/text.h"
#include "isa/gpsimd/verify.h"

namespace trainyard::isa::gpsimd {
namespace {

std::string shown(const ValueType& t) {
  return t.is_scalar() ? std::string(name(t.type)) : fmt::format("{}[{}]", name(t.type), t.count);
}

Status wrong(const Op& op, std::string_view what) {
  return error("TY-GPS-002", "'{}' {}", name(op.code), what);
}

// Types that a unary or binary operation of the groups below has.
bool takes(Code code, Type t) {
  switch (code) {
    case Code::Add:
    case Code::Sub:
    case Code::Mul:
    case Code::Div:
    case Code::Rem:
    case Code::Neg:
    case Code::Abs:
    case Code::Sign:
      return t != Type::I1;
    case Code::Min:
    case Code::Max:
      return true;
    case Code::And:
    case Code::Or:
    case Code::Xor:
    case Code::Not:
      return !is_float(t);
    case Code::Shl:
    case Code::Shr:
    case Code::Sar:
    case Code::Popcount:
    case Code::Clz:
      return is_integer(t);
    default:
      return is_float(t);  // rounding, elementary functions
  }
}

// An operation with all its values in hand.
struct View {
  const Program& program;
  const Function& f;
  const Op& op;

  const ValueType& in(size_t i) const { return f.values[op.in[i]]; }
  const ValueType& out(size_t i) const { return f.values[op.out[i]]; }
  Status same(const ValueType& a, const ValueType& b) const {
    if (a == b) return {};
    return error("TY-GPS-002", "'{}' has {} where it needs {}; convert or broadcast it",
                 name(op.code), shown(b), shown(a));
  }
  Status scalar(const ValueType& t, Type type) const { return same({type, 0}, t); }
};

Status verify_counts(const Op& op) {
  const Form f = form(op.code);
  const int wanted = arity(f);
  const bool fill = std::holds_alternative<Access>(op.attributes) &&
                    std::get<Access>(op.attributes).bounds == Bounds::Fill;
  const size_t in = f == Form::Load || f == Form::Gather ? (fill ? 2 : 1)
                    : wanted >= 0                        ? static_cast<size_t>(wanted)
                                                         : op.in.size();
  size_t out = 1;
  if (f == Form::Compress) out = 2;
  if (f == Form::Store || f == Form::Scatter || f == Form::Primitive) out = 0;
  if (f == Form::For || f == Form::While || f == Form::If) out = op.out.size();
  if (op.in.size() != in || op.out.size() != out || (f == Form::For && op.in.empty())) {
    return error("TY-GPS-002", "'{}' takes {} values and gives {}, not {} and {}", name(op.code),
                 in, out, op.in.size(), op.out.size());
  }
  return {};
}

Status verify_elementwise(const View& v) {
  const Op& op = v.op;
  const Form f = form(op.code);
  if (f == Form::Constant) {
    const ValueType& t = v.out(0);
    if (!t.is_scalar()) return wrong(op, "gives a scalar; broadcast it");
    const int64_t width = t.type == Type::I1 ? 1 : 8 * size_of(t.type);
    const uint64_t bits = std::get<Literal>(op.attributes).bits;
    return width < 64 && bits >> width != 0 ? wrong(op, "has bits beyond its type") : Status();
  }
  const ValueType& a = v.in(0);
  if (f == Form::Convert || f == Form::Bitcast) {
    if (f == Form::Bitcast && (size_of(a.type) != size_of(v.out(0).type) ||
                               (a.type == Type::I1) != (v.out(0).type == Type::I1))) {
      return wrong(op, "needs types of the same width, i1 apart");
    }
    return v.same({v.out(0).type, a.count}, v.out(0));
  }
  if (f == Form::Select) {
    TY_TRY(v.same({Type::I1, v.in(1).count}, a));
    TY_TRY(v.same(v.in(1), v.in(2)));
    return v.same(v.in(1), v.out(0));
  }
  for (size_t i = 1; i < op.in.size(); ++i) TY_TRY(v.same(a, v.in(i)));
  const bool total = op.code >= Code::EqTotal && op.code <= Code::GeTotal;
  const bool fits = f == Form::Compare                  ? !total || is_float(a.type)
                    : f == Form::Test || f == Form::Fma ? is_float(a.type)
                                                        : takes(op.code, a.type);
  if (!fits) {
    return error("TY-GPS-002", "'{}' has no {} form; convert the value", name(op.code),
                 name(a.type));
  }
  const bool truth = f == Form::Compare || f == Form::Test;
  return v.same({truth ? Type::I1 : a.type, a.count}, v.out(0));
}

Status verify_strips(const View& v) {
  const Op& op = v.op;
  const Form f = form(op.code);
  if (f == Form::Iota) {
    const bool good = !v.out(0).is_scalar() && is_integer(v.out(0).type);
    return good ? Status() : wrong(op, "gives a strip of integers; convert it");
  }
  if (f == Form::Broadcast) {
    if (!v.in(0).is_scalar() || v.out(0).is_scalar()) return wrong(op, "takes a scalar to a strip");
    return v.same({v.in(0).type, v.out(0).count}, v.out(0));
  }
  const ValueType& a = v.in(0);
  if (a.is_scalar()) return wrong(op, "needs a strip; broadcast the scalar");
  if (f == Form::Compress) {
    TY_TRY(v.same({Type::I1, a.count}, v.in(1)));
    TY_TRY(v.same(a, v.out(0)));
    return v.scalar(v.out(1), Type::S32);
  }
  const auto& work = std::get<StripWork>(op.attributes);
  if (f == Form::Shuffle) {
    if (work.bounds > Bounds::Fill) {
      return error("TY-GPS-009", "shuffle has no policy '{}'; use clamp, fill or fault",
                   kBounds[static_cast<int>(std::min(work.bounds, Bounds::Drop))]);
    }
    if (v.in(1).is_scalar() || !is_integer(v.in(1).type)) {
      return wrong(op, "needs a strip of integers as index");
    }
    return v.same({a.type, v.in(1).count}, v.out(0));
  }
  TY_TRY(v.scalar(v.in(1), a.type));
  TY_TRY(verify_fold(v.program, work.fold, {a.type}));
  return v.same(f == Form::Reduce ? ValueType{a.type, 0} : a, v.out(0));
}

Status verify_access(const View& v) {
  const Op& op = v.op;
  const Form f = form(op.code);
  const auto& access = std::get<Access>(op.attributes);
  const Window& w = v.program.windows[access.window];
  const bool writes = f == Form::Store || f == Form::Scatter;
  const bool folds = access.fold.kind != Fold::Kind::None;
  const bool reads = !writes || folds;
  if ((writes && w.use == Window::Use::Read) || (reads && w.use == Window::Use::Write)) {
    return error("TY-GPS-005", "'{}' {} window '{}', which is declared '{}'; declare it 'update'",
                 name(op.code), writes ? "writes" : "reads", w.name,
                 kUses[static_cast<int>(w.use)]);
  }
  if (access.bounds == (writes ? Bounds::Fill : Bounds::Drop)) {
    return error("TY-GPS-009", "'{}' has no policy '{}'; use clamp, {} or fault", name(op.code),
                 kBounds[static_cast<int>(access.bounds)], writes ? "drop" : "fill");
  }
  const ValueType& address = v.in(0);
  const bool indexed = f == Form::Gather || f == Form::Scatter;
  if (!is_integer(address.type) || (!indexed && !address.is_scalar())) {
    return wrong(op, indexed ? "needs integers as index" : "needs an integer scalar as base");
  }
  if (indexed && access.step != 1) return wrong(op, "has no step");
  if (folds && f != Form::Scatter) return wrong(op, "has no fold; use scatter");
  if (folds) TY_TRY(verify_fold(v.program, access.fold, {w.type}));
  const ValueType& moved = writes ? v.in(1) : v.out(0);
  TY_TRY(v.same({w.type, indexed ? address.count : moved.count}, moved));
  if (!writes && access.bounds == Bounds::Fill) TY_TRY(v.scalar(v.in(1), w.type));
  return {};
}

Status same_values(const View& v, const std::vector<ValueId>& wanted,
                   const std::vector<ValueId>& found) {
  if (wanted.size() != found.size()) {
    return error("TY-GPS-002", "'{}' hands on {} values where {} are needed", name(v.op.code),
                 found.size(), wanted.size());
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    TY_TRY(v.same(v.f.values[wanted[i]], v.f.values[found[i]]));
  }
  return {};
}

Status verify_turns(const View& v) {
  const auto& turns = std::get<Turns>(v.op.attributes);
  if (turns.maximum < 1) {
    return error("TY-GPS-006", "'{}' declares {} turns at most; declare 1 or more", name(v.op.code),
                 turns.maximum);
  }
  const Block& body = v.f.blocks[turns.body];
  std::vector<ValueId> carried = v.op.in;
  std::vector<ValueId> params = body.params;
  if (v.op.code == Code::For) {
    if (!v.in(0).is_scalar() || !is_integer(v.in(0).type)) {
      return wrong(v.op, "needs an integer scalar as count");
    }
    if (params.empty()) return wrong(v.op, "has a body without a counter");
    TY_TRY(v.scalar(v.f.values[params[0]], Type::S64));
    carried.erase(carried.begin());
    params.erase(params.begin());
  } else {
    const Block& condition = v.f.blocks[turns.condition];
    TY_TRY(same_values(v, carried, condition.params));
    if (condition.results.size() != 1) return wrong(v.op, "needs a condition of one i1");
    TY_TRY(v.scalar(v.f.values[condition.results[0]], Type::I1));
  }
  TY_TRY(same_values(v, carried, params));
  TY_TRY(same_values(v, carried, body.results));
  return same_values(v, carried, v.op.out);
}

Status verify_branch(const View& v) {
  const auto& branch = std::get<Branch>(v.op.attributes);
  TY_TRY(v.scalar(v.in(0), Type::I1));
  for (const BlockId id : {branch.then, branch.otherwise}) {
    if (!v.f.blocks[id].params.empty()) return wrong(v.op, "has blocks with params");
    TY_TRY(same_values(v, v.op.out, v.f.blocks[id].results));
  }
  return {};
}

}  // namespace

Status verify_fold(const Program& program, const Fold& fold, const std::vector<Type>& types) {
  if (fold.kind == Fold::Kind::None) {
    return error("TY-GPS-007", "a combiner is missing; name a fold such as add");
  }
  if (fold.kind != Fold::Kind::Function) {
    const bool fits = types.size() == 1 && takes(*code_of(fold.kind), types[0]);
    if (fits) return {};
    return error("TY-GPS-007", "fold '{}' does not combine {} values of {}; use a function",
                 kFolds[static_cast<int>(fold.kind)], types.size(), name(types[0]));
  }
  const Function& f = program.functions[fold.function];
  const Block& body = f.blocks[0];
  bool fits = body.params.size() == 2 * types.size() && body.results.size() == types.size();
  for (size_t i = 0; fits && i < types.size(); ++i) {
    fits = f.values[body.params[i]].type == types[i] &&
           f.values[body.params[types.size() + i]].type == types[i] &&
           f.values[body.results[i]].type == types[i];
  }
  if (fits) return {};
  return error("TY-GPS-007",
               "function '{}' does not combine {} values of {}; it takes the accumulators, then "
               "the elements, and gives the accumulators",
               f.name, types.size(), name(types[0]));
}

Status verify_op(const Program& program, const Function& f, const Op& op) {
  TY_TRY(verify_counts(op));
  const View v{program, f, op};
  switch (form(op.code)) {
    case Form::Iota:
    case Form::Broadcast:
    case Form::Shuffle:
    case Form::Compress:
    case Form::Reduce:
    case Form::Scan:
      return verify_strips(v);
    case Form::Load:
    case Form::Store:
    case Form::Gather:
    case Form::Scatter:
      return verify_access(v);
    case Form::For:
    case Form::While:
      return verify_turns(v);
    case Form::If:
      return verify_branch(v);
    case Form::Primitive:
      return verify_primitive(program, f, op);
    default:
      return verify_elementwise(v);
  }
}

}  // namespace trainyard::isa::gpsimd
