#include "isa/gpsimd/builder.h"

#include "base/check.h"
#include "isa/gpsimd/literal.h"

namespace trainyard::isa::gpsimd {

FunctionBuilder::FunctionBuilder(std::string name) {
  function_.name = std::move(name);
  function_.blocks.emplace_back();
}

ValueId FunctionBuilder::value(ValueType type) {
  function_.values.push_back(type);
  return static_cast<ValueId>(function_.values.size()) - 1;
}

Op& FunctionBuilder::add(Code code, std::vector<ValueId> in, std::vector<ValueType> out,
                         Attributes attributes) {
  Op op{.code = code, .in = std::move(in), .attributes = std::move(attributes)};
  for (const ValueType& t : out) op.out.push_back(value(t));
  function_.blocks[at_].ops.push_back(std::move(op));
  return function_.blocks[at_].ops.back();
}

ValueId FunctionBuilder::param(ValueType type) {
  const ValueId v = value(type);
  function_.blocks[0].params.push_back(v);
  return v;
}
ValueId FunctionBuilder::constant(Type type, uint64_t bits) {
  return add(Code::Constant, {}, {{type, 0}}, Literal{bits}).out[0];
}
ValueId FunctionBuilder::integer(Type type, int64_t v) {
  return constant(type, integer_bits(type, v));
}
ValueId FunctionBuilder::real(Type type, double v) { return constant(type, real_bits(type, v)); }

ValueId FunctionBuilder::unary(Code code, ValueId a) {
  const bool test = form(code) == Form::Test;
  return add(code, {a}, {{test ? Type::I1 : type(a).type, type(a).count}}).out[0];
}
ValueId FunctionBuilder::binary(Code code, ValueId a, ValueId b) {
  const bool compare = form(code) == Form::Compare;
  return add(code, {a, b}, {{compare ? Type::I1 : type(a).type, type(a).count}}).out[0];
}
ValueId FunctionBuilder::select(ValueId mask, ValueId a, ValueId b) {
  return add(Code::Select, {mask, a, b}, {type(a)}).out[0];
}
ValueId FunctionBuilder::fma(ValueId a, ValueId b, ValueId c) {
  return add(Code::Fma, {a, b, c}, {type(a)}).out[0];
}
ValueId FunctionBuilder::convert(ValueId a, Type to) {
  return add(Code::Convert, {a}, {{to, type(a).count}}).out[0];
}
ValueId FunctionBuilder::bitcast(ValueId a, Type to) {
  return add(Code::Bitcast, {a}, {{to, type(a).count}}).out[0];
}
ValueId FunctionBuilder::iota(Type t, int64_t count) {
  return add(Code::Iota, {}, {{t, count}}).out[0];
}
ValueId FunctionBuilder::broadcast(ValueId a, int64_t count) {
  return add(Code::Broadcast, {a}, {{type(a).type, count}}).out[0];
}
ValueId FunctionBuilder::shuffle(ValueId a, ValueId index, Bounds bounds) {
  return add(Code::Shuffle, {a, index}, {{type(a).type, type(index).count}},
             StripWork{.bounds = bounds})
      .out[0];
}
std::pair<ValueId, ValueId> FunctionBuilder::compress(ValueId a, ValueId mask) {
  const Op& op = add(Code::Compress, {a, mask}, {type(a), {Type::S32, 0}});
  return {op.out[0], op.out[1]};
}
ValueId FunctionBuilder::reduce(ValueId a, ValueId start, Fold fold) {
  return add(Code::Reduce, {a, start}, {{type(a).type, 0}}, StripWork{.fold = fold}).out[0];
}
ValueId FunctionBuilder::scan(ValueId a, ValueId start, Fold fold, bool exclusive) {
  return add(Code::Scan, {a, start}, {type(a)}, StripWork{.fold = fold, .exclusive = exclusive})
      .out[0];
}
ValueId FunctionBuilder::load(const Access& access, ValueType t, ValueId base, ValueId fill) {
  std::vector<ValueId> in = {base};
  if (fill >= 0) in.push_back(fill);
  return add(Code::Load, std::move(in), {t}, access).out[0];
}
void FunctionBuilder::store(const Access& access, ValueId base, ValueId v) {
  add(Code::Store, {base, v}, {}, access);
}
ValueId FunctionBuilder::gather(const Access& access, Type t, ValueId index, ValueId fill) {
  std::vector<ValueId> in = {index};
  if (fill >= 0) in.push_back(fill);
  return add(Code::Gather, std::move(in), {{t, type(index).count}}, access).out[0];
}
void FunctionBuilder::scatter(const Access& access, ValueId index, ValueId v) {
  add(Code::Scatter, {index, v}, {}, access);
}
ValueId FunctionBuilder::copy(const Op& op, std::vector<ValueId> in, ValueType out) {
  return add(op.code, std::move(in), {out}, op.attributes).out[0];
}
void FunctionBuilder::primitive(Code code, WindowWork work, std::vector<ValueId> in) {
  add(code, std::move(in), {}, std::move(work));
}

BlockId FunctionBuilder::open_block(const std::vector<ValueType>& params) {
  const auto id = static_cast<BlockId>(function_.blocks.size());
  function_.blocks.emplace_back();
  for (const ValueType& t : params) function_.blocks[id].params.push_back(value(t));
  at_ = id;
  return id;
}
Op& FunctionBuilder::opener() {
  TY_CHECK(!open_.empty());
  return function_.blocks[open_.back().parent].ops[open_.back().op];
}

std::vector<ValueId> FunctionBuilder::begin_for(ValueId count, int64_t maximum,
                                                std::vector<ValueId> carried) {
  std::vector<ValueType> types;
  for (const ValueId v : carried) types.push_back(type(v));
  carried.insert(carried.begin(), count);
  add(Code::For, std::move(carried), types, Turns{.maximum = maximum});
  open_.push_back({at_, function_.blocks[at_].ops.size() - 1});
  types.insert(types.begin(), {Type::S64, 0});
  const BlockId body = open_block(types);
  std::get<Turns>(opener().attributes).body = body;
  return function_.blocks[body].params;
}

std::vector<ValueId> FunctionBuilder::begin_while(int64_t maximum, std::vector<ValueId> carried) {
  std::vector<ValueType> types;
  for (const ValueId v : carried) types.push_back(type(v));
  add(Code::While, std::move(carried), types, Turns{.maximum = maximum});
  open_.push_back({at_, function_.blocks[at_].ops.size() - 1});
  const BlockId condition = open_block(types);
  std::get<Turns>(opener().attributes).condition = condition;
  return function_.blocks[condition].params;
}

std::vector<ValueId> FunctionBuilder::begin_body(ValueId condition) {
  function_.blocks[at_].results = {condition};
  std::vector<ValueType> types;
  for (const ValueId v : opener().in) types.push_back(type(v));
  const BlockId body = open_block(types);
  std::get<Turns>(opener().attributes).body = body;
  return function_.blocks[body].params;
}

void FunctionBuilder::begin_if(ValueId condition, const std::vector<ValueType>& results) {
  add(Code::If, {condition}, results, Branch{});
  open_.push_back({at_, function_.blocks[at_].ops.size() - 1});
  const BlockId then = open_block({});
  std::get<Branch>(opener().attributes).then = then;
}

void FunctionBuilder::begin_else(std::vector<ValueId> results) {
  function_.blocks[at_].results = std::move(results);
  const BlockId otherwise = open_block({});
  std::get<Branch>(opener().attributes).otherwise = otherwise;
}

std::vector<ValueId> FunctionBuilder::end(std::vector<ValueId> results) {
  function_.blocks[at_].results = std::move(results);
  std::vector<ValueId> out = opener().out;
  at_ = open_.back().parent;
  open_.pop_back();
  return out;
}

Function FunctionBuilder::finish(std::vector<ValueId> results) {
  TY_CHECK(open_.empty());
  function_.blocks[0].results = std::move(results);
  return std::move(function_);
}

}  // namespace trainyard::isa::gpsimd
