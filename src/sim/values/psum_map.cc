#include "sim/values/psum_map.h"

#include <algorithm>

#include "sim/execute/tile/odometer.h"

namespace trainyard::sim {
namespace {

// Calls f(byte offset) for every element of the pattern.
template <class F>
void each_element(const Pattern& p, int64_t offset, F f) {
  for (int64_t row = 0; row < p.rows; ++row) {
    const int64_t start = offset + row * p.pitch;
    if (p.dims.empty()) {
      f(start);
      continue;
    }
    Odometer at(p.dims, 0);
    for (int64_t i = 0; i < p.count; ++i, at.advance(1)) f(start + at.offset());
  }
}

bool same_shape(const Pattern& a, const Pattern& b) {
  return a.rows == b.rows && a.pitch == b.pitch && a.size() == b.size() && a.dims == b.dims;
}

struct Extent {
  int64_t begin, end;
};

// Bytes of a row from its start, and of all rows if they are laid out one after the other.
Extent extent_of(const Pattern& p, int64_t offset) {
  Extent e{offset, offset + p.size() + (p.rows - 1) * p.pitch};
  for (const Stride& d : p.dims) {
    const int64_t reach = d.step * (d.count - 1);
    (reach < 0 ? e.begin : e.end) += reach;
  }
  return e;
}

// Two patterns with the same pitch that touch different bytes of every row never meet.
bool apart(const Pattern& a, int64_t offset_a, const Pattern& b, int64_t offset_b) {
  if (a.pitch != b.pitch || a.pitch == 0) return false;
  const auto row = [](const Pattern& p, int64_t offset) {
    Pattern one = p;
    one.rows = 1;
    return extent_of(one, offset % p.pitch);
  };
  const Extent ra = row(a, offset_a), rb = row(b, offset_b);
  const bool inside = ra.begin >= 0 && rb.begin >= 0 && ra.end <= a.pitch && rb.end <= a.pitch;
  if (inside && (ra.end <= rb.begin || rb.end <= ra.begin)) return true;
  const int64_t first_a = offset_a / a.pitch, first_b = offset_b / b.pitch;
  return inside && (first_a + a.rows <= first_b || first_b + b.rows <= first_a);
}

}  // namespace

void PsumMap::make_dense(int64_t tensor_bytes) {
  bytes_.assign(tensor_bytes, 0);
  dense_ = true;
  for (const Region& r : regions_) visit_dense(*r.pattern, r.offset, nullptr);
  regions_.clear();
}

PsumState PsumMap::visit_dense(const Pattern& pattern, int64_t offset,
                               std::vector<uint8_t>* written) {
  bool any = false, all = true;
  if (written != nullptr) written->clear();
  each_element(pattern, offset, [&](int64_t at) {
    const uint8_t was = bytes_[at];
    any |= was != 0;
    all &= was != 0;
    if (written != nullptr) written->push_back(was);
  });
  each_element(pattern, offset,
               [&](int64_t at) { std::fill_n(bytes_.begin() + at, pattern.size(), 1); });
  return !any ? PsumState::Fresh : all ? PsumState::Written : PsumState::Mixed;
}

PsumState PsumMap::visit(const Pattern& pattern, int64_t offset, int64_t tensor_bytes,
                         std::vector<uint8_t>& written) {
  if (dense_) return visit_dense(pattern, offset, &written);
  const Extent extent = extent_of(pattern, offset);
  for (const Region& r : regions_) {
    if (r.offset == offset && same_shape(*r.pattern, pattern)) return PsumState::Written;
    const bool disjoint = r.end <= extent.begin || extent.end <= r.begin ||
                          apart(*r.pattern, r.offset, pattern, offset);
    if (!disjoint) {
      make_dense(tensor_bytes);
      return visit_dense(pattern, offset, &written);
    }
  }
  if (regions_.size() == kMaxRegions) {
    make_dense(tensor_bytes);
    return visit_dense(pattern, offset, &written);
  }
  regions_.push_back({extent.begin, extent.end, offset, &pattern});
  return PsumState::Fresh;
}

}  // namespace trainyard::sim
