#pragma once
// The instructions, one struct each, with NKI's names and meaning.
//
// `fields` lists an instruction's operands and attributes once; the text form, the binary form, the
// verifier's operand walk, liveness and equality are all derived from it. The visitor's methods are
//   dst(name, access, role)            what is written; role Update if old contents matter
//   src(name, access)                  a tensor that is read
//   optional_src(name, access?)        printed as name=access
//   optional_dst(name, access?)
//   operand(name, operand)             a number or a [P,1] tile
//   optional_operand(name, operand?)
//   word(name, enum, default)          printed as the bare enumerator
//   attribute(name, value, default)    enum, bool, integer, float, affine or pattern: name=value
//   reg_dst(name, register), reg_src(name, register or number)
//   call(program, operands, roles, scalars)   the parts of a gpsimd_call, together
// Positional order in the text is the order here: dst, then sources.
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "hw/engine.h"
#include "isa/ops.h"
#include "isa/tensor.h"

namespace trainyard::isa {

using hw::Engine;

enum class Role : uint8_t { Read, Write, Update };

// A constant or a tile with one element per partition, broadcast along the free axis. Integer
// constants stay integers: the exact 32-bit forms need to know.
using Operand = std::variant<float, int64_t, Access>;
using RegisterOperand = std::variant<int64_t, RegisterId>;
struct RegisterRef {
  RegisterId id = -1;
  friend bool operator==(const RegisterRef&, const RegisterRef&) = default;
};

// dst[m, n] (+)= sum over k of stationary[k, m] * moving[k, n]
//
// k lies on the partition axis of both operands, so the array multiplies the transpose of
// `stationary` without ever forming it. The sum is kept in fp32. DoubleRow: both operands are [K,
// 2, ...] fp8 and the array contracts over both. tile_rows/tile_columns (0: the whole array) with
// row/column give a part of the array; parts work at the same time.
struct Matmul {
  static constexpr std::string_view name = "nc_matmul";
  Access dst;         // PSUM, M x N
  Access stationary;  // SBUF, K x M, both at most 128
  Access moving;      // SBUF, K x N, N at most 512 (v4: 4096)
  Accumulate accumulate = Accumulate::FirstWrite;
  PerfMode perf_mode = PerfMode::None;
  bool is_transpose = false;
  bool is_stationary_onezero = false;
  bool is_moving_onezero = false;
  int64_t tile_row = 0, tile_column = 0, tile_rows = 0, tile_columns = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, s.accumulate == Accumulate::Overwrite ? Role::Write : Role::Update);
    v.src("stationary", s.stationary);
    v.src("moving", s.moving);
    v.word("accumulate", s.accumulate, Accumulate::FirstWrite);
    v.attribute("perf_mode", s.perf_mode, PerfMode::None);
    v.attribute("is_transpose", s.is_transpose, false);
    v.attribute("is_stationary_onezero", s.is_stationary_onezero, false);
    v.attribute("is_moving_onezero", s.is_moving_onezero, false);
    v.attribute("tile_row", s.tile_row, int64_t{0});
    v.attribute("tile_column", s.tile_column, int64_t{0});
    v.attribute("tile_rows", s.tile_rows, int64_t{0});
    v.attribute("tile_columns", s.tile_columns, int64_t{0});
  }
  friend bool operator==(const Matmul&, const Matmul&) = default;
};

// dst[f, p] = data[p, f], free dims flattened, bits unchanged. Tensor: SBUF to PSUM, up to 128 x
// 128. Vector: up to 32 x 32.
struct Transpose {
  static constexpr std::string_view name = "nc_transpose";
  Access dst, data;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data", s.data);
  }
  friend bool operator==(const Transpose&, const Transpose&) = default;
};

