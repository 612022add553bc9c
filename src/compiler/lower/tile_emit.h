#pragma once
// Emits the instructions of a tile kernel for tiles of one size.
#include <set>
#include <string>
#include <unordered_map>

#include "compiler/lower/lowering.h"
#include "compiler/lower/tile_ops.h"

namespace trainyard::compiler {

// A value inside a tile kernel.
struct TileRef {
  enum class Kind : uint8_t {
    Number,   // the same everywhere
    Row,      // a tile [rows, 1]
    Full,     // a tile [rows, columns]
    Pending,  // a full tile and one more step on it, which the next instruction may take along
  };
  Kind kind = Kind::Number;
  float value = 0;
  isa::TensorId tile = -1;

  // Of Pending: alu(tile, operand), or the other way round.
  isa::AluOp alu = isa::AluOp::Bypass;
  isa::Operand operand = 0.0f;
  bool reverse = false;

  static TileRef number(float v) { return {.kind = Kind::Number, .value = v}; }
  static TileRef row(isa::TensorId t) { return {.kind = Kind::Row, .tile = t}; }
  static TileRef full(isa::TensorId t) { return {.kind = Kind::Full, .tile = t}; }
};

class TileEmitter {
 public:
  TileEmitter(Lowering& lowering, std::string label, int64_t rows, int64_t columns)
      : l_(lowering), b_(lowering.body), label_(std::move(label)), rows_(rows), columns_(columns) {}

  std::unordered_map<ValueId, TileRef> values;
  // Values that one operation of the kernel reads, and nobody else: their last step may be put off.
  const std::set<ValueId>* read_once = nullptr;

  // An element-wise operation on full tiles, or on rows alone. Operands must be in `values`.
  void op(const Op& op, bool full);

  // A reduction whose operand is there as a whole.
  void reduce(const Op& op, const SimpleReduce& how);
  // The same in pieces: a running result [rows, 1] in fp32.
  isa::TensorId start_reduce(const SimpleReduce& how);
  void reduce_into(isa::TensorId sum, ValueId from, const SimpleReduce& how);
  TileRef end_reduce(const Op& op, isa::TensorId sum);

  // A tile with an element for each column.
  isa::TensorId as_full(const TileRef& ref, ElementType element, int64_t columns);

 private:
  isa::TensorId tile(ElementType element, bool full, std::string_view name = "t");
  // Work on rows is short: it stays on Vector, since every hand-over takes longer.
  static std::optional<hw::Engine> engine(bool full) {
    return full ? std::nullopt : std::optional(hw::Engine::Vector);
  }
  // `ref` as a number or a column of one element per partition; nothing if it is a whole tile.
  std::optional<isa::Operand> as_operand(const TileRef& ref, bool full);
  isa::Access whole(const TileRef& ref, bool full, ElementType element);

  void binary(isa::AluOp alu, const TileRef& a, const TileRef& b, ElementType element, bool full,
              isa::TensorId dst);
  void unary(isa::Function function, const TileRef& a, ElementType element, bool full,
             isa::TensorId dst);
  isa::TensorId magnitude(const TileRef& a, bool full);
  // A step with a number or a row value on a full fp32 tile, put off if that pays.
  bool put_off(const Op& op, isa::AluOp alu, bool full);
  TileRef settled(const TileRef& ref);  // without pending steps
  void divide(const Op& op, bool full, isa::TensorId dst);
  void compare(const Op& op, bool full, isa::TensorId dst);
  void select(const Op& op, bool full, isa::TensorId dst);
  void clamp(const Op& op, bool full, isa::TensorId dst);
  void convert(const Op& op, bool full, isa::TensorId dst);
  void is_finite(const Op& op, bool full, isa::TensorId dst);

  ElementType element(ValueId v) const { return l_.type(v).element; }
  const TileRef& at(ValueId v) const { return values.at(v); }

  Lowering& l_;
  isa::ProgramBuilder& b_;
  std::string label_;
  int64_t rows_, columns_;
};

}  // namespace trainyard::compiler
