#pragma once
// One gpsimd_call in the making: windows with their operands, combiners, the program's body.
#include <string>
#include <vector>

#include "compiler/lower/lowering.h"
#include "compiler/lower/view.h"
#include "isa/gpsimd/builder.h"

namespace trainyard::compiler {

namespace gp = isa::gpsimd;

// How an element lies in a window. 8-bit floats are their bits; integers below 8 bits are bytes.
// Complex types have none.
gp::Type window_type(ElementType element);

// HBM between two calls.
struct Temporary {
  isa::TensorId tensor = -1;
  gp::Type type = gp::Type::F32;
  Dims shape;
};
Temporary make_temporary(Lowering& lowering, gp::Type type, Dims shape);

class Call {
 public:
  Call(Lowering& lowering, std::string name) : lowering(lowering) {
    program_.name = std::move(name);
  }

  // A window whose elements are those of `access` in order, seen in `shape`.
  gp::WindowId window(gp::Window::Use use, isa::Access access, gp::Type type, Dims shape);
  // All of a value in its own shape.
  gp::WindowId read(ValueId value) { return whole(gp::Window::Use::Read, value); }
  gp::WindowId write(ValueId value) { return whole(gp::Window::Use::Write, value); }
  gp::WindowId update(ValueId value) { return whole(gp::Window::Use::Update, value); }
  gp::WindowId read(const View& view);
  gp::WindowId view(gp::Window::Use use, const View& view, Dims shape);
  gp::WindowId window(gp::Window::Use use, const Temporary& temporary);

  // The one element of a value: a literal if it is known, else loaded from a window.
  gp::ValueId scalar(ValueId value);

  gp::FunctionId add(gp::Function function);
  // The function, or the built-in fold that it is.
  gp::Fold fold(gp::Function function);
  const gp::Window& at(gp::WindowId id) const { return program_.windows[static_cast<size_t>(id)]; }
  size_t windows() const { return program_.windows.size(); }

  // Calls f(base, strip length, bounds of loads, bounds of stores) in a loop that covers [0, n).
  template <class F>
  void each_strip(int64_t n, int64_t strip, F f) {
    if (n <= strip)
      return f(body.integer(gp::Type::S64, 0), n, gp::Bounds::Fault, gp::Bounds::Fault);
    const int64_t turns = (n + strip - 1) / strip;
    const bool even = n % strip == 0;
    const gp::ValueId length = body.integer(gp::Type::S64, strip);
    const gp::ValueId counter = body.begin_for(body.integer(gp::Type::S64, turns), turns, {})[0];
    const gp::ValueId base = body.binary(gp::Code::Mul, counter, length);
    f(base, strip, even ? gp::Bounds::Fault : gp::Bounds::Clamp,
      even ? gp::Bounds::Fault : gp::Bounds::Drop);
    body.end({});
  }
  int64_t longest_strip() const { return lowering.core.call.strip.value; }

  // Window `to` = window `from`, converted to its type.
  void convert(gp::WindowId from, gp::WindowId to);
  // All of a window = a scalar.
  void fill(gp::WindowId to, gp::ValueId value);

  // Ends the program and adds the call to the body.
  Status emit(std::string_view label);

  Lowering& lowering;
  gp::FunctionBuilder body{""};

 private:
  gp::WindowId whole(gp::Window::Use use, ValueId value);

  gp::Program program_;
  std::vector<isa::Access> operands_;
};

}  // namespace trainyard::compiler
