#include "isa/gpsimd/cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/gpsimd/primitives.h"
#include "isa/gpsimd/verify.h"

namespace trainyard::isa::gpsimd {
namespace {

constexpr double kMostCycles = 1e15;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

Cycles rounded(double cycles) {
  return Cycles(static_cast<int64_t>(std::ceil(std::min(cycles, kMostCycles))));
}

// Cycles per vector of an element-wise operation whose widest type is `type`.
double weight(Code code, Type type, const hw::CoreSpec& core) {
  const auto& call = core.call;
  const bool f64 = type == Type::F64;
  const bool int64 = type == Type::S64 || type == Type::U64;
  const double factor = f64 ? call.f64_factor.value : 1;
  if (code == Code::Div || code == Code::Rem || code == Code::Sqrt) {
    return call.divide.value * factor;
  }
  if (form(code) == Form::Math || form(code) == Form::Math2) {
    return call.transcendental.value * factor;
  }
  if (code == Code::Mul || code == Code::Fma) {
    if (f64) return call.simple_f64.value;
    if (is_float(type)) return call.multiply_f32.value;
    return int64 ? call.multiply_int64.value : call.multiply_int32.value;
  }
  if (f64) return call.simple_f64.value;
  return int64 ? call.simple_int64.value : call.simple.value;
}

struct Meter {
  const Program& program;
  const hw::CoreSpec& core;

