#include "isa/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/check.h"
#include "hw/fields.h"
#include "isa/explain/words.h"
#include "isa/operands.h"

namespace trainyard::isa {
namespace {

// Operands and attributes by name, from `fields`.
struct FieldNames : IgnoreFields {
  std::vector<std::string> written, read, numbers, attributes;

  void dst(std::string_view n, const Access&, Role) { written.emplace_back(n); }
  void src(std::string_view n, const Access&) { read.emplace_back(n); }
  template <class O>
  void optional_src(std::string_view n, const O&) {
    read.push_back(fmt::format("{} (optional)", n));
  }
  template <class O>
  void optional_dst(std::string_view n, const O&) {
    written.push_back(fmt::format("{} (optional)", n));
  }
  template <class O, class D>
  void operand(std::string_view n, const O&, const D&) {
    numbers.emplace_back(n);
  }
  template <class O>
  void optional_operand(std::string_view n, const O&) {
    numbers.push_back(fmt::format("{} (optional)", n));
  }
  template <class T, class D>
  void word(std::string_view n, const T&, const D&) {
    attributes.push_back(choices<T>(n));
  }
  template <class T, class D>
  void attribute(std::string_view n, const T&, const D&) {
    attributes.push_back(choices<T>(n));
  }
  void reg_dst(std::string_view n, const RegisterRef&) {
    written.push_back(fmt::format("{} (a register)", n));
  }
  void reg_src(std::string_view n, const RegisterOperand&) {
    read.push_back(fmt::format("{} (a register or a number)", n));
  }
  template <class A, class S>
  void call(const int32_t&, const A&, const std::vector<Role>&, const S&) {
    written.emplace_back("the tensors of write and update windows");
    read.emplace_back("those of read and update windows, scalars (registers or numbers)");
    attributes.emplace_back("the name of a gpsimd program");
  }

 private:
  // Short enumerations are spelled out.
  template <class T>
  static std::string choices(std::string_view n) {
    constexpr size_t kFew = 8;
    if constexpr (std::is_enum_v<T> && !std::is_same_v<T, Function>) {
      const auto& all = EnumNames<T>::value;
      if (all.size() <= kFew) return fmt::format("{} ({})", n, fmt::join(all, ", "));
    }
    return std::string(n);
  }
};

std::string operands_of(const FieldNames& f) {
  std::string out = "Operands:";
  const auto add = [&](std::string_view what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    out += fmt::format("{} {} {}", out.back() == ':' ? "" : ";", what, fmt::join(names, ", "));
  };
  add("writes", f.written);
  add("reads", f.read);
  add("takes numbers or tiles", f.numbers);
  add("attributes", f.attributes);
  return out.back() == ':' ? "Operands: none." : out + ".";
}

// Replaces {group.name} by the value on the machine and adds the constant to the table.
class Writer {
 public:
  Writer(hw::Page& page, const hw::CoreSpec& core) : page_(page), core_(core) {}

  void paragraph(std::string_view head, std::string_view text) {
    std::string out(head);
    while (!text.empty()) {
      const size_t open = std::min(text.find('{'), text.size());
      out += text.substr(0, open);
      text.remove_prefix(open);
      if (text.empty()) break;
      const size_t close = text.find('}');
      TY_CHECK(close != std::string_view::npos);
      out += value(text.substr(1, close - 1));
      text.remove_prefix(close + 1);
    }
    page_.paragraphs.push_back(std::move(out));
  }

 private:
  std::string value(std::string_view key) {
    const hw::CoreField* field = hw::find_field(hw::core_fields(), fmt::format("core.{}", key));
    TY_CHECK(field != nullptr);
    const hw::FactView fact = field->get(core_);
    const std::string shown = hw::value_text(fact.value, field->kind);
    const bool known = std::ranges::find(page_.rows, key, &hw::PageRow::key) != page_.rows.end();
    if (!known) {
      page_.rows.push_back({std::string(key), shown, std::string(field->unit),
                            std::string(name(fact.trust)), std::string(fact.source),
                            std::string(field->meaning)});
    }
    if (field->kind == hw::FieldKind::Flag) return fact.value != 0 ? "yes" : "no";
    return shown;
  }

  hw::Page& page_;
  const hw::CoreSpec& core_;
};

template <class I>
hw::Page page_of(const hw::Machine& machine) {
  const InstructionWords w = words(std::type_identity<I>{});
  const I sample{};
  FieldNames fields;
  I::fields(sample, fields);
  hw::Page page{.name = std::string(I::name), .title = std::string(w.title)};
  Writer writer(page, machine.core);
  writer.paragraph("", w.computes);
  page.paragraphs.push_back(operands_of(fields));
  writer.paragraph("Limits: ", w.limits);
  writer.paragraph(fmt::format("Cost on {}, calibrated: ", machine.name), w.cost);
  page.paragraphs.push_back(fmt::format("Constants on {}:", machine.name));
  return page;
}

template <class... I>
std::vector<hw::Page> pages_of(std::type_identity<std::variant<I...>>, const hw::Machine& machine) {
  return {page_of<I>(machine)...};
}

}  // namespace

std::vector<hw::Page> instruction_pages(const hw::Machine& machine) {
  return pages_of(std::type_identity<Instruction>{}, machine);
}

}  // namespace trainyard::isa
