// reduce, reduce_window, cumulative sums and their like, select_and_scatter.
#include <algorithm>

#include "compiler/lower/gpsimd/lowerings.h"
#include "compiler/lower/move.h"

namespace trainyard::compiler {
namespace {

using gp::Bounds;
using gp::Code;

// An operation whose inputs come first and whose start values follow, one each.
struct Inputs {
  std::vector<ValueId> values, starts;

  explicit Inputs(const Op& op) {
    const auto middle = op.operands.begin() + static_cast<int64_t>(op.operands.size() / 2);
    values.assign(op.operands.begin(), middle);
    starts.assign(middle, op.operands.end());
  }
};

// Nothing to fold: every element is its start value.
Status fill_with_starts(Lowering& lowering, const Op& op, OpId id, const Inputs& inputs) {
  Call call(lowering, "fill");
  for (size_t i = 0; i < op.results.size(); ++i) {
    lowering.define(op.results[i]);
    call.fill(call.write(op.results[i]), call.scalar(inputs.starts[i]));
  }
  return call.emit(Lowering::label(op, id));
}

// Sums and products of 16-bit floats are kept in f32 and rounded once.
bool widens(const Lowering& lowering, const Inputs& inputs, const gp::Fold& fold) {
  const ElementType type = lowering.type(inputs.values[0]).element;
  const bool rounds = fold.kind == gp::Fold::Kind::Add || fold.kind == gp::Fold::Kind::Mul;
  return rounds && (type == ElementType::BF16 || type == ElementType::F16);
}

// The windows of a primitive that folds inputs to results.
struct FoldWork {
  gp::Code code = Code::ReduceAxes;
  gp::WindowWork work;
  std::vector<Dims> shapes;   // inputs, results
  std::vector<View> in, out;  // in the order of the primitive
};

// Converts between a view and f32 that lies between calls.
Status widen(Lowering& lowering, const View& from, const Temporary& to, const std::string& label) {
  Call call(lowering, "widen");
  call.convert(call.view(gp::Window::Use::Read, from, to.shape),
               call.window(gp::Window::Use::Write, to));
  return call.emit(label);
}
Status narrow(Lowering& lowering, const Temporary& from, const View& to, const std::string& label) {
  Call call(lowering, "narrow");
  call.convert(call.window(gp::Window::Use::Read, from),
               call.view(gp::Window::Use::Write, to, from.shape));
  return call.emit(label);
}

Status emit_fold(Lowering& lowering, const Op& op, OpId id, FoldWork f) {
  const std::string label = Lowering::label(op, id);
  const Inputs inputs(op);
  Result<gp::Function> function = combiner(lowering, op.regions[0], "combine");
  if (!function.ok()) return function.status();
  Call call(lowering, std::string(name(f.code)));
  f.work.fold = call.fold(std::move(*function));
  const bool wide = widens(lowering, inputs, f.work.fold);
  std::vector<gp::ValueId> starts;
  for (const ValueId v : inputs.starts) {
    const gp::ValueId start = call.scalar(v);
    starts.push_back(wide ? call.body.convert(start, gp::Type::F32) : start);
  }
  using Use = gp::Window::Use;
  if (!wide) {
    for (const View& v : f.in) f.work.windows.push_back(call.view(Use::Read, v, f.shapes[0]));
    for (const View& v : f.out) f.work.windows.push_back(call.view(Use::Write, v, f.shapes[1]));
    call.body.primitive(f.code, std::move(f.work), std::move(starts));
    return call.emit(label);
  }
  const Temporary x = make_temporary(lowering, gp::Type::F32, f.shapes[0]);
  const Temporary y = make_temporary(lowering, gp::Type::F32, f.shapes[1]);
  TY_TRY(widen(lowering, f.in[0], x, label));
  f.work.windows = {call.window(Use::Read, x), call.window(Use::Write, y)};
  call.body.primitive(f.code, std::move(f.work), std::move(starts));
  TY_TRY(call.emit(label));
  return narrow(lowering, y, f.out[0], label);
}

// A window list that may be left out.
int64_t entry(const Dims& list, size_t i, int64_t neutral) {
  return list.empty() ? neutral : list[i];
}

// The dimension along which a window is a running fold, and whether it runs backwards.
struct Running {
  size_t dim = 0;
  bool backwards = false;
};
std::optional<Running> running(const WindowAttributes& w, const std::vector<int64_t>& shape) {
  std::optional<Running> found;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t low = entry(w.padding_low, i, 0), high = entry(w.padding_high, i, 0);
    if (entry(w.strides, i, 1) != 1 || entry(w.base_dilations, i, 1) != 1 ||
        entry(w.window_dilations, i, 1) != 1) {
      return std::nullopt;
    }
    const int64_t size = entry(w.dimensions, i, 1);
    if (size == 1 && low == 0 && high == 0) continue;
    const bool all = size == shape[i] && low + high == size - 1 && (low == 0 || high == 0);
    if (!all || found) return std::nullopt;
    found = Running{i, low == 0};
  }
  return found;
}

// The running axis last, and turned round where it runs backwards.
View running_view(ValueId value, const std::vector<int64_t>& shape, const Running& r) {
  View view = dense_view(value, shape);
  isa::Dim axis = view.axes[r.dim];
  if (r.backwards) {
    view.offset += (axis.count - 1) * axis.step;
    axis.step = -axis.step;
  }
  view.axes.erase(view.axes.begin() + static_cast<int64_t>(r.dim));
  view.axes.push_back(axis);
  return view;
}

}  // namespace

