#include "sim/gpsimd/run.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/gpsimd/cost.h"
#include "sim/gpsimd/primitives.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

namespace {

class Machine {
 public:
  Machine(const Program& program, const hw::CoreSpec& core, const RunOptions& options)
      : program_(program), f_(program.body), options_(options), values_(f_.values.size()) {
    for (const Block& block : f_.blocks) {
      cycles_.emplace_back();
      for (const Op& op : block.ops) {
        cycles_.back().push_back(op_cycles(program, f_, op, core).value);
      }
    }
  }

  void bring(const Operands& operands) {
    for (size_t i = 0; i < program_.windows.size(); ++i) {
      windows_.push_back(copy_in(program_.windows[i], operands.tensors[i]));
    }
    for (size_t i = 0; i < operands.scalars.size(); ++i) {
      const ValueId v = f_.blocks[0].params[i];
      const bool truth = f_.values[v].type == Type::I1;
      room(v)[0] = truth ? operands.scalars[i] != 0 : operands.scalars[i];
    }
  }
  Status run() { return block(0); }
  void take_back(const Operands& operands) const {
    for (size_t i = 0; i < windows_.size(); ++i) {
      if (windows_[i].window->use != Window::Use::Read) copy_out(windows_[i], operands.tensors[i]);
    }
  }
  int64_t spent() const { return spent_; }

 private:
  using Room = std::vector<uint64_t>;

  uint64_t* room(ValueId v) {
    values_[v].resize((f_.values[v].bytes() + 7) / 8);
    return values_[v].data();
  }
  const void* at(ValueId v) const { return values_[v].data(); }
  int64_t count(ValueId v) const { return f_.values[v].elements(); }
  Type type(ValueId v) const { return f_.values[v].type; }

  Status block(BlockId id) {
    const Block& b = f_.blocks[id];
    for (size_t i = 0; i < b.ops.size(); ++i) {
      const Op& op = b.ops[i];
      const int64_t cost = std::max<int64_t>(cycles_[id][i], 1);
      if (cost > options_.cycle_limit - spent_) {
        return error("TY-GPS-022", "'{}' would pass the limit of {} cycles; raise it",
                     name(op.code), options_.cycle_limit)
            .at({"", op.line, op.line > 0 ? 1 : 0});
      }
      spent_ += cost;
      TY_TRY(execute(op).at({"", op.line, op.line > 0 ? 1 : 0}));
    }
    return {};
  }

  Status execute(const Op& op) {
    switch (form(op.code)) {
      case Form::Iota:
      case Form::Broadcast:
      case Form::Shuffle:
      case Form::Compress:
      case Form::Reduce:
      case Form::Scan:
        return strip(op);
      case Form::Load:
      case Form::Store:
      case Form::Gather:
      case Form::Scatter:
        return access(op);
      case Form::For:
        return for_turns(op);
      case Form::While:
        return while_turns(op);
      case Form::If: {
        const auto& branch = std::get<Branch>(op.attributes);
        const bool yes = *static_cast<const uint8_t*>(at(op.in[0])) != 0;
        const BlockId taken = yes ? branch.then : branch.otherwise;
        TY_TRY(block(taken));
        hand_on(f_.blocks[taken].results, op.out);
        return {};
      }
      case Form::Primitive: {
        Work work{program_, op, std::get<WindowWork>(op.attributes), {}, {}};
        for (const WindowId w : work.work.windows) work.windows.push_back(&windows_[w]);
        for (const ValueId v : op.in) work.scalars.push_back(at(v));
        return run_primitive(work);
      }
      default:
        elementwise(op);
        return {};
    }
  }

  void elementwise(const Op& op) {
    const void* in[3] = {};
    for (size_t i = 0; i < op.in.size(); ++i) in[i] = at(op.in[i]);
    apply(lane_op(f_, op), in[0], in[1], in[2], room(op.out[0]), count(op.out[0]));
  }

