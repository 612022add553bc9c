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
#include <iterator>
#include <map>
#include <utility>

namespace trainyard::sim::hazard {

// A line divided into intervals with a value each. A tree, because programs may walk a tensor
// backwards or with a stride: a new interval in the middle must not move all behind it.
template <class T>
class Intervals {
 public:
  // `fresh` is the value of what nobody has touched yet.
  explicit Intervals(T fresh = T{}) : fresh_(std::move(fresh)) {}

  // Calls f(begin, end, value) for intervals that together are exactly [begin, end); those that
  // reach over its ends are split first.
  template <class F>
  void visit(int64_t begin, int64_t end, F&& f) {
    auto at = first_behind(parts_, begin);
    if (at != parts_.end() && at->first < begin) at = split(at, begin);
    for (int64_t from = begin; from < end; ++at) {
      if (at == parts_.end() || at->first > from) {
        const int64_t to = at == parts_.end() ? end : std::min(end, at->first);
        at = parts_.emplace_hint(at, from, Part{to, fresh_});
      } else if (at->second.end > end) {
        split(at, end);
      }
      from = at->second.end;
      f(at->first, from, at->second.value);
    }
  }

  // Calls f(begin, end, value) for the intervals that meet [begin, end), as they are.
  template <class F>
  void look(int64_t begin, int64_t end, F&& f) const {
    for (auto at = first_behind(parts_, begin); at != parts_.end() && at->first < end; ++at)
      f(at->first, at->second.end, at->second.value);
  }

  // Calls f(value) for all intervals.
  template <class F>
  void each(F&& f) const {
    for (const auto& [begin, part] : parts_) f(part.value);
  }

  size_t size() const { return parts_.size(); }

 private:
  struct Part {
    int64_t end = 0;
    T value;
  };
  using Parts = std::map<int64_t, Part>;  // by begin; disjoint

  // The first interval that ends behind `begin`.
  template <class P>
  static auto first_behind(P& parts, int64_t begin) {
    auto at = parts.upper_bound(begin);
    if (at == parts.begin()) return at;
    const auto before = std::prev(at);
    return before->second.end > begin ? before : at;
  }

  // The interval ends at `middle`; the rest of it, which is returned, follows.
  auto split(typename Parts::iterator at, int64_t middle) {
    const auto rest = parts_.emplace_hint(std::next(at), middle, at->second);
    at->second.end = middle;
    return rest;
  }

  T fresh_;
  Parts parts_;
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
