#include "sim/execute/tile/matmul.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/execute/tile/copy.h"

namespace trainyard::sim {
namespace {

// The form that gemm_pack reads, if the free axis has one step.
bool is_packable(const Pattern& p) {
  return p.dims.empty() || (p.dims.size() == 1 && p.dims[0].step % p.size() == 0);
}

MatmulOperand operand_of(const MatmulTile& tile, const std::byte* data) {
  const Pattern& p = tile.pattern;
  MatmulOperand o{.data = data,
                  .dtype = p.dtype,
                  .k = static_cast<size_t>(tile.k()),
                  .columns = static_cast<size_t>(p.count),
                  .pitch = p.pitch};
  if (!p.dims.empty()) o.column_step = p.dims[0].step / p.size();
  if (tile.double_row) {
    o.fold = p.rows;
    o.fold_pitch = tile.fold_pitch;
  }
  return o;
}

// A dense copy of an operand whose free axis has several dims.
struct DenseTile {
  std::vector<std::byte> bytes;
  MatmulTile tile;

  DenseTile(const MatmulTile& from, const std::byte* data) {
    const Pattern& p = from.pattern;
    const int64_t halves = from.double_row ? 2 : 1;
    const int64_t row_bytes = p.count * p.size();
    bytes.resize(halves * p.rows * row_bytes);
    std::byte* to = bytes.data();
    for (int64_t h = 0; h < halves; ++h) {
      for (int64_t row = 0; row < p.rows; ++row, to += row_bytes)
        gather(p, data + h * from.fold_pitch + row * p.pitch, 0, p.count, to);
    }
    tile = {.pattern = make_pattern(p.dtype, p.rows, row_bytes, {{p.size(), p.count}}),
            .double_row = from.double_row,
            .fold_pitch = p.rows * row_bytes};
  }
};

// fp32 accumulators for a dst that gemm_* cannot write itself.
struct Accumulators {
  std::vector<float> values;
  int64_t rows, columns;

  explicit Accumulators(const View& dst) : rows(dst.rows()), columns(dst.count()) {
    values.resize(rows * columns);
  }
  PsumTile tile() { return {values.data(), static_cast<size_t>(columns)}; }
  void load(const View& dst, ExecContext& x) {
    each_strip([&](int64_t row, int64_t begin, int64_t n, float* at) {
      std::copy_n(read_floats(dst, row, begin, n, x.a), n, at);
    });
  }
  void store(const View& dst, ExecContext& x) {
    each_strip(
        [&](int64_t row, int64_t begin, int64_t n, float* at) { x.write(dst, row, begin, n, at); });
  }

 private:
  template <class Work>
  void each_strip(Work work) {
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t begin = 0; begin < columns; begin += kStrip)
        work(row, begin, std::min(kStrip, columns - begin), &values[row * columns + begin]);
    }
  }
};

void multiply(const MatmulWork& w, const PsumTile& dst, PsumWrite write) {
  matmul_packed(w.stationary, w.moving, dst, write, w.unit);
}

}  // namespace

PackedStationary pack_stationary(const MatmulTile& tile, const std::byte* data, GemmLayout layout,
                                 std::span<std::byte> buffer) {
  if (is_packable(tile.pattern)) return pack_stationary(operand_of(tile, data), layout, buffer);
  const DenseTile dense(tile, data);
  return pack_stationary(operand_of(dense.tile, dense.bytes.data()), layout, buffer);
}

PackedMoving pack_moving(const MatmulTile& tile, const std::byte* data, GemmLayout layout,
                         std::span<std::byte> buffer) {
  if (is_packable(tile.pattern)) return pack_moving(operand_of(tile, data), layout, buffer);
  const DenseTile dense(tile, data);
  return pack_moving(operand_of(dense.tile, dense.bytes.data()), layout, buffer);
}

void matmul(const MatmulWork& work, const View& dst, PsumState state, const uint8_t* written,
            ExecContext& x) {
  const PsumWrite write = state == PsumState::Fresh ? PsumWrite::Overwrite : PsumWrite::Accumulate;
  if (state != PsumState::Mixed && x.writes_direct(*dst.pattern) && is_psum_tile(*dst.pattern)) {
    const PsumTile tile{reinterpret_cast<float*>(dst.data),
                        static_cast<size_t>(dst.pattern->pitch) / sizeof(float)};
    return multiply(work, tile, write);
  }
  Accumulators sums(dst);
  if (state != PsumState::Fresh) sums.load(dst, x);
  multiply(work, sums.tile(), write);
  if (state == PsumState::Mixed) {
    Accumulators fresh(dst);
    multiply(work, fresh.tile(), PsumWrite::Overwrite);
    for (size_t i = 0; i < sums.values.size(); ++i) {
      if (written[i] == 0) sums.values[i] = fresh.values[i];
    }
  }
  sums.store(dst, x);
}

void matmul_transpose(const View& dst, const View& stationary) {
  const Pattern& from = *stationary.pattern;
  for (int64_t p = 0; p < from.rows; ++p) {
    WordStrip room;
    for (int64_t begin = 0; begin < from.count; begin += kStrip) {
      const int64_t n = std::min(kStrip, from.count - begin);
      const uint32_t* column = read_bits(stationary, p, begin, n, room);
      for (int64_t i = 0; i < n; ++i) write_words(dst, begin + i, p, 1, column + i);
    }
  }
}

void transpose_by_identity(const View& dst, const View& data, ExecContext& x) {
  const int64_t rows = data.rows(), columns = data.count();
  std::vector<float> values(rows * columns);
  for (int64_t p = 0; p < rows; ++p)
    std::copy_n(read_floats(data, p, 0, columns, x.a), columns, &values[p * columns]);
  for (int64_t f = 0; f < columns; ++f) {
    for (int64_t p = 0; p < rows; ++p) {
      float sum = 0;
      for (int64_t k = 0; k < rows; ++k) sum += values[k * columns + f] * (k == p ? 1.0f : 0.0f);
      x.y.values[p] = sum;
    }
    x.write(dst, f, 0, rows, x.y.values.data());
  }
}

}  // namespace trainyard::sim
