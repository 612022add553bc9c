#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>

#include "isa/gpsimd/primitives.h"
#include "sim/gpsimd/primitives.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

namespace {

// Rows along an axis: element k of row r lies at begin + k * stride.
struct Rows {
  int64_t length = 1, stride = 1, count = 1;

  Rows(const std::vector<int64_t>& shape, int64_t axis, int64_t elements) : length(shape[axis]) {
    for (size_t i = axis + 1; i < shape.size(); ++i) stride *= shape[i];
    count = elements / length;
  }
  int64_t begin(int64_t row) const { return row / stride * stride * length + row % stride; }
};

std::vector<uint64_t> keys_of(const WindowData& w, const Rows& rows, int64_t row, Order order) {
  std::vector<uint64_t> keys(rows.length);
  const int64_t begin = rows.begin(row);
  for (int64_t k = 0; k < rows.length; ++k) {
    const uint64_t key = order_key(w.type(), w.bytes.data(), begin + k * rows.stride);
    keys[k] = order == Order::Ascending ? key : ~key;
  }
  return keys;
}

void permute(WindowData& w, const Rows& rows, int64_t row, const std::vector<int32_t>& order) {
  const int64_t begin = rows.begin(row);
  with_bits(w.type(), [&]<class T>(T) {
    auto* x = reinterpret_cast<T*>(w.bytes.data()) + begin;
    std::vector<T> sorted(rows.length);
    for (int64_t k = 0; k < rows.length; ++k) sorted[k] = x[order[k] * rows.stride];
    for (int64_t k = 0; k < rows.length; ++k) x[k * rows.stride] = sorted[k];
  });
}

// A merge sort whose comparisons are made in lanes: every element finds its rank in the other run
// by bisection. The result is the one stable order. A comparator that contradicts itself has none;
// two elements then claim one place, and that level is merged element by element.
class ComparatorSort {
 public:
  ComparatorSort(const Work& work, const Rows& rows)
      : work_(work), rows_(rows), less_(work.program.functions[work.work.fold.function]) {
    sides_.resize(2 * work.windows.size());
  }

  void sort(int64_t row, std::vector<int32_t>& order) {
    begin_ = rows_.begin(row);
    const int64_t n = rows_.length;
    std::vector<int32_t> merged(n);
    for (int64_t width = 1; width < n; width *= 2) {
      std::fill(merged.begin(), merged.end(), -1);
      if (!merge_by_rank(order, merged, width)) merge_in_turn(order, merged, width);
      order.swap(merged);
    }
  }

 private:
  using Lanes = std::array<int32_t, kMostLanes>;

  // result[i] = less(element left[i], element right[i])
  void compare(const Lanes& left, const Lanes& right, int64_t n, uint8_t* result) {
    std::array<int64_t, kMostLanes> at;
    std::vector<const void*> params;
    for (size_t s = 0; s < sides_.size(); ++s) {
      const Lanes& side = s % 2 == 0 ? left : right;
      for (int64_t i = 0; i < n; ++i) at[i] = begin_ + side[i] * rows_.stride;
      const WindowData& w = *work_.windows[s / 2];
      gather(w.type(), w.bytes.data(), {at.data(), static_cast<size_t>(n)}, nullptr,
             sides_[s].data());
      params.push_back(sides_[s].data());
    }
    void* const out = result;
    less_.run(params, {&out, 1}, n);
  }

