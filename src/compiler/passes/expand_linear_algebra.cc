// cholesky and triangular_solve as loops over columns of plain operations.
#include <limits>

#include "compiler/passes/expand.h"

namespace trainyard::compiler {
namespace {

// Loops over the columns of matrices that lie in the last two dimensions.
class Columns {
 public:
  Columns(Rebuild& rebuild, Emit& emit, const Op& op)
      : emit(emit), rebuild_(rebuild), location_(rebuild.location(op.location)) {}

  // state = body(k, state) for k = 0, 1, ... count - 1
  using Body = std::function<ValueId(ValueId k, ValueId state)>;
  ValueId loop(int64_t count, ValueId state, const Body& body) {
    const TensorType counter = tensor_of(ElementType::I32, {});
    const std::vector<Type> types = {counter, emit.type(state)};
    Op op;
    op.kind = OpKind::While;
    op.operands = {emit.constant(counter, 0), state};
    op.location = location_;
    op.regions = {emit.region(types,
                              [&](std::span<const ValueId> in) {
                                const ValueId end =
                                    emit.constant(counter, static_cast<double>(count));
                                return std::vector{emit.compare(Direction::Lt, in[0], end)};
                              }),
                  emit.region(types, [&](std::span<const ValueId> in) {
                    const ValueId next = emit.plus(in[0], emit.constant(counter, 1));
                    return std::vector{next, body(in[0], in[1])};
                  })};
    return rebuild_.to.op(rebuild_.add(std::move(op), types)).results[1];
  }

  ValueId transposed(ValueId a) {
    TensorType type = emit.type(a);
    Dims order;
    for (int64_t i = 0; i < type.rank(); ++i) order.push_back(i);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    std::swap(type.shape[order.size() - 1], type.shape[order.size() - 2]);
    return emit.add(OpKind::Transpose, {a}, DimsAttributes{order}, type);
  }

  // Row or column k (or element k, k) of matrices; the dimensions stay, of size 1.
  ValueId row(ValueId a, ValueId k) { return part(a, k, true, false); }
  ValueId column(ValueId a, ValueId k) { return part(a, k, false, true); }
  ValueId diagonal(ValueId a, ValueId k) { return part(a, k, true, true); }

  // `a` with sizes of 1 spread to the shape of `like`.
  ValueId spread(ValueId a, ValueId like) {
    const Dims shape = emit.type(like).shape;
    if (emit.type(a).shape == shape) return a;
    Dims dims;
    for (int64_t i = 0; i < emit.type(like).rank(); ++i) dims.push_back(i);
    return emit.broadcast(a, shape, dims);
  }

  // Whether an element's number along `axis` (0 = rows, 1 = columns) compares so with k.
  ValueId number(Direction direction, ValueId like, int64_t axis, ValueId k) {
    const TensorType type = emit.type(like);
    const ValueId numbers = emit.iota(ElementType::I32, type.shape, type.rank() - 2 + axis);
    return emit.compare(direction, numbers, emit.broadcast(k, type.shape, {}));
  }

  Emit& emit;

 private:
  ValueId part(ValueId a, ValueId k, bool one_row, bool one_column) {
    TensorType type = emit.type(a);
    const auto rank = type.shape.size();
    const ValueId zero = emit.constant(tensor_of(ElementType::I32, {}), 0);
    std::vector<ValueId> in(rank + 1, zero);
    in[0] = a;
    if (one_row) {
      type.shape[rank - 2] = 1;
      in[rank - 1] = k;
    }
    if (one_column) {
      type.shape[rank - 1] = 1;
      in[rank] = k;
    }
    return emit.add(OpKind::DynamicSlice, in, DimsAttributes{type.shape}, type);
  }

