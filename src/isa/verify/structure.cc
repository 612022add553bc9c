// Whether a Program hangs together: every id names something, every statement stands once, names
// are used inside their blocks. It trusts nothing, so that a file from anywhere may be verified.
#include <algorithm>
#include <set>

#include "isa/operands.h"
#include "isa/subscript.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

constexpr int kMaxNesting = 256;

template <class... Args>
Status damaged(fmt::format_string<Args...> text, Args&&... args) {
  return error("TY-ISA-101", "the program is damaged: {}; write it again from its source",
               fmt::format(text, std::forward<Args>(args)...));
}

template <class T>
bool names(int32_t id, const std::vector<T>& all) {
  return id >= 0 && static_cast<size_t>(id) < all.size();
}

// Register operands of an instruction.
template <class F>
struct RegisterVisitor : IgnoreFields {
  F f;
  explicit RegisterVisitor(F g) : f(g) {}
  void reg_dst(std::string_view, const RegisterRef& r) { f(r.id); }
  void reg_src(std::string_view, const RegisterOperand& o) {
    if (const auto* r = std::get_if<RegisterId>(&o)) f(*r);
  }
  void call(const int32_t&, const std::vector<Access>&, const std::vector<Role>&,
            const std::vector<RegisterOperand>& scalars) {
    for (const RegisterOperand& s : scalars) reg_src("", s);
  }
};

// Affine attributes besides those of accesses.
template <class F>
struct AffineVisitor : IgnoreFields {
  F f;
  explicit AffineVisitor(F g) : f(g) {}
  template <class D>
  void attribute(std::string_view, const Affine& a, const D&) {
    f(a);
  }
  template <class T, class D>
  void attribute(std::string_view, const T&, const D&) {}
};

class Walk {
 public:
  explicit Walk(const Program& program)
      : program_(program),
        tensor_declared_(program.tensors.size()),
        tensor_open_(program.tensors.size()),
        loop_open_(program.loops.size()),
        inst_seen_(program.insts.size()),
        loop_seen_(program.loops.size()),
        branch_seen_(program.branches.size()) {}

  std::vector<Status> run() {
    const Status whole = check_tables();
    if (!whole.ok()) return {whole};
    mark_declared(program_.body, 0);
    if (found_.empty()) block(program_.body, /*in_loop=*/false);
    return std::move(found_);
  }

 private:
  void report(const Status& status, const SourceRef& source) {
    if (!status.ok()) found_.push_back(status.at(place_of(program_, source)));
  }

  Status check_tables() const {
    const Program& p = program_;
    const auto parallel = [](size_t n, size_t wanted) { return n == 0 || n == wanted; };
    if (!parallel(p.placement.tensors.size(), p.tensors.size()) ||
        !parallel(p.placement.insts.size(), p.insts.size())) {
      return damaged("the placement has {} tensors and {} instructions, the body {} and {}",
                     p.placement.tensors.size(), p.placement.insts.size(), p.tensors.size(),
                     p.insts.size());
    }
    for (const Tensor& t : p.tensors) {
      if (t.view && !names(t.view->base, p.tensors)) {
        return damaged("tensor '{}' is a view of tensor number {}, of {}", t.name, t.view->base,
                       p.tensors.size());
      }
    }
    for (size_t id = 0; id < p.tensors.size(); ++id) {
      size_t steps = 0;
      for (const Tensor* t = &p.tensors[id]; t->view; t = &p.tensors[t->view->base]) {
        if (++steps > p.tensors.size()) {
          return damaged("tensor '{}' is a view of itself", p.tensors[id].name);
        }
      }
    }
    std::set<std::string_view> labels;
    for (const Inst& i : p.insts) {
      if (i.label.empty() || !labels.insert(i.label).second) {
        return damaged("the label '{}' of a {} is {}", i.label, name(i.op),
                       i.label.empty() ? "empty" : "taken");
      }
    }
    return {};
  }

