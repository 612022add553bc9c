#include "compiler/lower/group_gpsimd.h"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_set>

#include "compiler/lower/gpsimd/emitter.h"
#include "compiler/lower/views.h"
#include "isa/gpsimd_call.h"

namespace trainyard::compiler {
namespace {

// A group's strips must fit the processors together, and its windows one call.
constexpr size_t kMostOps = 256;
constexpr size_t kMostOutside = isa::kMostCallOperands / 2;

class Grouping {
 public:
  Grouping(const Lowering& lowering, std::vector<Kernel> kernels, BlockId block)
      : lowering_(lowering), f_(lowering.function), kernels_(std::move(kernels)), block_(block) {
    into_.resize(kernels_.size());
    for (size_t k = 0; k < kernels_.size(); ++k) into_[k] = static_cast<int>(k);
    maker_.assign(f_.values.size(), -1);
    for (size_t k = 0; k < kernels_.size(); ++k) {
      for (const OpId id : kernels_[k].ops) {
        for (const ValueId v : f_.op(id).results)
          maker_[static_cast<size_t>(v)] = static_cast<int>(k);
      }
    }
  }

  std::vector<Kernel> run() {
    for (size_t k = 0; k < kernels_.size(); ++k) {
      if (joins(kernels_[k])) join(static_cast<int>(k));
    }
    drop_views();
    return ordered();
  }

 private:
  bool joins(const Kernel& kernel) const {
    if (kernel.kind != KernelKind::Gpsimd || kernel.ops.size() != 1) return false;
    const Op& op = f_.op(kernel.ops[0]);
    return is_elementwise(f_, op) && !is_empty(lowering_.type(op.results[0]));
  }
  int64_t elements(int k) const {
    const Op& op = f_.op(kernels_[static_cast<size_t>(k)].ops[0]);
    return lowering_.elements(op.results[0]);
  }
  int group(int k) const {
    while (into_[static_cast<size_t>(k)] != k) k = into_[static_cast<size_t>(k)];
    return k;
  }
  bool is_group(int k) const { return joined_.contains(k); }

  // Calls f(value) for everything that a kernel uses, in its regions, too.
  template <class F>
  void each_use(const Kernel& kernel, F f) const {
    const auto walk = [&](const auto& self, const Op& op) -> void {
      for (const ValueId v : op.operands) f(v);
      for (const BlockId region : op.regions) {
        for (const OpId inner : f_.block(region).ops) self(self, f_.op(inner));
      }
    };
    for (const OpId id : kernel.ops) walk(walk, f_.op(id));
  }
  int maker(ValueId v) const {
    const int k = maker_[static_cast<size_t>(v)];
    return k < 0 ? -1 : group(k);
  }
  std::vector<int> inputs(int k) const {
    std::vector<int> out;
    each_use(kernels_[static_cast<size_t>(k)], [&](ValueId v) {
      const int m = source(v);
      if (m >= 0 && m != k) out.push_back(m);
    });
    return out;
  }
  // The kernel that must have run before `v` can be read: a view without a kernel is its operand.
  int source(ValueId v) const {
    while (true) {
      if (const int m = maker(v); m >= 0) return m;
      const OpId id = f_.value(v).op;
      if (id == kNoOp || !is_view_op(f_.op(id).kind)) return -1;
      v = f_.op(id).operands[0];
    }
  }

  // Whether kernel `from` depends on `target` through others.
  bool reaches(int from, int target, bool direct) const {
    std::vector<int> open = inputs(from);
    if (!direct) std::erase(open, target);
    std::unordered_set<int> seen(open.begin(), open.end());
    while (!open.empty()) {
      const int k = open.back();
      open.pop_back();
      if (k == target) return true;
      if (k < target && !is_group(k)) continue;  // earlier in the plan than all of the target
      for (const int m : inputs(k)) {
        if (seen.insert(m).second) open.push_back(m);
      }
    }
    return false;
  }

  void join(int k) {
    const int64_t n = elements(k);
    // The groups that make its operands, then the last one of the same size.
    std::vector<int> candidates;
    for (const int m : inputs(k)) {
      if (is_group(m) && elements(m) == n) candidates.push_back(m);
    }
    if (const auto last = last_.find(n); last != last_.end())
      candidates.push_back(group(last->second));
    std::sort(candidates.rbegin(), candidates.rend());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    int home = -1;
    for (const int g : candidates) {
      if (home < 0 && fits(g, k) && !reaches(k, g, false)) {
        merge(g, k);
        home = g;
      } else if (home >= 0 && fits(g, home) && !reaches(home, g, false) &&
                 !reaches(g, home, false)) {
        merge(g, home);
        home = g;
      }
    }
    if (home < 0) {
      joined_.insert(k);
      home = k;
    }
    last_[n] = home;
  }

