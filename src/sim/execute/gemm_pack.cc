// Packing. A line of words (a row of fp32, or two rows of bf16 interleaved) is cut into pieces that
// go to neighbouring panels.
//
// Rows are read front to back, because a row is a partition and the next one lies a pitch (often
// 192-256 KiB) away. Contiguous bf16 and fp32 rows, the common ones, go straight from the operand
// into the panels; any other type or step first becomes such a row in L1.
// Measured on one Zen 4 core: 5.2 us for a moving tile of 128 x 512 bf16 (a product with it: 74
// us), the rest in bench/README.md. Lost: interleaving a line first and cutting it in a second pass
// (AMX tiles 9.0 instead of 6.2 us), 8-bit floats to bf16 by way of fp32 (32 instead of 10 us).
// Guard: `gemm_bench`, lines "pack".
#include "sim/execute/gemm_pack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

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

// Lines of a packed tile: fp32 rows, or pairs of bf16 rows.
size_t line_count(GemmLayout layout, size_t k) {
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

// Columns that are packed together. A piece of an fp32 stationary line fills half a cache line, and
// the panels of 128 rows lie 4 KiB apart, in the same sets of L1: only a few may be open.
size_t columns_at_once(GemmLayout layout, GemmSide side) {
  return layout == GemmLayout::F32 && side == GemmSide::Stationary ? 4 * kPanelRows : kLineWords;
}

// A part of a row of the operand.
struct RowPart {
  size_t k;
  size_t column;
  size_t count;
};

Bf16OfCode bf16_of_codes(Dtype dtype) {
  std::array<uint8_t, 128> codes;
  std::iota(codes.begin(), codes.end(), uint8_t{0});
  Bf16OfCode table;
  numerics::convert(dtype, codes.data(), Dtype::BF16, table.data(), codes.size());
  return table;
}

// Reads parts of rows. What it returns is valid until the next call with the same room.
class RowReader {
 public:
  explicit RowReader(const MatmulOperand& operand) : operand_(operand) {
    if (numerics::size_of(operand.dtype) == 1) codes_ = bf16_of_codes(operand.dtype);
  }

  // As fp32. Points into the operand where it can.
  const float* f32(const RowPart& part) {
    const std::byte* row = elements(part);
    if (operand_.dtype == Dtype::F32) return reinterpret_cast<const float*>(row);
    numerics::widen(operand_.dtype, row, floats_.data(), part.count);
    return floats_.data();
  }

  // As bf16; zeros beyond the last row. `parity` picks the room: rows come in pairs.
  const uint16_t* bf16(const RowPart& part, size_t parity) {
    uint16_t* room = halves_[parity].data();
    if (part.k >= operand_.k) {
      std::fill_n(room, part.count, uint16_t{0});
      return room;
    }
    const std::byte* row = elements(part);
    if (operand_.dtype != Dtype::BF16)
      widen_codes(codes_, reinterpret_cast<const uint8_t*>(row), part.count, room);
    else if (operand_.column_step == 1)
      return reinterpret_cast<const uint16_t*>(row);
    else
      std::memcpy(room, row, part.count * sizeof(uint16_t));
    return room;
  }

 private:
  // The elements next to each other.
  const std::byte* elements(const RowPart& part) {
    const MatmulOperand& o = operand_;
    const ptrdiff_t size = numerics::size_of(o.dtype);
    const size_t fold = o.fold == 0 ? o.k : o.fold;
    const std::byte* first = o.data + static_cast<ptrdiff_t>(part.k / fold) * o.fold_pitch +
                             static_cast<ptrdiff_t>(part.k % fold) * o.pitch +
                             static_cast<ptrdiff_t>(part.column) * o.column_step * size;
    if (o.column_step == 1) return first;
    for (size_t i = 0; i < part.count; ++i)
      std::memcpy(gathered_.data() + i * size,
                  first + static_cast<ptrdiff_t>(i) * o.column_step * size, size);
    return gathered_.data();
  }

  const MatmulOperand& operand_;
  Bf16OfCode codes_;
  alignas(64) std::array<float, kLineWords> floats_;
  alignas(64) std::array<std::array<uint16_t, kLineWords>, 2> halves_;
  alignas(64) std::array<std::byte, kLineWords * 4> gathered_;
};

// One line in pieces; the last piece is padded with zeros to a whole vector, as interleave does.
template <size_t Piece>
void cut(const float* row, size_t count, PieceTarget to) {
  size_t i = 0;
  for (; i + Piece <= count; i += Piece, to.words += to.stride)
    std::memcpy(to.words, row + i, Piece * sizeof(float));
  if (i == count) return;
  std::fill_n(to.words, round_up(count - i, std::min(Piece, kVectorColumns)), 0u);
  std::memcpy(to.words, row + i, (count - i) * sizeof(float));
}

template <size_t Piece>
void put_line(RowReader& reader, bool pairs, const RowPart& part, PieceTarget to) {
  if (!pairs) return cut<Piece>(reader.f32(part), part.count, to);
  const RowPart low{2 * part.k, part.column, part.count};
  const RowPart high{2 * part.k + 1, part.column, part.count};
  interleave<Piece>(reader.bf16(low, 0), reader.bf16(high, 1), part.count, to);
}

// A tile while it is packed. `part.k` counts lines.
struct Packer {
  RowReader reader;
  uint32_t* words;
  size_t lines;
  bool pairs;

  void stationary(const RowPart& part) {
    put_line<kPanelRows>(reader, pairs, part,
                         {words + part.column * lines + part.k * kPanelRows, lines * kPanelRows});
  }

  void moving(const RowPart& part) {
    const size_t full = part.count / kPanelColumns * kPanelColumns;
    put_line<kPanelColumns>(
        reader, pairs, {part.k, part.column, full},
        {words + part.column * lines + part.k * kPanelColumns, lines * kPanelColumns});
    if (full == part.count) return;
    // The last panel is narrower.
    const size_t column = part.column + full;
    const size_t width = round_up(part.count - full, kVectorColumns);
    put_line<kVectorColumns>(reader, pairs, {part.k, column, part.count - full},
                             {words + column * lines + part.k * width, kVectorColumns});
  }

  void moving_tiles(const RowPart& part) {
    put_line<kTileEdge>(reader, pairs, part,
                        {words + part.column * lines + part.k * kTileEdge, lines * kTileEdge});
  }

  // Stationary tiles hold k along a row: 16 lines at a time, transposed. Does them at the last one.
  void stationary_tiles(const RowPart& part) {
    if (part.k % kTileEdge != 0) return;
    alignas(64) uint32_t rows[kTileEdge][kLineWords];
    for (size_t i = 0; i < kTileEdge; ++i)
      put_line<kTileEdge>(reader, pairs, {part.k + i, part.column, part.count},
                          {rows[i], kTileEdge});
    for (size_t m = 0; m < part.count; m += kTileEdge)
      transpose_tile(rows[0] + m, kLineWords,
                     words + (part.column + m) * lines + part.k * kTileEdge);
  }
};

using PackLine = void (Packer::*)(const RowPart&);

PackLine pack_line_of(GemmSide side, GemmLayout layout) {
  const bool tiles = layout == GemmLayout::Bf16Tiles;
  if (side == GemmSide::Stationary) return tiles ? &Packer::stationary_tiles : &Packer::stationary;
  return tiles ? &Packer::moving_tiles : &Packer::moving;
}

template <GemmSide Side>
PackedTile<Side> pack(const MatmulOperand& operand, GemmLayout layout,
                      std::span<std::byte> buffer) {
  TY_CHECK(numerics::is_float(operand.dtype));
  TY_CHECK(layout == GemmLayout::F32 || fits_bf16(operand.dtype));
  TY_CHECK(buffer.size() >= packed_bytes(layout, Side, operand.k, operand.columns));
  TY_CHECK(reinterpret_cast<uintptr_t>(buffer.data()) % 64 == 0);
  auto* words = reinterpret_cast<uint32_t*>(buffer.data());
  Packer packer{RowReader(operand), words, line_count(layout, operand.k),
                layout != GemmLayout::F32};
  const PackLine pack_line = pack_line_of(Side, layout);
  const size_t step = columns_at_once(layout, Side);
  for (size_t column = 0; column < operand.columns; column += step)
    for (size_t line = 0; line < packer.lines; ++line)
      (packer.*pack_line)({line, column, std::min(operand.columns - column, step)});
  return {words, operand.k, operand.columns, layout};
}

}  // namespace

GemmLayout layout_of(GemmUnit unit) {
  if (unit == GemmUnit::AmxBf16) return GemmLayout::Bf16Tiles;
  return unit == GemmUnit::Avx512Bf16 ? GemmLayout::Bf16Pairs : GemmLayout::F32;
}

size_t packed_steps(GemmLayout layout, size_t k) {
  const size_t lines = line_count(layout, k);
  return layout == GemmLayout::Bf16Tiles ? lines / kTileEdge : lines;
}

size_t packed_bytes(GemmLayout layout, GemmSide side, size_t k, size_t columns) {
  const bool panels = side == GemmSide::Stationary && layout != GemmLayout::Bf16Tiles;
  const size_t width = round_up(columns, panels ? kPanelRows : kVectorColumns);
  return line_count(layout, k) * width * sizeof(uint32_t);
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
