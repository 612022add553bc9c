// Packing, in two stages per row of words: read (one row of fp32, or two rows of bf16 interleaved)
// into a line of at most 768 words, then scatter the line over the panels. Both stages stay in L1.
//
// Rows are read front to back, because a row is a partition and the next one lies a pitch (often
// 192-256 KiB) away; panels are written in pieces of whole cache lines.
// Measured on one Zen 4 core: see the table of bench/README.md. A moving tile of 128 x 512 bf16
// packs in a few per cent of the time of one product with it, so the two stages are not fused.
// Guard: `gemm_bench`, lines "pack".
#include "sim/execute/gemm_pack.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "numerics/convert.h"
#include "sim/execute/gemm_amx.h"
#include "sim/execute/gemm_kernel.h"
#include "sim/execute/gemm_pack_line.h"

namespace trainyard::sim {
namespace {

using numerics::Dtype;

inline constexpr size_t kLineWords = 768;  // whole panels and whole tiles
static_assert(kLineWords % kPanelColumns == 0 && kLineWords % kTileEdge == 0);

constexpr size_t round_up(size_t x, size_t unit) { return (x + unit - 1) / unit * unit; }

// Rows of words of a packed tile: fp32 rows, or pairs of bf16 rows.
size_t word_rows(GemmLayout layout, size_t k) {
  switch (layout) {
    case GemmLayout::F32:
      return k;
    case GemmLayout::Bf16Pairs:
      return round_up(k, 2) / 2;
    case GemmLayout::Bf16Tiles:
      return round_up(k, kTileK) / 2;
  }
  return 0;
}

// Reads an operand as lines of words. The line is valid until the next call; words past the last
// column are zero up to a multiple of 16.
class LineReader {
 public:
  LineReader(const MatmulOperand& operand, GemmLayout layout)
      : operand_(operand), pairs_(layout != GemmLayout::F32) {}

  const uint32_t* line(size_t row, size_t column, size_t count) {
    std::fill(words_.begin() + count, words_.begin() + round_up(count, kVectorColumns), 0u);
    if (!pairs_) {
      widen_row(row, column, count);
    } else {
      const uint16_t* low = bf16_row(2 * row, column, count, low_.data());
      const uint16_t* high = bf16_row(2 * row + 1, column, count, high_.data());
      interleave(low, high, count, words_.data());
    }
    return words_.data();
  }

 private:
  // The elements of a row, next to each other.
  const std::byte* elements(size_t k, size_t column, size_t count) {
    const MatmulOperand& o = operand_;
    const auto size = static_cast<ptrdiff_t>(numerics::size_of(o.dtype));
    const size_t fold = o.fold == 0 ? std::max<size_t>(o.k, 1) : o.fold;
    const std::byte* row = o.data + static_cast<ptrdiff_t>(k / fold) * o.fold_pitch +
                           static_cast<ptrdiff_t>(k % fold) * o.pitch;
    const std::byte* first = row + static_cast<ptrdiff_t>(column) * o.column_step * size;
    if (o.column_step == 1) return first;
    for (size_t i = 0; i < count; ++i)
      std::memcpy(gathered_.data() + i * size,
                  first + static_cast<ptrdiff_t>(i) * o.column_step * size, size);
    return gathered_.data();
  }

  void widen_row(size_t k, size_t column, size_t count) {
    numerics::widen(operand_.dtype, elements(k, column, count),
                    reinterpret_cast<float*>(words_.data()), count);
  }

  // Row k as bf16; zeros beyond the last row. Points into the operand where it can.
  const uint16_t* bf16_row(size_t k, size_t column, size_t count, uint16_t* room) {
    if (k >= operand_.k) {
      std::fill_n(room, count, uint16_t{0});
      return room;
    }
    const std::byte* row = elements(k, column, count);
    if (operand_.dtype == Dtype::BF16 && row != gathered_.data())
      return reinterpret_cast<const uint16_t*>(row);
    numerics::convert(operand_.dtype, row, Dtype::BF16, room, count);
    return room;
  }

  const MatmulOperand& operand_;
  bool pairs_;
  alignas(64) std::array<uint32_t, kLineWords> words_;
  alignas(64) std::array<uint16_t, kLineWords> low_;
  alignas(64) std::array<uint16_t, kLineWords> high_;
  alignas(64) std::array<std::byte, kLineWords * 4> gathered_;
};

// Pieces of `Words` words, `stride` words apart.
template <size_t Words>
void scatter(const uint32_t* line, size_t count, uint32_t* to, size_t stride) {
  for (size_t i = 0; i < count; i += Words, to += stride)
    std::memcpy(to, line + i, Words * sizeof(uint32_t));
}

// Where a layout puts line `row` of the tile; `column` is the line's first, a multiple of
// kLineWords.
struct PanelWriter {
  uint32_t* words;
  size_t rows;  // of words

