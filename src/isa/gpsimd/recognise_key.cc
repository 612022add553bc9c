#include "isa/gpsimd/primitives.h"

namespace trainyard::isa::gpsimd {
namespace {

// Walks both sides of a comparison at once, from the compared values to the params.
class TwinWalk {
 public:
  explicit TwinWalk(const Function& f)
      : f_(f), made_by_(f.values.size(), -1), twin_(f.values.size(), -1) {
    for (size_t i = 0; i < ops().size(); ++i) {
      for (const ValueId v : ops()[i].out) made_by_[v] = static_cast<int>(i);
    }
    used_.resize(ops().size());
  }

  // Whether `b` is made of param `right` as `a` is of param `left`.
  bool same(ValueId a, ValueId b) {
    if (made_by_[a] < 0 || made_by_[b] < 0) {
      if (left_ < 0) {
        left_ = a;
        right_ = b;
      }
      return a == left_ && b == right_;
    }
    const Op &x = ops()[made_by_[a]], &y = ops()[made_by_[b]];
    if (x.code != y.code || !(x.attributes == y.attributes) || x.in.size() != y.in.size() ||
        f_.values[a] != f_.values[b]) {
      return false;
    }
    if (used_[made_by_[a]]) return twin_[a] == b;
    used_[made_by_[a]] = true;
    twin_[a] = b;
    for (size_t i = 0; i < x.in.size(); ++i) {
      if (!same(x.in[i], y.in[i])) return false;
    }
    return true;
  }

  ValueId left() const { return left_; }
  ValueId right() const { return right_; }

  // The side of `left` as a function of it.
  Function side(ValueId result) const {
    Function out{.name = "key", .values = f_.values, .blocks = {Block{}}};
    out.blocks[0].params = {left_};
    for (size_t i = 0; i < ops().size(); ++i) {
      if (used_[i]) out.blocks[0].ops.push_back(ops()[i]);
    }
    out.blocks[0].results = {result};
    return out;
  }

 private:
  const std::vector<Op>& ops() const { return f_.blocks[0].ops; }

  const Function& f_;
  std::vector<int> made_by_;
  std::vector<bool> used_;
  std::vector<ValueId> twin_;
  ValueId left_ = -1, right_ = -1;
};

}  // namespace

std::optional<KeyFunction> recognise_key(const Function& f) {
  if (f.blocks.size() != 1 || f.blocks[0].ops.empty()) return std::nullopt;
  const Block& body = f.blocks[0];
  const Op& last = body.ops.back();
  if (last.in.size() != 2 || body.results != last.out) return std::nullopt;
  const bool floats = is_float(f.values[last.in[0]].type);
  const bool less = last.code == (floats ? Code::LtTotal : Code::Lt);
  const bool greater = last.code == (floats ? Code::GtTotal : Code::Gt);
  TwinWalk walk(f);
  if ((!less && !greater) || !walk.same(last.in[0], last.in[1])) return std::nullopt;
  for (size_t k = 0; 2 * k + 1 < body.params.size(); ++k) {
    const bool straight =
        walk.left() == body.params[2 * k] && walk.right() == body.params[2 * k + 1];
    const bool swapped =
        walk.left() == body.params[2 * k + 1] && walk.right() == body.params[2 * k];
    if (!straight && !swapped) continue;
    const Order order = less == straight ? Order::Ascending : Order::Descending;
    return KeyFunction{{static_cast<int>(k), order}, walk.side(last.in[0])};
  }
  return std::nullopt;
}

}  // namespace trainyard::isa::gpsimd
