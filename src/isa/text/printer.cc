#include <algorithm>
#include <sstream>

#include "isa/gpsimd/text.h"
#include "isa/normalize.h"
#include "isa/text/names.h"
#include "isa/text/print.h"
#include "isa/text/text.h"

namespace trainyard::isa {
namespace text {
namespace {

// A statement longer than this does not push the column of placements to the right.
constexpr size_t kMostColumn = 80;

struct Line {
  std::string body;
  std::string place;  // without the '@'; empty: none
};

class Printer {
 public:
  Printer(const Program& program, const PrintOptions& options) : p_(program), options_(options) {}

  std::string run() {
    const bool placed = options_.placement && p_.placement.complete;
    add(fmt::format("program {} target {}{}", spelled(p_.name), spelled(p_.target),
                    placed ? " placed" : ""));
    names("reg", NameKind::Register, p_.registers);
    if (options_.placement) names("semaphore", NameKind::Semaphore, p_.semaphores);
    for (const gpsimd::Program& g : p_.gpsimd) gpsimd_program(g);
    block(p_.body);
    return text();
  }

 private:
  void add(std::string body, std::string place = "") {
    if (!options_.placement) place.clear();
    lines_.push_back({std::string(2 * depth_, ' ') + std::move(body), std::move(place)});
  }

  void names(std::string_view word, NameKind kind, const std::vector<std::string>& all) {
    std::vector<std::string> out;
    for (const std::string& n : all) out.push_back(spelled(kind, n));
    if (!out.empty()) add(fmt::format("{} {}", word, fmt::join(out, ", ")));
  }

  void gpsimd_program(const gpsimd::Program& g) {
    std::istringstream lines(gpsimd::print_text(g));
    for (std::string line; std::getline(lines, line);) add(line);
  }

  void block(const Block& b) {
    for (const Statement& s : b) statement(s);
  }

  void braced(std::string head, const Block& b) {
    add(std::move(head) + " {");
    ++depth_;
    block(b);
    --depth_;
  }

  void statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Instruction:
        return inst(s.id);
      case Statement::Kind::Tensor:
        return tensor(s.id);
      case Statement::Kind::Loop:
        return loop(p_.loops[s.id]);
      case Statement::Kind::Branch:
        return branch(p_.branches[s.id]);
      case Statement::Kind::ExitUnless:
        return add("exit_unless " + spelled(NameKind::Register, p_.registers[s.id]));
    }
  }

  void inst(InstId id) {
    const Inst& i = p_.insts[id];
    std::string body = fmt::format("{}: {}", spelled(NameKind::Label, i.label), print(p_, i.op));
    if (i.engine) body += fmt::format(" on {}", hw::name(*i.engine));
    add(std::move(body), print(p_, p_.placement.insts[id]));
  }

  void tensor(TensorId id) {
    const Tensor& t = p_.tensors[id];
    std::string body =
        fmt::format("{}: {} {}[{}]", spelled(NameKind::Tensor, t.name), name(t.memory),
                    numerics::name(t.dtype), fmt::join(t.shape, ","));
    if (t.io != Io::None) body += fmt::format(" {}", name(t.io));
    if (t.view) {
      body += " view " + spelled(NameKind::Tensor, p_.tensors[t.view->base].name);
      if (t.view->offset != 0) body += fmt::format(" + {}", t.view->offset);
    }
    add(std::move(body), print(p_.placement.tensors[id], t.memory));
  }

  static std::string trips(const Trips& t) {
    std::vector<std::string> keys;
    if (t.min) keys.push_back(fmt::format("min={}", *t.min));
    if (t.expected) keys.push_back(fmt::format("expected={}", *t.expected));
    if (t.max) keys.push_back(fmt::format("max={}", *t.max));
    return keys.empty() ? "" : fmt::format(" trips({})", fmt::join(keys, ", "));
  }

  void loop(const Loop& l) {
    const std::string name = spelled(NameKind::Loop, l.name);
    if (l.kind == Loop::Kind::Repeat) {
      braced(fmt::format("repeat {} {}", name, print(p_, l.count)), l.body);
    } else {
      std::string head = fmt::format("loop {}{}", name, trips(l.trips));
      if (l.kind == Loop::Kind::Counted) {
        head +=
            fmt::format(" {} from {} to {}", spelled(NameKind::Register, p_.registers[l.counter]),
                        print(p_, l.from), print(p_, l.to));
        if (l.step != 1) head += fmt::format(" step {}", l.step);
      }
      braced(std::move(head), l.body);
    }
    add("}");
  }

  void branch(const Branch& b) {
    std::string head = fmt::format("if {} {}", spelled(NameKind::Branch, b.name),
                                   spelled(NameKind::Register, p_.registers[b.condition]));
    if (b.taken.expected) head += fmt::format(" taken={}", *b.taken.expected);
    braced(std::move(head), b.then_block);
    if (!b.else_block.empty()) braced("} else", b.else_block);
    add("}");
  }

  std::string text() const {
    size_t column = 0;
    for (const Line& l : lines_) {
      if (!l.place.empty() && l.body.size() <= kMostColumn)
        column = std::max(column, l.body.size());
    }
    std::string out;
    for (const Line& l : lines_) {
      out += l.body;
      if (!l.place.empty()) {
        out.append(column - std::min(column, l.body.size()), ' ');
        out += " @ ";
        out += l.place;
      }
      out += '\n';
    }
    return out;
  }

  const Program& p_;
  const PrintOptions& options_;
  std::vector<Line> lines_;
  size_t depth_ = 0;
};

}  // namespace
}  // namespace text

std::string print_text(const Program& program, const PrintOptions& options) {
  return text::Printer(normalized(program), options).run();
}

}  // namespace trainyard::isa
