#pragma once
// A plane of memory, divided into rectangles that share one state and are split on demand.
//
// A plane has rows (partitions on chip, rows of a matrix in HBM) and bytes inside a row. Only what
// was touched has cells, so their number grows with the tiles of a program and not with how often
// it goes round: an access that comes back finds the rectangle of the turn before.
//
// Cells stand in columns of equal bytes, each with its rows in order. Most tiles have all
// partitions, so a column mostly has one cell and a look-up is one binary search.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace trainyard::sim::hazard {

// A line divided into intervals with a value each.
template <class T>
class Intervals {
 public:
  // `fresh` is the value of what nobody has touched yet.
  explicit Intervals(T fresh = T{}) : fresh_(std::move(fresh)) {}

  // Calls f(begin, end, value) for intervals that together are exactly [begin, end); those that
  // reach over its ends are split first.
  template <class F>
  void visit(int64_t begin, int64_t end, F&& f) {
    size_t at = first_behind(begin);
    if (at < parts_.size() && parts_[at].begin < begin) split(at++, begin);
    for (int64_t from = begin; from < end; ++at) {
      if (at == parts_.size() || parts_[at].begin > from) {
        const int64_t to = at == parts_.size() ? end : std::min(end, parts_[at].begin);
        parts_.insert(place(at), Part{from, to, fresh_});
      } else if (parts_[at].end > end) {
        split(at, end);
      }
      from = parts_[at].end;
      f(parts_[at].begin, from, parts_[at].value);
    }
  }

  // Calls f(begin, end, value) for the intervals that meet [begin, end), as they are.
  template <class F>
  void look(int64_t begin, int64_t end, F&& f) const {
    for (size_t at = first_behind(begin); at < parts_.size() && parts_[at].begin < end; ++at)
      f(parts_[at].begin, parts_[at].end, parts_[at].value);
  }

  // Calls f(value) for all intervals.
  template <class F>
  void each(F&& f) const {
    for (const Part& p : parts_) f(p.value);
  }

  size_t size() const { return parts_.size(); }

 private:
  struct Part {
    int64_t begin = 0, end = 0;
    T value;
  };

  auto place(size_t at) { return parts_.begin() + static_cast<std::ptrdiff_t>(at); }

  size_t first_behind(int64_t begin) const {
    const auto it = std::partition_point(parts_.begin(), parts_.end(),
                                         [&](const Part& p) { return p.end <= begin; });
    return static_cast<size_t>(it - parts_.begin());
  }

  // parts_[at] ends at `middle`, the rest of it follows.
  void split(size_t at, int64_t middle) {
    Part right{middle, parts_[at].end, parts_[at].value};
    parts_[at].end = middle;
    parts_.insert(place(at + 1), std::move(right));
  }

  T fresh_;
  std::vector<Part> parts_;  // in order, disjoint
};

// Rows [row, row_end), bytes [begin, end) of each.
struct Box {
  int64_t row = 0, row_end = 0;
  int64_t begin = 0, end = 0;
  friend bool operator==(const Box&, const Box&) = default;
};

inline bool meet(const Box& a, const Box& b) {
  return a.row < b.row_end && b.row < a.row_end && a.begin < b.end && b.begin < a.end;
}

template <class State>
class Cells {
 public:
  explicit Cells(State fresh = State{}) : columns_(Rows(std::move(fresh))) {}

  // Calls f(box, state) for cells that together are exactly `box`.
  template <class F>
  void visit(const Box& box, F&& f) {
    columns_.visit(box.begin, box.end, [&](int64_t begin, int64_t end, Rows& rows) {
      rows.visit(box.row, box.row_end, [&](int64_t row, int64_t row_end, State& state) {
        f(Box{row, row_end, begin, end}, state);
      });
    });
  }

  // Calls f(box, state) for every cell that meets `box`, as it is.
  template <class F>
  void look(const Box& box, F&& f) const {
    columns_.look(box.begin, box.end, [&](int64_t begin, int64_t end, const Rows& rows) {
      rows.look(box.row, box.row_end, [&](int64_t row, int64_t row_end, const State& state) {
        f(Box{row, row_end, begin, end}, state);
      });
    });
  }

  int64_t size() const {
    int64_t n = 0;
    columns_.each([&](const Rows& rows) { n += static_cast<int64_t>(rows.size()); });
    return n;
  }

 private:
  using Rows = Intervals<State>;
  Intervals<Rows> columns_;
};

}  // namespace trainyard::sim::hazard
