#include <algorithm>
#include <array>
#include <cstring>

#include "sim/gpsimd/primitives.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

namespace {

using Positions = std::array<int64_t, kMostLanes>;

// One step of a row-major walk; false when it is over.
bool advance(std::vector<int64_t>& at, const std::vector<int64_t>& shape) {
  for (size_t i = at.size(); i-- > 0;) {
    if (++at[i] < shape[i]) return true;
    at[i] = 0;
  }
  return false;
}

std::vector<int64_t> strides_of(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

int64_t dot(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<Type> input_types(const Work& w) {
  std::vector<Type> types;
  for (size_t i = 0; i < w.windows.size() / 2; ++i) types.push_back(w.windows[i]->type());
  return types;
}

// Lanes of results and the elements that they take up, for one block of results.
class Block {
 public:
  explicit Block(const Work& w)
      : w_(w), n_(w.windows.size() / 2), folder_(w.program, w.work.fold, input_types(w)), x_(n_) {}

  void begin(int64_t first, int64_t lanes) {
    lanes_ = lanes;
    acc_.clear();
    for (size_t i = 0; i < n_; ++i) {
      WindowData& y = *w_.windows[n_ + i];
      acc_.push_back(y.at(first));
      const LaneOp start{.code = Code::Constant, .out = y.type(), .bits = bits(i)};
      apply(start, nullptr, nullptr, nullptr, y.at(first), lanes);
    }
  }
  // Folds x[positions] into the lanes; a start value where the position is -1.
  void take(const Positions& positions) {
    std::vector<const void*> from;
    for (size_t i = 0; i < n_; ++i) {
      const WindowData& x = *w_.windows[i];
      gather(x.type(), x.bytes.data(), {positions.data(), static_cast<size_t>(lanes_)},
             w_.scalars[i], x_[i].data());
      from.push_back(x_[i].data());
    }
    folder_.lanes(acc_, from, lanes_);
  }

 private:
  uint64_t bits(size_t i) const {
    uint64_t out = 0;
    std::memcpy(&out, w_.scalars[i], w_.windows[i]->size());
    return out;
  }

  const Work& w_;
  size_t n_;
  Folder folder_;
  int64_t lanes_ = 0;
  std::vector<std::array<uint64_t, kMostLanes>> x_;
  std::vector<void*> acc_;
};

// The axes of a reduction, apart, with their strides.
struct Axes {
  std::vector<int64_t> kept, kept_strides, folded, folded_strides;

  Axes(const std::vector<int64_t>& shape, const std::vector<int64_t>& axes) {
    const std::vector<int64_t> strides = strides_of(shape);
    for (size_t i = 0; i < shape.size(); ++i) {
      const bool fold = std::count(axes.begin(), axes.end(), static_cast<int64_t>(i)) > 0;
      (fold ? folded : kept).push_back(shape[i]);
      (fold ? folded_strides : kept_strides).push_back(strides[i]);
    }
  }
};

// Few results: each takes its elements as lines, in the same order as the lanes would.
void reduce_lines(const Work& w, const Axes& axes) {
  const WindowData& x = *w.windows[0];
  WindowData& y = *w.windows[1];
  Folder folder(w.program, w.work.fold, {x.type()});
  std::vector<int64_t> at(axes.kept.size(), 0);
  Positions positions;
  std::array<uint64_t, kMostLanes> line;
  for (int64_t i = 0; i < y.elements; ++i) {
    const int64_t base = dot(at, axes.kept_strides);
    advance(at, axes.kept);
    uint64_t acc = 0;
    std::memcpy(&acc, w.scalars[0], x.size());
    std::vector<int64_t> element(axes.folded.size(), 0);
    for (bool more = true; more;) {
      size_t n = 0;
      while (more && n < positions.size()) {
        positions[n++] = base + dot(element, axes.folded_strides);
        more = advance(element, axes.folded);
      }
      gather(x.type(), x.bytes.data(), {positions.data(), n}, nullptr, line.data());
      folder.line(&acc, {.x = line.data()}, static_cast<int64_t>(n));
    }
    std::memcpy(y.at(i), &acc, x.size());
  }
}

}  // namespace

void run_segmented_scan(const Work& w) {
  const WindowData& x = *w.windows[0];
  const WindowData* const segments = w.windows.size() == 3 ? w.windows[1] : nullptr;
  WindowData& y = *w.windows.back();
  Folder folder(w.program, w.work.fold, {x.type()});
  const int64_t length = x.window->shape.back();
  for (int64_t row = 0; row < x.elements; row += length) {
    for (int64_t begin = row; begin < row + length;) {
      int64_t end = segments == nullptr ? row + length : begin + 1;
      while (end < row + length &&
             std::memcmp(segments->at(end), segments->at(begin), segments->size()) == 0) {
        ++end;
      }
      uint64_t acc = 0;
      std::memcpy(&acc, w.scalars[0], x.size());
      folder.line(&acc, {.x = x.at(begin), .y = y.at(begin)}, end - begin);
      begin = end;
    }
  }
}

void run_reduce_axes(const Work& w) {
  const Axes axes(w.windows[0]->window->shape, w.work.axes);
  const int64_t results = w.windows[w.windows.size() / 2]->elements;
  constexpr int64_t kFew = 8;
  if (w.windows.size() == 2 && results < kFew) return reduce_lines(w, axes);
  const auto& [kept, kept_strides, folded, folded_strides] = axes;
  std::vector<int64_t> at(kept.size(), 0);
  Block block(w);
  Positions base, positions;
  for (int64_t first = 0; first < results; first += kMostLanes) {
    const int64_t lanes = std::min(kMostLanes, results - first);
    for (int64_t i = 0; i < lanes; ++i) {
      base[i] = dot(at, kept_strides);
      advance(at, kept);
    }
    block.begin(first, lanes);
    std::vector<int64_t> element(folded.size(), 0);
    do {
      const int64_t offset = dot(element, folded_strides);
      for (int64_t i = 0; i < lanes; ++i) positions[i] = base[i] + offset;
      block.take(positions);
    } while (advance(element, folded));
  }
}

void run_reduce_window(const Work& w) {
  const std::vector<int64_t>& shape = w.windows[0]->window->shape;
  const std::vector<int64_t> strides = strides_of(shape);
  const WindowData& y = *w.windows[w.windows.size() / 2];
  const size_t rank = shape.size();
  std::vector<int64_t> at(rank, 0);
  Block block(w);
  std::vector<Positions> corner(rank);  // of each lane's window, per axis
  Positions positions;
  for (int64_t first = 0; first < y.elements; first += kMostLanes) {
    const int64_t lanes = std::min(kMostLanes, y.elements - first);
    for (int64_t i = 0; i < lanes; ++i) {
      for (size_t a = 0; a < rank; ++a) {
        corner[a][i] = at[a] * w.work.stride[a] - w.work.low[a];
      }
      advance(at, y.window->shape);
    }
    block.begin(first, lanes);
    std::vector<int64_t> tap(rank, 0);
    do {
      std::fill_n(positions.begin(), lanes, 0);
      for (size_t a = 0; a < rank; ++a) {
        const int64_t shift = tap[a] * w.work.dilation[a];
        const int64_t base = w.work.base[a];
        for (int64_t i = 0; i < lanes; ++i) {
          const int64_t p = corner[a][i] + shift;
          const bool inside = p >= 0 && p % base == 0 && p / base < shape[a];
          positions[i] = inside && positions[i] >= 0 ? positions[i] + p / base * strides[a] : -1;
        }
      }
      block.take(positions);
    } while (advance(tap, w.work.size));
  }
}

}  // namespace trainyard::sim::gpsimd
