#pragma once
// A program of the GpSimd engine: windows and scalars come in, strips are computed, windows go out.
//
// A function is a list of blocks; block 0 is its body, the others belong to one `for`, `while` or
// `if` each. Values are defined once, before their uses, and seen in the block that defines them
// and in the blocks inside of it. Nothing here is checked: isa/gpsimd/verify.h does that.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "isa/gpsimd/ops.h"
#include "isa/gpsimd/types.h"

namespace trainyard::isa::gpsimd {

using ValueId = int32_t;
using BlockId = int32_t;
using WindowId = int32_t;
using FunctionId = int32_t;

// A part of a tensor that the program may touch. Programs number its elements in row-major order of
// the part. The tensor lies densely in row-major order.
struct Window {
  enum class Use : uint8_t { Read, Write, Update };
  std::string name;
  Type type = Type::F32;
  std::vector<int64_t> shape;   // of the part
  std::vector<int64_t> tensor;  // of the whole
  std::vector<int64_t> start;   // of the part in the whole
  Use use = Use::Read;

  int64_t elements() const;
  friend bool operator==(const Window&, const Window&) = default;
};

// What happens to an access outside of its window.
//   Clamp  the nearest element of the window takes its place (each index for itself)
//   Fill   a read gives the fill value
//   Drop   a write does nothing
//   Fault  the program ends with TY-GPS-020
enum class Bounds : uint8_t { Fault, Clamp, Fill, Drop };

// How two values become one: nothing (the new one replaces the old), an operation, or a function.
struct Fold {
  enum class Kind : uint8_t { None, Add, Mul, Min, Max, And, Or, Xor, Function };
  Kind kind = Kind::None;
  FunctionId function = -1;  // of Kind::Function
  friend bool operator==(const Fold&, const Fold&) = default;
};

enum class Order : uint8_t { Ascending, Descending };

struct Literal {
  uint64_t bits = 0;  // the element's bits in the low end
  friend bool operator==(const Literal&, const Literal&) = default;
};
// Of load, store (in: base, value), gather, scatter (in: index, value). A read with Bounds::Fill
// takes the fill value, a scalar, as its last value.
struct Access {
  WindowId window = 0;
  int64_t step = 1;
  Bounds bounds = Bounds::Fault;
  Fold fold;  // of scatter
  friend bool operator==(const Access&, const Access&) = default;
};
// Of reduce, scan, shuffle. Both fold from the start value, left to right: acc = f(acc, x).
struct StripWork {
  Fold fold;
  bool exclusive = false;         // scan: element i without x[i]
  Bounds bounds = Bounds::Fault;  // shuffle: Fault, Clamp, or Fill with zero
  friend bool operator==(const StripWork&, const StripWork&) = default;
};
// `for`: in = count, then the values carried; the body takes the counter (s64) and the carried ones
// and gives them back. `while`: in = the values carried; `condition` takes them and gives an i1.
// A `for` whose count exceeds `maximum`, or a `while` that wants more turns, faults (TY-GPS-021).
struct Turns {
  BlockId body = 0;
  BlockId condition = 0;  // of while
  int64_t maximum = 0;
  friend bool operator==(const Turns&, const Turns&) = default;
};
struct Branch {
  BlockId then = 0;
  BlockId otherwise = 0;
  friend bool operator==(const Branch&, const Branch&) = default;
};
// Of the primitives; each uses the fields that isa/gpsimd/primitives.h names.
struct WindowWork {
  std::vector<WindowId> windows;
  std::vector<int64_t> axes;
  std::vector<Order> orders;
  Fold fold;  // or the comparator of a sort
  Bounds bounds = Bounds::Fault;
  bool right = false;                                      // binary_search: after equal elements
  std::vector<int64_t> size, stride, low, dilation, base;  // reduce_window, one per axis
  friend bool operator==(const WindowWork&, const WindowWork&) = default;
};

using Attributes =
    std::variant<std::monostate, Literal, Access, StripWork, Turns, Branch, WindowWork>;

struct Op {
  Code code = Code::Constant;
  std::vector<ValueId> in;
  std::vector<ValueId> out;
  Attributes attributes;
  int line = 0;  // in the text it came from, for errors; not compared
  friend bool operator==(const Op& a, const Op& b) {
    return a.code == b.code && a.in == b.in && a.out == b.out && a.attributes == b.attributes;
  }
};

struct Block {
  std::vector<ValueId> params;
  std::vector<Op> ops;
  std::vector<ValueId> results;
  friend bool operator==(const Block&, const Block&) = default;
};

struct Function {
  std::string name;
  std::vector<ValueType> values;
  std::vector<Block> blocks;  // [0] is the body; its params are the function's
  friend bool operator==(const Function&, const Function&) = default;
};

struct Program {
  std::string name;
  std::vector<Window> windows;
  std::vector<Function> functions;  // combiners and comparators: pure, over scalars
  Function body;                    // its params are the scalars of the call
  int64_t scratch_bytes = 0;        // SBUF that the call may use besides the local memories
  bool double_buffered = false;     // windows move while the program computes
  friend bool operator==(const Program&, const Program&) = default;
};

// The built-in operation of a fold; none for None and Function.
std::optional<Code> code_of(Fold::Kind kind);

}  // namespace trainyard::isa::gpsimd