Status lower_reduce(Lowering& lowering, const Op& op, OpId id) {
  const Inputs inputs(op);
  if (is_empty(lowering.type(op.results[0]))) return {};
  const std::vector<int64_t>& shape = lowering.type(inputs.values[0]).shape;
  if (is_empty(lowering.type(inputs.values[0]))) return fill_with_starts(lowering, op, id, inputs);
  FoldWork f;
  // One axis more in front, so that a result always has an axis.
  f.shapes = {{1}, {1}};
  f.shapes[0].insert(f.shapes[0].end(), shape.begin(), shape.end());
  const auto& kept = lowering.type(op.results[0]).shape;
  f.shapes[1].insert(f.shapes[1].end(), kept.begin(), kept.end());
  for (const int64_t axis : std::get<DimsAttributes>(op.attributes).dims) {
    f.work.axes.push_back(axis + 1);
  }
  std::sort(f.work.axes.begin(), f.work.axes.end());
  for (const ValueId v : inputs.values) f.in.push_back(dense_view(v, shape));
  for (const ValueId v : op.results) {
    lowering.define(v);
    f.out.push_back(dense_view(v, kept));
  }
  return emit_fold(lowering, op, id, std::move(f));
}

Status lower_reduce_window(Lowering& lowering, const Op& op, OpId id) {
  const Inputs inputs(op);
  if (is_empty(lowering.type(op.results[0]))) return {};
  if (is_empty(lowering.type(inputs.values[0]))) return fill_with_starts(lowering, op, id, inputs);
  const auto& window = std::get<WindowAttributes>(op.attributes);
  std::vector<int64_t> shape = lowering.type(inputs.values[0]).shape;
  std::vector<int64_t> results = lowering.type(op.results[0]).shape;
  for (const ValueId v : op.results) lowering.define(v);
  FoldWork f;
  if (const auto r = running(window, shape); r && inputs.values.size() == 1) {
    f.code = Code::SegmentedScan;
    f.in = {running_view(inputs.values[0], shape, *r)};
    f.out = {running_view(op.results[0], shape, *r)};
    Dims moved;
    for (const isa::Dim& axis : f.in[0].axes) moved.push_back(axis.count);
    f.shapes = {moved, moved};
    return emit_fold(lowering, op, id, std::move(f));
  }
  f.code = Code::ReduceWindow;
  for (size_t i = 0; i < shape.size(); ++i) {
    f.work.size.push_back(entry(window.dimensions, i, 1));
    f.work.stride.push_back(entry(window.strides, i, 1));
    f.work.low.push_back(entry(window.padding_low, i, 0));
    f.work.dilation.push_back(entry(window.window_dilations, i, 1));
    f.work.base.push_back(entry(window.base_dilations, i, 1));
  }
  if (shape.empty()) {
    shape = results = {1};
    for (auto* list : {&f.work.size, &f.work.stride, &f.work.dilation, &f.work.base}) *list = {1};
    f.work.low = {0};
  }
  f.shapes = {shape, results};
  for (const ValueId v : inputs.values) f.in.push_back(dense_view(v, shape));
  for (const ValueId v : op.results) f.out.push_back(dense_view(v, results));
  return emit_fold(lowering, op, id, std::move(f));
}

namespace {

// (value, number) of the selected element of two; a number of -1 is no element.
gp::Function selector(const gp::Function& select, gp::Type type) {
  gp::FunctionBuilder b("selected");
  const gp::ValueId old = b.param({type, 0}), old_number = b.param({gp::Type::S64, 0});
  const gp::ValueId x = b.param({type, 0}), number = b.param({gp::Type::S64, 0});
  const gp::ValueId none = b.integer(gp::Type::S64, -1);
  // The region's operations, with its arguments in place of its params.
  std::vector<gp::ValueId> to(select.values.size(), -1);
  const gp::Block& block = select.blocks[0];
  to[static_cast<size_t>(block.params[0])] = old;
  to[static_cast<size_t>(block.params[1])] = x;
  for (const gp::Op& op : block.ops) {
    std::vector<gp::ValueId> in;
    for (const gp::ValueId v : op.in) in.push_back(to[static_cast<size_t>(v)]);
    to[static_cast<size_t>(op.out[0])] =
        b.copy(op, in, select.values[static_cast<size_t>(op.out[0])]);
  }
  const gp::ValueId keeps = to[static_cast<size_t>(block.results[0])];
  const gp::ValueId first = b.binary(Code::Eq, old_number, none);
  const gp::ValueId outside = b.binary(Code::Eq, number, none);
  const gp::ValueId kept =
      b.binary(Code::Or, outside, b.binary(Code::And, b.unary(Code::Not, first), keeps));
  return b.finish({b.select(kept, old, x), b.select(kept, old_number, number)});
}

}  // namespace

