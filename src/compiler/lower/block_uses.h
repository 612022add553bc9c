#pragma once
// When the kernels of a block read and write values: what may share memory follows from it.
#include <unordered_map>

#include "compiler/lower/kernels.h"

namespace trainyard::compiler {

// The value whose bytes `value` only renames: reshapes and barriers share their operand's tensor.
ValueId renamed_value(const Lowering& lowering, ValueId value);

// True when the elements of `value` may be read from the bytes of `base`.
bool is_view_of(const Lowering& lowering, ValueId value, ValueId base);

class BlockUses {
 public:
  BlockUses(const Lowering& lowering, BlockId block);

  struct Write {
    size_t kernel = 0;
    bool alone = false;  // the only operation of its kernel
  };
  // The kernel of this block that writes `value`; null for a value from outside, an argument, a
  // constant or a rename.
  const Write* write(ValueId value) const;
  // True when no kernel from `kernel` on reads `value` or a view of it.
  bool is_dead_at(ValueId value, size_t kernel) const;

 private:
  void read(const Op& op, size_t kernel);

  const Lowering& lowering_;
  std::unordered_map<ValueId, Write> writes_;
  std::unordered_map<ValueId, size_t> last_read_;
};

}  // namespace trainyard::compiler
