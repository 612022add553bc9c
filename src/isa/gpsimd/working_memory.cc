#include <algorithm>
#include <array>

#include "isa/gpsimd/text.h"
#include "isa/gpsimd/verify.h"

namespace trainyard::isa::gpsimd {
namespace {

// Finds the last use of every value in one walk, then adds and removes bytes in a second one.
class Liveness {
 public:
  explicit Liveness(const Function& f)
      : f_(f), depth_(f.values.size(), 0), last_(f.values.size(), -1) {
    find_uses(0, 0);
  }

  // Most bytes alive inside of block `id`, counting only values that it and its blocks define.
  int64_t peak(BlockId id) const {
    const Block& block = f_.blocks[id];
    std::vector<int64_t> freed(block.ops.size());  // bytes, after each operation
    int64_t live = 0;
    // Params stay until the end of their block: a loop hands them on in place.
    for (const ValueId v : block.params) live += f_.values[v].bytes();
    int64_t most = live;
    for (size_t i = 0; i < block.ops.size(); ++i) {
      const Op& op = block.ops[i];
      for (const ValueId v : op.out) {
        live += f_.values[v].bytes();
        const auto end = std::max(last_[v], static_cast<int64_t>(i));
        if (end < static_cast<int64_t>(freed.size())) freed[end] += f_.values[v].bytes();
      }
      most = std::max(most, live + inside(op));
      live -= freed[i];
    }
    return most;
  }

 private:
  int64_t inside(const Op& op) const {
    if (const auto* turns = std::get_if<Turns>(&op.attributes)) {
      const int64_t condition = op.code == Code::While ? peak(turns->condition) : 0;
      return std::max(condition, peak(turns->body));
    }
    if (const auto* branch = std::get_if<Branch>(&op.attributes)) {
      return std::max(peak(branch->then), peak(branch->otherwise));
    }
    return 0;
  }

  // A use counts for the operation of the defining block in which it lies.
  void use(const std::vector<ValueId>& values) {
    for (const ValueId v : values) last_[v] = path_[depth_[v]];
  }
  void define(const std::vector<ValueId>& values, int depth) {
    for (const ValueId v : values) depth_[v] = depth;
  }
  void find_uses(BlockId id, int depth) {
    const Block& block = f_.blocks[id];
    define(block.params, depth);
    for (size_t i = 0; i < block.ops.size(); ++i) {
      const Op& op = block.ops[i];
      path_[depth] = static_cast<int64_t>(i);
      use(op.in);
      if (const auto* turns = std::get_if<Turns>(&op.attributes)) {
        if (op.code == Code::While) find_uses(turns->condition, depth + 1);
        find_uses(turns->body, depth + 1);
      } else if (const auto* branch = std::get_if<Branch>(&op.attributes)) {
        find_uses(branch->then, depth + 1);
        find_uses(branch->otherwise, depth + 1);
      }
      define(op.out, depth);
    }
    path_[depth] = static_cast<int64_t>(block.ops.size());
    use(block.results);
  }

  const Function& f_;
  std::vector<int> depth_;
  std::vector<int64_t> last_;
  std::array<int64_t, kMostDepth + 2> path_{};  // the operation at each depth of the walk
};

}  // namespace

int64_t working_bytes(const Function& function) { return Liveness(function).peak(0); }

}  // namespace trainyard::isa::gpsimd
