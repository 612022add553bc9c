#include "isa/binary/instruction.h"

#include <algorithm>
#include <bit>

#include "isa/binary/parts.h"

namespace trainyard::isa::binary {
namespace {

bool is_default(float value, float fallback) {
  return std::bit_cast<uint32_t>(value) == std::bit_cast<uint32_t>(fallback);
}
bool is_default(const Operand& value, const Operand& fallback) {
  const float* const v = std::get_if<float>(&value);
  const float* const f = std::get_if<float>(&fallback);
  return v != nullptr && f != nullptr ? is_default(*v, *f) : value == fallback;
}
template <class T>
bool is_default(const T& value, const T& fallback) {
  return value == fallback;
}
template <class T>
bool is_default(const T&, std::nullopt_t) {
  return false;
}

template <class A, class T>
void value(A& a, T& v) {
  if constexpr (std::is_same_v<std::remove_const_t<T>, bool>) {
    a.flag(v);
  } else if constexpr (std::is_enum_v<T>) {
    a.code(v);
  } else if constexpr (std::is_arithmetic_v<T>) {
    a.number(v);
  } else {
    part<A>(a, v);
  }
}

// The visitor of `fields` for both directions. When writing, present() notes what is there; when
// reading, the mask came first.
template <class A>
struct Fields {
  A& a;
  uint64_t mask = 0;
  int next = 0;  // bit of the next field that may be left out

  bool present(bool written) {
    const uint64_t bit = uint64_t{1} << next++;
    if constexpr (A::kReads) return (mask & bit) != 0;
    if (written) mask |= bit;
    return written;
  }

  template <class T>
  void dst(std::string_view, T& access, Role) {
    part<A>(a, access);
  }
  template <class T>
  void src(std::string_view, T& access) {
    part<A>(a, access);
  }
  template <class T>
  void optional_src(std::string_view, T& access) {
    maybe(access);
  }
  template <class T>
  void optional_dst(std::string_view, T& access) {
    maybe(access);
  }
  template <class T>
  void optional_operand(std::string_view, T& operand) {
    maybe(operand);
  }
  template <class T>
  void maybe(T& optional) {
    if (!present(optional.has_value())) return;
    if constexpr (A::kReads) optional.emplace();
    part<A>(a, *optional);
  }
  template <class T, class D>
  void operand(std::string_view name, T& operand, const D& fallback) {
    attribute(name, operand, fallback);
  }
  template <class T, class D>
  void word(std::string_view name, T& word, const D& fallback) {
    attribute(name, word, fallback);
  }
  template <class T, class D>
  void attribute(std::string_view name, T& attribute, const D& fallback) {
    if (present(!is_default(attribute, fallback))) return value(a, attribute);
    if constexpr (!A::kReads)
      return;
    else if constexpr (std::is_same_v<D, std::nullopt_t>)
      a.fail("{} is missing", name);
    else
      attribute = fallback;  // may differ from what the struct begins with
  }
  template <class T>
  void reg_dst(std::string_view, T& reg) {
    a.number(reg.id);
  }
  template <class T>
  void reg_src(std::string_view, T& operand) {
    part<A>(a, operand);
  }
  template <class P, class O, class R, class S>
  void call(P& program, O& operands, R& roles, S& scalars) {
    a.number(program);
    a.list(operands, [&](auto& o) { part<A>(a, o); });
    a.list(roles, [&](auto& r) { a.code(r); });
    a.list(scalars, [&](auto& s) { part<A>(a, s); });
  }
};

uint64_t instruction_code(const Instruction& inst) {
  const auto found = std::ranges::find(kInstructionCodes, name(inst));
  TY_CHECK(found != kInstructionCodes.end());  // a test sees that each instruction is listed
  return static_cast<uint64_t>(found - kInstructionCodes.begin());
}

// Makes `inst` the instruction of that name.
template <size_t... i>
void choose(Instruction& inst, std::string_view wanted, std::index_sequence<i...>) {
  const auto take = [&]<class T>(std::type_identity<T>) {
    if (T::name == wanted) inst.emplace<T>();
  };
  (take(std::type_identity<std::variant_alternative_t<i, Instruction>>()), ...);
}

}  // namespace

void write_instruction(Writer& a, const Instruction& inst) {
  Writer body(a.strings());
  Fields<Writer> fields{body};
  std::visit([&](const auto& i) { i.fields(i, fields); }, inst);
  a.bits(instruction_code(inst));
  a.bits(fields.mask);
  a.raw(body.bytes());
}

void read_instruction(Reader& a, Instruction& inst) {
  uint64_t code = 0;
  Fields<Reader> fields{a};
  a.bits(code);
  a.bits(fields.mask);
  if (!a.ok()) return;
  if (code >= kInstructionCodes.size()) return a.fail("there is no instruction with code {}", code);
  choose(inst, kInstructionCodes[code],
         std::make_index_sequence<std::variant_size_v<Instruction>>());
  std::visit([&](auto& i) { i.fields(i, fields); }, inst);
  if (fields.mask >> fields.next != 0) {
    a.fail("a {} has attributes that this version does not know", name(inst));
  }
}

}  // namespace trainyard::isa::binary
