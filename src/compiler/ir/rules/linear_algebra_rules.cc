// Whole-matrix operations, normalisation, transforms and random numbers.
#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

Inferred infer_cholesky(const OpView& view) {
  const TensorType& a = view.operand(0);
  if (a.rank() < 2 || a.shape[a.shape.size() - 1] != a.shape[a.shape.size() - 2]) {
    return view.wrong(kWrongShape, "{} holds no square matrices", str(a));
  }
  return std::vector<Type>{a};
}

Inferred infer_triangular_solve(const OpView& view) {
  const TensorType& a = view.operand(0);
  const TensorType& b = view.operand(1);
  const size_t rank = a.shape.size();
  const auto& attributes = view.attributes<TriangularSolveAttributes>();
  bool fits = rank >= 2 && b.shape.size() == rank && a.element == b.element &&
              a.shape[rank - 1] == a.shape[rank - 2];
  for (size_t i = 0; fits && i + 2 < rank; ++i) fits = a.shape[i] == b.shape[i];
  fits = fits && a.shape[rank - 1] == b.shape[attributes.left_side ? rank - 2 : rank - 1];
  if (!fits) {
    return view.wrong(kWrongShape, "{} and {} are no triangular system", str(a), str(b));
  }
  return std::vector<Type>{b};
}

Inferred infer_batch_norm(const OpView& view) {
  const TensorType& operand = view.operand(0);
  const int64_t feature = view.attributes<BatchNormAttributes>().feature_index;
  TY_TRY(check_dims(view, "feature_index", {feature}, operand.rank()));
  const TensorType vector =
      tensor_of(operand.element, {operand.shape[static_cast<size_t>(feature)]});
  const bool grad = view.op.kind == OpKind::BatchNormGrad;
  for (size_t i = 1; i < view.operands(); ++i) {
    const TensorType& expected = grad && i == 4 ? operand : vector;
    if (view.operand(i) != expected) {
      return view.wrong(kWrongShape, "operand {} is {}, {} is expected", i, str(view.operand(i)),
                        str(expected));
    }
  }
  if (view.op.kind == OpKind::BatchNormInference) return std::vector<Type>{operand};
  return std::vector<Type>{operand, vector, vector};
}

Inferred infer_fft(const OpView& view) {
  const TensorType& from = view.operand(0);
  const auto& a = view.attributes<FftAttributes>();
  using Kind = FftAttributes::Kind;
  const size_t n = a.length.size();
  if (n < 1 || n > 3 || n > from.shape.size()) {
    return view.wrong(kWrongAttribute, "{} lengths are given for {}", n, str(from));
  }
  const bool real_in = a.kind == Kind::Rfft;
  const ElementType part = complex_part(from.element);
  if (is_complex(from.element) == real_in ||
      (part != ElementType::F32 && part != ElementType::F64)) {
    return view.wrong(kWrongElement, "the operand is {}", str(from));
  }
  TensorType out = from;
  for (size_t i = 0; i < n; ++i) {
    const bool half = i + 1 == n;
    const int64_t length = a.length[i];
    const size_t dim = from.shape.size() - n + i;
    const int64_t in = half && a.kind == Kind::Irfft ? length / 2 + 1 : length;
    if (length < 0 || from.shape[dim] != in) {
      return view.wrong(kWrongShape, "length {} does not fit {}", length, str(from));
    }
    out.shape[dim] = half && real_in ? length / 2 + 1 : length;
  }
  const auto complex = part == ElementType::F32 ? ElementType::Complex64 : ElementType::Complex128;
  out.element = a.kind == Kind::Irfft ? part : complex;
  return std::vector<Type>{out};
}

Inferred infer_rng(const OpView& view) {
  const TensorType& low = view.operand(0);
  if (!low.is_scalar() || view.operand(1) != low) {
    return view.wrong(kWrongShape, "the bounds are {} and {}; one scalar type is expected",
                      str(low), str(view.operand(1)));
  }
  return std::vector<Type>{tensor_of(low.element, view.result(0).shape)};
}

Inferred infer_rng_bit_generator(const OpView& view) {
  const TensorType& state = view.operand(0);
  if (!is_integer(view.result(1).element) && !is_float(view.result(1).element)) {
    return view.wrong(kWrongElement, "the bits are {}", str(view.result(1)));
  }
  const bool plain = state.rank() == 1 && is_unsigned_integer(state.element);
  if (!plain)
    return view.wrong(kWrongShape, "the state is {}, ui64 values are expected", str(state));
  return std::vector<Type>{state, view.result(1)};
}

Inferred infer_dimension_size(const OpView& view) {
  TY_TRY(check_dims(view, "dim", {view.attributes<DimAttributes>().dim}, view.operand(0).rank()));
  return std::vector<Type>{tensor_of(ElementType::I32, {})};
}

}  // namespace

Inferred infer_linear_algebra(const OpView& view) {
  switch (view.op.kind) {
    case OpKind::Cholesky:
      return infer_cholesky(view);
    case OpKind::TriangularSolve:
      return infer_triangular_solve(view);
    case OpKind::Fft:
      return infer_fft(view);
    case OpKind::Rng:
      return infer_rng(view);
    case OpKind::RngBitGenerator:
      return infer_rng_bit_generator(view);
    case OpKind::GetDimensionSize:
      return infer_dimension_size(view);
    default:
      return infer_batch_norm(view);
  }
}

}  // namespace trainyard::compiler
