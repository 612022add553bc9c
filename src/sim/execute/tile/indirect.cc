#include "sim/execute/tile/indirect.h"

#include <algorithm>
#include <numeric>

namespace trainyard::sim {
namespace {

std::optional<BadIndex> first_bad(const IndexedRows& rows) {
  if (rows.side == nullptr) return std::nullopt;
  for (int64_t row = 0; row < rows.rows(); ++row) {
    const int64_t index = rows.index_of(row);
    if (!rows.is_inside(index)) return BadIndex{row, index, rows.side->end - rows.side->begin};
  }
  return std::nullopt;
}

// Where an element of a side lies: an address, a pattern, and its place in the pattern.
struct Place {
  View view;
  int64_t begin = 0;
};

std::optional<Place> place_of(const IndexedRows& rows, int64_t element) {
  if (rows.side == nullptr) return Place{rows.view, element};
  const int64_t count = rows.side->row.count;
  const int64_t index = rows.index_of(element / count);
  if (!rows.is_inside(index)) return std::nullopt;
  return Place{{rows.view.data + index * rows.side->step, &rows.side->row}, element % count};
}

void copy_row(const Place& dst, const Place& src, int64_t count, ExecContext& x) {
  for (int64_t done = 0; done < count; done += kStrip) {
    const int64_t n = std::min(kStrip, count - done);
    if (dst.view.dtype() == src.view.dtype()) {
      gather(*src.view.pattern, src.view.data, src.begin + done, n, x.words_a.values.data());
      scatter(*dst.view.pattern, dst.view.data, dst.begin + done, n, x.words_a.values.data());
    } else {
      const float* values = read_floats(src.view, 0, src.begin + done, n, x.a);
      x.write(dst.view, 0, dst.begin + done, n, values);
    }
  }
}

}  // namespace

bool IndexedRows::is_inside(int64_t index) const {
  if (index < 0) return false;
  // An index and a step have 32 and 48 bits: their product needs more than 64.
  const __int128 at = offset + static_cast<__int128>(index) * side->step;
  return at + side->lowest >= side->begin && at + side->highest <= side->end;
}

std::optional<BadIndex> indexed_copy(const IndexedRows& dst, const IndexedRows& src, bool skip,
                                     ExecContext& x) {
  if (!skip) {
    for (const IndexedRows* side : {&dst, &src}) {
      if (const std::optional<BadIndex> bad = first_bad(*side)) return bad;
    }
  }
  // Rows, or the parts of rows that lie in one row on both sides.
  int64_t part = 0;
  for (const IndexedRows* side : {&dst, &src}) {
    if (side->side != nullptr) part = std::gcd(part, side->side->row.count);
  }
  const IndexedRows& indexed = src.side != nullptr ? src : dst;
  const int64_t total = indexed.rows() * indexed.side->row.count;
  const uint64_t counter = x.convert.rounding.counter;
  for (int64_t element = 0; element < total; element += part) {
    const std::optional<Place> from = place_of(src, element), to = place_of(dst, element);
    x.convert.rounding.counter = counter + element;  // random bits belong to the element
    if (from && to) copy_row(*to, *from, part, x);
  }
  x.convert.rounding.counter = counter;
  return std::nullopt;
}

}  // namespace trainyard::sim
