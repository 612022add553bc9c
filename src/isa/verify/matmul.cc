// The array: tile sizes, types, modes and the PSUM bank. [nki-isa]
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "isa/ranges.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

// Logical shape of the product.
struct Product {
  int64_t k = 0, m = 0, n = 0;
};

bool is_double_row(const Matmul& i) { return i.perf_mode == PerfMode::DoubleRow; }

Product product(const Matmul& i) {
  const int64_t rows = is_double_row(i) ? 2 : 1;
  return {i.moving.partitions, i.stationary.free_elements() / rows,
          i.moving.free_elements() / rows};
}

bool is_fp8(Dtype d) { return numerics::is_float(d) && numerics::size_of(d) == 1; }
bool is_fp32_like(Dtype d) { return d == Dtype::F32 || d == Dtype::TF32; }

int64_t pieces(int64_t n, int64_t most) { return (n + most - 1) / most; }

Status verify_sizes(const Subject& s, const Matmul& i) {
  const Product p = product(i);
  const auto& limits = s.core.limits;
  TY_TRY(same_partitions(s, {"stationary", i.stationary}, {"moving", i.moving}));
  const bool bf16 = i.dst.dtype == Dtype::BF16 && !i.is_transpose;
  const int64_t columns = bf16 ? limits.moving_free_bf16.value : limits.moving_free.value;
  if (p.m > limits.stationary_free.value) {
    return s.refuse(
        "TY-ISA-140", "stationary has {} columns, at most {} on {}; split it into {} instructions",
        p.m, limits.stationary_free.value, s.core.name, pieces(p.m, limits.stationary_free.value));
  }
  if (p.n > columns) {
    return s.refuse("TY-ISA-140",
                    "moving has {} columns, at most {} on {}; split it into {} instructions", p.n,
                    columns, s.core.name, pieces(p.n, columns));
  }
  if (i.dst.partitions != p.m || i.dst.free_elements() != p.n) {
    return s.refuse("TY-ISA-127",
                    "dst is {} x {}, the product is {} x {} (columns of stationary x columns of "
                    "moving)",
                    i.dst.partitions, i.dst.free_elements(), p.m, p.n);
  }
  return {};
}

Status verify_types(const Subject& s, const Matmul& i) {
  const Dtype a = i.stationary.dtype, b = i.moving.dtype;
  for (const auto& [name, dtype] : {std::pair{"stationary", a}, std::pair{"moving", b}}) {
    if (!numerics::is_float(dtype)) {
      return s.refuse("TY-ISA-142",
                      "{} is {}, but the array multiplies floats only; convert it to bf16 (exact "
                      "up to 256) or f32 (exact up to 2^24)",
                      name, numerics::name(dtype));
    }
  }
  if (is_fp32_like(a) != is_fp32_like(b)) {
    return s.refuse("TY-ISA-142",
                    "stationary is {} and moving is {}; f32 and tf32 pair only with each other, so "
                    "convert one of them",
                    numerics::name(a), numerics::name(b));
  }
  const auto mixed = [&](Dtype x, Dtype y) { return a == x && b == y; };
  if (mixed(Dtype::F8E4M3, Dtype::F8E4M3FN) || mixed(Dtype::F8E4M3FN, Dtype::F8E4M3)) {
    return s.refuse("TY-ISA-142",
                    "stationary is {} and moving is {}; the two e4m3 formats cannot be mixed",
                    numerics::name(a), numerics::name(b));
  }
  if (i.is_transpose) return {};
  const bool bf16 = i.dst.dtype == Dtype::BF16 && s.core.has.psum_bf16.value;
  if (i.dst.dtype == Dtype::F32 || bf16) return {};
  return s.refuse("TY-ISA-142", "dst is {}, it must be f32{}; convert when copying out of psum",
                  numerics::name(i.dst.dtype), s.core.has.psum_bf16.value ? " or bf16" : "");
}

