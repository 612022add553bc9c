// ALU instructions: which operators, types and constants go together. [nki-shared, nki-isa]
#include <algorithm>
#include <limits>

#include "isa/engines.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

// An operator with the attribute that names it.
struct NamedOp {
  std::string_view name;
  AluOp op;
};

bool is_reduction(AluOp op) {
  switch (op) {
    case AluOp::Add:
    case AluOp::Subtract:
    case AluOp::Multiply:
    case AluOp::Max:
    case AluOp::Min:
    case AluOp::LogicalAnd:
    case AluOp::LogicalOr:
    case AluOp::LogicalXor:
    case AluOp::BitwiseAnd:
    case AluOp::BitwiseOr:
    case AluOp::BitwiseXor:
      return true;
    case AluOp::Bypass:
    case AluOp::Equal:
    case AluOp::NotEqual:
    case AluOp::GreaterEqual:
    case AluOp::Greater:
    case AluOp::LessEqual:
    case AluOp::Less:
    case AluOp::Power:
    case AluOp::AbsMax:
    case AluOp::AbsMin:
    case AluOp::Abs:
    case AluOp::Square:
    case AluOp::Relu:
    case AluOp::Rsqrt:
    case AluOp::Reciprocal:
    case AluOp::BitwiseNot:
    case AluOp::ShiftLeft:
    case AluOp::ShiftRight:
      return false;
  }
  return false;
}

bool needs_v4(AluOp op) {
  return op == AluOp::AbsMax || op == AluOp::AbsMin || op == AluOp::Square || op == AluOp::Relu;
}

Status verify_generation(const Subject& s, const NamedOp& o) {
  if (!needs_v4(o.op) || s.core.generation >= hw::Generation::V4) return {};
  const std::string_view instead = o.op == AluOp::Square ? "multiply the tile by itself"
                                   : o.op == AluOp::Relu ? "use max with 0"
                                                         : "take abs of both sides first";
  return s.refuse("TY-ISA-131", "{} {} needs NeuronCore-v4, this is {}; {}", o.name,
                  enum_name(o.op), s.core.name, instead);
}

Status refuse_op(const Subject& s, const NamedOp& o, std::string_view why) {
  return s.refuse("TY-ISA-130", "{} {} is not possible here: {}", o.name, enum_name(o.op), why);
}

Status binary(const Subject& s, const NamedOp& o) {
  if (o.op == AluOp::Bypass || is_unary(o.op)) {
    return refuse_op(s, o, "it has one operand, and this instruction needs an operator with two");
  }
  return verify_generation(s, o);
}

Status arithmetic_only(const Subject& s, const NamedOp& o) {
  if (!is_bitwise(o.op)) return {};
  return refuse_op(s, o, "only arithmetic operators; use tensor_tensor for bitwise ones");
}

// Bitwise operators work on bit patterns: integers of one size, nothing is converted.
Status bit_patterns(const Subject& s, const NamedOp& o, std::initializer_list<Named> operands) {
  if (!is_bitwise(o.op)) return {};
  const Named& first = *operands.begin();
  for (const Named& n : operands) {
    if (!numerics::is_integer(n.access.dtype)) {
      return s.refuse("TY-ISA-129",
                      "{} is {}, but {} {} takes integers; read it as an integer of the same size",
                      n.name, numerics::name(n.access.dtype), o.name, enum_name(o.op));
    }
    if (numerics::size_of(n.access.dtype) != numerics::size_of(first.access.dtype)) {
      return s.refuse("TY-ISA-129",
                      "{} is {} and {} is {}, but {} {} converts nothing; make the sizes equal",
                      first.name, numerics::name(first.access.dtype), n.name,
                      numerics::name(n.access.dtype), o.name, enum_name(o.op));
    }
  }
  return {};
}

// The second side of an operator: a number or a [P,1] tile of a type that it can take.
Status verify_side(const Subject& s, const NamedOp& o, std::string_view name,
                   const Operand& operand, const Access& data) {
  if (o.op == AluOp::Bypass || is_unary(o.op)) return {};
  TY_TRY(column_or_number(s, name, operand, data));
  if (const Access* tile = std::get_if<Access>(&operand)) {
    if (is_bitwise(o.op)) return bit_patterns(s, o, {{name, *tile}});
    const bool exact = arithmetic(s.program, s.inst, s.engine) == Arithmetic::Int32;
    if (exact) return type_is(s, {name, *tile}, {Dtype::S32, Dtype::U32});
    return type_is(s, {name, *tile}, {Dtype::F32});
  }
  if (is_bitwise(o.op) && !std::holds_alternative<int64_t>(operand)) {
    return s.refuse("TY-ISA-132",
                    "{} is a real number, but {} {} takes integers; write it without "
                    "a point",
                    name, o.name, enum_name(o.op));
  }
  if (const int64_t* whole = std::get_if<int64_t>(&operand)) {
    if (*whole < std::numeric_limits<int32_t>::min() ||
        *whole > std::numeric_limits<uint32_t>::max()) {
      return s.refuse("TY-ISA-132", "{} is {}, which does not fit 32 bits", name, *whole);
    }
  }
  return {};
}

