#include "isa/gpsimd/verify.h"

#include <algorithm>
#include <limits>

#include "isa/gpsimd/text.h"

namespace trainyard::isa::gpsimd {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 40;
constexpr size_t kMostRank = 16;

Status damaged(std::string what) {
  return Status("TY-GPS-001",
                "the program is damaged: " + what + "; write it again from its source");
}

bool is_id(int64_t id, size_t count) { return id >= 0 && id < static_cast<int64_t>(count); }

// Walks the blocks as a tree and values from definition to use.
class Structure {
 public:
  Structure(const Program& program, const Function& f)
      : program_(program),
        f_(f),
        defined_(f.values.size()),
        ever_(f.values.size()),
        used_(f.blocks.size()) {}

  Status check() {
    if (f_.blocks.empty()) return damaged("a function has no body");
    for (const ValueType& t : f_.values) {
      if (static_cast<int>(t.type) >= kTypeCount) return damaged("a value has no type");
    }
    TY_TRY(block(0, 0));
    if (std::count(used_.begin(), used_.end(), false) > 0) return damaged("a block has no owner");
    return {};
  }

 private:
  Status use(const std::vector<ValueId>& values) const {
    for (const ValueId v : values) {
      if (!is_id(v, defined_.size())) return damaged(fmt::format("no value has the number {}", v));
      if (!defined_[v]) return damaged(fmt::format("value {} is used before it is there", v));
    }
    return {};
  }
  Status define(const std::vector<ValueId>& values, std::vector<ValueId>& scope) {
    for (const ValueId v : values) {
      if (!is_id(v, defined_.size())) return damaged(fmt::format("no value has the number {}", v));
      if (ever_[v]) {
        return damaged(fmt::format("value {} is defined twice", v));
      }
      ever_[v] = true;
      defined_[v] = true;
      scope.push_back(v);
    }
    return {};
  }
  Status block(BlockId id, int depth) {
    if (depth > kMostDepth) return damaged(fmt::format("blocks nest over {}", kMostDepth));
    if (!is_id(id, used_.size())) return damaged(fmt::format("no block has the number {}", id));
    if (used_[id]) return damaged(fmt::format("block {} is used twice", id));
    used_[id] = true;
    std::vector<ValueId> scope;
    TY_TRY(define(f_.blocks[id].params, scope));
    for (const Op& op : f_.blocks[id].ops) {
      TY_TRY(statement(op, scope, depth).at({"", op.line, op.line > 0 ? 1 : 0}));
    }
    TY_TRY(use(f_.blocks[id].results));
    for (const ValueId v : scope) defined_[v] = false;
    return {};
  }
  Status statement(const Op& op, std::vector<ValueId>& scope, int depth) {
    if (static_cast<int>(op.code) >= kCodeCount) return damaged("an operation has no code");
    TY_TRY(use(op.in));
    TY_TRY(attributes(op));
    if (const auto* turns = std::get_if<Turns>(&op.attributes)) {
      if (op.code == Code::While) TY_TRY(block(turns->condition, depth + 1));
      TY_TRY(block(turns->body, depth + 1));
    } else if (const auto* branch = std::get_if<Branch>(&op.attributes)) {
      TY_TRY(block(branch->then, depth + 1));
      TY_TRY(block(branch->otherwise, depth + 1));
    }
    return define(op.out, scope);
  }
  Status fold(const Fold& fold) const {
    if (fold.kind > Fold::Kind::Function) return damaged("a fold has no kind");
    if (fold.kind == Fold::Kind::Function && !is_id(fold.function, program_.functions.size())) {
      return damaged(fmt::format("no function has the number {}", fold.function));
    }
    return {};
  }
  // The kind of attributes that the form wants, with ids that exist.
  Status attributes(const Op& op) const {
    size_t wanted = 0;
    switch (form(op.code)) {
      case Form::Constant:
        wanted = 1;
        break;
      case Form::Load:
      case Form::Store:
      case Form::Gather:
      case Form::Scatter:
        wanted = 2;
        break;
      case Form::Shuffle:
      case Form::Reduce:
      case Form::Scan:
        wanted = 3;
        break;
      case Form::For:
      case Form::While:
        wanted = 4;
        break;
      case Form::If:
        wanted = 5;
        break;
      case Form::Primitive:
        wanted = 6;
        break;
      default:
        break;
    }
    if (op.attributes.index() != wanted) {
      return damaged(fmt::format("'{}' has the attributes of another operation", name(op.code)));
    }
    if (const auto* a = std::get_if<Access>(&op.attributes)) {
      if (!is_id(a->window, program_.windows.size())) return damaged("an access has no window");
      if (a->bounds > Bounds::Drop) return damaged("an access has no bounds policy");
      return fold(a->fold);
    }
    if (const auto* w = std::get_if<StripWork>(&op.attributes)) return fold(w->fold);
    if (const auto* w = std::get_if<WindowWork>(&op.attributes)) {
      for (const WindowId id : w->windows) {
        if (!is_id(id, program_.windows.size())) return damaged("a primitive has no such window");
      }
      return fold(w->fold);
    }
    return {};
  }

