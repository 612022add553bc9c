#pragma once
// Adds operations to the function that a Rebuild makes, with result types inferred from operands.
// What formulas in passes are written with.
#include <span>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/passes/rebuild.h"

namespace trainyard::compiler {

using Direction = CompareAttributes::Direction;

class Emit {
 public:
  // All operations get the location of `op`, an operation of the source.
  Emit(Rebuild& rebuild, const Op& op)
      : rebuild_(rebuild), location_(rebuild.location(op.location)) {}

  const TensorType& type(ValueId value) const { return *rebuild_.to.type(value).tensor(); }

  ValueId add(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
              const TensorType& result, std::vector<BlockId> regions = {});
  // Element-wise operations whose result has the type of the first operand.
  ValueId unary(OpKind kind, ValueId a);
  ValueId binary(OpKind kind, ValueId a, ValueId b) { return add(kind, {a, b}, {}, type(a)); }
  ValueId plus(ValueId a, ValueId b) { return binary(OpKind::Add, a, b); }
  ValueId minus(ValueId a, ValueId b) { return binary(OpKind::Subtract, a, b); }
  ValueId times(ValueId a, ValueId b) { return binary(OpKind::Multiply, a, b); }
  ValueId over(ValueId a, ValueId b) { return binary(OpKind::Divide, a, b); }
  ValueId negate(ValueId a) { return unary(OpKind::Negate, a); }
  ValueId abs(ValueId a) { return unary(OpKind::Abs, a); }

  ValueId compare(Direction direction, ValueId a, ValueId b);
  ValueId select(ValueId predicate, ValueId on_true, ValueId on_false);
  ValueId convert(ValueId a, ElementType element);
  ValueId bitcast(ValueId a, ElementType element);  // of the same width
  // `a` along the dimensions `dims` of a tensor of `shape`.
  ValueId broadcast(ValueId a, const Dims& shape, const Dims& dims);
  ValueId reshape(ValueId a, const Dims& shape);
  ValueId slice(ValueId a, int64_t dim, int64_t from, int64_t to);
  ValueId concatenate(const std::vector<ValueId>& parts, int64_t dim);
  ValueId iota(ElementType element, const Dims& shape, int64_t dim);
  // A reduce over `dims` with a lone operation as its region.
  ValueId reduce(OpKind kind, ValueId a, ValueId init, const Dims& dims);

  // A splat: the number as the element type stores it, rounded to nearest even where it must.
  ValueId constant(const TensorType& type, double value);
  ValueId integer(const TensorType& type, uint64_t bits);
  ValueId like(ValueId a, double value) { return constant(type(a), value); }

  // Ends a region that the pass opens: makes a block, fills it with `fill` (which gets its
  // arguments and returns what to return).
  BlockId region(const std::vector<Type>& arguments,
                 const std::function<std::vector<ValueId>(std::span<const ValueId>)>& fill);

 private:
  Rebuild& rebuild_;
  LocationId location_;
};

// Adds data to the module.
ConstantId add_constant(Module& module, Constant constant);

// The bits of `value` in a type of the compiler's arithmetic: integers, truth values, bf16, f16,
// f32, f64 and the f8 types. Floats round to nearest even.
uint64_t bits_of(ElementType element, double value);

}  // namespace trainyard::compiler