Status two_operators(const Subject& s, const NamedOp& o0, const NamedOp& o1) {
  TY_TRY(verify_generation(s, o0));
  TY_TRY(verify_generation(s, o1));
  if (is_unary(o1.op)) return refuse_op(s, o1, "an operator with one operand can only be op0");
  const bool mixed =
      o0.op != AluOp::Bypass && o1.op != AluOp::Bypass && is_bitwise(o0.op) != is_bitwise(o1.op);
  if (!mixed) return {};
  return s.refuse("TY-ISA-130",
                  "op0 {} and op1 {} mix bitwise and arithmetic operators; use two instructions",
                  enum_name(o0.op), enum_name(o1.op));
}

bool is_order(AluOp op) {
  return op == AluOp::Max || op == AluOp::Min || (op >= AluOp::GreaterEqual && op <= AluOp::Less);
}

}  // namespace

Status verify_engine(const Subject& s) {
  const std::vector<Engine> legal = legal_engines(s.program, s.inst, s.core);
  if (std::find(legal.begin(), legal.end(), s.engine) != legal.end()) return {};
  std::vector<std::string_view> names;
  for (const Engine e : legal) names.push_back(hw::name(e));
  if (names.empty()) {
    return s.refuse("TY-ISA-120",
                    "no engine of {} can do this with these operators, types and memories; see "
                    "'trainyard explain {}'",
                    s.core.name, name(s.inst.op));
  }
  return s.refuse("TY-ISA-120",
                  "the {} engine cannot do this with these operators, types and memories; {} can",
                  hw::name(s.engine), fmt::join(names, ", "));
}

Status verify_op(const Subject& s, const TensorTensor& i) {
  const Named dst{"dst", i.dst}, a{"data1", i.data1}, b{"data2", i.data2};
  const NamedOp op{"op", i.op};
  TY_TRY(binary(s, op));
  TY_TRY(same_shape(s, a, b));
  TY_TRY(same_shape(s, dst, a));
  TY_TRY(not_both_psum(s, a, b));
  TY_TRY(bit_patterns(s, op, {a, b, dst}));
  const bool exact = arithmetic(s.program, s.inst, s.engine) == Arithmetic::Int32;
  return exact && is_order(i.op) ? same_type(s, a, b) : Status();
}

Status verify_op(const Subject& s, const TensorScalar& i) {
  const Named dst{"dst", i.dst}, data{"data", i.data};
  const NamedOp op0{"op0", i.op0}, op1{"op1", i.op1};
  TY_TRY(two_operators(s, op0, op1));
  TY_TRY(same_shape(s, dst, data));
  TY_TRY(bit_patterns(s, is_bitwise(i.op0) ? op0 : op1, {data, dst}));
  TY_TRY(verify_side(s, op0, "operand0", i.operand0, i.data));
  return verify_side(s, op1, "operand1", i.operand1, i.data);
}

Status verify_op(const Subject& s, const ScalarTensorTensor& i) {
  const Named dst{"dst", i.dst}, data{"data", i.data}, other{"operand1", i.operand1};
  const NamedOp op0{"op0", i.op0}, op1{"op1", i.op1};
  TY_TRY(arithmetic_only(s, op0));
  TY_TRY(arithmetic_only(s, op1));
  TY_TRY(two_operators(s, op0, op1));
  TY_TRY(binary(s, op1));
  TY_TRY(same_shape(s, data, other));
  TY_TRY(same_shape(s, dst, data));
  TY_TRY(not_both_psum(s, data, other));
  return verify_side(s, op0, "operand0", i.operand0, i.data);
}

Status verify_op(const Subject& s, const TensorTensorScan& i) {
  const Named dst{"dst", i.dst}, a{"data0", i.data0}, b{"data1", i.data1};
  for (const NamedOp& op : {NamedOp{"op0", i.op0}, NamedOp{"op1", i.op1}}) {
    TY_TRY(binary(s, op));
    TY_TRY(arithmetic_only(s, op));
  }
  TY_TRY(same_shape(s, a, b));
  TY_TRY(same_shape(s, dst, a));
  TY_TRY(not_both_psum(s, a, b));
  return column_or_number(s, "initial", i.initial, i.data0);
}

Status verify_op(const Subject& s, const TensorReduce& i) {
  const Named dst{"dst", i.dst}, data{"data", i.data};
  const NamedOp op{"op", i.op};
  if (!is_reduction(i.op)) {
    return refuse_op(s, op,
                     "reductions are add, subtract, multiply, max, min, logical_* and bitwise_*");
  }
  const auto dims = static_cast<int64_t>(i.data.dims.size());
  if (i.axes < 1 || i.axes > dims) {
    return s.refuse("TY-ISA-133",
                    "axes is {}, but data has {} free dims; a reduction takes 1 to {} of the last "
                    "ones (across partitions: transpose first, or multiply by ones)",
                    i.axes, dims, dims);
  }
  int64_t kept = 1;
  for (int64_t d = 0; d < dims - i.axes; ++d) kept *= i.data.dims[d].count;
  TY_TRY(same_partitions(s, dst, data));
  TY_TRY(elements_are(s, dst, kept, "the dims of data that are not reduced"));
  return bit_patterns(s, op, {data, dst});
}

}  // namespace trainyard::isa