  Status strip(const Op& op) {
    void* const y = room(op.out[0]);
    const int64_t n = count(op.out[0]);
    const Type t = type(op.out[0]);
    switch (form(op.code)) {
      case Form::Iota:
        with_bits(t, [&]<class T>(T) {
          for (int64_t i = 0; i < n; ++i) static_cast<T*>(y)[i] = static_cast<T>(i);
        });
        return {};
      case Form::Broadcast:
        with_bits(t, [&]<class T>(T) {
          std::fill_n(static_cast<T*>(y), n, *static_cast<const T*>(at(op.in[0])));
        });
        return {};
      case Form::Shuffle: {
        indices(op.in[1]);
        TY_TRY(resolve(positions(n), count(op.in[0]), std::get<StripWork>(op.attributes).bounds,
                       "shuffle"));
        gather(t, at(op.in[0]), positions(n), nullptr, y);
        return {};
      }
      case Form::Compress:
        compress(op, n);
        return {};
      default:
        fold(op);
        return {};
    }
  }

  void compress(const Op& op, int64_t n) {
    const auto* mask = static_cast<const uint8_t*>(at(op.in[1]));
    int32_t kept = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (mask[i] != 0) positions_[kept++] = i;
    }
    std::fill(positions_.begin() + kept, positions_.begin() + n, -1);
    gather(type(op.in[0]), at(op.in[0]), positions(n), nullptr, room(op.out[0]));
    std::memcpy(room(op.out[1]), &kept, sizeof(kept));
  }

  void fold(const Op& op) {
    const auto& work = std::get<StripWork>(op.attributes);
    Folder folder(program_, work.fold, {type(op.in[0])});
    uint64_t acc = 0;
    std::memcpy(&acc, at(op.in[1]), size_of(type(op.in[1])));
    void* const y = room(op.out[0]);
    const bool scan = op.code == Code::Scan;
    folder.line(&acc, {.x = at(op.in[0]), .y = scan ? y : nullptr, .exclusive = work.exclusive},
                count(op.in[0]));
    if (!scan) std::memcpy(y, &acc, size_of(type(op.out[0])));
  }

  std::span<int64_t> positions(int64_t n) { return {positions_.data(), static_cast<size_t>(n)}; }
  void indices(ValueId v) {
    for (int64_t i = 0; i < count(v); ++i) positions_[i] = index_at(type(v), at(v), i);
  }
  // base + i * step, kept inside of 64 bits.
  void affine(ValueId base, int64_t step, int64_t n) {
    constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
    const __int128 first = index_at(type(base), at(base), 0);
    for (int64_t i = 0; i < n; ++i) {
      const __int128 p = first + static_cast<__int128>(i) * step;
      positions_[i] = static_cast<int64_t>(std::clamp(p, -kMost, kMost));
    }
  }

  Status access(const Op& op) {
    const auto& a = std::get<Access>(op.attributes);
    WindowData& w = windows_[a.window];
    const Form f = form(op.code);
    const bool writes = f == Form::Store || f == Form::Scatter;
    const int64_t n = count(writes ? op.in[1] : op.out[0]);
    if (f == Form::Load || f == Form::Store)
      affine(op.in[0], a.step, n);
    else
      indices(op.in[0]);
    TY_TRY(resolve(positions(n), w.elements, a.bounds,
                   fmt::format("'{}' of window '{}'", name(op.code), w.window->name)));
    if (!writes) {
      const void* const fill = op.in.size() > 1 ? at(op.in[1]) : nullptr;
      gather(w.type(), w.bytes.data(), positions(n), fill, room(op.out[0]));
    } else if (a.fold.kind == Fold::Kind::None) {
      scatter(w.type(), at(op.in[1]), positions(n), w.bytes.data());
    } else {
      Folder folder(program_, a.fold, {w.type()});
      scatter_fold(w.type(), at(op.in[1]), positions(n), folder, w.bytes.data());
    }
    return {};
  }