  Rebuild& rebuild_;
  LocationId location_;
};

// Factors a = l * transposed(l): column k of what is left, over the root of its first element, is
// column k of l, and its product with itself leaves.
ValueId lower_factor(Columns& c, ValueId a) {
  Emit& emit = c.emit;
  const TensorType type = emit.type(a);
  return c.loop(type.shape.back(), a, [&](ValueId k, ValueId s) {
    const ValueId root = emit.unary(OpKind::Sqrt, c.diagonal(s, k));
    const ValueId whole = c.column(s, k);
    const ValueId column = emit.over(whole, c.spread(root, whole));
    const ValueId spread = c.spread(column, s);
    const ValueId product = emit.times(spread, c.spread(c.transposed(column), s));
    // Column k holds the result from now on; columns after it, from row k + 1, are still to do.
    const ValueId after =
        emit.add(OpKind::And, {c.number(Direction::Gt, s, 0, k), c.number(Direction::Gt, s, 1, k)},
                 {}, tensor_of(ElementType::I1, type.shape));
    const ValueId here = c.number(Direction::Eq, s, 1, k);
    return emit.select(here, spread, emit.select(after, emit.minus(s, product), s));
  });
}

}  // namespace

Expanded expand_cholesky(Rebuild& rebuild, Emit& emit, const Op& op,
                         const std::vector<ValueId>& in) {
  const TensorType type = emit.type(in[0]);
  if (is_complex(type.element)) return std::vector<ValueId>();  // stays, to be refused
  if (type.elements() == 0) return in;
  const bool lower = std::get<CholeskyAttributes>(op.attributes).lower;
  Columns c(rebuild, emit, op);
  const ValueId factor = lower_factor(c, lower ? in[0] : c.transposed(in[0]));
  const ValueId rows = emit.iota(ElementType::I32, type.shape, type.rank() - 2);
  const ValueId columns = emit.iota(ElementType::I32, type.shape, type.rank() - 1);
  const ValueId zero = emit.like(factor, 0);
  // A matrix that is not positive has a root that is NaN, and then the whole factor is.
  const ValueId roots = emit.select(emit.compare(Direction::Eq, rows, columns), factor, zero);
  const ValueId sum = emit.reduce(OpKind::Add, roots, emit.constant(tensor_of(type.element, {}), 0),
                                  {type.rank() - 2, type.rank() - 1});
  Dims batch;
  for (int64_t i = 0; i + 2 < type.rank(); ++i) batch.push_back(i);
  const ValueId failed = emit.broadcast(emit.compare(Direction::Ne, sum, sum), type.shape, batch);
  const ValueId kept = emit.select(emit.compare(Direction::Ge, rows, columns), factor, zero);
  const ValueId checked =
      emit.select(failed, emit.like(factor, std::numeric_limits<double>::quiet_NaN()), kept);
  return std::vector{lower ? checked : c.transposed(checked)};
}

Expanded expand_triangular_solve(Rebuild& rebuild, Emit& emit, const Op& op,
                                 const std::vector<ValueId>& in) {
  const auto& how = std::get<TriangularSolveAttributes>(op.attributes);
  if (is_complex(emit.type(in[0]).element)) return std::vector<ValueId>();
  if (emit.type(in[1]).elements() == 0) return std::vector{in[1]};
  Columns c(rebuild, emit, op);
  // x * a = b is transposed(a) * transposed(x) = transposed(b).
  const bool turned = how.left_side != (how.transpose == TriangularSolveAttributes::Transpose::No);
  const ValueId a = turned ? c.transposed(in[0]) : in[0];
  const ValueId b = how.left_side ? in[1] : c.transposed(in[1]);
  const bool forward = how.lower != turned;
  const TensorType counter = tensor_of(ElementType::I32, {});
  const int64_t n = emit.type(a).shape.back();
  const ValueId solved = c.loop(n, b, [&](ValueId turn, ValueId x) {
    const ValueId last = emit.constant(counter, static_cast<double>(n - 1));
    const ValueId k = forward ? turn : emit.minus(last, turn);
    ValueId row = c.row(x, k);
    if (!how.unit_diagonal) row = emit.over(row, c.spread(c.diagonal(a, k), row));
    const ValueId found = c.spread(row, x);
    const ValueId left = emit.minus(x, emit.times(c.spread(c.column(a, k), x), found));
    const ValueId open = c.number(forward ? Direction::Gt : Direction::Lt, x, 0, k);
    const ValueId here = c.number(Direction::Eq, x, 0, k);
    return emit.select(here, found, emit.select(open, left, x));
  });
  return std::vector{how.left_side ? solved : c.transposed(solved)};
}

}  // namespace trainyard::compiler
