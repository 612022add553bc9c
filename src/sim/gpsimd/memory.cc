#include "sim/gpsimd/memory.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

namespace {

// Calls f(byte in the tensor, byte in the window, bytes) for every run of a window.
template <class F>
void each_run(const Window& w, F f) {
  const int64_t size = size_of(w.type);
  const auto rank = static_cast<int64_t>(w.shape.size());
  const int64_t inner = rank == 0 ? 1 : w.shape[rank - 1];
  const int64_t runs = w.elements() / inner;
  std::vector<int64_t> at(rank, 0);
  for (int64_t r = 0; r < runs; ++r) {
    int64_t offset = 0;
    for (int64_t i = 0; i < rank; ++i) offset = offset * w.tensor[i] + w.start[i] + at[i];
    f(offset * size, r * inner * size, inner * size);
    for (int64_t i = rank - 2; i >= 0 && ++at[i] == w.shape[i]; --i) at[i] = 0;
  }
}

// Finds where a position comes back. Entries of an older batch count as empty.
class Seen {
 public:
  void begin() {
    if (++batch_ != 0) return;
    batch_of_.fill(0);  // all numbers are used up: old entries would seem new
    batch_ = 1;
  }
  bool insert(int64_t position) {
    for (size_t at = static_cast<uint64_t>(position) * 0x9E3779B97F4A7C15u >> 52;;
         at = (at + 1) % kSlots) {
      if (batch_of_[at] != batch_) {
        batch_of_[at] = batch_;
        slots_[at] = position;
        return true;
      }
      if (slots_[at] == position) return false;
    }
  }

 private:
  static constexpr size_t kSlots = 4096;  // four times the lanes
  std::array<int64_t, kSlots> slots_;
  std::array<uint32_t, kSlots> batch_of_{};
  uint32_t batch_ = 0;
};

}  // namespace

void copy_in(WindowData& data, std::span<const std::byte> tensor) {
  const Window& w = *data.window;
  data.own.resize(w.elements() * size_of(w.type));
  data.bytes = data.own;
  each_run(w, [&](int64_t from, int64_t to, int64_t bytes) {
    std::memcpy(data.bytes.data() + to, tensor.data() + from, bytes);
  });
  if (w.type == Type::I1) {
    for (std::byte& b : data.bytes) b = b == std::byte{0} ? b : std::byte{1};
  }
}

void copy_out(const WindowData& data, std::span<std::byte> tensor) {
  each_run(*data.window, [&](int64_t to, int64_t from, int64_t bytes) {
    std::memcpy(tensor.data() + to, data.bytes.data() + from, bytes);
  });
}

int64_t index_at(Type type, const void* indices, int64_t i) {
  int64_t index = 0;
  with_integer(type, [&]<class T>(T) {
    const T value = static_cast<const T*>(indices)[i];
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (sizeof(T) == 8 && value > 0 && static_cast<uint64_t>(value) > kMost) {
      index = static_cast<int64_t>(kMost);
    } else {
      index = static_cast<int64_t>(value);
    }
  });
  return index;
}

Status resolve(std::span<int64_t> indices, int64_t limit, Bounds bounds, std::string_view what) {
  for (int64_t& i : indices) {
    if (i >= 0 && i < limit) continue;
    if (bounds == Bounds::Fault) {
      return error("TY-GPS-020",
                   "{} reaches element {}, of {}; mask the index or choose clamp, fill or drop",
                   what, i, limit);
    }
    i = bounds == Bounds::Clamp ? std::clamp<int64_t>(i, 0, limit - 1) : -1;
  }
  return {};
}

void gather(Type type, const void* src, std::span<const int64_t> positions, const void* fill,
            void* dst) {
  with_bits(type, [&]<class T>(T) {
    const T other = fill == nullptr ? T{0} : *static_cast<const T*>(fill);
    for (size_t i = 0; i < positions.size(); ++i) {
      const int64_t p = positions[i];
      static_cast<T*>(dst)[i] = p < 0 ? other : static_cast<const T*>(src)[p];
    }
  });
}

void scatter(Type type, const void* src, std::span<const int64_t> positions, void* dst) {
  with_bits(type, [&]<class T>(T) {
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] >= 0) static_cast<T*>(dst)[positions[i]] = static_cast<const T*>(src)[i];
    }
  });
}

void scatter_fold(Type type, const void* src, std::span<const int64_t> positions, Folder& folder,
                  void* dst) {
  // Stretches without a duplicate are combined at once; a duplicate waits for the next stretch.
  thread_local Seen seen;
  std::array<uint64_t, kMostLanes> old;
  const int64_t size = size_of(type);
  size_t begin = 0;
  while (begin < positions.size()) {
    seen.begin();
    size_t end = begin;
    while (end < positions.size() && (positions[end] < 0 || seen.insert(positions[end]))) ++end;
    const std::span<const int64_t> stretch = positions.subspan(begin, end - begin);
    gather(type, dst, stretch, nullptr, old.data());
    void* const acc = old.data();
    const void* const x = static_cast<const std::byte*>(src) + begin * size;
    folder.lanes({&acc, 1}, {&x, 1}, static_cast<int64_t>(stretch.size()));
    scatter(type, acc, stretch, dst);
    begin = end;
  }
}

}  // namespace trainyard::sim::gpsimd
