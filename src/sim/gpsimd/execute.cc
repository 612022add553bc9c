// The operations of a GpSimd program, one at a time.
#include <algorithm>
#include <cstring>

#include "sim/gpsimd/executor.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

bool Executor::block(BlockId id) {
  for (Step& s : blocks_[id]) {
    if (s.cycles > options_.cycle_limit - spent_) {
      fault_ = error("TY-GPS-022", "'{}' would pass the limit of {} cycles; raise it",
                     name(s.op->code), options_.cycle_limit);
    } else {
      spent_ += s.cycles;
      if (execute(s)) continue;
    }
    fault_ = fault_.at({"", s.op->line, s.op->line > 0 ? 1 : 0});
    return false;
  }
  return true;
}

bool Executor::execute(Step& s) {
  switch (s.form) {
    case Form::Constant:
      return true;
    case Form::Iota:
    case Form::Broadcast:
    case Form::Shuffle:
    case Form::Compress:
    case Form::Reduce:
    case Form::Scan:
      return strip(s);
    case Form::Load:
    case Form::Store:
    case Form::Gather:
    case Form::Scatter:
      return access(s);
    case Form::For:
      return for_turns(s);
    case Form::While:
      return while_turns(s);
    case Form::If: {
      const auto& branch = std::get<Branch>(s.op->attributes);
      const bool yes = *static_cast<const uint8_t*>(s.in[0]) != 0;
      const BlockId taken = yes ? branch.then : branch.otherwise;
      if (!block(taken)) return false;
      hand_on(f_.blocks[taken].results, s.op->out);
      return true;
    }
    case Form::Primitive:
      return !failed(run_primitive(*s.work));
    default:
      apply(s.lane, s.in[0], s.in[1], s.in[2], s.out, s.n);
      return true;
  }
}

bool Executor::strip(Step& s) {
  const Type t = type(s.op->out[0]).type;
  switch (s.form) {
    case Form::Iota:
      with_bits(t, [&]<class T>(T) {
        for (int64_t i = 0; i < s.n; ++i) static_cast<T*>(s.out)[i] = static_cast<T>(i);
      });
      return true;
    case Form::Broadcast:
      with_bits(t, [&]<class T>(T) {
        std::fill_n(static_cast<T*>(s.out), s.n, *static_cast<const T*>(s.in[0]));
      });
      return true;
    case Form::Shuffle:
      indices(type(s.op->in[1]).type, s.in[1], s.n);
      if (failed(resolve(positions(s.n), type(s.op->in[0]).elements(),
                         std::get<StripWork>(s.op->attributes).bounds, "shuffle")))
        return false;
      gather(t, s.in[0], positions(s.n), nullptr, s.out);
      return true;
    case Form::Compress:
      compress(s);
      return true;
    default:
      fold(s);
      return true;
  }
}

void Executor::compress(const Step& s) {
  const auto* mask = static_cast<const uint8_t*>(s.in[1]);
  int32_t kept = 0;
  for (int64_t i = 0; i < s.n; ++i) {
    if (mask[i] != 0) positions_[kept++] = i;
  }
  std::fill(positions_.begin() + kept, positions_.begin() + s.n, -1);
  gather(type(s.op->in[0]).type, s.in[0], positions(s.n), nullptr, s.out);
  std::memcpy(at(s.op->out[1]), &kept, sizeof(kept));
}

void Executor::fold(Step& s) {
  const auto& work = std::get<StripWork>(s.op->attributes);
  const int64_t size = size_of(type(s.op->in[1]).type);
  uint64_t acc = 0;
  std::memcpy(&acc, s.in[1], size);
  const bool scan = s.form == Form::Scan;
  s.folder->line(&acc, {.x = s.in[0], .y = scan ? s.out : nullptr, .exclusive = work.exclusive},
                 type(s.op->in[0]).elements());
  if (!scan) std::memcpy(s.out, &acc, size);
}

void Executor::indices(Type type, const void* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) positions_[i] = index_at(type, from, i);
}

// first + i * step, kept inside of 64 bits.
void Executor::affine(int64_t first, int64_t step, int64_t n) {
  constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
  for (int64_t i = 0; i < n; ++i) {
    const __int128 p = first + static_cast<__int128>(i) * step;
    positions_[i] = static_cast<int64_t>(std::clamp(p, -kMost, kMost));
  }
}

