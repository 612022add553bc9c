#pragma once
// The graph IR: a module holds functions; a function owns its values, operations and blocks in
// vectors and everything refers to them by index. An index stays valid while the function lives;
// a reference or pointer into a vector does not survive adding to that vector.
//
// Meaning. Operations are pure functions of their operands unless has_side_effect says otherwise;
// those with effects run in block order. A block's operations may use results of earlier
// operations of the same block, its own arguments, and whatever the enclosing operation could use.
// A region is one block (StableHLO has no other). Integer arithmetic wraps; shifts by the width or
// more give 0 (or the sign); integer division by zero and overflow of conversions follow
// StableHLO's implementation-defined rules, fixed by the passes that lower them.
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ir/attribute.h"
#include "compiler/ir/op_attributes.h"
#include "compiler/ir/op_kind.h"
#include "compiler/ir/types.h"

namespace trainyard::compiler {

using ValueId = int32_t;
using OpId = int32_t;
using BlockId = int32_t;
using LocationId = int32_t;  // index into Module::locations; 0 is "unknown"

inline constexpr OpId kNoOp = -1;

// Where the user wrote an operation: the innermost frame of his own code, and JAX's name stack.
struct Location {
  int32_t file = -1;  // index into Module::files; -1: unknown
  int line = 0;       // from 1
  int column = 0;
  std::string name;  // "jit(step)/jvp()/dot_general"; for a parameter, its name
};

// The result of an operation, or an argument of a block (op is kNoOp).
struct Value {
  Type type;
  OpId op = kNoOp;
  int32_t index = 0;  // which result of the operation, or which argument of the block
  LocationId location = 0;
};

struct Block {
  std::vector<ValueId> arguments;
  std::vector<OpId> ops;  // in order; the last one is the terminator
};

struct Op {
  OpKind kind = OpKind::Constant;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<BlockId> regions;
  OpAttributes attributes;
  std::vector<NamedAttribute> extra;  // frontend attributes, mhlo.*, sdy.sharding
  LocationId location = 0;
};

struct Function {
  std::string name;
  bool is_public = false;
  std::vector<Type> result_types;
  std::vector<std::vector<NamedAttribute>> argument_attributes;  // one per argument, may be empty
  std::vector<std::vector<NamedAttribute>> result_attributes;
  LocationId location = 0;

  std::vector<Value> values;
  std::vector<Op> ops;
  std::vector<Block> blocks;
  BlockId body = 0;

  const Block& entry() const { return blocks[static_cast<size_t>(body)]; }
  const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  const Op& op(OpId id) const { return ops[static_cast<size_t>(id)]; }
  Op& op(OpId id) { return ops[static_cast<size_t>(id)]; }
  const Block& block(BlockId id) const { return blocks[static_cast<size_t>(id)]; }
  const Type& type(ValueId id) const { return value(id).type; }
};

struct Module {
  std::string name;      // "jit_step"
  std::string producer;  // "StableHLO_v1.13.0"
  std::vector<NamedAttribute> attributes;
  std::vector<Mesh> meshes;
  std::vector<Function> functions;
  std::vector<Constant> constants;
  std::vector<QuantizedElement> quantized;
  std::vector<Location> locations{Location{}};
  std::vector<std::string> files;

  const Function* find_function(std::string_view name) const;
  const Mesh* find_mesh(std::string_view name) const;
  const Function* main() const { return find_function("main"); }
  SourcePlace place(LocationId id) const;
};

// The user's line for something at `location` of `function`. JAX lowers an inner jit once for all
// its callers and leaves no line inside; the line is then that of the first call that has one.
SourcePlace user_place(const Module& module, const Function& function, LocationId location);

// True for an operation that must stay even when nobody reads its results: terminators, transfers,
// sharding groups, and custom calls that say so. A call counts as pure: inline calls first.
bool has_side_effect(const Op& op);

// Building blocks for passes and tests. Each returns the index of what it added.
BlockId add_block(Function& function, const std::vector<Type>& arguments = {});
OpId add_op(Function& function, BlockId block, Op op, const std::vector<Type>& results);

}  // namespace trainyard::compiler