namespace {

// The number of each element.
Status number_elements(Lowering& lowering, const Temporary& numbers, const std::string& label) {
  Call call(lowering, "number");
  const gp::WindowId to = call.window(gp::Window::Use::Write, numbers);
  gp::FunctionBuilder& b = call.body;
  call.each_strip(call.at(to).elements(), call.longest_strip(),
                  [&](gp::ValueId base, int64_t n, Bounds, Bounds store) {
                    const gp::ValueId number =
                        b.binary(Code::Add, b.iota(gp::Type::S64, n), b.broadcast(base, n));
                    b.store({.window = to, .bounds = store}, base, number);
                  });
  return call.emit(label);
}

// The number of the element that each window selects, -1 for none.
Status select_elements(Lowering& lowering, const Op& op, const Temporary& numbers,
                       const Temporary& chosen, const std::string& label) {
  const ValueId x = op.operands[0];
  Result<gp::Function> select = combiner(lowering, op.regions[0], "select");
  if (!select.ok()) return select.status();
  const gp::Type type = window_type(lowering.type(x).element);
  const Temporary best = make_temporary(lowering, type, chosen.shape);
  Call call(lowering, "select");
  using Use = gp::Window::Use;
  gp::WindowWork work{.windows = {call.read(x), call.window(Use::Read, numbers),
                                  call.window(Use::Write, best), call.window(Use::Write, chosen)}};
  const auto& window = std::get<WindowAttributes>(op.attributes);
  for (size_t i = 0; i < numbers.shape.size(); ++i) {
    work.size.push_back(entry(window.dimensions, i, 1));
    work.stride.push_back(entry(window.strides, i, 1));
    work.low.push_back(entry(window.padding_low, i, 0));
    work.dilation.push_back(1);
    work.base.push_back(1);
  }
  work.fold = {gp::Fold::Kind::Function, call.add(selector(*select, type))};
  call.body.primitive(Code::ReduceWindow, std::move(work),
                      {call.scalar(op.operands[2]), call.body.integer(gp::Type::S64, -1)});
  return call.emit(label);
}

}  // namespace

Status lower_select_and_scatter(Lowering& lowering, const Op& op, OpId id) {
  const ValueId x = op.operands[0], source = op.operands[1], result = op.results[0];
  if (is_empty(lowering.type(x))) return {};
  const std::vector<int64_t>& shape = lowering.type(x).shape;
  const std::string label = Lowering::label(op, id);
  lowering.define(result);
  fill(lowering, dense_view(result, shape), dense_view(op.operands[2], {}), label);
  if (is_empty(lowering.type(source))) return {};
  Result<gp::Function> scatter = combiner(lowering, op.regions[1], "scatter");
  if (!scatter.ok()) return scatter.status();
  const Temporary numbers = make_temporary(lowering, gp::Type::S64, shape);
  const Temporary chosen = make_temporary(lowering, gp::Type::S64, lowering.type(source).shape);
  TY_TRY(number_elements(lowering, numbers, label));
  TY_TRY(select_elements(lowering, op, numbers, chosen, label));
  Call call(lowering, "select_and_scatter");
  gp::FunctionBuilder& b = call.body;
  const gp::Fold fold = call.fold(std::move(*scatter));
  const gp::WindowId y = call.update(result), updates = call.read(source);
  const gp::WindowId places = call.window(gp::Window::Use::Read, chosen);
  const gp::Type type = call.at(y).type;
  call.each_strip(
      lowering.elements(source), call.longest_strip(),
      [&](gp::ValueId base, int64_t n, Bounds load, Bounds) {
        // Beyond the end there is no element: -1 is dropped.
        const Bounds policy = load == Bounds::Fault ? Bounds::Fault : Bounds::Fill;
        const gp::ValueId none = b.integer(gp::Type::S64, -1);
        const gp::ValueId at = b.load({.window = places, .bounds = policy}, {gp::Type::S64, n},
                                      base, policy == Bounds::Fill ? none : -1);
        const gp::ValueId u = b.load({.window = updates, .bounds = load}, {type, n}, base);
        b.scatter({.window = y, .bounds = Bounds::Drop, .fold = fold}, at, u);
      });
  return call.emit(label);
}

}  // namespace trainyard::compiler