// dst = op(data * scale + bias), in fp32. reduce_cmd other than Idle also adds the activated values
// (before rounding to dst's type) into the partition's reduce register; reduce_res receives it.
struct Activation {
  static constexpr std::string_view name = "activation";
  Access dst, data;
  Function op = Function::Copy;
  Operand scale = 1.0f;
  std::optional<Operand> bias;
  float relu_param = 0;  // slope of prelu below zero
  ReduceCmd reduce_cmd = ReduceCmd::Idle;
  std::optional<Access> reduce_res;  // [P,1]

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data", s.data);
    v.attribute("op", s.op, Function::Copy);
    v.operand("scale", s.scale, Operand(1.0f));
    v.optional_operand("bias", s.bias);
    v.attribute("relu_param", s.relu_param, 0.0f);
    v.attribute("reduce_cmd", s.reduce_cmd, ReduceCmd::Idle);
    v.optional_dst("reduce_res", s.reduce_res);
  }
  friend bool operator==(const Activation&, const Activation&) = default;
};

// dst = data1 op data2
struct TensorTensor {
  static constexpr std::string_view name = "tensor_tensor";
  Access dst, data1, data2;
  AluOp op = AluOp::Add;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data1", s.data1);
    v.src("data2", s.data2);
    v.attribute("op", s.op, AluOp::Bypass);
  }
  friend bool operator==(const TensorTensor&, const TensorTensor&) = default;
};

// dst = (data op0 operand0) op1 operand1; `reverse` swaps the two sides of an operator.
struct TensorScalar {
  static constexpr std::string_view name = "tensor_scalar";
  Access dst, data;
  AluOp op0 = AluOp::Bypass;
  Operand operand0 = 0.0f;
  bool reverse0 = false;
  AluOp op1 = AluOp::Bypass;
  Operand operand1 = 0.0f;
  bool reverse1 = false;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data", s.data);
    v.attribute("op0", s.op0, AluOp::Bypass);
    v.operand("operand0", s.operand0, Operand(0.0f));
    v.attribute("reverse0", s.reverse0, false);
    v.attribute("op1", s.op1, AluOp::Bypass);
    v.operand("operand1", s.operand1, Operand(0.0f));
    v.attribute("reverse1", s.reverse1, false);
  }
  friend bool operator==(const TensorScalar&, const TensorScalar&) = default;
};

// dst = (data op0 operand0) op1 operand1, where operand1 is a whole tile.
struct ScalarTensorTensor {
  static constexpr std::string_view name = "scalar_tensor_tensor";
  Access dst, data, operand1;
  AluOp op0 = AluOp::Bypass;
  Operand operand0 = 0.0f;
  bool reverse0 = false;
  AluOp op1 = AluOp::Add;
  bool reverse1 = false;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data", s.data);
    v.src("operand1", s.operand1);
    v.attribute("op0", s.op0, AluOp::Bypass);
    v.operand("operand0", s.operand0, Operand(0.0f));
    v.attribute("reverse0", s.reverse0, false);
    v.attribute("op1", s.op1, AluOp::Bypass);
    v.attribute("reverse1", s.reverse1, false);
  }
  friend bool operator==(const ScalarTensorTensor&, const ScalarTensorTensor&) = default;
};

// r[i] = op1(op0(data0[i], r[i-1]), data1[i]) along the free axis, r[-1] = initial; fp32 state.
struct TensorTensorScan {
  static constexpr std::string_view name = "tensor_tensor_scan";
  Access dst, data0, data1;
  Operand initial = 0.0f;
  AluOp op0 = AluOp::Multiply, op1 = AluOp::Add;
  bool reverse0 = false, reverse1 = false;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data0", s.data0);
    v.src("data1", s.data1);
    v.operand("initial", s.initial, Operand(0.0f));
    v.attribute("op0", s.op0, AluOp::Bypass);
    v.attribute("op1", s.op1, AluOp::Bypass);
    v.attribute("reverse0", s.reverse0, false);
    v.attribute("reverse1", s.reverse1, false);
  }
  friend bool operator==(const TensorTensorScan&, const TensorTensorScan&) = default;
};

// dst = reduce(data) over the last `axes` dims of data's pattern; times -1 if `negate`.
struct TensorReduce {
  static constexpr std::string_view name = "tensor_reduce";
  Access dst, data;
  AluOp op = AluOp::Add;
  int64_t axes = 1;
  bool negate = false;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data", s.data);
    v.attribute("op", s.op, AluOp::Bypass);
    v.attribute("axes", s.axes, int64_t{1});
    v.attribute("negate", s.negate, false);
  }
  friend bool operator==(const TensorReduce&, const TensorReduce&) = default;
};

