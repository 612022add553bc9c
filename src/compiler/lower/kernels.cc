#include "compiler/lower/kernels.h"

#include <algorithm>
#include <array>

#include "compiler/lower/group_gpsimd.h"
#include "compiler/lower/group_tile.h"
#include "compiler/lower/tile_ops.h"
#include "compiler/lower/views.h"

namespace trainyard::compiler {

std::string_view name(KernelKind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"nothing",     "move",   "tile",   "dot",
                                                      "convolution", "gpsimd", "control"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

// What the array multiplies. Integers are exact on it only below 2^24.
bool is_array_float(ElementType type) {
  switch (type) {
    case ElementType::F32:
    case ElementType::BF16:
    case ElementType::F16:
    case ElementType::F8E5M2:
    case ElementType::F8E4M3:
    case ElementType::F8E4M3FN:
    case ElementType::F8E3M4:
      return true;
    default:
      return false;
  }
}

}  // namespace

KernelKind kind_of(const Lowering& lowering, const Op& op) {
  switch (op.kind) {
    case OpKind::Constant:
    case OpKind::OptimizationBarrier:
    case OpKind::CreateToken:
    case OpKind::AfterAll:
      return KernelKind::Nothing;
    case OpKind::While:
    case OpKind::If:
    case OpKind::Case:
      return KernelKind::Control;
    case OpKind::Convolution:
    case OpKind::DotGeneral: {
      const bool floats = is_array_float(lowering.type(op.operands[0]).element) &&
                          is_array_float(lowering.type(op.operands[1]).element) &&
                          is_array_float(lowering.type(op.results[0]).element);
      if (!floats) return KernelKind::Gpsimd;
      return op.kind == OpKind::Convolution ? KernelKind::Convolution : KernelKind::Dot;
    }
    case OpKind::BitcastConvert: {
      // Bytes keep their order, so another width is another name for them.
      const int from = bit_width(lowering.type(op.operands[0]).element);
      const int to = bit_width(lowering.type(op.results[0]).element);
      return from == to ? KernelKind::Gpsimd : KernelKind::Nothing;
    }
    case OpKind::Complex:
    case OpKind::Concatenate:
    case OpKind::DynamicSlice:
    case OpKind::DynamicUpdateSlice:
    case OpKind::Imag:
    case OpKind::Pad:
    case OpKind::Real:
      return KernelKind::Move;
    default:
      break;
  }
  if (is_view_op(op.kind)) return KernelKind::Move;
  if (is_tile_elementwise(lowering, op)) return KernelKind::Tile;
  if (op.kind == OpKind::Reduce && simple_reduce(lowering, op)) return KernelKind::Tile;
  return KernelKind::Gpsimd;
}

namespace {

class Planner {
 public:
  Planner(const Lowering& lowering, BlockId block)
      : l_(lowering), f_(lowering.function), block_(block), users_(f_.values.size()) {
    for (const OpId id : f_.block(block).ops) note_uses(f_.op(id), id);
    position_.assign(f_.ops.size(), 0);
    int next = 0;
    for (const OpId id : f_.block(block).ops) position_[static_cast<size_t>(id)] = next++;
    kernel_of_.assign(f_.ops.size(), -1);
    dense_.assign(f_.ops.size(), Unknown);
  }

  std::vector<Kernel> plan() {
    const std::vector<bool> live = live_ops();
    for (const OpId id : f_.block(block_).ops) {
      const Op& op = f_.op(id);
      if (!live[static_cast<size_t>(id)] || is_terminator(op.kind)) continue;
      place(id, op);
    }
    std::erase_if(kernels_, [](const Kernel& k) { return k.ops.empty(); });
    return std::move(kernels_);
  }

 private:
  // Users in the block and further in; inner ones count as the operation of the block.
  void note_uses(const Op& op, OpId user) {
    for (const ValueId v : op.operands) users_[static_cast<size_t>(v)].push_back(user);
    for (const BlockId region : op.regions) {
      for (const OpId inner : f_.block(region).ops) note_uses(f_.op(inner), user);
    }
  }

  std::vector<bool> live_ops() const {
    std::vector<bool> live(f_.ops.size(), false);
    const std::vector<OpId>& ops = f_.block(block_).ops;
    for (auto id = ops.rbegin(); id != ops.rend(); ++id) {
      const Op& op = f_.op(*id);
      live[static_cast<size_t>(*id)] =
          has_side_effect(op) || std::ranges::any_of(op.results, [&](ValueId v) {
            return std::ranges::any_of(users_[static_cast<size_t>(v)],
                                       [&](OpId user) { return live[static_cast<size_t>(user)]; });
          });
    }
    return live;
  }

  // The last kernel that must have run before `value` can be read; -1 for none of this block.
  int ready(ValueId value) const {
    const OpId id = f_.value(value).op;
    if (id == kNoOp) return -1;
    const Op& op = f_.op(id);
    if (op.kind == OpKind::Constant) return -1;
    const int kernel = kernel_of_[static_cast<size_t>(id)];
    if (kernel < 0 && is_view_op(op.kind)) return ready(op.operands[0]);
    return kernel;
  }