  void stationary(const uint32_t* line, size_t row, size_t column, size_t count) const {
    scatter<kPanelRows>(line, count, words + column * rows + row * kPanelRows, rows * kPanelRows);
  }

  void moving(const uint32_t* line, size_t row, size_t column, size_t count) const {
    const size_t full = count / kPanelColumns * kPanelColumns;
    scatter<kPanelColumns>(line, full, words + column * rows + row * kPanelColumns,
                           rows * kPanelColumns);
    if (full == count) return;
    const size_t width = panel_width(count - full);
    std::memcpy(words + (column + full) * rows + row * width, line + full, width * 4);
  }

  void moving_tiles(const uint32_t* line, size_t row, size_t column, size_t count) const {
    scatter<kTileEdge>(line, count, words + column * rows + row * kTileEdge, rows * kTileEdge);
  }
};

// Stationary tiles hold k along a row: 16 lines at a time, transposed.
void pack_stationary_tiles(LineReader& reader, const MatmulOperand& operand, uint32_t* words) {
  const size_t rows = word_rows(GemmLayout::Bf16Tiles, operand.k);
  alignas(64) uint32_t lines[kTileEdge][kLineWords];
  for (size_t column = 0; column < operand.columns; column += kLineWords) {
    const size_t count = std::min(operand.columns - column, kLineWords);
    for (size_t row = 0; row < rows; row += kTileEdge) {
      for (size_t r = 0; r < kTileEdge; ++r)
        std::memcpy(lines[r], reader.line(row + r, column, count), round_up(count, kTileEdge) * 4);
      for (size_t i = 0; i < count; i += kTileEdge)
        transpose_tile(lines[0] + i, kLineWords, words + (column + i) * rows + row * kTileEdge);
    }
  }
}

template <GemmSide Side>
void pack_lines(LineReader& reader, const MatmulOperand& operand, GemmLayout layout,
                const PanelWriter& writer) {
  for (size_t column = 0; column < operand.columns; column += kLineWords) {
    const size_t count = std::min(operand.columns - column, kLineWords);
    for (size_t row = 0; row < writer.rows; ++row) {
      const uint32_t* line = reader.line(row, column, count);
      if constexpr (Side == GemmSide::Stationary)
        writer.stationary(line, row, column, count);
      else if (layout == GemmLayout::Bf16Tiles)
        writer.moving_tiles(line, row, column, count);
      else
        writer.moving(line, row, column, count);
    }
  }
}

template <GemmSide Side>
PackedTile<Side> pack(const MatmulOperand& operand, GemmLayout layout,
                      std::span<std::byte> buffer) {
  TY_CHECK(numerics::is_float(operand.dtype));
  TY_CHECK(layout == GemmLayout::F32 || fits_bf16(operand.dtype));
  TY_CHECK(buffer.size() >= packed_bytes(layout, Side, operand.k, operand.columns));
  TY_CHECK(reinterpret_cast<uintptr_t>(buffer.data()) % 64 == 0);
  auto* words = reinterpret_cast<uint32_t*>(buffer.data());
  LineReader reader(operand, layout);
  if (Side == GemmSide::Stationary && layout == GemmLayout::Bf16Tiles)
    pack_stationary_tiles(reader, operand, words);
  else
    pack_lines<Side>(reader, operand, layout, {words, word_rows(layout, operand.k)});
  return {words, operand.k, operand.columns, layout};
}

}  // namespace

GemmLayout layout_of(GemmUnit unit) {
  if (unit == GemmUnit::AmxBf16) return GemmLayout::Bf16Tiles;
  return unit == GemmUnit::Avx512Bf16 ? GemmLayout::Bf16Pairs : GemmLayout::F32;
}

size_t packed_steps(GemmLayout layout, size_t k) {
  return layout == GemmLayout::Bf16Tiles ? word_rows(layout, k) / kTileEdge : word_rows(layout, k);
}

size_t packed_bytes(GemmLayout layout, GemmSide side, size_t k, size_t columns) {
  const bool panels = side == GemmSide::Stationary && layout != GemmLayout::Bf16Tiles;
  const size_t width = round_up(columns, panels ? kPanelRows : kVectorColumns);
  return word_rows(layout, k) * width * sizeof(uint32_t);
}

PackedStationary pack_stationary(const MatmulOperand& operand, GemmLayout layout,
                                 std::span<std::byte> buffer) {
  return pack<GemmSide::Stationary>(operand, layout, buffer);
}

PackedMoving pack_moving(const MatmulOperand& operand, GemmLayout layout,
                         std::span<std::byte> buffer) {
  return pack<GemmSide::Moving>(operand, layout, buffer);
}

}  // namespace trainyard::sim