  // Finds what is declared at all, and that the statements form a tree.
  void mark_declared(const Block& b, int depth) {
    if (depth > kMaxNesting) {
      found_.push_back(damaged("blocks are nested more than {} deep", kMaxNesting));
      return;
    }
    for (const Statement& s : b) {
      if (!found_.empty()) return;
      switch (s.kind) {
        case Statement::Kind::Instruction:
          once(s.id, inst_seen_, "instruction");
          break;
        case Statement::Kind::Tensor:
          once(s.id, tensor_declared_, "tensor");
          break;
        case Statement::Kind::Loop:
          if (once(s.id, loop_seen_, "loop")) mark_declared(program_.loops[s.id].body, depth + 1);
          break;
        case Statement::Kind::Branch:
          if (!once(s.id, branch_seen_, "branch")) break;
          mark_declared(program_.branches[s.id].then_block, depth + 1);
          mark_declared(program_.branches[s.id].else_block, depth + 1);
          break;
        case Statement::Kind::ExitUnless:
          if (!names(s.id, program_.registers)) {
            found_.push_back(damaged("an exit reads register number {}", s.id));
          }
          break;
      }
    }
  }

  bool once(int32_t id, std::vector<char>& seen, std::string_view what) {
    if (!names(id, seen)) {
      found_.push_back(damaged("a statement names {} number {}, of {}", what, id, seen.size()));
      return false;
    }
    if (seen[id]) {
      found_.push_back(damaged("{} number {} stands twice in the body", what, id));
      return false;
    }
    seen[id] = 1;
    return true;
  }

  void block(const Block& b, bool in_loop) {
    std::vector<TensorId> declared;
    for (const Statement& s : b) {
      switch (s.kind) {
        case Statement::Kind::Instruction:
          report(instruction(program_.insts[s.id]), program_.insts[s.id].source);
          break;
        case Statement::Kind::Tensor:
          report(declaration(program_.tensors[s.id]), program_.tensors[s.id].source);
          tensor_open_[s.id] = 1;
          declared.push_back(s.id);
          break;
        case Statement::Kind::Loop:
          loop(s.id);
          break;
        case Statement::Kind::Branch: {
          const Branch& br = program_.branches[s.id];
          report(reg(br.condition, "the condition of a branch"), br.source);
          block(br.then_block, false);
          block(br.else_block, false);
          break;
        }
        case Statement::Kind::ExitUnless:
          if (!in_loop) {
            found_.push_back(error("TY-ISA-104",
                                   "exit_unless {} stands outside the top level of a loop without "
                                   "bounds; use 'if' here",
                                   program_.registers[s.id]));
          }
          break;
      }
    }
    for (const TensorId id : declared) tensor_open_[id] = 0;
  }

  void loop(LoopId id) {
    const Loop& l = program_.loops[id];
    if (l.kind == Loop::Kind::Repeat) {
      Status status = affine(l.count, "the count of repeat " + l.name);
      if (status.ok() && l.count.has_register()) {
        status = error("TY-ISA-103",
                       "the count of repeat {} depends on a register; use 'loop', which counts at "
                       "run time",
                       l.name);
      }
      report(status, l.source);
      loop_open_[id] = 1;
    } else if (l.kind == Loop::Kind::Counted) {
      report(reg(l.counter, "the counter of loop " + l.name), l.source);
      for (const RegisterOperand* o : {&l.from, &l.to}) {
        const auto* r = std::get_if<RegisterId>(o);
        if (r != nullptr) report(reg(*r, "a bound of loop " + l.name), l.source);
      }
    }
    block(l.body, l.kind == Loop::Kind::While);
    loop_open_[id] = 0;
  }

  Status declaration(const Tensor& t) const {
    if (!t.view || visible(t.view->base)) return {};
    return error("TY-ISA-102",
                 "tensor '{}' is a view of '{}', which is not declared here; move that declaration "
                 "out and up",
                 t.name, program_.tensors[t.view->base].name);
  }