  const Program& program_;
  const Function& f_;
  std::vector<bool> defined_;  // seen from where the walk is
  std::vector<bool> ever_;
  std::vector<bool> used_;
};

Status verify_window(const Window& w) {
  const size_t rank = w.shape.size();
  if (static_cast<int>(w.type) >= kTypeCount || w.use > Window::Use::Update) {
    return damaged("a window has no type or use");
  }
  if (w.tensor.size() != rank || w.start.size() != rank || rank > kMostRank) {
    return error("TY-GPS-004",
                 "window '{}' has {} axes, its tensor {}, its start {}; give all of them the same "
                 "number, at most {}",
                 w.name, rank, w.tensor.size(), w.start.size(), kMostRank);
  }
  int64_t elements = 1;
  for (size_t i = 0; i < rank; ++i) {
    const bool fits = w.shape[i] >= 1 && w.start[i] >= 0 && w.tensor[i] <= kMostElements &&
                      w.start[i] <= w.tensor[i] && w.shape[i] <= w.tensor[i] - w.start[i];
    if (!fits) {
      return error("TY-GPS-004",
                   "window '{}' takes {} elements from {} of axis {}, which has {}; a window lies "
                   "inside its tensor",
                   w.name, w.shape[i], w.start[i], i, w.tensor[i]);
    }
    if (w.tensor[i] > kMostElements / elements) {
      return error("TY-GPS-004", "the tensor of window '{}' has more than {} elements; split it",
                   w.name, kMostElements);
    }
    elements *= w.tensor[i];
  }
  return {};
}

Status verify_pure(const Function& f) {
  for (const ValueType& t : f.values) {
    if (!t.is_scalar()) {
      return error("TY-GPS-007", "function '{}' has a strip; combiners work on scalars", f.name);
    }
  }
  for (const Op& op : f.blocks[0].ops) {
    if (!is_elementwise(op.code)) {
      return error("TY-GPS-007",
                   "function '{}' has '{}'; combiners and comparators consist of element-wise "
                   "operations alone",
                   f.name, name(op.code))
          .at({"", op.line, op.line > 0 ? 1 : 0});
    }
  }
  return {};
}

Status verify_function(const Program& program, const Function& f, const Limits& limits) {
  TY_TRY(verify_structure(program, f));
  for (const ValueType& t : f.values) {
    if (t.count < 0 || t.count > limits.strip) {
      return error("TY-GPS-003", "a strip of {} elements; it has 1 to {}: use a loop", t.count,
                   limits.strip);
    }
  }
  for (const Block& block : f.blocks) {
    for (const Op& op : block.ops) {
      TY_TRY(verify_op(program, f, op).at({"", op.line, op.line > 0 ? 1 : 0}));
    }
  }
  return {};
}

}  // namespace

Limits limits(const hw::CoreSpec& core) {
  return {.strip = std::min(core.call.strip.value, kMostStrip),
          .working_bytes = core.pool.processors.value * core.pool.tcm_bytes.value,
          .scratch_bytes = core.limits.partitions.value * core.sbuf_usable_bytes()};
}

Status verify_windows(const Program& program) {
  for (const Window& w : program.windows) TY_TRY(verify_window(w));
  return {};
}

Status verify_structure(const Program& program, const Function& function) {
  return Structure(program, function).check();
}

Status verify(const Program& program, const Limits& limits) {
  TY_TRY(verify_windows(program));
  for (const Function& f : program.functions) {
    TY_TRY(verify_structure(program, f));
    TY_TRY(verify_pure(f));
  }
  for (const Function& f : program.functions) TY_TRY(verify_function(program, f, limits));
  TY_TRY(verify_function(program, program.body, limits));
  for (const ValueId v : program.body.blocks[0].params) {
    if (!program.body.values[v].is_scalar()) {
      return error("TY-GPS-002", "operand {} of the call is a strip; pass it in a window", v);
    }
  }
  const int64_t working = working_bytes(program.body);
  if (working > limits.working_bytes) {
    return error("TY-GPS-008",
                 "{} bytes of strips are alive at once, the local memories have {}; shorten the "
                 "strips or store some of them in a window",
                 working, limits.working_bytes);
  }
  if (program.scratch_bytes < 0 || program.scratch_bytes > limits.scratch_bytes) {
    return error("TY-GPS-008", "{} bytes of scratch, SBUF has {}; work on smaller windows",
                 program.scratch_bytes, limits.scratch_bytes);
  }
  return {};
}

}  // namespace trainyard::isa::gpsimd