  bool merge_by_rank(const std::vector<int32_t>& order, std::vector<int32_t>& merged,
                     int64_t width) {
    const int64_t n = rows_.length;
    std::array<int64_t, kMostLanes> low, high, other;
    Lanes left, right;
    std::array<uint8_t, kMostLanes> before;
    for (int64_t t = 0; t < n; t += kMostLanes) {
      const int64_t lanes = std::min(kMostLanes, n - t);
      bool open = false;
      for (int64_t i = 0; i < lanes; ++i) {
        const int64_t run = (t + i) / width;
        other[i] = std::min((run ^ 1) * width, n);
        low[i] = 0;
        high[i] = std::min(other[i] + width, n) - other[i];
        open = open || high[i] > 0;
      }
      while (open) {
        for (int64_t i = 0; i < lanes; ++i) {
          const bool first = (t + i) / width % 2 == 0;
          const int64_t middle = low[i] < high[i] ? other[i] + (low[i] + high[i]) / 2 : t + i;
          left[i] = order[first ? middle : t + i];
          right[i] = order[first ? t + i : middle];
        }
        compare(left, right, lanes, before.data());
        open = false;
        for (int64_t i = 0; i < lanes; ++i) {
          if (low[i] >= high[i]) continue;
          const bool first = (t + i) / width % 2 == 0;
          const int64_t middle = (low[i] + high[i]) / 2;
          // Of equal elements those of the first run come first.
          if ((before[i] != 0) == first)
            low[i] = middle + 1;
          else
            high[i] = middle;
          open = open || low[i] < high[i];
        }
      }
      for (int64_t i = 0; i < lanes; ++i) {
        const int64_t run = (t + i) / width;
        const int64_t place = (run & ~int64_t{1}) * width + (t + i - run * width) + low[i];
        if (merged[place] >= 0) return false;
        merged[place] = order[t + i];
      }
    }
    return true;
  }

  void merge_in_turn(const std::vector<int32_t>& order, std::vector<int32_t>& merged,
                     int64_t width) {
    const int64_t n = rows_.length;
    Lanes left, right;
    for (int64_t start = 0; start < n; start += 2 * width) {
      int64_t a = start, b = std::min(start + width, n);
      const int64_t a_end = b, b_end = std::min(start + 2 * width, n);
      for (int64_t place = start; place < b_end; ++place) {
        uint8_t take_b = a == a_end ? 1 : 0;
        if (a < a_end && b < b_end) {
          left[0] = order[b];
          right[0] = order[a];
          compare(left, right, 1, &take_b);
        }
        merged[place] = order[take_b != 0 ? b++ : a++];
      }
    }
  }

  const Work& work_;
  const Rows& rows_;
  LaneFunction less_;
  int64_t begin_ = 0;
  std::vector<std::array<uint64_t, kMostLanes>> sides_;
};

struct Key {
  const WindowData* window;
  Order order;
  std::optional<Function> function;  // of the element, instead of the element itself

  Type type() const {
    return function ? function->values[function->blocks[0].results[0]].type : window->type();
  }
};

// The keys of one row, through the key's function.
std::vector<uint64_t> mapped_keys(const Key& key, const Rows& rows, int64_t row) {
  LaneFunction map(*key.function);
  std::vector<uint64_t> keys(rows.length);
  std::array<int64_t, kMostLanes> at;
  std::array<uint64_t, kMostLanes> x, y;
  for (int64_t first = 0; first < rows.length; first += kMostLanes) {
    const int64_t n = std::min(kMostLanes, rows.length - first);
    for (int64_t i = 0; i < n; ++i) at[i] = rows.begin(row) + (first + i) * rows.stride;
    gather(key.window->type(), key.window->bytes.data(), {at.data(), static_cast<size_t>(n)},
           nullptr, x.data());
    const void* const in = x.data();
    void* const out = y.data();
    map.run({&in, 1}, {&out, 1}, n);
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t bits = order_key(key.type(), y.data(), i);
      keys[first + i] = key.order == Order::Ascending ? bits : ~bits;
    }
  }
  return keys;
}

std::vector<Key> built_in_keys(const Work& w) {
  std::vector<Key> keys;
  if (w.work.fold.kind == Fold::Kind::None) {
    for (size_t k = 0; k < w.work.orders.size(); ++k) {
      keys.push_back({w.windows[k], w.work.orders[k], {}});
    }
  } else if (const auto known = recognise_order(w.program.functions[w.work.fold.function])) {
    keys.push_back({w.windows[known->key], known->order, {}});
  } else if (auto mapped = recognise_key(w.program.functions[w.work.fold.function])) {
    keys.push_back({w.windows[mapped->order.key], mapped->order.order, mapped->function});
  }
  return keys;
}

