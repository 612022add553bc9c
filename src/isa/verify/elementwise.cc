// The other instructions of Vector, Scalar and GpSimd. [nki-isa]
#include <algorithm>
#include <cmath>

#include "isa/subscript.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

struct IntRange {
  int64_t low, high;
};

IntRange range_of(Dtype dtype) {
  const int bits = 8 * numerics::size_of(dtype);
  if (!numerics::is_signed(dtype)) return {0, (int64_t{1} << bits) - 1};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

// A constant that is stored as it is: an integer type takes an integer that fits.
Status verify_stored(const Subject& s, std::string_view name, const Operand& value, Dtype dtype) {
  if (!numerics::is_integer(dtype)) return {};
  const int64_t* whole = std::get_if<int64_t>(&value);
  if (whole == nullptr) {
    return s.refuse("TY-ISA-132", "{} is a real number, but dst is {}; write an integer", name,
                    numerics::name(dtype));
  }
  const IntRange r = range_of(dtype);
  if (*whole >= r.low && *whole <= r.high) return {};
  return s.refuse("TY-ISA-132", "{} is {}, but {} holds {} to {}", name, *whole,
                  numerics::name(dtype), r.low, r.high);
}

// The pattern of iota and affine_select gives one value per element.
Status verify_iota(const Subject& s, const std::vector<Dim>& pattern, const Access& dst) {
  const auto most = static_cast<size_t>(s.core.limits.pattern_dims.value);
  if (pattern.size() > most) {
    return s.refuse("TY-ISA-133", "pattern has {} dims, at most {}", pattern.size(), most);
  }
  int64_t n = 1;
  for (const Dim& d : pattern) {
    if (d.count < 1 || d.count > s.core.limits.pattern_count_max.value) {
      return s.refuse("TY-ISA-133", "a count of pattern is {}, it must be 1 to {}", d.count,
                      s.core.limits.pattern_count_max.value);
    }
    n = std::min(n * d.count, kMaxExtent);
  }
  return elements_are(s, {"dst", dst}, n, "the product of the counts of pattern");
}

}  // namespace

Status verify_op(const Subject& s, const Activation& i) {
  const Named dst{"dst", i.dst}, data{"data", i.data};
  TY_TRY(same_shape(s, dst, data));
  TY_TRY(column_or_number(s, "scale", i.scale, i.data));
  if (const Access* scale = std::get_if<Access>(&i.scale)) {
    TY_TRY(type_is(s, {"scale", *scale}, {Dtype::F32}));
  }
  if (i.bias) {
    TY_TRY(column_or_number(s, "bias", *i.bias, i.data));
    const Access* tile = std::get_if<Access>(&*i.bias);
    if (tile == nullptr && !s.core.has.scalar_bias_immediate.value) {
      return s.refuse("TY-ISA-131",
                      "bias is a number, which needs NeuronCore-v3 or later, and this is {}; put "
                      "it into a [P,1] tile with memset",
                      s.core.name);
    }
    if (tile != nullptr && tile->dtype == Dtype::TF32) {
      return s.refuse("TY-ISA-129", "bias is tf32, which the scalar engine cannot add; use f32");
    }
    if (i.op == Function::Reciprocal && s.core.generation == hw::Generation::V2) {
      return s.refuse("TY-ISA-131",
                      "op reciprocal takes no bias on {}; add it with tensor_scalar first",
                      s.core.name);
    }
  }
  if (!std::isfinite(i.relu_param)) {
    return s.refuse("TY-ISA-132", "relu_param is {}, it must be finite", i.relu_param);
  }
  return i.reduce_res ? column(s, {"reduce_res", *i.reduce_res}, i.data) : Status();
}

Status verify_op(const Subject& s, const TensorCopy& i) {
  return same_shape(s, {"dst", i.dst}, {"src", i.src});
}

Status verify_op(const Subject& s, const TensorCopyPredicated& i) {
  const Named dst{"dst", i.dst}, predicate{"predicate", i.predicate};
  TY_TRY(same_shape(s, dst, predicate));
  TY_TRY(type_is(s, predicate, {Dtype::U8, Dtype::U16, Dtype::U32}));
  const Access* tile = std::get_if<Access>(&i.src);
  if (tile == nullptr) return verify_stored(s, "src", i.src, i.dst.dtype);
  const Named src{"src", *tile};
  TY_TRY(same_shape(s, dst, src));
  TY_TRY(same_type(s, dst, src));
  return not_both_psum(s, src, predicate);
}

