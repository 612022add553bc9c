#pragma once
// The walk behind simplify.h, for its rules.
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/passes/fold.h"
#include "compiler/passes/rebuild.h"

namespace trainyard::compiler {

class Simplifier {
 public:
  explicit Simplifier(Module& module) : module_(module) {}
  Result<bool> visit(Rebuild& rebuild, OpId id);

  // What rules look at and build with; all values are those of the new function.
  const TensorType& type(ValueId value) const { return *to().type(value).tensor(); }
  const Op* maker(ValueId value) const;
  // The maker, if it is of this kind.
  const Op* maker(ValueId value, OpKind kind) const;
  const Constant* constant(ValueId value) const;
  bool is_all(ValueId value, double number) const;
  // Adds an operation, itself simplified, and returns its result.
  ValueId make(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
               const TensorType& result);
  ValueId splat(const TensorType& type, double value);

 private:
  const Function& to() const { return rebuild_->to; }
  ValueId make(Op op, const TensorType& result);
  ValueId add_constant_op(Constant data, LocationId location);
  Result<bool> with_regions(const Op& op);
  Result<bool> branch(const Op& op);
  // The value that the key names, or -1; remembers `value` under it.
  ValueId find(const std::string& key) const;
  void remember(std::string key, ValueId value);

  Module& module_;
  Rebuild* rebuild_ = nullptr;
  LocationId location_ = 0;
  std::unordered_map<std::string, ValueId> seen_;
  std::vector<std::string> entered_;  // keys, in order: a region forgets its own at its end
};

// What `op` (operands of the new function, no results yet) is equal to, or -1.
ValueId simplified_move(Simplifier& s, const Op& op, const TensorType& result);
ValueId simplified_arithmetic(Simplifier& s, const Op& op, const TensorType& result);
// Operations with elements from nothing, and dynamic ones with known indices.
ValueId simplified_indexing(Simplifier& s, const Op& op, const TensorType& result);
// For operations with regions: results by result, empty if it stays.
std::vector<ValueId> simplified_region_op(Simplifier& s, const Function& source, const Op& op,
                                          const std::vector<ValueId>& in,
                                          const std::vector<TensorType>& results);

}  // namespace trainyard::compiler
