#include "compiler/lower/convolution_input.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace trainyard::compiler {
namespace {

// Elements of a dimension that are inside: `count` from element `first` on.
struct Inside {
  int64_t first = 0;
  int64_t count = 0;
};

Inside inside(const PaddedDim& d) {
  const int64_t first = d.low >= 0 ? 0 : (-d.low + d.pitch - 1) / d.pitch;
  const int64_t room = d.extent - 1 - d.low;
  const int64_t end = room < 0 ? 0 : std::min(d.count, room / d.pitch + 1);
  return {first, std::max<int64_t>(end - first, 0)};
}

// Steps of a dense tensor of these extents whose dimensions lie in the order that `like` has.
std::vector<int64_t> dense_steps(const std::vector<PaddedDim>& dims,
                                 const std::vector<int64_t>& like) {
  std::vector<size_t> order(dims.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t d) { return std::abs(like[d]); });
  std::vector<int64_t> steps(dims.size());
  int64_t step = 1;
  for (const size_t d : order) {
    steps[d] = step;
    step *= dims[d].extent;
  }
  return steps;
}

}  // namespace

void fill_with_zeros(Lowering& lowering, isa::TensorId tensor, int64_t count,
                     const std::string& label) {
  isa::ProgramBuilder& b = lowering.body;
  const isa::Dtype dtype = b.program().tensors[static_cast<size_t>(tensor)].dtype;
  const int64_t rows = lowering.core.limits.partitions.value;
  constexpr int64_t kMostColumns = 2048;
  const int64_t columns = std::clamp<int64_t>(count / rows, 1, kMostColumns);
  const isa::TensorId zeros = b.sbuf(label + "_zeros", dtype, {std::min(rows, count), columns});
  b.emit(isa::Memset{.dst = b.all(zeros), .value = 0.0f}, label + "_zero");
  const auto store = [&](const isa::Affine& at, int64_t height, int64_t width) {
    isa::Access to;
    to.tensor = tensor;
    to.dtype = dtype;
    to.offset = at;
    to.dims = {{1, height * width}};
    b.emit(isa::DmaCopy{.dst = std::move(to),
                        .src = b.at(zeros, {isa::slice(0, height), isa::slice(0, width)})},
           label + "_clear");
  };
  const int64_t block = rows * columns;
  const int64_t blocks = count / block;
  if (blocks > 0) {
    const isa::Affine i = blocks > 1 ? b.repeat(label + "_z", blocks) : isa::Affine(0);
    store(i * block, rows, columns);
    if (blocks > 1) b.end();
  }
  const int64_t done = blocks * block;
  const int64_t width = (count - done) / rows;
  if (width > 0) store(done, rows, width);
  if (const int64_t rest = count - done - width * rows; rest > 0) store(count - rest, rest, 1);
}

StridedView padded_input(Lowering& lowering, const StridedView& view, ElementType element,
                         const std::vector<PaddedDim>& dims, const std::string& label) {
  StridedView from = view;
  int64_t taken = 1, places = 1;
  std::vector<isa::Dim> src, dst;
  const std::vector<int64_t> steps = dense_steps(dims, view.steps);
  int64_t to = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    const Inside part = inside(dims[d]);
    from.offset += part.first * view.steps[d];
    to += (dims[d].low + part.first * dims[d].pitch) * steps[d];
    src.push_back({view.steps[d], part.count});
    dst.push_back({steps[d] * dims[d].pitch, part.count});
    taken *= part.count;
    places *= dims[d].extent;
  }
  if (taken == places) return from;
  const isa::Dtype dtype = storage_of(element).dtype;
  const isa::TensorId padded = lowering.body.hbm(label + "_pad", dtype, {places});
  fill_with_zeros(lowering, padded, places, label);
  if (taken > 0) {
    lowering.body.emit(
        isa::DmaCopy{.dst = lowering.access({padded, 0, {}}, element, to, std::move(dst)),
                     .src = lowering.access(from, element, 0, std::move(src))},
        label + "_padded");
  }
  return {padded, 0, steps};
}

}  // namespace trainyard::compiler
