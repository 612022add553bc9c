#include <algorithm>
#include <limits>
#include <utility>

#include "isa/operands.h"
#include "isa/text/statements.h"
#include "isa/text/values.h"

namespace trainyard::isa::text {
namespace {

template <class F>
void each_instruction_type(F&& f) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    (f(std::in_place_type<std::variant_alternative_t<I, Instruction>>), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Instruction>>());
}

template <class E>
std::vector<std::string_view> enumerators() {
  if constexpr (std::is_same_v<E, Function>) {
    std::vector<std::string_view> names;
    for (const Function f : numerics::all_functions()) names.push_back(enum_name(f));
    return names;
  } else {
    return {EnumNames<E>::value.begin(), EnumNames<E>::value.end()};
  }
}

// `dst, dst <- src, src`
struct PositionalReader : IgnoreFields {
  Context& c;
  bool first_dst = true, first_src = true;
  explicit PositionalReader(Context& context) : c(context) {}

  void before_dst() {
    if (!std::exchange(first_dst, false)) c.in.expect(",");
  }
  void before_src() { c.in.expect(std::exchange(first_src, false) ? "<-" : ","); }

  void dst(std::string_view, Access& a, Role) {
    before_dst();
    a = read_access(c);
  }
  void src(std::string_view, Access& a) {
    before_src();
    a = read_access(c);
  }
  void reg_dst(std::string_view, RegisterRef& r) {
    before_dst();
    r.id = c.reg();
  }
  void reg_src(std::string_view, RegisterOperand& r) {
    before_src();
    r = read_register_operand(c);
  }

  // `name(update x, read y, 3, r0)`: operands with their roles, then scalars.
  void call(int32_t& program, std::vector<Access>& operands, std::vector<Role>& roles,
            std::vector<RegisterOperand>& scalars) {
    program = c.gpsimd();
    c.in.expect("(");
    while (c.in.ok() && !c.in.peek().is(")")) {
      if (!operands.empty() || !scalars.empty()) c.in.expect(",");
      if (!c.in.spend(sizeof(Access))) return;
      if (const std::optional<Role> role = role_word()) {
        c.in.take();
        roles.push_back(*role);
        operands.push_back(read_access(c));
        if (!scalars.empty()) {
          c.in.fail("TY-TXT-001", "an operand stands after a scalar; scalars come last");
        }
      } else {
        scalars.push_back(read_register_operand(c));
      }
    }
    c.in.expect(")");
  }

 private:
  // A register may have the same name as a role: an operand is followed by a tensor's.
  std::optional<Role> role_word() const {
    for (const Role role : {Role::Read, Role::Write, Role::Update}) {
      if (c.in.peek().is(kRoleWords[static_cast<int>(role)]) && c.in.peek_second().is_name())
        return role;
    }
    return std::nullopt;
  }
};

// Calls `self.keyed(name, field, default)` for each field that is written by name, counting them in
// `index`: the operands with a key, the words and the attributes.
template <class Self>
struct KeyedVisitor : IgnoreFields {
  size_t index = 0;

  template <class T, class D>
  void field(std::string_view n, T& value, const D& fallback) {
    static_cast<Self*>(this)->keyed(n, value, fallback);
    ++index;
  }
  void optional_src(std::string_view n, std::optional<Access>& a) { field(n, a, a); }
  void optional_dst(std::string_view n, std::optional<Access>& a) { field(n, a, a); }
  template <class D>
  void operand(std::string_view n, Operand& o, const D& d) {
    field(n, o, d);
  }
  void optional_operand(std::string_view n, std::optional<Operand>& o) { field(n, o, o); }
  template <class T, class D>
  void attribute(std::string_view n, T& value, const D& d) {
    field(n, value, d);
  }
  template <class T, class D>
  void word(std::string_view n, T& value, const D& d) {
    static_cast<Self*>(this)->keyed_word(n, value, d);
    ++index;
  }
};

using Seen = uint64_t;  // one bit per keyed field

// Reads the value of the field called `key`: `key=value`, a bare flag, or a bare word.
struct KeyReader : KeyedVisitor<KeyReader> {
  Context& c;
  const Token key;
  const bool bare;  // no '=' follows
  Seen& seen;
  bool found = false;
  KeyReader(Context& context, Seen& s)
      : c(context), key(c.in.peek()), bare(!c.in.peek_second().is("=")), seen(s) {}

  // Whether this field is meant; then the key and '=' have been taken.
  bool begins(bool matches) {
    if (found || !matches) return false;
    found = true;
    c.in.take();
    if (!bare) c.in.take();
    if (seen & (Seen{1} << index)) {
      c.in.fail_at(key, "TY-TXT-008", fmt::format("'{}' is given twice", key.text));
    }
    seen |= Seen{1} << index;
    return true;
  }

  template <class T, class D>
  void keyed(std::string_view n, T& value, const D&) {
    constexpr bool is_flag = std::is_same_v<T, bool>;
    if (begins(key.text == n && bare == is_flag)) read(n, value);
  }
  template <class E, class D>
  void keyed_word(std::string_view, E& value, const D&) {
    const std::optional<E> e = parse_enum<E>(key.text);
    if (begins(bare && e.has_value())) value = *e;
  }