  // Tensors without a declaration belong to the whole program.
  bool visible(TensorId id) const { return tensor_open_[id] || !tensor_declared_[id]; }

  Status instruction(const Inst& inst) const {
    Status found;
    const auto check = [&](const Status& s) {
      if (found.ok() && !s.ok()) {
        found =
            Status(s.code(), fmt::format("{} '{}': {}", name(inst.op), inst.label, s.message()));
      }
    };
    each_access(inst.op, [&](std::string_view n, const Access& a, Role) { check(access(n, a)); });
    const auto visit_register = [&](RegisterId r) { check(reg(r, "an operand")); };
    const auto visit_affine = [&](const Affine& a) { check(affine(a, "an attribute")); };
    std::visit(
        [&](const auto& i) {
          i.fields(i, RegisterVisitor<decltype(visit_register)>(visit_register));
          i.fields(i, AffineVisitor<decltype(visit_affine)>(visit_affine));
        },
        inst.op);
    if (const auto* c = std::get_if<GpsimdCall>(&inst.op)) check(call(*c));
    return found;
  }

  Status call(const GpsimdCall& c) const {
    if (!names(c.program, program_.gpsimd)) {
      return damaged("it calls gpsimd program number {}, of {}", c.program,
                     program_.gpsimd.size());
    }
    if (c.roles.size() == c.operands.size()) return {};
    return damaged("it has {} operands and {} roles", c.operands.size(), c.roles.size());
  }

  Status access(std::string_view operand, const Access& a) const {
    if (!names(a.tensor, program_.tensors)) {
      return damaged("{} names tensor number {}, of {}", operand, a.tensor,
                     program_.tensors.size());
    }
    const Tensor& t = program_.tensors[a.tensor];
    if (!visible(a.tensor)) {
      return error("TY-ISA-102",
                   "{} uses '{}' outside the block that declares it, or before; move the "
                   "declaration out and up",
                   operand, t.name);
    }
    TY_TRY(check_extent(a));
    TY_TRY(affine(a.partition, operand));
    TY_TRY(affine(a.offset, operand));
    if (t.on_chip() || (a.partitions == 0 && a.partition == Affine(0))) return {};
    return damaged("{} has partitions, but '{}' is in hbm", operand, t.name);
  }

  Status affine(const Affine& a, std::string_view where) const {
    TY_TRY(check_extent(a));
    for (const Term& t : a.terms) {
      if (t.variable.kind == Variable::Kind::Register) {
        TY_TRY(reg(t.variable.id, where));
        continue;
      }
      if (!names(t.variable.id, program_.loops)) {
        return damaged("{} names counter number {}, of {}", where, t.variable.id,
                       program_.loops.size());
      }
      if (!loop_open_[t.variable.id]) {
        return error("TY-ISA-102", "{} uses the counter {} outside its repeat; move it inside",
                     where, program_.loops[t.variable.id].name);
      }
    }
    return {};
  }

  Status reg(RegisterId id, std::string_view where) const {
    if (names(id, program_.registers)) return {};
    return damaged("{} names register number {}, of {}", where, id, program_.registers.size());
  }

  const Program& program_;
  std::vector<char> tensor_declared_, tensor_open_, loop_open_;
  std::vector<char> inst_seen_, loop_seen_, branch_seen_;
  std::vector<Status> found_;
};

}  // namespace

std::vector<Status> verify_structure(const Program& program, const hw::CoreSpec& core) {
  std::vector<Status> found = Walk(program).run();
  const auto most = static_cast<size_t>(core.seq.registers.value);
  if (found.empty() && program.registers.size() > most) {
    found.push_back(error("TY-ISA-105",
                          "the program has {} registers, a sequencer has {}; use one again when "
                          "its value is dead",
                          program.registers.size(), most));
  }
  return found;
}

}  // namespace trainyard::isa
