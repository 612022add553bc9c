#include <bit>

#include "isa/operands.h"
#include "isa/text/names.h"
#include "isa/text/print.h"

namespace trainyard::isa::text {
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

struct FieldPrinter : IgnoreFields {
  const Program& p;
  std::vector<std::string> dsts, srcs, keys;
  explicit FieldPrinter(const Program& program) : p(program) {}

  void dst(std::string_view, const Access& a, Role) { dsts.push_back(print(p, a)); }
  void src(std::string_view, const Access& a) { srcs.push_back(print(p, a)); }
  void reg_dst(std::string_view, const RegisterRef& r) {
    dsts.push_back(spelled(NameKind::Register, p.registers[r.id]));
  }
  void reg_src(std::string_view, const RegisterOperand& r) { srcs.push_back(print(p, r)); }

  void call(const int32_t& program, const std::vector<Access>& operands,
            const std::vector<Role>& roles, const std::vector<RegisterOperand>& scalars) {
    std::vector<std::string> items;
    for (size_t i = 0; i < operands.size(); ++i) {
      items.push_back(
          fmt::format("{} {}", kRoleWords[static_cast<int>(roles[i])], print(p, operands[i])));
    }
    for (const RegisterOperand& s : scalars) items.push_back(print(p, s));
    dsts.push_back(fmt::format("{}({})", spelled(p.gpsimd[program].name), fmt::join(items, ", ")));
  }

  void key(std::string_view n, std::string value) {
    keys.push_back(fmt::format("{}={}", n, value));
  }
  void optional_src(std::string_view n, const std::optional<Access>& a) {
    if (a) key(n, print(p, *a));
  }
  void optional_dst(std::string_view n, const std::optional<Access>& a) {
    if (a) key(n, print(p, *a));
  }
  template <class D>
  void operand(std::string_view n, const Operand& o, const D& fallback) {
    if (!is_default(o, fallback)) key(n, print(p, o));
  }
  void optional_operand(std::string_view n, const std::optional<Operand>& o) {
    if (o) key(n, print(p, *o));
  }
  template <class E, class D>
  void word(std::string_view, const E& e, const D& fallback) {
    if (!is_default(e, fallback)) keys.emplace_back(enum_name(e));
  }
  template <class T>
  void attribute(std::string_view n, const T& value, const T& fallback) {
    if (is_default(value, fallback)) return;
    if constexpr (std::is_same_v<T, bool>) {
      keys.emplace_back(n);
    } else if constexpr (std::is_enum_v<T>) {
      key(n, std::string(enum_name(value)));
    } else if constexpr (std::is_same_v<T, int64_t>) {
      key(n, fmt::format("{}", value));
    } else if constexpr (std::is_same_v<T, Affine>) {
      key(n, print(p, value));
    } else {
      key(n, print(value));
    }
  }
};

}  // namespace

std::string print(const Program& p, const Instruction& inst) {
  FieldPrinter fields(p);
  std::visit([&](const auto& i) { i.fields(i, fields); }, inst);
  std::string out(name(inst));
  if (!fields.dsts.empty()) out += fmt::format(" {}", fmt::join(fields.dsts, ", "));
  if (!fields.srcs.empty()) out += fmt::format(" <- {}", fmt::join(fields.srcs, ", "));
  if (!fields.keys.empty()) out += fmt::format(" {}", fmt::join(fields.keys, " "));
  return out;
}

}  // namespace trainyard::isa::text
