#include <array>
#include <charconv>
#include <cmath>

#include "isa/text/names.h"
#include "isa/text/print.h"
#include "isa/text/text.h"

namespace trainyard::isa::text {
namespace {

const std::string& variable_name(const Program& p, const Variable& v) {
  return v.kind == Variable::Kind::Counter ? p.loops[v.id].name : p.registers[v.id];
}

NameKind kind_of(const Variable& v) {
  return v.kind == Variable::Kind::Counter ? NameKind::Loop : NameKind::Register;
}

}  // namespace

std::string print(const Program& p, const Affine& affine) {
  // 15-j rather than -j+15.
  const bool number_first =
      affine.constant > 0 && !affine.terms.empty() && affine.terms[0].coefficient < 0;
  std::string out = number_first ? fmt::format("{}", affine.constant) : "";
  for (const Term& t : affine.terms) {
    if (t.coefficient < 0) {
      out += '-';
    } else if (!out.empty()) {
      out += '+';
    }
    if (t.coefficient != 1 && t.coefficient != -1) {
      out += fmt::format("{}*", t.coefficient < 0 ? -t.coefficient : t.coefficient);
    }
    out += spelled(kind_of(t.variable), variable_name(p, t.variable));
  }
  if (out.empty()) return fmt::format("{}", affine.constant);
  return affine.constant == 0 || number_first ? out : out + fmt::format("{:+}", affine.constant);
}

std::string print(float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> buffer;
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string out(buffer.data(), end);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

std::string print(const std::vector<Dim>& dims) {
  std::vector<std::string> out;
  for (const Dim& d : dims) out.push_back(fmt::format("[{},{}]", d.step, d.count));
  return fmt::format("[{}]", fmt::join(out, ","));
}

std::string print(const Program& p, const Operand& operand) {
  if (const float* f = std::get_if<float>(&operand)) return print(*f);
  if (const int64_t* i = std::get_if<int64_t>(&operand)) return fmt::format("{}", *i);
  return print(p, std::get<Access>(operand));
}

std::string print(const Program& p, const RegisterOperand& operand) {
  if (const int64_t* i = std::get_if<int64_t>(&operand)) return fmt::format("{}", *i);
  return spelled(NameKind::Register, p.registers[std::get<RegisterId>(operand)]);
}

std::string print(const TensorPlace& place, Memory memory) {
  std::vector<std::string> out;
  if (place.address && memory == Memory::Psum) {
    const int64_t rest = *place.address % kTextBankBytes;
    out.push_back(fmt::format("bank {}", *place.address / kTextBankBytes));
    if (rest != 0) out.push_back(fmt::format("+ {}", rest));
  } else if (place.address) {
    out.push_back(fmt::format("0x{:x}", *place.address));
  }
  if (place.partition != 0) out.push_back(fmt::format("partition {}", place.partition));
  if (place.slots > 0) out.push_back(fmt::format("slots {}", place.slots));
  if (place.pitch > 0) out.push_back(fmt::format("pitch 0x{:x}", place.pitch));
  return fmt::format("{}", fmt::join(out, " "));
}

std::string print(const Program& p, const InstPlace& place) {
  std::vector<std::string> items;
  if (place.queue >= 0) {
    items.push_back(fmt::format("q{}", place.queue));
    if (place.engine) items[0] += fmt::format(" by {}", hw::name(*place.engine));
  } else if (place.engine) {
    items.emplace_back(hw::name(*place.engine));
  }
  if (place.ahead_loop >= 0) {
    items.push_back(fmt::format("ahead {} of {}", place.ahead,
                                spelled(NameKind::Loop, p.loops[place.ahead_loop].name)));
  }
  for (size_t i = 0; i < place.after.size(); ++i) {
    const Edge& e = place.after[i];
    std::string item =
        (i == 0 ? "after " : "") + spelled(NameKind::Label, p.insts[e.producer].label);
    if (!e.at.empty()) {
      std::vector<std::string> at;
      for (const Affine& a : e.at) at.push_back(print(p, a));
      item += fmt::format("({})", fmt::join(at, ", "));
    }
    if (e.lag_loop >= 0) {
      item += fmt::format("{{{}-{}}}", spelled(NameKind::Loop, p.loops[e.lag_loop].name), e.lag);
    }
    items.push_back(std::move(item));
  }
  for (const SemaphoreWait& w : place.waits) {
    items.push_back(fmt::format("wait {} >= {}",
                                spelled(NameKind::Semaphore, p.semaphores[w.semaphore]),
                                print(p, w.value)));
  }
  for (const SemaphoreId s : place.increments) {
    items.push_back("inc " + spelled(NameKind::Semaphore, p.semaphores[s]));
  }
  return fmt::format("{}", fmt::join(items, ", "));
}

}  // namespace trainyard::isa::text