// dst = cast(src); the bits themselves if the types are equal.
struct TensorCopy {
  static constexpr std::string_view name = "tensor_copy";
  Access dst, src;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("src", s.src);
  }
  friend bool operator==(const TensorCopy&, const TensorCopy&) = default;
};

// dst = src where predicate != 0 (== 0 if reversed); other elements of dst stay.
struct TensorCopyPredicated {
  static constexpr std::string_view name = "tensor_copy_predicated";
  Access dst;
  Operand src = 0.0f;  // a whole tile, or a number
  Access predicate;    // u8, u16 or u32
  bool reverse_pred = false;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Update);
    v.src("predicate", s.predicate);
    v.operand("src", s.src, std::nullopt);
    v.attribute("reverse_pred", s.reverse_pred, false);
  }
  friend bool operator==(const TensorCopyPredicated&, const TensorCopyPredicated&) = default;
};

// dst = predicate ? on_true : on_false, element by element. on_false is a number, a [P,1] tile or a
// whole tile.
struct Select {
  static constexpr std::string_view name = "select";
  Access dst, predicate, on_true;
  Operand on_false = 0.0f;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("predicate", s.predicate);
    v.src("on_true", s.on_true);
    v.operand("on_false", s.on_false, std::nullopt);
  }
  friend bool operator==(const Select&, const Select&) = default;
};

// dst = 1 / data, correctly rounded fp32.
struct Reciprocal {
  static constexpr std::string_view name = "reciprocal";
  Access dst, data;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data", s.data);
  }
  friend bool operator==(const Reciprocal&, const Reciprocal&) = default;
};

// Every element of dst = value. Integer types take integers.
struct Memset {
  static constexpr std::string_view name = "memset";
  Access dst;
  Operand value = 0.0f;  // never a tile

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.operand("value", s.value, std::nullopt);
  }
  friend bool operator==(const Memset&, const Memset&) = default;
};

// dst[p, i...] = offset + p * channel_multiplier + sum(step * i), int32 arithmetic, then cast.
struct Iota {
  static constexpr std::string_view name = "iota";
  Access dst;
  std::vector<Dim> pattern;
  Affine offset;
  int64_t channel_multiplier = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.attribute("pattern", s.pattern, std::vector<Dim>{});
    v.attribute("offset", s.offset, Affine{});
    v.attribute("channel_multiplier", s.channel_multiplier, int64_t{0});
  }
  friend bool operator==(const Iota&, const Iota&) = default;
};

// dst = cmp_op(iota value, 0) ? on_true_tile : on_false_value
struct AffineSelect {
  static constexpr std::string_view name = "affine_select";
  Access dst, on_true_tile;
  std::vector<Dim> pattern;
  Affine offset;
  int64_t channel_multiplier = 0;
  AluOp cmp_op = AluOp::Equal;
  float on_false_value = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("on_true_tile", s.on_true_tile);
    v.attribute("pattern", s.pattern, std::vector<Dim>{});
    v.attribute("offset", s.offset, Affine{});
    v.attribute("channel_multiplier", s.channel_multiplier, int64_t{0});
    v.attribute("cmp_op", s.cmp_op, AluOp::Equal);
    v.attribute("on_false_value", s.on_false_value, 0.0f);
  }
  friend bool operator==(const AffineSelect&, const AffineSelect&) = default;
};

// dst = (count, mean, variance * count) of the even, then of the odd elements; at most 512 per
// partition.
struct BnStats {
  static constexpr std::string_view name = "bn_stats";
  Access dst, data;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data", s.data);
  }
  friend bool operator==(const BnStats&, const BnStats&) = default;
};

// dst = (mean, population variance) of the tuples (count, mean, variance * count) in data.
struct BnAggr {
  static constexpr std::string_view name = "bn_aggr";
  Access dst, data;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("data", s.data);
  }
  friend bool operator==(const BnAggr&, const BnAggr&) = default;
};

// dst = the eight largest elements of each partition, descending.
struct Max8 {
  static constexpr std::string_view name = "max8";
  Access dst, src;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("src", s.src);
  }
  friend bool operator==(const Max8&, const Max8&) = default;
};

}  // namespace trainyard::isa
