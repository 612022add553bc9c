#include "isa/program.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/normalize.h"
#include "isa/operands.h"

namespace trainyard::isa {
namespace {

// The bits of a float as programs compare them: zeros keep their sign, all NaNs are one.
uint32_t comparable(float f) { return std::isnan(f) ? 0x7FC00000u : std::bit_cast<uint32_t>(f); }

// Takes the floats out of an instruction, so that the rest can be compared with ==, which would
// call -0.0 equal to 0.0 and NaN unequal to itself.
struct FloatTaker : IgnoreFields {
  std::vector<uint32_t>& taken;
  explicit FloatTaker(std::vector<uint32_t>& into) : taken(into) {}

  void take(float& f) {
    taken.push_back(comparable(f));
    f = 0;
  }
  void take(Operand& o) {
    if (auto* f = std::get_if<float>(&o)) take(*f);
  }
  template <class D>
  void operand(std::string_view, Operand& o, const D&) {
    take(o);
  }
  void optional_operand(std::string_view, std::optional<Operand>& o) {
    if (o) take(*o);
  }
  template <class T>
  void attribute(std::string_view, T& value, const T&) {
    if constexpr (std::is_same_v<T, float>) take(value);
  }
};

bool same_op(Instruction a, Instruction b) {
  std::vector<uint32_t> floats_a, floats_b;
  std::visit([&](auto& i) { i.fields(i, FloatTaker(floats_a)); }, a);
  std::visit([&](auto& i) { i.fields(i, FloatTaker(floats_b)); }, b);
  return floats_a == floats_b && a == b;
}

bool same(const Inst& a, const Inst& b) {
  return a.label == b.label && a.engine == b.engine && same_op(a.op, b.op);
}

bool same(const Tensor& a, const Tensor& b) {
  return a.name == b.name && a.memory == b.memory && a.dtype == b.dtype && a.shape == b.shape &&
         a.io == b.io && a.view == b.view;
}

bool same(const Loop& a, const Loop& b) {
  return a.kind == b.kind && a.name == b.name && a.count == b.count && a.counter == b.counter &&
         a.from == b.from && a.to == b.to && a.step == b.step && a.trips == b.trips &&
         a.body == b.body;
}

bool same(const Branch& a, const Branch& b) {
  return a.name == b.name && a.condition == b.condition && a.taken == b.taken &&
         a.then_block == b.then_block && a.else_block == b.else_block;
}

template <class T>
bool same_all(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

}  // namespace

bool same_program(const Program& first, const Program& second) {
  const Program a = normalized(first), b = normalized(second);
  return a.name == b.name && a.target == b.target && a.registers == b.registers &&
         a.semaphores == b.semaphores && a.gpsimd == b.gpsimd && a.body == b.body && same_all(a.tensors, b.tensors) &&
         same_all(a.insts, b.insts) && same_all(a.loops, b.loops) &&
         same_all(a.branches, b.branches) && a.placement == b.placement;
}

SourcePlace place_of(const Program& program, const SourceRef& source) {
  const bool known = source.file >= 0 && static_cast<size_t>(source.file) < program.files.size();
  return {known ? program.files[source.file] : program.name, source.line, source.column};
}

}  // namespace trainyard::isa