  // Some user of the view wants its bytes in order.
  bool needs_dense(OpId id, const Op& op) {
    Dense& known = dense_[static_cast<size_t>(id)];
    if (known == Unknown) known = compute_dense(op) ? Yes : No;
    return known == Yes;
  }
  bool compute_dense(const Op& op) {
    for (const OpId user : users_[static_cast<size_t>(op.results[0])]) {
      const Op& other = f_.op(user);
      const KernelKind kind = is_terminator(other.kind) ? KernelKind::Gpsimd : kind_of(l_, other);
      const bool strided = kind == KernelKind::Tile || kind == KernelKind::Dot ||
                           kind == KernelKind::Convolution ||
                           (kind == KernelKind::Move && is_view_op(other.kind) &&
                            other.kind != OpKind::Reshape && !needs_dense(user, other));
      if (!strided) return true;
    }
    return false;
  }
  // A reshape of dense bytes is free. Other views are free where all users read patterns.
  bool is_free_view(OpId id, const Op& op) {
    if (op.kind == OpKind::Reshape) {
      const OpId from = f_.value(op.operands[0]).op;
      const bool of_view = from != kNoOp && is_view_op(f_.op(from).kind) &&
                           kernel_of_[static_cast<size_t>(from)] < 0;
      return !of_view || !needs_dense(id, op);
    }
    return !needs_dense(id, op);
  }

  // A kernel makes its elements in one order, so it cannot read its own in another.
  bool reads_through_view(const Op& op, int kernel) const {
    return std::ranges::any_of(op.operands, [&](ValueId v) {
      const OpId maker = f_.value(v).op;
      return maker != kNoOp && kernel_of_[static_cast<size_t>(maker)] < 0 && ready(v) == kernel;
    });
  }

  void place(OpId id, const Op& op) {
    const KernelKind kind = kind_of(l_, op);
    if (op.kind == OpKind::Constant) return;
    const bool has_work = op.results.empty() || std::ranges::any_of(op.results, [&](ValueId v) {
                            const TensorType* type = f_.type(v).tensor();
                            return type != nullptr && !is_empty(*type);
                          });
    if (!has_work && kind != KernelKind::Control) return;
    int last = -1;
    for (const ValueId v : op.operands) last = std::max(last, ready(v));
    if (last >= 0 && kernels_[static_cast<size_t>(last)].kind == KernelKind::Tile) {
      Kernel& kernel = kernels_[static_cast<size_t>(last)];
      const auto in_kernel = [&](ValueId v) {
        const OpId maker = f_.value(v).op;
        return maker != kNoOp && kernel_of_[static_cast<size_t>(maker)] == last;
      };
      if (!reads_through_view(op, last) && joins_tile(l_, kernel, op, in_kernel)) {
        kernel.ops.push_back(id);
        kernel_of_[static_cast<size_t>(id)] = last;
        for (const ValueId v : op.operands) merge_into(last, ready(v));
        return;
      }
    }
    if (is_view_op(op.kind) && is_free_view(id, op)) return;  // found through its operand
    if (op.kind == OpKind::Transpose && is_only_reader_of_dot(op)) {
      const int dot = kernel_of_[static_cast<size_t>(f_.value(op.operands[0]).op)];
      kernels_[static_cast<size_t>(dot)].ops.push_back(id);
      kernel_of_[static_cast<size_t>(id)] = dot;
      return;
    }
    kernel_of_[static_cast<size_t>(id)] = static_cast<int>(kernels_.size());
    kernels_.push_back(kind == KernelKind::Tile ? start_tile(l_, id, op) : Kernel{kind, {id}, {}});
  }

  // The product can be written turned at once.
  bool is_only_reader_of_dot(const Op& op) const {
    const ValueId from = op.operands[0];
    const OpId maker = f_.value(from).op;
    if (maker == kNoOp || users_[static_cast<size_t>(from)].size() != 1) return false;
    const int kernel = kernel_of_[static_cast<size_t>(maker)];
    if (kernel < 0 || f_.op(maker).kind != OpKind::DotGeneral) return false;
    const Kernel& dot = kernels_[static_cast<size_t>(kernel)];
    return dot.kind == KernelKind::Dot && dot.ops.size() == 1;
  }

  // The first kernel besides `own` that reads `value`, through views, too.
  int first_reader(ValueId value, int own) const {
    int first = static_cast<int>(kernels_.size());
    for (const OpId user : users_[static_cast<size_t>(value)]) {
      const int kernel = kernel_of_[static_cast<size_t>(user)];
      const Op& op = f_.op(user);
      if (kernel < 0 && is_view_op(op.kind)) {
        first = std::min(first, first_reader(op.results[0], own));
      } else if (kernel >= 0 && kernel != own) {
        first = std::min(first, kernel);
      }
    }
    return first;
  }

  // Two tile kernels over one space become one, at the place of the later, if nobody between them
  // reads what the earlier makes.
  void merge_into(int to, int from) {
    if (from < 0 || from == to) return;
    Kernel& target = kernels_[static_cast<size_t>(to)];
    Kernel& source = kernels_[static_cast<size_t>(from)];
    if (source.kind != KernelKind::Tile || !can_merge_tiles(l_, target, source)) return;
    for (const OpId id : source.ops) {
      if (first_reader(f_.op(id).results[0], from) < to) return;
    }
    for (const OpId id : target.ops) {
      if (reads_through_view(f_.op(id), from)) return;
    }
    for (const OpId id : source.ops) kernel_of_[static_cast<size_t>(id)] = to;
    target.ops.insert(target.ops.end(), source.ops.begin(), source.ops.end());
    std::ranges::sort(target.ops, {}, [&](OpId id) { return position_[static_cast<size_t>(id)]; });
    target.row_rank = std::max(target.row_rank, source.row_rank);
    source = {};
  }

  enum Dense : uint8_t { Unknown, Yes, No };
  const Lowering& l_;
  const Function& f_;
  BlockId block_;
  std::vector<std::vector<OpId>> users_;
  std::vector<int> position_;  // in the block, by OpId
  std::vector<int> kernel_of_;
  std::vector<Dense> dense_;
  std::vector<Kernel> kernels_;
};

}  // namespace

std::vector<Kernel> plan_kernels(const Lowering& lowering, BlockId block) {
  return group_gpsimd(lowering, Planner(lowering, block).plan(), block);
}

}  // namespace trainyard::compiler