  // Copies values at once: one of `from` may be one of `to`.
  void hand_on(std::span<const ValueId> from, std::span<const ValueId> to) {
    std::vector<Room> rooms;
    for (const ValueId v : from) rooms.push_back(values_[v]);
    for (size_t i = 0; i < to.size(); ++i) values_[to[i]] = std::move(rooms[i]);
  }

  Status for_turns(const Op& op) {
    const auto& turns = std::get<Turns>(op.attributes);
    const Block& body = f_.blocks[turns.body];
    const int64_t n = index_at(type(op.in[0]), at(op.in[0]), 0);
    if (n > turns.maximum) {
      return error("TY-GPS-021", "'for' is to make {} turns, its maximum is {}; declare more", n,
                   turns.maximum);
    }
    const std::span<const ValueId> params = std::span(body.params).subspan(1);
    hand_on(std::span(op.in).subspan(1), params);
    for (int64_t i = 0; i < n; ++i) {
      TY_TRY(spend_turn(op));
      room(body.params[0])[0] = static_cast<uint64_t>(i);
      TY_TRY(block(turns.body));
      hand_on(body.results, params);
    }
    hand_on(params, op.out);
    return {};
  }

  Status while_turns(const Op& op) {
    const auto& turns = std::get<Turns>(op.attributes);
    const Block& condition = f_.blocks[turns.condition];
    const Block& body = f_.blocks[turns.body];
    hand_on(op.in, condition.params);
    for (int64_t i = 0;; ++i) {
      TY_TRY(spend_turn(op));
      TY_TRY(block(turns.condition));
      if (*static_cast<const uint8_t*>(at(condition.results[0])) == 0) break;
      if (i == turns.maximum) {
        return error("TY-GPS-021", "'while' wants more than its maximum of {} turns; declare more",
                     turns.maximum);
      }
      hand_on(condition.params, body.params);
      TY_TRY(block(turns.body));
      hand_on(body.results, condition.params);
    }
    hand_on(condition.params, op.out);
    return {};
  }

  // An empty body costs nothing, but must not run forever.
  Status spend_turn(const Op& op) {
    if (++turns_ <= options_.cycle_limit) return {};
    return error("TY-GPS-022", "'{}' would pass the limit of {} turns; raise it", name(op.code),
                 options_.cycle_limit);
  }

  const Program& program_;
  const Function& f_;
  RunOptions options_;
  std::vector<WindowData> windows_;
  std::vector<Room> values_;
  std::vector<std::vector<int64_t>> cycles_;  // per block and operation
  std::array<int64_t, kMostLanes> positions_;
  int64_t spent_ = 0;
  int64_t turns_ = 0;
};

}  // namespace

Result<RunCost> run(const Program& program, const Operands& operands, const hw::CoreSpec& core,
                    const RunOptions& options) {
  const size_t params = program.body.blocks[0].params.size();
  if (operands.tensors.size() != program.windows.size() || operands.scalars.size() != params) {
    return error("TY-GPS-023", "{} tensors and {} scalars for {} windows and {} scalars",
                 operands.tensors.size(), operands.scalars.size(), program.windows.size(), params);
  }
  for (size_t i = 0; i < program.windows.size(); ++i) {
    const Window& w = program.windows[i];
    int64_t bytes = size_of(w.type);
    for (const int64_t extent : w.tensor) bytes *= extent;
    if (operands.tensors[i].size() != static_cast<size_t>(bytes)) {
      return error("TY-GPS-023", "the tensor of window '{}' has {} bytes, not {}; pass all of it",
                   w.name, operands.tensors[i].size(), bytes);
    }
  }
  Machine machine(program, core, options);
  machine.bring(operands);
  if (const Status status = machine.run(); !status.ok()) return status;
  machine.take_back(operands);
  return RunCost{Cycles(machine.spent())};
}

}  // namespace trainyard::sim::gpsimd