  void read(std::string_view, bool& flag) { flag = true; }
  void read(std::string_view n, int64_t& value) {
    value =
        c.in.integer(n, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  }
  void read(std::string_view, float& value) { value = read_float(c); }
  void read(std::string_view, Affine& value) { value = read_affine(c); }
  void read(std::string_view, std::vector<Dim>& value) { value = read_dims(c); }
  void read(std::string_view, Operand& value) { value = read_operand(c); }
  void read(std::string_view, std::optional<Operand>& value) { value = read_operand(c); }
  void read(std::string_view, std::optional<Access>& value) { value = read_access(c); }
  template <class E>
  requires std::is_enum_v<E>
  void read(std::string_view n, E& value) {
    const Token word = c.in.name(fmt::format("a value of {}", n));
    if (const std::optional<E> e = parse_enum<E>(word.spelled())) {
      value = *e;
    } else if (c.in.ok()) {
      c.in.fail_at(word, "TY-TXT-003",
                   fmt::format("'{}' is no value of {}{}", shown(word.spelled()), n,
                               hint(word.spelled(), enumerators<E>())));
    }
  }
};

// Gives the fields that were not written their default; reports one that has none.
struct DefaultSetter : KeyedVisitor<DefaultSetter> {
  Context& c;
  const Token& at;
  const Seen seen;
  DefaultSetter(Context& context, const Token& instruction, Seen s)
      : c(context), at(instruction), seen(s) {}

  bool missing() const { return !(seen & (Seen{1} << index)); }

  template <class T, class D>
  void keyed(std::string_view n, T& value, const D& fallback) {
    if (!missing()) return;
    if constexpr (std::is_same_v<D, std::nullopt_t>) {
      c.in.fail_at(at, "TY-TXT-008", fmt::format("{} needs {}=...", at.text, n));
    } else {
      value = fallback;
    }
  }
  template <class E, class D>
  void keyed_word(std::string_view n, E& value, const D& fallback) {
    if (!missing()) return;
    if constexpr (std::is_same_v<D, std::nullopt_t>) {
      c.in.fail_at(at, "TY-TXT-008",
                   fmt::format("{} needs a {}: {}", at.text, n, fmt::join(enumerators<E>(), ", ")));
    } else {
      value = fallback;
    }
  }
};

// All words that may follow the operands of an instruction.
struct WordCollector : KeyedVisitor<WordCollector> {
  std::vector<std::string_view> words;

  template <class T, class D>
  void keyed(std::string_view n, T&, const D&) {
    words.push_back(n);
  }
  template <class E, class D>
  void keyed_word(std::string_view, E&, const D&) {
    for (const std::string_view w : enumerators<E>()) words.push_back(w);
  }
};

// The next token ends the attributes: it begins a placement or the next statement.
bool at_end_of_attributes(const Context& c) {
  const Token& now = c.in.peek();
  if (now.kind != Token::Kind::Name || c.in.at_label()) return true;
  if (now.is("on") && !c.in.peek_second().is("=")) return true;
  if (c.in.peek_second().is("=")) return false;
  return is_instruction_name(now.text) || is_reserved(NameKind::Tensor, now.text);
}

void fail_attribute(Context& c, const Token& instruction, std::vector<std::string_view> words) {
  if (!c.in.ok()) return;
  const Token& key = c.in.peek();
  const bool is_known = std::find(words.begin(), words.end(), key.text) != words.end();
  if (is_known && c.in.peek_second().is("=")) {
    c.in.fail("TY-TXT-008", fmt::format("'{}' is a flag; write it without '='", key.text));
  } else if (is_known) {
    c.in.fail("TY-TXT-008", fmt::format("'{0}' needs a value: {0}=...", key.text));
  } else {
    const auto names = instruction_names();
    words.insert(words.end(), names.begin(), names.end());
    c.in.fail("TY-TXT-003", fmt::format("'{}' is no attribute of {} and begins no statement{}",
                                        shown(key.text), instruction.text, hint(key.text, words)));
  }
}

template <class T>
void read_operands(Context& c, const Token& name, T& inst) {
  T::fields(inst, PositionalReader(c));
  Seen seen = 0;
  while (c.in.ok() && !at_end_of_attributes(c)) {
    KeyReader key(c, seen);
    T::fields(inst, key);
    if (key.found) continue;
    WordCollector known;
    T::fields(inst, known);
    fail_attribute(c, name, std::move(known.words));
  }
  if (c.in.ok()) T::fields(inst, DefaultSetter(c, name, seen));
}

}  // namespace

std::vector<std::string_view> instruction_names() {
  std::vector<std::string_view> names;
  each_instruction_type([&]<class T>(std::in_place_type_t<T>) { names.push_back(T::name); });
  return names;
}

bool is_instruction_name(std::string_view name) {
  bool found = false;
  each_instruction_type([&]<class T>(std::in_place_type_t<T>) { found |= T::name == name; });
  return found;
}

Instruction read_instruction(Context& c) {
  const Token name = c.in.name("an instruction");
  Instruction inst;
  bool found = false;
  each_instruction_type([&]<class T>(std::in_place_type_t<T>) {
    if (found || T::name != name.spelled()) return;
    found = true;
    read_operands(c, name, inst.emplace<T>());
  });
  if (!found && c.in.ok()) {
    c.in.fail_at(name, "TY-TXT-003",
                 fmt::format("no instruction is called '{}'{}", shown(name.spelled()),
                             hint(name.spelled(), instruction_names())));
  }
  return inst;
}

}  // namespace trainyard::isa::text
