#include "compiler/lower/tile_emit.h"

#include <cmath>
#include <limits>

#include "base/check.h"
#include "compiler/lower/tile_range.h"
#include "numerics/convert.h"

namespace trainyard::compiler {

using isa::Access;
using isa::AluOp;
using isa::Dtype;
using Act = isa::Function;
using isa::Operand;
using isa::TensorId;

namespace {

// What a tile of `type` holds of a number.
float rounded(float value, ElementType type) {
  if (type == ElementType::I1) return value != 0 ? 1.0f : 0.0f;
  uint32_t bits = 0;
  numerics::convert(Dtype::F32, &value, storage_of(type).dtype, &bits, 1, {});
  numerics::convert(storage_of(type).dtype, &bits, Dtype::F32, &value, 1, {});
  return value;
}

}  // namespace

TensorId TileEmitter::tile(ElementType element, bool full, std::string_view name) {
  return b_.sbuf(label_ + "_" + std::string(name), storage_of(element).dtype,
                 {rows_, full ? columns_ : 1});
}

std::optional<Operand> TileEmitter::as_operand(const TileRef& ref, bool full) {
  if (ref.kind == TileRef::Kind::Number) return Operand(ref.value);
  if (ref.kind != TileRef::Kind::Row || !full) return std::nullopt;
  // The engines take columns in fp32.
  const Dtype dtype = b_.program().tensors[static_cast<size_t>(ref.tile)].dtype;
  if (dtype == Dtype::F32) return Operand(b_.all(ref.tile));
  const TensorId wide = tile(ElementType::F32, false, "w");
  b_.emit(isa::TensorCopy{.dst = b_.all(wide), .src = b_.all(ref.tile)}, label_ + "_wide");
  return Operand(b_.all(wide));
}

TensorId TileEmitter::as_full(const TileRef& given, ElementType element, int64_t columns) {
  const TileRef ref = settled(given);
  if (ref.kind == TileRef::Kind::Full) return ref.tile;
  const TensorId out = b_.sbuf(label_ + "_f", storage_of(element).dtype, {rows_, columns});
  if (ref.kind == TileRef::Kind::Number) {
    const bool integer = element == ElementType::I1;
    b_.emit(isa::Memset{.dst = b_.all(out),
                        .value = integer ? Operand(static_cast<int64_t>(ref.value))
                                         : Operand(ref.value)},
            label_ + "_set");
    return out;
  }
  Access spread = b_.all(ref.tile);
  spread.dims = {{0, columns}};
  b_.emit(isa::TensorCopy{.dst = b_.all(out), .src = spread}, label_ + "_spread");
  return out;
}

TileRef TileEmitter::settled(const TileRef& ref) {
  if (ref.kind != TileRef::Kind::Pending) return ref;
  const TensorId dst = tile(ElementType::F32, true);
  b_.emit(isa::TensorScalar{.dst = b_.all(dst),
                            .data = b_.all(ref.tile),
                            .op0 = ref.alu,
                            .operand0 = ref.operand,
                            .reverse0 = ref.reverse},
          label_ + "_op");
  return TileRef::full(dst);
}

bool TileEmitter::put_off(const Op& op, AluOp alu, bool full) {
  const ValueId result = op.results[0];
  const bool wanted = full && read_once != nullptr && read_once->contains(result) &&
                      element(result) == ElementType::F32 &&
                      element(op.operands[0]) == ElementType::F32;
  if (!wanted) return false;
  const TileRef &a = at(op.operands[0]), &b = at(op.operands[1]);
  const bool reverse = a.kind != TileRef::Kind::Full;
  const TileRef& data = reverse ? b : a;
  const TileRef& other = reverse ? a : b;
  if (data.kind != TileRef::Kind::Full) return false;
  const std::optional<Operand> operand = as_operand(other, full);
  if (!operand) return false;
  values[result] = {.kind = TileRef::Kind::Pending,
                    .tile = data.tile,
                    .alu = alu,
                    .operand = *operand,
                    .reverse = reverse};
  return true;
}

Access TileEmitter::whole(const TileRef& given, bool full, ElementType element) {
  const TileRef ref = settled(given);
  if (ref.kind == TileRef::Kind::Full || (ref.kind == TileRef::Kind::Row && !full)) {
    return b_.all(ref.tile);
  }
  return b_.all(as_full(ref, element, full ? columns_ : 1));
}

void TileEmitter::binary(AluOp alu, const TileRef& a, const TileRef& b, ElementType element,
                         bool full, TensorId dst) {
  const bool swap = a.kind != TileRef::Kind::Pending;
  if (const TileRef& first = swap ? b : a; first.kind == TileRef::Kind::Pending) {
    const TileRef& other = swap ? a : b;
    if (const auto number = as_operand(other, full)) {
      b_.emit(isa::TensorScalar{.dst = b_.all(dst),
                                .data = b_.all(first.tile),
                                .op0 = first.alu,
                                .operand0 = first.operand,
                                .reverse0 = first.reverse,
                                .op1 = alu,
                                .operand1 = *number,
                                .reverse1 = swap},
              label_ + "_op");
    } else {
      b_.emit(isa::ScalarTensorTensor{.dst = b_.all(dst),
                                      .data = b_.all(first.tile),
                                      .operand1 = whole(other, full, element),
                                      .op0 = first.alu,
                                      .operand0 = first.operand,
                                      .reverse0 = first.reverse,
                                      .op1 = alu,
                                      .reverse1 = swap},
              label_ + "_op");
    }
    return;
  }
  if (const auto number = as_operand(b, full)) {
    b_.emit(
        isa::TensorScalar{
            .dst = b_.all(dst), .data = whole(a, full, element), .op0 = alu, .operand0 = *number},
        label_ + "_op", engine(full));
    return;
  }
  if (const auto number = as_operand(a, full)) {
    b_.emit(isa::TensorScalar{.dst = b_.all(dst),
                              .data = whole(b, full, element),
                              .op0 = alu,
                              .operand0 = *number,
                              .reverse0 = true},
            label_ + "_op", engine(full));
    return;
  }
  b_.emit(isa::TensorTensor{.dst = b_.all(dst),
                            .data1 = whole(a, full, element),
                            .data2 = whole(b, full, element),
                            .op = alu},
          label_ + "_op", engine(full));
}

void TileEmitter::unary(Act function, const TileRef& a, ElementType element, bool full,
                        TensorId dst) {
  // The engine scales its input itself.
  if (a.kind == TileRef::Kind::Pending && a.alu == AluOp::Multiply) {
    b_.emit(
        isa::Activation{
            .dst = b_.all(dst), .data = b_.all(a.tile), .op = function, .scale = a.operand},
        label_ + "_act");
    return;
  }
  b_.emit(isa::Activation{.dst = b_.all(dst), .data = whole(a, full, element), .op = function},
          label_ + "_act");
}

// a * (1 / b). A divisor so small that its inverse overflows is scaled first, and a with it, unless
// its range is proven.
void TileEmitter::divide(const Op& op, bool full, TensorId dst) {
  TileRef a = settled(at(op.operands[0])), b = settled(at(op.operands[1]));
  if (b.kind == TileRef::Kind::Number && std::fabs(b.value) >= kSmallestDivisor) {
    binary(AluOp::Multiply, a, TileRef::number(1.0f / b.value), ElementType::F32, full, dst);
    return;
  }
  // Work on rows where the divisor is one number a row.
  const bool wide = full && b.kind == TileRef::Kind::Full;
  const auto as_ref = [&](TensorId t) { return wide ? TileRef::full(t) : TileRef::row(t); };
  if (b.kind == TileRef::Kind::Number) b = TileRef::row(as_full(b, ElementType::F32, 1));
  std::optional<Operand> row_scale;
  if (!is_far_from_zero(l_, op.operands[1])) {
    const TensorId small = magnitude(b, wide);
    b_.emit(isa::TensorScalar{.dst = b_.all(small),
                              .data = b_.all(small),
                              .op0 = AluOp::Less,
                              .operand0 = kSmallestDivisor,
                              .op1 = AluOp::Multiply,
                              .operand1 = kDivisorScale - 1.0f},
            label_ + "_small", engine(wide));
    const TensorId scale = tile(ElementType::F32, wide, "scale");
    b_.emit(
        isa::TensorScalar{
            .dst = b_.all(scale), .data = b_.all(small), .op0 = AluOp::Add, .operand0 = 1.0f},
        label_ + "_scale", engine(wide));
    const TensorId scaled = tile(ElementType::F32, wide, "b");
    binary(AluOp::Multiply, b, as_ref(scale), ElementType::F32, wide, scaled);
    b = as_ref(scaled);
    if (full && !wide && a.kind == TileRef::Kind::Full) {
      row_scale = Operand(b_.all(scale));  // one instruction multiplies by both
    } else {
      const TensorId above = tile(ElementType::F32, full, "a");
      binary(AluOp::Multiply, a, as_ref(scale), ElementType::F32, full, above);
      a = full ? TileRef::full(above) : TileRef::row(above);
    }
  }
  const TensorId inverse = tile(ElementType::F32, wide, "inv");
  b_.emit(isa::Reciprocal{.dst = b_.all(inverse), .data = b_.all(b.tile)}, label_ + "_inv",
          engine(wide));
  if (row_scale) {
    b_.emit(isa::TensorScalar{.dst = b_.all(dst),
                              .data = b_.all(a.tile),
                              .op0 = AluOp::Multiply,
                              .operand0 = *row_scale,
                              .op1 = AluOp::Multiply,
                              .operand1 = b_.all(inverse)},
            label_ + "_op");
    return;
  }
  binary(AluOp::Multiply, a, as_ref(inverse), ElementType::F32, full, dst);
}

void TileEmitter::compare(const Op& op, bool full, TensorId dst) {
  using Direction = CompareAttributes::Direction;
  const auto alu = [&] {
    switch (std::get<CompareAttributes>(op.attributes).direction) {
      case Direction::Eq:
        return AluOp::Equal;
      case Direction::Ne:
        return AluOp::NotEqual;
      case Direction::Ge:
        return AluOp::GreaterEqual;
      case Direction::Gt:
        return AluOp::Greater;
      case Direction::Le:
        return AluOp::LessEqual;
      case Direction::Lt:
        return AluOp::Less;
    }
    return AluOp::Equal;
  }();
  binary(alu, at(op.operands[0]), at(op.operands[1]), element(op.operands[0]), full, dst);
}

void TileEmitter::select(const Op& op, bool full, TensorId dst) {
  const ElementType type = element(op.results[0]);
  const Access mask = whole(at(op.operands[0]), full, ElementType::I1);
  const TileRef yes = settled(at(op.operands[1])), no = settled(at(op.operands[2]));
  const bool whole_yes =
      yes.kind == TileRef::Kind::Full || (yes.kind == TileRef::Kind::Row && !full);
  if (whole_yes && type != ElementType::I1) {
    const auto other = as_operand(no, full);
    b_.emit(isa::Select{.dst = b_.all(dst),
                        .predicate = mask,
                        .on_true = b_.all(yes.tile),
                        .on_false = other ? *other : Operand(whole(no, full, type))},
            label_ + "_sel");
    return;
  }
  // Begin with the other side, then put the chosen elements over it.
  b_.emit(isa::TensorCopy{.dst = b_.all(dst), .src = whole(no, full, type)}, label_ + "_no");
  Operand over = 0.0f;
  if (yes.kind == TileRef::Kind::Number) {
    over = type == ElementType::I1 ? Operand(static_cast<int64_t>(yes.value)) : Operand(yes.value);
  } else {
    over = whole(yes, full, type);
  }
  b_.emit(isa::TensorCopyPredicated{.dst = b_.all(dst), .src = over, .predicate = mask},
          label_ + "_yes");
}

void TileEmitter::clamp(const Op& op, bool full, TensorId dst) {
  const TensorId raised = tile(element(op.results[0]), full);
  binary(AluOp::Max, at(op.operands[1]), at(op.operands[0]), element(op.operands[1]), full, raised);
  const TileRef low = full ? TileRef::full(raised) : TileRef::row(raised);
  binary(AluOp::Min, low, at(op.operands[2]), element(op.operands[1]), full, dst);
}

void TileEmitter::convert(const Op& op, bool full, TensorId dst) {
  const ElementType from = element(op.operands[0]), to = element(op.results[0]);
  const TileRef& a = at(op.operands[0]);
  if (to == ElementType::I1) {
    b_.emit(isa::TensorScalar{.dst = b_.all(dst),
                              .data = whole(a, full, from),
                              .op0 = AluOp::NotEqual,
                              .operand0 = 0.0f},
            label_ + "_ne0");
    return;
  }
  b_.emit(isa::TensorCopy{.dst = b_.all(dst), .src = whole(a, full, from)}, label_ + "_cast");
}

TensorId TileEmitter::magnitude(const TileRef& a, bool full) {
  const TensorId out = tile(ElementType::F32, full, "abs");
  if (full) {
    unary(Act::Abs, a, ElementType::F32, full, out);
    return out;
  }
  // Rows stay on Vector: a visit to Scalar would cost more than the work.
  const TensorId negative = tile(ElementType::F32, false, "neg");
  binary(AluOp::Multiply, a, TileRef::number(-1), ElementType::F32, false, negative);
  binary(AluOp::Max, a, TileRef::row(negative), ElementType::F32, false, out);
  return out;
}

void TileEmitter::is_finite(const Op& op, bool full, TensorId dst) {
  const TensorId size = magnitude(at(op.operands[0]), full);
  b_.emit(isa::TensorScalar{.dst = b_.all(dst),
                            .data = b_.all(size),
                            .op0 = AluOp::Less,
                            .operand0 = std::numeric_limits<float>::infinity()},
          label_ + "_finite");
}

void TileEmitter::op(const Op& op, bool full) {
  const ValueId result = op.results[0];
  if (op.kind == OpKind::BroadcastInDim || op.kind == OpKind::Reshape) {
    values[result] = at(op.operands[0]);
    return;
  }
  const ElementType type = element(result);
  if (op.kind == OpKind::Convert && at(op.operands[0]).kind == TileRef::Kind::Number) {
    values[result] = TileRef::number(rounded(at(op.operands[0]).value, type));
    return;
  }
  const auto later = [&]() -> std::optional<AluOp> {
    switch (op.kind) {
      case OpKind::Add:
        return AluOp::Add;
      case OpKind::Subtract:
        return AluOp::Subtract;
      case OpKind::Multiply:
        return AluOp::Multiply;
      case OpKind::Maximum:
        return AluOp::Max;
      case OpKind::Minimum:
        return AluOp::Min;
      default:
        return std::nullopt;
    }
  }();
  if (later && put_off(op, *later, full)) return;
  const TensorId dst = tile(type, full);
  // A square is free on Scalar, which has less to do than Vector.
  if (op.kind == OpKind::Multiply && op.operands[0] == op.operands[1] && full &&
      type == ElementType::F32) {
    unary(Act::Square, at(op.operands[0]), type, full, dst);
    values[result] = TileRef::full(dst);
    return;
  }
  const auto two = [&](AluOp alu) {
    binary(alu, at(op.operands[0]), at(op.operands[1]), element(op.operands[0]), full, dst);
  };
  const auto one = [&](Act function) {
    unary(function, at(op.operands[0]), element(op.operands[0]), full, dst);
  };
  const auto with_number = [&](AluOp alu, float number) {
    binary(alu, at(op.operands[0]), TileRef::number(number), type, full, dst);
  };
  switch (op.kind) {
    case OpKind::Add:
      two(AluOp::Add);
      break;
    case OpKind::Subtract:
      two(AluOp::Subtract);
      break;
    case OpKind::Multiply:
      two(AluOp::Multiply);
      break;
    case OpKind::Maximum:
      two(AluOp::Max);
      break;
    case OpKind::Minimum:
      two(AluOp::Min);
      break;
    case OpKind::And:
      two(AluOp::LogicalAnd);
      break;
    case OpKind::Or:
      two(AluOp::LogicalOr);
      break;
    case OpKind::Xor:
      two(AluOp::LogicalXor);
      break;
    case OpKind::Not:
      with_number(AluOp::Equal, 0);
      break;
    case OpKind::Negate:
      with_number(AluOp::Multiply, -1);
      break;
    case OpKind::Abs:
      one(Act::Abs);
      break;
    case OpKind::Exponential:
      one(Act::Exp);
      break;
    case OpKind::Log:
      one(Act::Log);
      break;
    case OpKind::Sqrt:
      one(Act::Sqrt);
      break;
    case OpKind::Rsqrt:
      one(Act::Rsqrt);
      break;
    case OpKind::Tanh:
      one(Act::Tanh);
      break;
    case OpKind::Logistic:
      one(Act::Sigmoid);
      break;
    case OpKind::Composite:
      one(Act::Erf);
      break;
    case OpKind::Divide:
      divide(op, full, dst);
      break;
    case OpKind::Compare:
      compare(op, full, dst);
      break;
    case OpKind::Select:
      select(op, full, dst);
      break;
    case OpKind::Clamp:
      clamp(op, full, dst);
      break;
    case OpKind::Convert:
      convert(op, full, dst);
      break;
    case OpKind::IsFinite:
      is_finite(op, full, dst);
      break;
    default:
      TY_CHECK(false);  // is_tile_elementwise lists them
  }
  values[result] = full ? TileRef::full(dst) : TileRef::row(dst);
}

void TileEmitter::reduce(const Op& op, const SimpleReduce& how) {
  const TensorId dst = tile(element(op.results[0]), false, "red");
  const Access data = whole(at(op.operands[0]), true, element(op.operands[0]));
  b_.emit(isa::TensorReduce{.dst = b_.all(dst), .data = data, .op = how.op}, label_ + "_reduce");
  values[op.results[0]] = TileRef::row(dst);
}

TensorId TileEmitter::start_reduce(const SimpleReduce& how) {
  const TensorId sum = tile(ElementType::F32, false, "sum");
  b_.emit(isa::Memset{.dst = b_.all(sum), .value = how.start}, label_ + "_start");
  return sum;
}

void TileEmitter::reduce_into(TensorId sum, ValueId from, const SimpleReduce& how) {
  const TensorId part = tile(ElementType::F32, false, "part");
  b_.emit(
      isa::TensorReduce{
          .dst = b_.all(part), .data = whole(at(from), true, element(from)), .op = how.op},
      label_ + "_reduce");
  b_.emit(
      isa::TensorTensor{
          .dst = b_.all(sum), .data1 = b_.all(sum), .data2 = b_.all(part), .op = how.op},
      label_ + "_fold");
}

TileRef TileEmitter::end_reduce(const Op& op, TensorId sum) {
  const ElementType type = element(op.results[0]);
  if (type == ElementType::F32) return TileRef::row(sum);
  const TensorId dst = tile(type, false, "red");
  b_.emit(isa::TensorCopy{.dst = b_.all(dst), .src = b_.all(sum)}, label_ + "_round");
  return TileRef::row(dst);
}

}  // namespace trainyard::compiler
