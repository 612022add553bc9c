#include "compiler/passes/op_key.h"

#include <algorithm>
#include <map>

namespace trainyard::compiler {
namespace {

class KeyWriter {
 public:
  KeyWriter(const Module& module, const Function& function)
      : module_(module), function_(function) {}

  bool write(const Op& op) {
    number(static_cast<int64_t>(op.kind));
    list(op.operands, [&](ValueId v) { value(v); });
    for (const ValueId v : op.results) {
      if (!type(function_.type(v))) return false;
    }
    if (!attributes(op.attributes)) return false;
    return std::ranges::all_of(op.regions, [&](BlockId region) { return block(region); });
  }
  std::string take() { return std::move(key_); }

 private:
  void number(int64_t n) {
    do {  // seven bits a byte: most numbers are small
      key_ += static_cast<char>((n & 0x7f) | ((n >> 7) != 0 && (n >> 7) != -1 ? 0x80 : 0));
      n >>= 7;
    } while (n != 0 && n != -1);
    key_ += n == 0 ? '+' : '-';
  }
  template <class List, class Each>
  void list(const List& items, Each each) {
    number(static_cast<int64_t>(items.size()));
    for (const auto& item : items) each(item);
  }
  void dims(const Dims& d) {
    list(d, [&](int64_t n) { number(n); });
  }
  // Values that a region defines are numbered in order, so equal regions give equal keys.
  void value(ValueId v) {
    const auto inner = inner_.find(v);
    number(inner == inner_.end() ? v : -1 - inner->second);
  }
  void define(ValueId v) { inner_.emplace(v, static_cast<int64_t>(inner_.size())); }

  bool type(const Type& type) {
    const TensorType* tensor = type.tensor();
    if (tensor == nullptr) return false;
    number(static_cast<int64_t>(tensor->element));
    dims(tensor->shape);
    return true;
  }

  bool block(BlockId id) {
    const Block& block = function_.block(id);
    for (const ValueId argument : block.arguments) {
      define(argument);
      if (!type(function_.type(argument))) return false;
    }
    for (const OpId inner : block.ops) {
      const Op& op = function_.op(inner);
      if (!write(op)) return false;
      for (const ValueId result : op.results) define(result);
    }
    return true;
  }

  bool attributes(const OpAttributes& attributes) {
    number(static_cast<int64_t>(attributes.index()));
    return std::visit([&](const auto& a) { return one(a); }, attributes);
  }

  template <class T>
  bool one(const T& /*other*/) {
    return false;
  }
  bool one(const std::monostate&) { return true; }
  bool one(const ConstantAttributes& a) {
    const Constant& data = module_.constants[static_cast<size_t>(a.value)];
    constexpr size_t kMostBytes = size_t{1} << 16;  // larger data is compared by its number
    if (data.bytes.size() > kMostBytes) {
      number(a.value);
      return true;
    }
    number(data.splat ? 1 : 0);
    number(static_cast<int64_t>(data.bytes.size()));
    key_.append(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
    return true;
  }
  bool one(const AccuracyAttributes& a) { return a.mode == AccuracyAttributes::Mode::Default; }
  bool one(const CompareAttributes& a) {
    number(static_cast<int64_t>(a.direction));
    number(static_cast<int64_t>(a.order));
    return true;
  }
  bool one(const DotAttributes& a) {
    for (const Dims* d : {&a.lhs_batch, &a.rhs_batch, &a.lhs_contracting, &a.rhs_contracting}) {
      dims(*d);
    }
    list(a.precision, [&](Precision p) { number(static_cast<int64_t>(p)); });
    return !a.algorithm.has_value();
  }
  bool one(const GatherAttributes& a) {
    for (const Dims* d : {&a.offset_dims, &a.collapsed_slice_dims, &a.operand_batching_dims,
                          &a.start_indices_batching_dims, &a.start_index_map, &a.slice_sizes}) {
      dims(*d);
    }
    number(a.index_vector_dim);
    number(a.indices_are_sorted ? 1 : 0);
    return true;
  }
  bool one(const SliceAttributes& a) {
    for (const Dims* d : {&a.start, &a.limit, &a.strides}) dims(*d);
    return true;
  }
  bool one(const PadAttributes& a) {
    for (const Dims* d : {&a.low, &a.high, &a.interior}) dims(*d);
    return true;
  }
  bool one(const DimsAttributes& a) {
    dims(a.dims);
    return true;
  }
  bool one(const DimAttributes& a) {
    number(a.dim);
    return true;
  }
  bool one(const WindowAttributes& a) {
    for (const Dims* d : {&a.dimensions, &a.strides, &a.base_dilations, &a.window_dilations,
                          &a.padding_low, &a.padding_high}) {
      dims(*d);
    }
    return true;
  }

  const Module& module_;
  const Function& function_;
  std::string key_;
  std::map<ValueId, int64_t> inner_;
};

}  // namespace

std::string op_key(const Module& module, const Function& function, const Op& op) {
  switch (op.kind) {
    case OpKind::While:
    case OpKind::If:
    case OpKind::Case:
    case OpKind::OptimizationBarrier:  // keeps its operands apart on purpose
      return {};
    default:
      break;
  }
  // A terminator is legal inside of a region, and never shared by itself.
  if (op.results.empty()) return {};
  KeyWriter writer(module, function);
  return writer.write(op) ? writer.take() : std::string();
}

}  // namespace trainyard::compiler
