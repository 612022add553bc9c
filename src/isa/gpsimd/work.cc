#include "isa/gpsimd/work.h"

#include <algorithm>

namespace trainyard::isa::gpsimd {
namespace {

// Forms that compute, as opposed to those that move, choose or convert.
bool computes(Form form) {
  switch (form) {
    case Form::Unary:
    case Form::Math:
    case Form::Binary:
    case Form::Math2:
    case Form::Compare:
    case Form::Test:
    case Form::Fma:
    case Form::Reduce:
    case Form::Scan:
      return true;
    default:
      return false;
  }
}

struct Counter {
  const Program& program;

  // Of one step of a fold.
  double step(const Fold& fold, Type type) const {
    if (fold.kind == Fold::Kind::None) return 0;
    if (fold.kind != Fold::Kind::Function) return is_float(type) ? 1 : 0;
    const Function& f = program.functions[fold.function];
    double sum = 0;
    for (const Op& op : f.blocks[0].ops) {
      sum += computes(form(op.code)) && touches_floats(f, op) ? 1 : 0;
    }
    return sum;
  }

  static bool touches_floats(const Function& f, const Op& op) {
    return std::ranges::any_of(op.in, [&](ValueId v) { return is_float(f.values[v].type); });
  }

  CallWork primitive(const WindowWork& w, Code code) const {
    const Window& first = program.windows[w.windows[0]];
    const double each = step(w.fold, first.type);
    switch (code) {
      case Code::Dot: {
        const Window& z = program.windows[w.windows[2]];
        return {.contraction = 2.0 * static_cast<double>(first.shape[2] * z.elements())};
      }
      case Code::ReduceWindow: {
        double taps = 1;
        for (const int64_t s : w.size) taps *= static_cast<double>(s);
        const Window& out = program.windows[w.windows[w.windows.size() / 2]];
        return {.floats = each * taps * static_cast<double>(out.elements())};
      }
      case Code::ReduceAxes:
      case Code::SegmentedScan:
        return {.floats = each * static_cast<double>(first.elements())};
      default:
        return {};
    }
  }

  CallWork op_work(const Function& f, const Op& op) const {
    if (const auto* w = std::get_if<WindowWork>(&op.attributes)) return primitive(*w, op.code);
    if (!computes(form(op.code)) || !touches_floats(f, op)) return {};
    int64_t elements = 1;
    for (const ValueId v : op.in) elements = std::max(elements, f.values[v].elements());
    return {.floats = static_cast<double>(elements)};
  }

  CallWork block(const Function& f, BlockId id) const {
    CallWork sum;
    const auto add = [&](const CallWork& w, double times) {
      sum.contraction += w.contraction * times;
      sum.floats += w.floats * times;
    };
    for (const Op& op : f.blocks[id].ops) {
      add(op_work(f, op), 1);
      if (const auto* turns = std::get_if<Turns>(&op.attributes)) {
        add(block(f, turns->body), static_cast<double>(turns->maximum));
      } else if (const auto* branch = std::get_if<Branch>(&op.attributes)) {
        const CallWork a = block(f, branch->then), b = block(f, branch->otherwise);
        add({std::max(a.contraction, b.contraction), std::max(a.floats, b.floats)}, 1);
      }
    }
    return sum;
  }
};

}  // namespace

CallWork call_work(const Program& program) { return Counter{program}.block(program.body, 0); }

}  // namespace trainyard::isa::gpsimd
