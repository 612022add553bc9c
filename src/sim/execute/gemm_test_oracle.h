#pragma once
// What the matmul tests share: random operands, and strict order computed without any fma, on
// doubles with explicit rounding.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "numerics/convert.h"
#include "sim/execute/gemm_matmul.h"

namespace trainyard::sim::test {

using numerics::Dtype;

inline constexpr Dtype kMatmulDtypes[] = {Dtype::F32,      Dtype::TF32,   Dtype::BF16,
                                          Dtype::F16,      Dtype::F8E5M2, Dtype::F8E4M3,
                                          Dtype::F8E4M3FN, Dtype::F8E3M4};

// c + a * b rounded once to fp32. The product of two floats is exact in a double. Their sum is
// rounded to odd, which keeps enough of what was cut off for the second rounding to be right.
inline float exact_multiply_add(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = c;
  const double sum = product + addend;
  if (!std::isfinite(sum) || !std::isfinite(product)) return static_cast<float>(sum);
  const double part = sum - product;
  const double cut_off = (product - (sum - part)) + (addend - part);
  auto bits = std::bit_cast<uint64_t>(sum);
  if (cut_off != 0 && (bits & 1) == 0) bits += (cut_off > 0) == (sum > 0) ? 1 : -1;
  return static_cast<float>(std::bit_cast<double>(bits));
}

inline float one_nan(float x) {
  return std::isnan(x) ? std::numeric_limits<float>::quiet_NaN() : x;
}

struct FreeAligned {
  void operator()(std::byte* memory) const { std::free(memory); }
};

// Memory for one packed tile.
class PackedRoom {
 public:
  explicit PackedRoom(size_t bytes)
      : bytes_(bytes),
        memory_(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 64) / 64 * 64))) {
    std::fill_n(memory_.get(), bytes, std::byte{0xff});  // padding must be written, not assumed
  }
  std::span<std::byte> span() const { return {memory_.get(), bytes_}; }

 private:
  size_t bytes_;
  std::unique_ptr<std::byte, FreeAligned> memory_;
};

using Random = std::mt19937;

inline size_t pick(Random& random, size_t low, size_t high) {
  return std::uniform_int_distribution<size_t>(low, high)(random);
}

// A matrix [k, columns] of some type, with a pitch wider than a row, and its values.
class Matrix {
 public:
  Matrix(Dtype dtype, size_t k, size_t columns, size_t slack = 3)
      : dtype_(dtype),
        k_(k),
        columns_(columns),
        pitch_((columns + slack) * numerics::size_of(dtype)),
        bytes_(k * pitch_ + 8),
        values_(k * columns) {}

  void set(size_t k, size_t column, float value) {
    numerics::narrow(dtype_, &value, at(k, column), 1);
    numerics::widen(dtype_, at(k, column), &values_[k * columns_ + column], 1);
  }
  // Any bits, so that every exponent comes up; NaN and Inf only if asked for.
  void fill_bits(Random& random, bool finite) {
    for (std::byte& b : bytes_) b = static_cast<std::byte>(random());
    for (size_t k = 0; k < k_; ++k) {
      numerics::widen(dtype_, at(k, 0), values_.data() + k * columns_, columns_);
      for (size_t c = 0; c < columns_; ++c)
        if (finite && !std::isfinite(value(k, c))) set(k, c, 1.0f);
    }
  }
  void fill(Random& random, float low = -2.0f, float high = 2.0f) {
    std::uniform_real_distribution<float> any(low, high);
    for (size_t k = 0; k < k_; ++k)
      for (size_t c = 0; c < columns_; ++c) set(k, c, any(random));
  }
  float value(size_t k, size_t column) const { return values_[k * columns_ + column]; }
  MatmulOperand operand() const {
    return {bytes_.data(), dtype_, k_, columns_, static_cast<ptrdiff_t>(pitch_)};
  }
  // Columns first ... first + count - 1.
  MatmulOperand columns(size_t first, size_t count) const {
    MatmulOperand part = operand();
    part.data += first * numerics::size_of(dtype_);
    part.columns = count;
    return part;
  }
  size_t k() const { return k_; }
  size_t columns() const { return columns_; }

 private:
  std::byte* at(size_t k, size_t column) {
    return bytes_.data() + k * pitch_ + column * numerics::size_of(dtype_);
  }

  Dtype dtype_;
  size_t k_;
  size_t columns_;
  size_t pitch_;
  std::vector<std::byte> bytes_;
  std::vector<float> values_;
};

template <GemmSide Side>
struct PackedMatrix {
  PackedRoom room;
  PackedTile<Side> tile;

  PackedMatrix(const MatmulOperand& operand, GemmLayout layout)
      : room(packed_bytes(layout, Side, operand.k, operand.columns)) {
    if constexpr (Side == GemmSide::Stationary)
      tile = pack_stationary(operand, layout, room.span());
    else
      tile = pack_moving(operand, layout, room.span());
  }
};
using PackedA = PackedMatrix<GemmSide::Stationary>;
using PackedB = PackedMatrix<GemmSide::Moving>;

// dst (+)= a^T b on a unit, dst dense [m, n] with `slack` untouched floats after each row.
inline void multiply(const Matrix& a, const Matrix& b, std::vector<float>& dst, size_t pitch,
                     PsumWrite write, GemmUnit unit) {
  const PackedA stationary(a.operand(), layout_of(unit));
  const PackedB moving(b.operand(), layout_of(unit));
  matmul_packed(stationary.tile, moving.tile, {dst.data(), pitch}, write, unit);
}

// The same in strict order, from the definition.
inline void multiply_strictly(const Matrix& a, const Matrix& b, std::vector<float>& dst,
                              size_t pitch, PsumWrite write) {
  for (size_t m = 0; m < a.columns(); ++m)
    for (size_t n = 0; n < b.columns(); ++n) {
      float sum = 0;
      for (size_t k = 0; k < a.k(); ++k)
        sum = exact_multiply_add(a.value(k, m), b.value(k, n), sum);
      float& out = dst[m * pitch + n];
      out = one_nan(write == PsumWrite::Accumulate ? out + sum : sum);
    }
}

inline std::vector<float> random_floats(Random& random, size_t count) {
  std::uniform_real_distribution<float> value(-4.0f, 4.0f);
  std::vector<float> values(count);
  for (float& x : values) x = value(random);
  return values;
}

inline std::vector<GemmUnit> available_units() {
  std::vector<GemmUnit> units;
  for (GemmUnit unit : kGemmUnits)
    if (is_available(unit)) units.push_back(unit);
  return units;
}

}  // namespace trainyard::sim::test
