// Gather and scatter of slices at run-time places.
#include <algorithm>
#include <cstring>

#include "sim/gpsimd/primitives.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

namespace {

// A slice as runs of neighbouring elements: the last axes that a slice covers wholly, and one more,
// are one run.
class Slices {
 public:
  Slices(const Window& x, const Window& slices, const std::vector<int64_t>& axes, Bounds bounds)
      : axes_(axes), bounds_(bounds) {
    const size_t rank = x.shape.size();
    std::vector<int64_t> stride(rank, 1);
    for (size_t i = rank; i-- > 1;) stride[i - 1] = stride[i] * x.shape[i];
    batch_ = stride[0];
    for (const int64_t axis : axes) {
      room_.push_back(x.shape[axis] - slices.shape[axis + 1]);
      axis_stride_.push_back(stride[axis]);
    }
    size_t outer = rank;
    while (outer > 1) {
      --outer;
      run_ *= slices.shape[outer + 1];
      if (slices.shape[outer + 1] != x.shape[outer]) break;
    }
    runs_ = {0};
    for (size_t i = 1; i < outer; ++i) {
      std::vector<int64_t> next;
      next.reserve(runs_.size() * slices.shape[i + 1]);
      for (const int64_t base : runs_) {
        for (int64_t k = 0; k < slices.shape[i + 1]; ++k) next.push_back(base + k * stride[i]);
      }
      runs_ = std::move(next);
    }
  }

  int64_t run() const { return run_; }                        // elements of one run
  const std::vector<int64_t>& runs() const { return runs_; }  // where runs begin in a slice
  int64_t elements() const { return run_ * static_cast<int64_t>(runs_.size()); }

  // Where the slices of `index` begin in x; -1 for one that is left out.
  Status begins(const WindowData& index, std::vector<int64_t>& out) const {
    const auto columns = static_cast<int64_t>(axes_.size());
    const int64_t per_batch = index.window->shape[1];
    out.resize(index.window->shape[0] * per_batch);
    for (size_t i = 0; i < out.size(); ++i) {
      int64_t at = static_cast<int64_t>(i) / per_batch * batch_;
      for (int64_t c = 0; c < columns && at >= 0; ++c) {
        int64_t start =
            index_at(index.type(), index.bytes.data(), static_cast<int64_t>(i) * columns + c);
        if (start < 0 || start > room_[c]) {
          if (bounds_ == Bounds::Fault) return outside(index, start, c);
          start = bounds_ == Bounds::Clamp ? std::clamp<int64_t>(start, 0, room_[c]) : -1;
        }
        at = start < 0 ? -1 : at + start * axis_stride_[c];
      }
      out[i] = at;
    }
    return {};
  }

 private:
  Status outside(const WindowData& index, int64_t start, int64_t column) const {
    return error("TY-GPS-020",
                 "window '{}' begins a slice at {} of axis {}, where the last one begins at {}; "
                 "mask the index or choose clamp, fill or drop",
                 index.window->name, start, axes_[column], room_[column]);
  }

  const std::vector<int64_t>& axes_;
  Bounds bounds_;
  int64_t batch_ = 1;
  int64_t run_ = 1;
  std::vector<int64_t> room_, axis_stride_, runs_;
};

// One element a slice, one input: lanes of slices at once.
void scatter_elements(const Work& w, const std::vector<int64_t>& begins) {
  WindowData& x = *w.windows[0];
  const WindowData& u = *w.windows[2];
  Folder folder(w.program, w.work.fold, {x.type()});
  const auto m = static_cast<int64_t>(begins.size());
  for (int64_t i = 0; i < m; i += kMostLanes) {
    const auto lanes = static_cast<size_t>(std::min(kMostLanes, m - i));
    scatter_fold(x.type(), u.at(i), {begins.data() + i, lanes}, folder, x.bytes.data());
  }
}

void scatter_runs(const Work& w, const Slices& slices, const std::vector<int64_t>& begins) {
  const size_t n = w.windows.size() / 2;
  std::vector<Type> types;
  for (size_t i = 0; i < n; ++i) types.push_back(w.windows[i]->type());
  Folder folder(w.program, w.work.fold, types);
  std::vector<void*> acc(n);
  std::vector<const void*> from(n);
  for (size_t s = 0; s < begins.size(); ++s) {
    if (begins[s] < 0) continue;
    int64_t element = static_cast<int64_t>(s) * slices.elements();
    for (const int64_t base : slices.runs()) {
      for (int64_t k = 0; k < slices.run(); k += kMostLanes) {
        for (size_t i = 0; i < n; ++i) {
          acc[i] = w.windows[i]->at(begins[s] + base + k);
          from[i] = w.windows[n + 1 + i]->at(element + k);
        }
        folder.lanes(acc, from, std::min(kMostLanes, slices.run() - k));
      }
      element += slices.run();
    }
  }
}

// Calls f(element of a slice's window, element of x or -1) for every run in order.
template <class F>
void each_run(const Slices& slices, const std::vector<int64_t>& begins, F f) {
  int64_t element = 0;
  for (const int64_t begin : begins) {
    for (const int64_t base : slices.runs()) {
      f(element, begin < 0 ? -1 : begin + base);
      element += slices.run();
    }
  }
}

}  // namespace

Status run_gather_slices(const Work& w) {
  const WindowData& x = *w.windows[0];
  WindowData& y = *w.windows[2];
  const Slices slices(*x.window, *y.window, w.work.axes, w.work.bounds);
  std::vector<int64_t> begins;
  TY_TRY(slices.begins(*w.windows[1], begins));
  with_bits(x.type(), [&]<class T>(T) {
    const auto* from = reinterpret_cast<const T*>(x.bytes.data());
    auto* to = reinterpret_cast<T*>(y.bytes.data());
    each_run(slices, begins, [&](int64_t element, int64_t at) {
      if (at < 0) {
        std::fill_n(to + element, slices.run(), *static_cast<const T*>(w.scalars[0]));
      } else if (slices.run() == 1) {
        to[element] = from[at];
      } else {
        std::memcpy(to + element, from + at, slices.run() * sizeof(T));
      }
    });
  });
  return {};
}

Status run_scatter_slices(const Work& w) {
  const size_t n = w.windows.size() / 2;
  const Slices slices(*w.windows[0]->window, *w.windows[n + 1]->window, w.work.axes, w.work.bounds);
  std::vector<int64_t> begins;
  TY_TRY(slices.begins(*w.windows[n], begins));
  if (w.work.fold.kind != Fold::Kind::None) {
    if (n == 1 && slices.elements() == 1) {
      scatter_elements(w, begins);
    } else {
      scatter_runs(w, slices, begins);
    }
    return {};
  }
  for (size_t i = 0; i < n; ++i) {
    WindowData& x = *w.windows[i];
    const WindowData& u = *w.windows[n + 1 + i];
    each_run(slices, begins, [&](int64_t element, int64_t at) {
      if (at >= 0) std::memcpy(x.at(at), u.at(element), slices.run() * x.size());
    });
  }
  return {};
}

}  // namespace trainyard::sim::gpsimd