  bool fits(int a, int b) const {
    const Kernel &x = kernels_[static_cast<size_t>(a)], &y = kernels_[static_cast<size_t>(b)];
    if (x.ops.size() + y.ops.size() > kMostOps) return false;
    return outside(x, y) <= kMostOutside;
  }
  // Values from outside and, at most, to the outside.
  size_t outside(const Kernel& x, const Kernel& y) const {
    std::unordered_set<ValueId> own, in;
    for (const Kernel* k : {&x, &y}) {
      for (const OpId id : k->ops) own.insert(f_.op(id).results.begin(), f_.op(id).results.end());
    }
    for (const Kernel* k : {&x, &y}) {
      each_use(*k, [&](ValueId v) {
        if (!own.contains(v)) in.insert(v);
      });
    }
    size_t out = 0;
    for (const ValueId v : own) out += uses_outside(v, own) ? 1 : 0;
    return in.size() + out;
  }
  bool uses_outside(ValueId v, const std::unordered_set<ValueId>& own) const {
    for (const OpId id : users(v)) {
      const Op& op = f_.op(id);
      if (op.results.size() != 1 || !own.contains(op.results[0])) return true;
    }
    return false;
  }
  const std::vector<OpId>& users(ValueId v) const {
    if (users_.empty()) {
      users_.resize(f_.values.size());
      for (size_t id = 0; id < f_.ops.size(); ++id) {
        for (const ValueId u : f_.ops[id].operands) {
          users_[static_cast<size_t>(u)].push_back(static_cast<OpId>(id));
        }
      }
    }
    return users_[static_cast<size_t>(v)];
  }

  void merge(int into, int k) {
    Kernel &to = kernels_[static_cast<size_t>(into)], &from = kernels_[static_cast<size_t>(k)];
    to.ops.insert(to.ops.end(), from.ops.begin(), from.ops.end());
    std::sort(to.ops.begin(), to.ops.end(),
              [&](OpId a, OpId b) { return position(a) < position(b); });
    from.ops.clear();
    into_[static_cast<size_t>(k)] = into;
    joined_.erase(k);
    joined_.insert(into);
  }
  size_t position(OpId id) const {
    if (position_.empty()) {
      position_.resize(f_.ops.size());
      const std::vector<OpId>& ops = f_.block(block_).ops;
      for (size_t i = 0; i < ops.size(); ++i) position_[static_cast<size_t>(ops[i])] = i;
    }
    return position_[static_cast<size_t>(id)];
  }

  // Views that groups alone read need no tensor.
  void drop_views() {
    dropped_.assign(kernels_.size(), false);
    for (size_t k = 0; k < kernels_.size(); ++k) {
      const Kernel& kernel = kernels_[k];
      if (kernel.kind != KernelKind::Move || kernel.ops.size() != 1) continue;
      const Op& op = f_.op(kernel.ops[0]);
      dropped_[k] = is_view_op(op.kind) && absorbed(op);
    }
  }
  bool absorbed(const Op& op) const {
    const std::vector<OpId>& all = users(op.results[0]);
    if (all.empty()) return false;
    return std::all_of(all.begin(), all.end(), [&](OpId id) {
      const Op& user = f_.op(id);
      if (user.results.size() != 1) return false;
      const int k = maker_[static_cast<size_t>(user.results[0])];
      if (k < 0) return false;
      const int g = group(k);
      return is_group(g) && elements(g) == lowering_.elements(op.results[0]);
    });
  }

  // Kernels after those that they use, otherwise as they came.
  std::vector<Kernel> ordered() {
    const size_t n = kernels_.size();
    std::vector<std::vector<int>> after(n);
    std::vector<int> waits(n, 0);
    for (size_t k = 0; k < n; ++k) {
      std::vector<int> in = inputs(static_cast<int>(k));
      std::sort(in.begin(), in.end());
      in.erase(std::unique(in.begin(), in.end()), in.end());
      for (const int m : in) {
        after[static_cast<size_t>(m)].push_back(static_cast<int>(k));
        ++waits[k];
      }
    }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (size_t k = 0; k < n; ++k) {
      if (waits[k] == 0) ready.push(static_cast<int>(k));
    }
    std::vector<Kernel> out;
    while (!ready.empty()) {
      const auto k = static_cast<size_t>(ready.top());
      ready.pop();
      for (const int m : after[k]) {
        if (--waits[static_cast<size_t>(m)] == 0) ready.push(m);
      }
      if (!kernels_[k].ops.empty() && !dropped_[k]) out.push_back(std::move(kernels_[k]));
    }
    return out;
  }

  const Lowering& lowering_;
  const Function& f_;
  std::vector<Kernel> kernels_;
  BlockId block_;
  std::vector<int> into_;   // the kernel that took a kernel in
  std::vector<int> maker_;  // per value: the kernel that made it at first
  std::vector<bool> dropped_;
  std::unordered_set<int> joined_;
  std::map<int64_t, int> last_;  // per number of elements: the last group
  mutable std::vector<std::vector<OpId>> users_;
  mutable std::vector<size_t> position_;
};

}  // namespace

std::vector<Kernel> group_gpsimd(const Lowering& lowering, std::vector<Kernel> kernels,
                                 BlockId block) {
  return Grouping(lowering, std::move(kernels), block).run();
}

}  // namespace trainyard::compiler
