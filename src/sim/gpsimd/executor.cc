// Decoding, and the operands of a call.
#include "sim/gpsimd/executor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "isa/gpsimd/cost.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

namespace {

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

int64_t words(const ValueType& type) { return (type.bytes() + 7) / 8; }

}  // namespace

Executor::Executor(const Program& program, const hw::CoreSpec& core)
    : program_(program), f_(program.body) {
  for (const Window& w : program.windows) {
    windows_.push_back({.window = &w, .bytes = {}, .elements = w.elements(), .own = {}});
  }
  lay_out_values();
  for (const Block& block : f_.blocks) {
    std::vector<Step>& steps = blocks_.emplace_back();
    for (const Op& op : block.ops) steps.push_back(decode(op, core));
  }
}

void Executor::lay_out_values() {
  constexpr int64_t kLine = 8;  // words of a cache line: strips begin on one
  int64_t total = kLine;
  std::vector<int64_t> begin;
  for (const ValueType& v : f_.values) {
    if (!v.is_scalar()) total = (total + kLine - 1) / kLine * kLine;
    begin.push_back(total);
    total += words(v);
  }
  memory_.resize(total);
  for (const int64_t b : begin) places_.push_back(reinterpret_cast<std::byte*>(&memory_[b]));
}

Executor::Step Executor::decode(const Op& op, const hw::CoreSpec& core) {
  Step s{.op = &op, .form = form(op.code)};
  s.cycles = std::max<int64_t>(op_cycles(program_, f_, op, core).value, 1);
  for (size_t i = 0; i < op.in.size() && i < 3; ++i) s.in[i] = at(op.in[i]);
  if (!op.out.empty()) {
    s.out = at(op.out[0]);
    s.n = type(op.out[0]).elements();
  }
  switch (s.form) {
    case Form::Constant:
      // Nothing else writes there: once is enough.
      apply(lane_op(f_, op), nullptr, nullptr, nullptr, s.out, s.n);
      break;
    case Form::Store:
    case Form::Scatter:
      s.n = type(op.in[1]).elements();
      [[fallthrough]];
    case Form::Load:
    case Form::Gather: {
      const auto& a = std::get<Access>(op.attributes);
      const Window& w = program_.windows[a.window];
      s.what = fmt::format("'{}' of window '{}'", name(op.code), w.name);
      if (a.fold.kind != Fold::Kind::None) {
        s.folder = std::make_unique<Folder>(program_, a.fold, std::vector<Type>{w.type});
      }
      break;
    }
    case Form::Reduce:
    case Form::Scan:
      s.folder = std::make_unique<Folder>(program_, std::get<StripWork>(op.attributes).fold,
                                          std::vector<Type>{type(op.in[0]).type});
      break;
    case Form::Primitive: {
      s.work =
          std::make_unique<Work>(Work{program_, op, std::get<WindowWork>(op.attributes), {}, {}});
      for (const WindowId w : s.work->work.windows) s.work->windows.push_back(&windows_[w]);
      for (const ValueId v : op.in) s.work->scalars.push_back(at(v));
      break;
    }
    case Form::Iota:
    case Form::Broadcast:
    case Form::Shuffle:
    case Form::Compress:
    case Form::For:
    case Form::While:
    case Form::If:
      break;
    default:
      s.lane = lane_op(f_, op);
  }
  return s;
}

Status Executor::check(const Operands& operands) const {
  const size_t params = f_.blocks[0].params.size();
  if (operands.tensors.size() != windows_.size() || operands.scalars.size() != params) {
    return error("TY-GPS-023", "{} tensors and {} scalars for {} windows and {} scalars",
                 operands.tensors.size(), operands.scalars.size(), windows_.size(), params);
  }
  for (size_t i = 0; i < windows_.size(); ++i) {
    const Window& w = program_.windows[i];
    int64_t bytes = size_of(w.type);
    for (const int64_t extent : w.tensor) bytes *= extent;
    if (operands.tensors[i].size() != static_cast<size_t>(bytes)) {
      return error("TY-GPS-023", "the tensor of window '{}' has {} bytes, not {}; pass all of it",
                   w.name, operands.tensors[i].size(), bytes);
    }
  }
  return {};
}

bool Executor::is_in_place(const Operands& operands, size_t i) const {
  const Window& w = program_.windows[i];
  const std::span<std::byte> tensor = operands.tensors[i];
  if (w.shape != w.tensor) return false;
  if (reinterpret_cast<uintptr_t>(tensor.data()) % size_of(w.type) != 0) return false;
  for (size_t k = 0; k < windows_.size(); ++k) {
    const bool both_read =
        w.use == Window::Use::Read && program_.windows[k].use == Window::Use::Read;
    if (k != i && !both_read && overlap(tensor, operands.tensors[k])) return false;
  }
  if (w.type != Type::I1) return true;
  // Truth values are 0 or 1 inside.
  return std::ranges::all_of(tensor, [](std::byte b) { return b <= std::byte{1}; });
}

void Executor::bring(const Operands& operands) {
  for (size_t i = 0; i < windows_.size(); ++i) {
    WindowData& w = windows_[i];
    w.in_place = is_in_place(operands, i);
    if (w.in_place)
      w.bytes = operands.tensors[i];
    else
      copy_in(w, operands.tensors[i]);
  }
  for (size_t i = 0; i < operands.scalars.size(); ++i) {
    const ValueId v = f_.blocks[0].params[i];
    const bool truth = type(v).type == Type::I1;
    const uint64_t bits = truth ? operands.scalars[i] != 0 : operands.scalars[i];
    std::memcpy(at(v), &bits, sizeof(bits));
  }
}

void Executor::take_back(const Operands& operands) const {
  for (size_t i = 0; i < windows_.size(); ++i) {
    const WindowData& w = windows_[i];
    if (!w.in_place && w.window->use != Window::Use::Read) copy_out(w, operands.tensors[i]);
  }
}

Result<RunCost> Executor::run(const Operands& operands, const RunOptions& options) {
  if (const Status status = check(operands); !status.ok()) return status;
  options_ = options;
  spent_ = turns_ = 0;
  bring(operands);
  if (!block(0)) return std::exchange(fault_, Status());
  take_back(operands);
  return RunCost{Cycles(spent_)};
}

Result<RunCost> run(const Program& program, const Operands& operands, const hw::CoreSpec& core,
                    const RunOptions& options) {
  return Executor(program, core).run(operands, options);
}

}  // namespace trainyard::sim::gpsimd
