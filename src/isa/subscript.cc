#include "isa/subscript.h"

#include <algorithm>
#include <cstdlib>

namespace trainyard::isa {
namespace {

Status too_large(std::string_view what) {
  return error("TY-TXT-007", "{} is beyond {}, the largest extent that a program may name", what,
               kMaxExtent);
}

bool in_extent(int64_t v) { return v >= -kMaxExtent && v <= kMaxExtent; }

// into += a * factor, or false where a number leaves the bounds.
bool add_scaled(Affine& into, const Affine& a, int64_t factor) {
  const auto fits = [&](int64_t v) {
    int64_t product = 0;
    return !__builtin_mul_overflow(v, factor, &product) && in_extent(product);
  };
  if (!fits(a.constant)) return false;
  for (const Term& t : a.terms) {
    if (!fits(t.coefficient)) return false;
  }
  into += a * factor;
  return check_extent(into).ok();
}

Status add_free_axis(Access& access, const Subscript& s, int64_t size, int64_t stride) {
  if (s.kind == Subscript::Kind::All) {
    access.dims.push_back({stride, size});
    return {};
  }
  if (!add_scaled(access.offset, s.start, stride)) return too_large("the offset of a subscript");
  if (s.kind == Subscript::Kind::Index) return {};
  Affine step;
  if (!add_scaled(step, s.step, stride)) return too_large("the step of a slice");
  access.dims.push_back({step.constant, s.count});
  return {};
}

Status set_partitions(Access& access, const Subscript& s, int64_t size) {
  access.partitions = s.kind == Subscript::Kind::All ? size : s.count;
  access.partition = s.start;
  if (s.kind == Subscript::Kind::Slice && s.step != 1) {
    return error("TY-TXT-006",
                 "a slice of partitions has step {}; partitions are consecutive, so use one "
                 "instruction per group of neighbours",
                 s.step);
  }
  return {};
}

}  // namespace

Status check_extent(const Affine& affine) {
  if (affine.terms.size() > kMaxTerms) {
    return error("TY-TXT-011", "an expression has {} terms, at most {}; use fewer counters",
                 affine.terms.size(), kMaxTerms);
  }
  if (!in_extent(affine.constant)) return too_large("a number");
  for (const Term& t : affine.terms) {
    if (!in_extent(t.coefficient)) return too_large("a coefficient");
  }
  return {};
}

Status check_extent(const Access& access) {
  TY_TRY(check_extent(access.partition));
  TY_TRY(check_extent(access.offset));
  if (access.dims.size() > kMaxAxes) {
    return error("TY-TXT-011", "an access has {} dims, at most {}; join neighbours",
                 access.dims.size(), kMaxAxes);
  }
  int64_t elements = std::max<int64_t>(access.partitions, 1);
  if (!in_extent(elements)) return too_large("the number of partitions");
  for (const Dim& d : access.dims) {
    if (d.count < 1) {
      return error("TY-TXT-007", "a slice has {} elements; the least is 1", d.count);
    }
    if (!in_extent(d.step) || d.count > kMaxExtent) return too_large("a dim");
    if (d.step != 0 && d.count - 1 > kMaxExtent / std::abs(d.step)) return too_large("a dim");
    if (elements > kMaxExtent / d.count) return too_large("the number of elements of an access");
    elements *= d.count;
  }
  return {};
}

Result<std::vector<int64_t>> shape_as(const Tensor& tensor, Dtype dtype) {
  std::vector<int64_t> shape = tensor.shape;
  const int64_t from = numerics::size_of(tensor.dtype), to = numerics::size_of(dtype);
  if (from == to) return shape;
  if (shape.size() <= (tensor.on_chip() ? 1u : 0u)) {
    return error("TY-TXT-006", "'{}' has no free axis, so {} cannot be read as {}", tensor.name,
                 numerics::name(tensor.dtype), numerics::name(dtype));
  }
  const int64_t bytes = shape.back() * from;
  if (bytes % to != 0) {
    return error("TY-TXT-006",
                 "the last axis of '{}' has {} bytes, no whole number of {} elements of {} bytes",
                 tensor.name, bytes, numerics::name(dtype), to);
  }
  shape.back() = bytes / to;
  return shape;
}

Result<Access> subscript(const Tensor& tensor, TensorId id, Dtype dtype,
                         std::span<const Subscript> axes) {
  const Result<std::vector<int64_t>> shape = shape_as(tensor, dtype);
  if (!shape) return shape.status();
  if (axes.size() != shape->size()) {
    return error("TY-TXT-006", "'{}' has {} axes, the subscript has {}; give one entry per axis",
                 tensor.name, shape->size(), axes.size());
  }
  Access access{.tensor = id, .dtype = dtype};
  const size_t first = tensor.on_chip() ? 1 : 0;
  if (first == 1) TY_TRY(set_partitions(access, axes[0], (*shape)[0]));
  int64_t stride = 1;
  for (size_t i = first; i < shape->size(); ++i) stride *= (*shape)[i];
  for (size_t i = first; i < shape->size(); ++i) {
    stride /= (*shape)[i];
    TY_TRY(add_free_axis(access, axes[i], (*shape)[i], stride));
  }
  TY_TRY(check_extent(access));
  if (first == 1 && access.partitions < 1) {
    return error("TY-TXT-007", "a slice has {} partitions; the least is 1", access.partitions);
  }
  return access;
}

}  // namespace trainyard::isa