Status verify_transpose_mode(const Subject& s, const Matmul& i) {
  if (!i.is_transpose) return {};
  if (!s.core.has.transpose_mode.value) {
    return s.refuse("TY-ISA-131",
                    "is_transpose needs NeuronCore-v3 or later, this is {}; use nc_transpose, or "
                    "multiply by the identity without is_transpose",
                    s.core.name);
  }
  const Product p = product(i);
  if (p.n != p.k) {
    return s.refuse("TY-ISA-144",
                    "moving is {} x {}, but a transpose streams the identity; make it square", p.k,
                    p.n);
  }
  const Dtype data = i.stationary.dtype;
  if (i.dst.dtype == data || (is_fp8(data) && i.dst.dtype == Dtype::U16)) return {};
  return s.refuse("TY-ISA-144", "dst is {} and the data is {}; a transpose keeps the type{}",
                  numerics::name(i.dst.dtype), numerics::name(data),
                  is_fp8(data) ? " (fp8 may also come out as u16, upper byte zero)" : "");
}

Status verify_double_row(const Subject& s, const Matmul& i) {
  if (!is_double_row(i)) return {};
  if (s.core.pe.macs_double_row.value == 0) {
    return s.refuse("TY-ISA-131",
                    "perf_mode double_row needs NeuronCore-v3 or later, this is {}; use two "
                    "matmuls that accumulate",
                    s.core.name);
  }
  if (i.is_transpose || (i.tile_columns != 0 && i.tile_columns != s.core.pe.cols.value)) {
    return s.refuse("TY-ISA-144",
                    "perf_mode double_row goes neither with is_transpose nor with "
                    "column tiles; drop one of them");
  }
  for (const auto& [name, a] : {Named{"stationary", i.stationary}, Named{"moving", i.moving}}) {
    if (!is_fp8(a.dtype)) {
      return s.refuse("TY-ISA-144", "{} is {}, but perf_mode double_row takes fp8 only", name,
                      numerics::name(a.dtype));
    }
    if (a.dims.size() < 2 || a.dims.front().count != 2) {
      return s.refuse("TY-ISA-144",
                      "the slowest free dim of {} has {} elements, but perf_mode double_row takes "
                      "exactly 2; pad with zeros",
                      name, a.dims.empty() ? 1 : a.dims.front().count);
    }
  }
  return {};
}

struct TileAxis {
  std::string_view name;
  int64_t start, size, least, array, used;
};

Status verify_tile_axis(const Subject& s, const TileAxis& t) {
  const bool size =
      (t.size == 32 || t.size == 64 || t.size == 128) && t.size >= t.least && t.size <= t.array;
  if (!size) {
    return s.refuse("TY-ISA-143", "tile_{}s is {}, it must be {}64 or 128 on {}", t.name, t.size,
                    t.least <= 32 ? "32, " : "", s.core.name);
  }
  if (t.start < 0 || t.start % t.size != 0 || t.start + t.size > t.array) {
    return s.refuse("TY-ISA-143",
                    "tile_{} is {}, it must be a multiple of tile_{}s = {} inside the array of {}",
                    t.name, t.start, t.name, t.size, t.array);
  }
  if (t.used > t.size) {
    return s.refuse("TY-ISA-143", "the operands use {} {}s of the array, but the tile has {}",
                    t.used, t.name, t.size);
  }
  return {};
}

// A row tile works on its own partitions, a column tile writes its own. [nki-library]
Status verify_tile_start(const Subject& s, const Named& operand, int64_t wanted,
                         std::string_view attribute) {
  const Affine start = start_partition(s.program, operand.access);
  if (!start.is_constant() || start.constant == wanted) return {};
  return s.refuse("TY-ISA-143", "{} begins at partition {}, but {} = {} needs it to begin there",
                  operand.name, start.constant, attribute, wanted);
}

Status verify_array_tile(const Subject& s, const Matmul& i) {
  const Product p = product(i);
  const auto& pe = s.core.pe;
  if (i.tile_rows == 0 && i.tile_columns == 0) {
    if (i.tile_row == 0 && i.tile_column == 0) {
      if (p.k <= pe.rows.value && p.m <= pe.cols.value) return {};
      return s.refuse("TY-ISA-140",
                      "the operands need {} rows and {} columns of the array, which "
                      "has {} x {}; split the contraction",
                      p.k, p.m, pe.rows.value, pe.cols.value);
    }
    return s.refuse("TY-ISA-143", "tile_row and tile_column need tile_rows and tile_columns");
  }
  if (i.tile_rows == 0 || i.tile_columns == 0) {
    return s.refuse("TY-ISA-143", "tile_rows = {} and tile_columns = {}: give both or neither",
                    i.tile_rows, i.tile_columns);
  }
  TY_TRY(verify_tile_axis(
      s, {"row", i.tile_row, i.tile_rows, s.core.limits.row_tile_min.value, pe.rows.value, p.k}));
  TY_TRY(verify_tile_axis(s, {"column", i.tile_column, i.tile_columns,
                              s.core.limits.column_tile_min.value, pe.cols.value, p.m}));
  TY_TRY(verify_tile_start(s, {"stationary", i.stationary}, i.tile_row, "tile_row"));
  TY_TRY(verify_tile_start(s, {"moving", i.moving}, i.tile_row, "tile_row"));
  return verify_tile_start(s, {"dst", i.dst}, i.tile_column, "tile_column");
}