Status verify_op(const Subject& s, const Select& i) {
  const Named dst{"dst", i.dst}, predicate{"predicate", i.predicate}, yes{"on_true", i.on_true};
  TY_TRY(same_shape(s, dst, predicate));
  TY_TRY(same_shape(s, dst, yes));
  TY_TRY(type_is(s, predicate, {Dtype::U8, Dtype::S8, Dtype::U16, Dtype::S16}));
  TY_TRY(not_both_psum(s, yes, predicate));
  const Access* no = std::get_if<Access>(&i.on_false);
  for (const Access* a : {&i.on_true, no}) {
    if (a == nullptr) continue;
    const bool exact = a->dtype == Dtype::S32 || a->dtype == Dtype::U32;
    if (!exact && a->dtype != Dtype::TF32) continue;
    return s.refuse("TY-ISA-129",
                    "{} is {}, which select would round; use tensor_copy_predicated, which copies "
                    "bits",
                    a == &i.on_true ? "on_true" : "on_false", numerics::name(a->dtype));
  }
  if (no == nullptr) return {};
  const Named other{"on_false", *no};
  if (no->free_elements() == 1) return column(s, other, i.dst);
  TY_TRY(same_shape(s, dst, other));
  return not_both_psum(s, other, predicate);
}

Status verify_op(const Subject& s, const Reciprocal& i) {
  return same_shape(s, {"dst", i.dst}, {"data", i.data});
}

Status verify_op(const Subject& s, const Memset& i) {
  if (std::holds_alternative<Access>(i.value)) {
    return s.refuse("TY-ISA-132", "value is a tile, it must be a number; use tensor_copy");
  }
  return verify_stored(s, "value", i.value, i.dst.dtype);
}

Status verify_op(const Subject& s, const Iota& i) { return verify_iota(s, i.pattern, i.dst); }

Status verify_op(const Subject& s, const AffineSelect& i) {
  TY_TRY(same_shape(s, {"dst", i.dst}, {"on_true_tile", i.on_true_tile}));
  if (!is_compare(i.cmp_op)) {
    return s.refuse("TY-ISA-130", "cmp_op is {}, it must be a comparison", enum_name(i.cmp_op));
  }
  return verify_iota(s, i.pattern, i.dst);
}

Status verify_op(const Subject& s, const BnStats& i) {
  const int64_t n = i.data.free_elements(), most = s.core.limits.bn_stats_free.value;
  if (n > most) {
    return s.refuse("TY-ISA-133",
                    "data has {} elements per partition, at most {}; use {} instructions and join "
                    "them with bn_aggr",
                    n, most, (n + most - 1) / most);
  }
  TY_TRY(same_partitions(s, {"dst", i.dst}, {"data", i.data}));
  return elements_are(s, {"dst", i.dst}, 6, "count, mean, variance * count of even and of odd");
}

Status verify_op(const Subject& s, const BnAggr& i) {
  const int64_t n = i.data.free_elements();
  if (n % 3 != 0) {
    return s.refuse("TY-ISA-133",
                    "data has {} elements per partition, they must be whole tuples (count, mean, "
                    "variance * count), a multiple of 3",
                    n);
  }
  TY_TRY(same_partitions(s, {"dst", i.dst}, {"data", i.data}));
  return elements_are(s, {"dst", i.dst}, 2, "mean and variance");
}

Status verify_op(const Subject& s, const Max8& i) {
  const int64_t n = i.src.free_elements();
  const int64_t least = s.core.limits.max8_min.value, most = s.core.limits.max8_max.value;
  if (n < least || n > most) {
    return s.refuse("TY-ISA-133", "src has {} elements per partition, it must have {} to {}; {}", n,
                    least, most,
                    n < least ? "pad with the lowest value" : "reduce parts and then their maxima");
  }
  constexpr size_t kDims = 3;
  const size_t dims = coalesced(i.src.dims).size();
  if (dims > kDims) {
    return s.refuse("TY-ISA-124", "src has {} free dims, at most {} for max8; copy it first", dims,
                    kDims);
  }
  TY_TRY(same_partitions(s, {"dst", i.dst}, {"src", i.src}));
  return elements_are(s, {"dst", i.dst}, 8, "the eight largest");
}

}  // namespace trainyard::isa