// Key and element number in one word, so that every pass reads in order. 11 bits a pass: three
// passes for 32 bits, and the counters stay in the first cache.
void sort_packed(std::vector<int32_t>& order, const std::vector<uint64_t>& keys, int64_t bytes) {
  constexpr int kDigit = 11;
  constexpr uint64_t kDigits = uint64_t{1} << kDigit;
  const uint64_t mask = (uint64_t{1} << (8 * bytes)) - 1;
  std::vector<uint64_t> words(order.size()), next(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    words[i] = (keys[order[i]] & mask) << 32 | static_cast<uint32_t>(order[i]);
  }
  for (int shift = 32; shift < 32 + 8 * bytes; shift += kDigit) {
    std::array<size_t, kDigits + 1> starts{};
    for (const uint64_t w : words) ++starts[(w >> shift) % kDigits + 1];
    if (*std::max_element(starts.begin(), starts.end()) == words.size()) continue;
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const uint64_t w : words) next[starts[(w >> shift) % kDigits]++] = w;
    words.swap(next);
  }
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(words[i]);
}

}  // namespace

void radix_sort(std::vector<int32_t>& order, const std::vector<uint64_t>& keys, int64_t bytes) {
  constexpr size_t kShort = 256;
  if (order.size() <= kShort) {
    const uint64_t mask = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1;
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return (keys[a] & mask) < (keys[b] & mask); });
    return;
  }
  if (bytes <= 4) return sort_packed(order, keys, bytes);
  std::vector<int32_t> next(order.size());
  for (int64_t byte = 0; byte < bytes; ++byte) {
    const int64_t shift = 8 * byte;
    std::array<size_t, 257> starts{};
    for (const int32_t i : order) ++starts[(keys[i] >> shift & 0xFF) + 1];
    if (*std::max_element(starts.begin(), starts.end()) == order.size()) continue;
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const int32_t i : order) next[starts[keys[i] >> shift & 0xFF]++] = i;
    order.swap(next);
  }
}

void run_sort(const Work& w) {
  const Rows rows(w.windows[0]->window->shape, w.work.axes[0], w.windows[0]->elements);
  const std::vector<Key> keys = built_in_keys(w);
  std::optional<ComparatorSort> by_comparator;
  if (keys.empty()) by_comparator.emplace(w, rows);
  std::vector<int32_t> order(rows.length);
  for (int64_t row = 0; row < rows.count; ++row) {
    std::iota(order.begin(), order.end(), 0);
    if (by_comparator) by_comparator->sort(row, order);
    // The last key first: each stable sort keeps what the later keys decided.
    for (size_t k = keys.size(); k-- > 0;) {
      const Key& key = keys[k];
      radix_sort(
          order,
          key.function ? mapped_keys(key, rows, row) : keys_of(*key.window, rows, row, key.order),
          size_of(key.type()));
    }
    for (WindowData* window : w.windows) permute(*window, rows, row, order);
  }
}

void run_top_k(const Work& w) {
  WindowData& x = *w.windows[0];
  const auto last = static_cast<int64_t>(x.window->shape.size()) - 1;
  const Rows rows(x.window->shape, last, x.elements);
  const int64_t k = w.windows[1]->window->shape.back();
  std::vector<int32_t> order(rows.length);
  for (int64_t row = 0; row < rows.count; ++row) {
    order.resize(rows.length);
    std::iota(order.begin(), order.end(), 0);
    radix_sort(order, keys_of(x, rows, row, w.work.orders[0]), x.size());
    order.resize(k);
    const std::vector<int64_t> at(order.begin(), order.end());
    gather(x.type(), x.at(row * rows.length), at, nullptr, w.windows[1]->at(row * k));
    std::memcpy(w.windows[2]->at(row * k), order.data(), k * sizeof(int32_t));
  }
}

void run_binary_search(const Work& w) {
  const WindowData& sorted = *w.windows[0];
  const WindowData& queries = *w.windows[1];
  WindowData& out = *w.windows[2];
  for (int64_t q = 0; q < queries.elements; ++q) {
    const uint64_t key = order_key(queries.type(), queries.bytes.data(), q);
    int64_t low = 0, high = sorted.elements;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const uint64_t there = order_key(sorted.type(), sorted.bytes.data(), middle);
      if (w.work.right ? there <= key : there < key)
        low = middle + 1;
      else
        high = middle;
    }
    std::memcpy(out.at(q), &low, out.size());  // little endian
  }
}

}  // namespace trainyard::sim::gpsimd
