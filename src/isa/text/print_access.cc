// Finds the subscript that an access came from. Many subscripts lower to the same access; any of
// them is right, and the search below looks for one that a person would write. Whatever it finds is
// lowered again and compared, so a wrong guess costs beauty, never meaning.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "isa/subscript.h"
#include "isa/text/names.h"
#include "isa/text/print.h"

namespace trainyard::isa::text {
namespace {

struct Axis {
  int64_t size = 1;
  int64_t stride = 1;
  int dim = -1;  // of the access; -1: indexed
  Affine start;
};

std::vector<Axis> free_axes(const Tensor& tensor, const std::vector<int64_t>& shape) {
  std::vector<Axis> axes;
  for (size_t i = tensor.on_chip() ? 1 : 0; i < shape.size(); ++i)
    axes.push_back({.size = shape[i]});
  int64_t stride = 1;
  for (size_t i = axes.size(); i-- > 0; stride *= axes[i].size) axes[i].stride = stride;
  return axes;
}

// How far from natural it is that `dim` runs along `axis`; nothing if it cannot.
std::optional<int> strangeness(const Dim& dim, const Axis& axis) {
  if (dim.step % axis.stride != 0) return std::nullopt;
  const int64_t step = dim.step / axis.stride;
  if (step == 0) return dim.count == axis.size ? 4 : 5;
  if (dim.count - 1 > (axis.size - 1) / std::abs(step)) return std::nullopt;
  if (step != 1) return step > 0 ? 2 : 3;
  return dim.count == axis.size ? 0 : 1;
}

// Gives each dim an axis, in order, so that the total strangeness is least. False if no way exists.
bool assign_dims(const std::vector<Dim>& dims, std::vector<Axis>& axes) {
  constexpr int kNever = 1 << 20;
  const size_t n = axes.size(), m = dims.size();
  // cost[i][j]: least strangeness of placing dims j.. on axes i..
  std::vector<std::vector<int>> cost(n + 1, std::vector<int>(m + 1, kNever));
  for (size_t i = 0; i <= n; ++i) cost[i][m] = 0;
  const auto taking = [&](size_t i, size_t j) {
    const std::optional<int> s = strangeness(dims[j], axes[i]);
    return s ? *s + cost[i + 1][j + 1] : kNever;
  };
  for (size_t i = n; i-- > 0;) {
    for (size_t j = 0; j < m; ++j) cost[i][j] = std::min(taking(i, j), cost[i + 1][j]);
  }
  if (cost[0][0] >= kNever) return false;
  for (size_t i = 0, j = 0; i < n && j < m; ++i) {
    if (cost[i + 1][j] > cost[i][j]) axes[i].dim = static_cast<int>(j++);
  }
  return true;
}

// Splits a flat offset into the axes' starts, the largest stride first.
void split_offset(const Affine& offset, std::vector<Axis>& axes) {
  int64_t constant = offset.constant;
  std::vector<Term> terms = offset.terms;
  for (Axis& a : axes) {
    a.start = constant / a.stride;
    constant %= a.stride;
    for (Term& t : terms) {
      if (t.coefficient / a.stride != 0) {
        a.start.terms.push_back({t.variable, t.coefficient / a.stride});
      }
      t.coefficient %= a.stride;
    }
  }
}

Subscript subscript_of(const Axis& axis, const Access& access) {
  if (axis.dim < 0) return Subscript::index(axis.start);
  const Dim& dim = access.dims[axis.dim];
  const int64_t step = dim.step / axis.stride;
  if (step == 1 && dim.count == axis.size && axis.start == Affine(0)) return Subscript::all();
  return Subscript::slice(axis.start, dim.count, step);
}

std::optional<std::vector<Subscript>> find_subscript(const Tensor& tensor, const Access& access) {
  const Result<std::vector<int64_t>> shape = shape_as(tensor, access.dtype);
  if (!shape) return std::nullopt;
  std::vector<Axis> axes = free_axes(tensor, *shape);
  if (!assign_dims(access.dims, axes)) return std::nullopt;
  split_offset(access.offset, axes);
  std::vector<Subscript> out;
  if (tensor.on_chip()) {
    const bool all = access.partition == Affine(0) && access.partitions == (*shape)[0];
    out.push_back(all ? Subscript::all() : Subscript::slice(access.partition, access.partitions));
    if (!all && access.partitions == 1) out[0] = Subscript::index(access.partition);
  }
  for (const Axis& a : axes) out.push_back(subscript_of(a, access));
  const Result<Access> again = subscript(tensor, access.tensor, access.dtype, out);
  if (!again || !(*again == access)) return std::nullopt;
  return out;
}

std::string print_axis(const Program& p, const Subscript& s) {
  switch (s.kind) {
    case Subscript::Kind::All:
      return ":";
    case Subscript::Kind::Index:
      return print(p, s.start);
    case Subscript::Kind::Slice:
      return fmt::format("{}+:{}{}", print(p, s.start), s.count,
                         s.step == 1 ? "" : fmt::format(":{}", s.step));
  }
  return "";
}

std::string print_pattern(const Program& p, const Tensor& tensor, const Access& a) {
  std::vector<std::string> keys;
  if (!(a.partition == Affine(0))) keys.push_back("partition=" + print(p, a.partition));
  if (a.partitions != tensor.partitions()) {
    keys.push_back(fmt::format("partitions={}", a.partitions));
  }
  if (!(a.offset == Affine(0))) keys.push_back("offset=" + print(p, a.offset));
  if (!a.dims.empty()) keys.push_back("dims=" + print(a.dims));
  return fmt::format(".ap({})", fmt::join(keys, ", "));
}

}  // namespace

std::string print(const Program& p, const Access& access) {
  const Tensor& tensor = p.tensors[access.tensor];
  std::string out = spelled(NameKind::Tensor, tensor.name);
  if (access.dtype != tensor.dtype) out += fmt::format(".as({})", numerics::name(access.dtype));
  const std::optional<std::vector<Subscript>> axes = find_subscript(tensor, access);
  if (!axes) return out + print_pattern(p, tensor, access);
  std::vector<std::string> printed;
  bool whole = true;
  for (const Subscript& s : *axes) {
    whole = whole && s.kind == Subscript::Kind::All;
    printed.push_back(print_axis(p, s));
  }
  return whole ? out : fmt::format("{}[{}]", out, fmt::join(printed, ", "));
}

}  // namespace trainyard::isa::text