  int64_t vector_bytes() const {
    return core.pool.processors.value * core.pool.width_bits.value / 8;
  }
  // `elements` in strips.
  double strips(Code code, Type type, int64_t elements) const {
    const int64_t strip = core.call.strip.value;
    const int64_t whole = elements / strip;
    const auto one = [&](int64_t n) {
      return static_cast<double>(core.call.issue.value.value) +
             static_cast<double>(ceil_div(n * size_of(type), vector_bytes())) *
                 weight(code, type, core);
    };
    return static_cast<double>(whole) * one(strip) + (elements % strip ? one(elements % strip) : 0);
  }
  double gather(int64_t elements) const {
    const int64_t strip = core.call.strip.value;
    const auto issues = static_cast<double>(ceil_div(elements, strip)) *
                        static_cast<double>(core.call.issue.value.value);
    const double each = core.call.gather.value / static_cast<double>(core.pool.processors.value);
    return issues + std::ceil(static_cast<double>(elements) * each);
  }
  static Type widest(const Function& f, const Op& op) {
    Type type = f.values[op.out[0]].type;
    for (const ValueId v : op.in) {
      const Type t = f.values[v].type;
      if (size_of(t) > size_of(type) || (size_of(t) == size_of(type) && is_float(t))) type = t;
    }
    return type;
  }
  double function(FunctionId id, int64_t elements) const {
    const Function& f = program.functions[id];
    double sum = 0;
    for (const Op& op : f.blocks[0].ops) sum += strips(op.code, widest(f, op), elements);
    return sum;
  }
  double fold(const Fold& fold, Type type, int64_t elements) const {
    if (fold.kind == Fold::Kind::Function) return function(fold.function, elements);
    return strips(code_of(fold.kind).value_or(Code::Add), type, elements);
  }
  double primitive(const Op& op) const;
  double window_fold(const WindowWork& w, int64_t elements) const {
    return fold(w.fold, program.windows[w.windows[0]].type, elements);
  }
};

// Comparator steps of a sort: n ceil(log2 n) steps per row, shared by the processors.
double sort_steps(int64_t n, int64_t rows, const hw::CoreSpec& core) {
  const int levels = std::bit_width(static_cast<uint64_t>(n > 0 ? n - 1 : 0));
  return static_cast<double>(n) * levels * static_cast<double>(rows) * core.call.sort_step.value /
         static_cast<double>(core.pool.processors.value);
}

double Meter::primitive(const Op& op) const {
  const auto& w = std::get<WindowWork>(op.attributes);
  const Window& first = program.windows[w.windows[0]];
  const Window& second = program.windows[w.windows[w.windows.size() > 1 ? 1 : 0]];
  const int64_t n = first.elements();
  switch (op.code) {
    case Code::Sort: {
      const int64_t row = first.shape[w.axes[0]];
      // One step is the comparator on one vector; a built-in order compares each key.
      double step = 0;
      if (w.fold.kind == Fold::Kind::Function) {
        const Function& f = program.functions[w.fold.function];
        for (const Op& o : f.blocks[0].ops) step += weight(o.code, widest(f, o), core);
      } else {
        for (size_t k = 0; k < w.orders.size(); ++k) {
          step += weight(Code::Lt, program.windows[w.windows[k]].type, core);
        }
      }
      return sort_steps(row, n / row, core) * step;
    }
    case Code::TopK:
      return sort_steps(first.shape.back(), n / first.shape.back(), core) *
             weight(Code::Lt, first.type, core);
    case Code::GatherRows:
      return gather(program.windows[w.windows[2]].elements());
    case Code::ScatterRows: {
      const int64_t moved = program.windows[w.windows[2]].elements();
      const bool folds = w.fold.kind != Fold::Kind::None;
      return gather(moved) * (folds ? 2 : 1) + (folds ? window_fold(w, moved) : 0);
    }
    case Code::GatherSlices:
      return gather(program.windows[w.windows[2]].elements());
    case Code::ScatterSlices: {
      const int64_t moved = program.windows[w.windows.back()].elements();
      const bool folds = w.fold.kind != Fold::Kind::None;
      const auto inputs = static_cast<double>(w.windows.size() / 2);
      return gather(moved) * inputs * (folds ? 2 : 1) + (folds ? window_fold(w, moved) : 0);
    }
    case Code::Dot: {
      // A multiplication and an addition per element of z and step of k.
      const Window& z = program.windows[w.windows[2]];
      const bool half = is_float(z.type) && size_of(z.type) == 2;
      const Type sum = half ? Type::F32 : z.type;
      const double step =
          strips(Code::Mul, sum, z.elements()) + strips(Code::Add, sum, z.elements());
      return static_cast<double>(first.shape[2]) * step;
    }
    case Code::ReduceWindow: {
      // Every window position folds all of its elements.
      double taps = 1;
      for (const int64_t s : w.size) taps *= static_cast<double>(s);
      return taps * window_fold(w, program.windows[w.windows[w.windows.size() / 2]].elements());
    }
    case Code::Histogram:
      return 2 * gather(n) + strips(Code::Add, second.type, n);
    case Code::BinarySearch: {
      const int64_t queries = second.elements();
      const int levels = std::bit_width(static_cast<uint64_t>(n));
      return levels * (gather(queries) + strips(Code::Lt, first.type, queries));
    }
    default:
      return window_fold(w, n);  // reduce_axes, segmented_scan
  }
}

double cycles_of(const Meter& m, const Function& f, const Op& op) {
  const auto& core = m.core;
  const auto in = [&](size_t i) { return f.values[op.in[i]]; };
  switch (form(op.code)) {
    case Form::Shuffle:
      return m.gather(f.values[op.out[0]].elements());
    case Form::Compress:
      return m.gather(in(0).elements());
    case Form::Gather:
      return m.gather(f.values[op.out[0]].elements());
    case Form::Scatter: {
      const auto& access = std::get<Access>(op.attributes);
      const bool folds = access.fold.kind != Fold::Kind::None;
      return m.gather(in(1).elements()) * (folds ? 2 : 1) +
             (folds ? m.fold(access.fold, in(1).type, in(1).elements()) : 0);
    }
    case Form::Reduce:
    case Form::Scan:
      return m.fold(std::get<StripWork>(op.attributes).fold, in(0).type, in(0).elements());
    case Form::Store:
      return m.strips(Code::Select, in(1).type, in(1).elements());
    case Form::For:
    case Form::While:
    case Form::If:
      return static_cast<double>(core.call.issue.value.value);
    case Form::Primitive:
      return m.primitive(op);
    default:
      return m.strips(op.code, Meter::widest(f, op), f.values[op.out[0]].elements());
  }
}

double most(const Meter& m, const Function& f, BlockId id) {
  double sum = 0;
  for (const Op& op : f.blocks[id].ops) {
    sum += cycles_of(m, f, op);
    if (const auto* turns = std::get_if<Turns>(&op.attributes)) {
      const double condition = op.code == Code::While ? most(m, f, turns->condition) : 0;
      const auto maximum = static_cast<double>(turns->maximum);
      sum += maximum * most(m, f, turns->body) + (maximum + 1) * condition;
    } else if (const auto* branch = std::get_if<Branch>(&op.attributes)) {
      sum += std::max(most(m, f, branch->then), most(m, f, branch->otherwise));
    }
  }
  return std::min(sum, kMostCycles);
}

}  // namespace

Cycles op_cycles(const Program& program, const Function& function, const Op& op,
                 const hw::CoreSpec& core) {
  return rounded(cycles_of({program, core}, function, op));
}

int64_t sort_passes(int64_t bytes, int64_t working) {
  int64_t passes = 0;
  for (int64_t run = working; run > 0 && run < bytes; run *= 2) ++passes;
  return passes;
}

Moved moved_bytes(const Program& program, const hw::CoreSpec& core,
                  const std::vector<bool>& in_hbm) {
  const auto moved_window = [&](WindowId id) -> int64_t {
    if (!in_hbm.empty() && !in_hbm[id]) return 0;
    return program.windows[id].elements() * size_of(program.windows[id].type);
  };
  Moved moved;
  for (size_t i = 0; i < program.windows.size(); ++i) {
    const Window& w = program.windows[i];
    const int64_t bytes = moved_window(static_cast<WindowId>(i));
    if (w.use != Window::Use::Write) moved.in += bytes;
    if (w.use != Window::Use::Read) moved.out += bytes;
  }
  const int64_t working = limits(core).working_bytes + program.scratch_bytes;
  for (const Block& block : program.body.blocks) {
    for (const Op& op : block.ops) {
      if (op.code != Code::Sort) continue;
      int64_t bytes = 0;
      for (const WindowId id : std::get<WindowWork>(op.attributes).windows) {
        bytes += moved_window(id);
      }
      const int64_t passes = sort_passes(bytes, working);
      moved.in += passes * bytes;
      moved.out += passes * bytes;
    }
  }
  return moved;
}

CallCost call_cost(const Program& program, Cycles executed, const hw::CoreSpec& core,
                   double queue_bytes_per_ns, const std::vector<bool>& in_hbm) {
  CallCost cost;
  cost.cycles = core.pool.startup.value + executed;
  const double own = core.pool.dma_bytes_per_ns.value;
  const double rate = core.pool.dma_engines.value > 0 && own > 0 ? own : queue_bytes_per_ns;
  const Moved moved = moved_bytes(program, core, in_hbm);
  // In and out have a rate each, so the longer way counts.
  const auto longer = static_cast<double>(std::max(moved.in, moved.out));
  cost.transfer = Seconds(longer / (rate * 1e9));
  const Seconds compute(static_cast<double>(cost.cycles.value) /
                        static_cast<double>(clock_hz(core, hw::Engine::Gpsimd).value));
  cost.time = program.double_buffered ? std::max(compute, cost.transfer) : compute + cost.transfer;
  cost.low = cost.time * core.call.low_factor.value;
  cost.high = cost.time * core.call.high_factor.value;
  return cost;
}

Cycles most_cycles(const Program& program, const hw::CoreSpec& core) {
  return rounded(most({program, core}, program.body, 0));
}

}  // namespace trainyard::isa::gpsimd