bool Executor::access(Step& s) {
  const auto& a = std::get<Access>(s.op->attributes);
  WindowData& w = windows_[a.window];
  const bool writes = s.form == Form::Store || s.form == Form::Scatter;
  if (s.form == Form::Load || s.form == Form::Store) {
    const int64_t first = index_at(type(s.op->in[0]).type, s.in[0], 0);
    // A run of neighbours inside of the window is one copy.
    if (a.step == 1 && !s.folder && first >= 0 && first <= w.elements - s.n) {
      if (writes)
        std::memcpy(w.at(first), s.in[1], s.n * w.size());
      else
        std::memcpy(s.out, w.at(first), s.n * w.size());
      return true;
    }
    affine(first, a.step, s.n);
  } else {
    indices(type(s.op->in[0]).type, s.in[0], s.n);
  }
  if (failed(resolve(positions(s.n), w.elements, a.bounds, s.what))) return false;
  if (!writes) {
    gather(w.type(), w.bytes.data(), positions(s.n), s.in[1], s.out);
  } else if (!s.folder) {
    scatter(w.type(), s.in[1], positions(s.n), w.bytes.data());
  } else {
    scatter_fold(w.type(), s.in[1], positions(s.n), *s.folder, w.bytes.data());
  }
  return true;
}

// Copies values at once: one of `from` may be one of `to`.
void Executor::hand_on(Ids from, Ids to) {
  const auto copy = [&](size_t i, std::byte* dst, const std::byte* src) {
    std::memcpy(dst, src, f_.values[from[i]].bytes());
  };
  if (to.size() == 1) {
    if (from[0] != to[0]) copy(0, at(to[0]), at(from[0]));
    return;
  }
  size_t total = 0;
  for (const ValueId v : from) total += (f_.values[v].bytes() + 7) / 8;
  if (passing_.size() < total) passing_.resize(total);
  size_t begin = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    copy(i, reinterpret_cast<std::byte*>(&passing_[begin]), at(from[i]));
    begin += (f_.values[from[i]].bytes() + 7) / 8;
  }
  begin = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    copy(i, at(to[i]), reinterpret_cast<const std::byte*>(&passing_[begin]));
    begin += (f_.values[from[i]].bytes() + 7) / 8;
  }
}

bool Executor::for_turns(const Step& s) {
  const Op& op = *s.op;
  const auto& turns = std::get<Turns>(op.attributes);
  const Block& body = f_.blocks[turns.body];
  const int64_t n = index_at(type(op.in[0]).type, s.in[0], 0);
  if (n > turns.maximum) {
    return !failed(error("TY-GPS-021", "'for' is to make {} turns, its maximum is {}; declare more",
                         n, turns.maximum));
  }
  const Ids params = Ids(body.params).subspan(1);
  hand_on(Ids(op.in).subspan(1), params);
  for (int64_t i = 0; i < n; ++i) {
    if (!spend_turn(s)) return false;
    std::memcpy(at(body.params[0]), &i, sizeof(i));
    if (!block(turns.body)) return false;
    hand_on(body.results, params);
  }
  hand_on(params, op.out);
  return true;
}

bool Executor::while_turns(const Step& s) {
  const auto& turns = std::get<Turns>(s.op->attributes);
  const Block& condition = f_.blocks[turns.condition];
  const Block& body = f_.blocks[turns.body];
  hand_on(s.op->in, condition.params);
  for (int64_t i = 0;; ++i) {
    if (!spend_turn(s)) return false;
    if (!block(turns.condition)) return false;
    if (*reinterpret_cast<const uint8_t*>(at(condition.results[0])) == 0) break;
    if (i == turns.maximum) {
      return !failed(error("TY-GPS-021",
                           "'while' wants more than its maximum of {} turns; declare more",
                           turns.maximum));
    }
    hand_on(condition.params, body.params);
    if (!block(turns.body)) return false;
    hand_on(body.results, condition.params);
  }
  hand_on(condition.params, s.op->out);
  return true;
}

// An empty body costs nothing, but must not run forever.
bool Executor::spend_turn(const Step& s) {
  if (++turns_ <= options_.cycle_limit) return true;
  return !failed(error("TY-GPS-022", "'{}' would pass the limit of {} turns; raise it",
                       name(s.op->code), options_.cycle_limit));
}

}  // namespace trainyard::sim::gpsimd