// Bytes of a partition that the destination begins at, from the start of its PSUM tensor's first
// slot; its placement, where known, is part of it.
Affine byte_offset(const Subject& s, const Access& a) {
  int64_t fixed = place_of_root(s.program, a.tensor).address.value_or(0);
  for (TensorId id = a.tensor; s.program.tensors[id].view; id = s.program.tensors[id].view->base) {
    fixed += s.program.tensors[id].view->offset;
  }
  return a.offset * numerics::size_of(a.dtype) + Affine(fixed);
}

// Before v4 one matmul writes inside one bank. Unplaced tensors begin at a bank.
Status verify_bank(const Subject& s, const Access& dst) {
  if (s.core.has.psum_span_banks.value || dst.offset.has_register()) return {};
  const int64_t bank = s.core.psum_bank_bytes();
  const int64_t size = numerics::size_of(dst.dtype);
  const Hull h = hull(dst);
  const int64_t length = (h.end - h.begin) * size;
  const Affine first = byte_offset(s, dst) + Affine(h.begin * size);
  const auto refuse = [&](int64_t at) {
    return s.refuse("TY-ISA-141",
                    "dst takes {} bytes per partition from byte {} of a psum bank of {} bytes, but "
                    "one matmul writes inside one bank on {}; use at most {} {} columns per "
                    "instruction and begin at a bank",
                    length, at, bank, s.core.name, bank / size, numerics::name(dst.dtype));
  };
  if (length > bank) return refuse(((first.constant % bank) + bank) % bank);
  // All residues that the offset can take: the constant plus multiples of the common step.
  int64_t step = bank;
  for (const Term& t : first.terms) step = std::gcd(step, std::abs(t.coefficient) % bank);
  const TensorPlace& place = place_of_root(s.program, dst.tensor);
  if (place.slots > 1) step = std::gcd(step, place.pitch % bank);
  const int64_t least = ((first.constant % step) + step) % step;
  const int64_t worst = least + bank - step;
  if (worst + length <= bank) return {};
  // Not all of them may occur.
  if (s.around != nullptr && place.slots <= 1) {
    const auto range = exact_bounds(s.program, first, *s.around);
    if (!range || range->low / bank == (range->high + length - 1) / bank) return {};
  }
  return refuse(worst);
}

}  // namespace

Status verify_op(const Subject& s, const Matmul& i) {
  TY_TRY(verify_double_row(s, i));
  TY_TRY(verify_sizes(s, i));
  TY_TRY(verify_types(s, i));
  TY_TRY(verify_transpose_mode(s, i));
  TY_TRY(verify_array_tile(s, i));
  return verify_bank(s, i.dst);
}

Status verify_op(const Subject& s, const Transpose& i) {
  const int64_t p = i.data.partitions, f = i.data.free_elements();
  TY_TRY(same_type(s, {"dst", i.dst}, {"data", i.data}));
  if (i.dst.partitions != f || i.dst.free_elements() != p) {
    return s.refuse("TY-ISA-127", "dst is {} x {}, the transpose of data ({} x {}) is {} x {}",
                    i.dst.partitions, i.dst.free_elements(), p, f, f, p);
  }
  if (s.engine == Engine::Tensor) {
    const int64_t rows = s.core.pe.rows.value, columns = s.core.pe.cols.value;
    if (p > rows || f > columns) {
      return s.refuse("TY-ISA-133", "data is {} x {}, the tensor engine transposes up to {} x {}",
                      p, f, rows, columns);
    }
    return verify_bank(s, i.dst);
  }
  const int64_t block = s.core.limits.quadrant.value;
  if (p <= block && f <= block) return {};
  return s.refuse("TY-ISA-133",
                  "data is {} x {}, the vector engine transposes up to {} x {}; give a destination "
                  "in psum so that the tensor engine can do it",
                  p, f, block, block);
}

}  // namespace trainyard::isa
