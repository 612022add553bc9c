#include <algorithm>

#include "isa/gpsimd/builder.h"
#include "isa/testing/random_program.h"

namespace trainyard::isa::testing {

using namespace gpsimd;

gpsimd::Program adder(int64_t n, int64_t part) {
  gpsimd::Program p{.name = "adder"};
  p.windows = {{"y", Type::F32, {part}, {n}, {0}, Window::Use::Write},
               {"x", Type::F32, {n}, {n}, {0}, Window::Use::Read}};
  FunctionBuilder b("");
  const ValueId number = b.param({Type::S32, 0});
  const int64_t strip = std::min(part, kMostStrip);
  const ValueId addend = b.broadcast(b.convert(number, Type::F32), strip);
  const ValueId length = b.integer(Type::S64, strip);
  const int64_t turns = (part + strip - 1) / strip;
  const std::vector<ValueId> params = b.begin_for(b.integer(Type::S64, turns), turns, {});
  const ValueId at = b.binary(Code::Mul, params[0], length);
  const ValueId zero = b.real(Type::F32, 0);
  const ValueId x = b.load({.window = 1, .bounds = Bounds::Fill}, {Type::F32, strip}, at, zero);
  b.store({.window = 0, .bounds = Bounds::Drop}, at, b.binary(Code::Add, x, addend));
  b.end({});
  p.body = b.finish();
  return p;
}

}  // namespace trainyard::isa::testing
