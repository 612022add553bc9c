#include <algorithm>
#include <map>

#include "place/steps.h"

namespace trainyard::place {

using isa::Enclosure;
using isa::Memory;
using isa::Statement;
using isa::TensorId;

namespace {

constexpr int64_t kSbufAlign = 64;
constexpr int64_t kHbmAlign = 4096;

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// One memory as the allocator sees it: units are bytes (SBUF, HBM) or banks (PSUM).
struct Space {
  Memory memory;
  int64_t capacity = 0;  // bytes
  int64_t align = 1;
};

// Where a tensor ended up, for the table of an error.
struct Live {
  TensorId tensor;
  int64_t bytes;
};

class Allocator {
 public:
  Allocator(isa::Program& program, const Uses& uses, const Stages& stages, Space space,
            int max_slots)
      : program_(program), uses_(uses), stages_(stages), space_(space), max_slots_(max_slots) {
    for (size_t t = 0; t < program.tensors.size(); ++t) {
      const isa::Tensor& tensor = program.tensors[t];
      if (tensor.memory != space.memory || tensor.view) continue;
      const isa::TensorPlace& place = program.placement.tensors[t];
      if (place.address) pinned_.push_back(static_cast<TensorId>(t));
      tensors_.push_back(static_cast<TensorId>(t));
    }
    split_.assign(program.loops.size(), 0);
    for (const isa::InstPlace& place : program.placement.insts) {
      if (place.ahead > 0) split_[place.ahead_loop] = 1;
    }
    slots_.assign(program.tensors.size(), 1);
    address_.assign(program.tensors.size(), 0);
  }

  // Chooses slots and addresses; false if the least does not fit.
  bool run() {
    for (const TensorId t : tensors_) slots_[t] = least_slots(t);
    share_ = false;
    if (peak() <= space_.capacity) {
      add_slots();
    } else {
      share_ = true;  // tensors of one block whose lives do not meet may have the same bytes
    }
    top_ = peak();
    const bool fits = top_ <= space_.capacity;
    for (const TensorId t : tensors_) {
      isa::TensorPlace& place = program_.placement.tensors[t];
      place.slots = slots_[t];
      if (place.address) {
        // A pinned tensor whose pitch is not given: slots lie one behind the other.
        if (place.pitch == 0)
          place.pitch =
              space_.memory == Memory::Psum ? slot_bytes(t) : program_.tensors[t].free_bytes();
        continue;
      }
      place.address = address_[t];
      place.pitch = slot_bytes(t);
    }
    return fits;
  }

  // Bytes in use after run().
  int64_t top() const { return top_; }

  int64_t peak() {
    peak_ = 0;
    for (const TensorId t : pinned_) peak_ = std::max(peak_, pinned_end(t));
    std::vector<Live> live;
    walk(program_.body, 0, live, false);
    return peak_;
  }
  const std::vector<Live>& at_peak() const { return at_peak_; }
  int64_t slot_bytes(TensorId t) const {
    const isa::TensorPlace& place = program_.placement.tensors[t];
    return place.pitch > 0 ? place.pitch : round_up(program_.tensors[t].free_bytes(), space_.align);
  }
  int slots(TensorId t) const { return slots_[t]; }

 private:
  int64_t pinned_end(TensorId t) const {
    return *program_.placement.tensors[t].address + (slots_[t] - 1) * slot_bytes(t) +
           program_.tensors[t].free_bytes();
  }

  isa::LoopId scope(TensorId t) const {
    const auto& around = uses_.structure().around_tensor(t);
    if (around.empty() || around.back().kind != Enclosure::Kind::Loop) return -1;
    const isa::LoopId loop = around.back().id;
    return program_.loops[loop].kind == isa::Loop::Kind::Repeat ? loop : -1;
  }

  // Author's number, or one for each stage from the first writer to the last user.
  int least_slots(TensorId t) const {
    const int given = program_.placement.tensors[t].slots;
    if (given > 0) return given;
    const isa::LoopId loop = scope(t);
    int first = INT32_MAX, last = 0, ahead = 0;
    for (const Use& u : uses_.of_tensor(t)) {
      if (stages_.loop[u.inst] != loop || loop < 0) return 1;
      last = std::max(last, stages_.stage[u.inst]);
      if (!u.writes()) continue;
      first = std::min(first, stages_.stage[u.inst]);
      // What is written d iterations ahead needs d + 1 slots.
      ahead = std::max(ahead, static_cast<int>(program_.placement.insts[u.inst].ahead));
    }
    return first > last ? 1 : std::max(ahead, last - first) + 1;
  }

  // How many slots still help: the streams that work on a tensor can be that far apart.
  int most_slots(TensorId t) const {
    if (program_.placement.tensors[t].slots > 0 || program_.placement.tensors[t].address)
      return slots_[t];
    if (scope(t) < 0 || space_.memory == Memory::Hbm) return slots_[t];
    if (max_slots_ == 1) return slots_[t];
    if (space_.memory == Memory::Psum) return static_cast<int>(space_.capacity / space_.align);
    bool dma = false;
    for (const Use& u : uses_.of_tensor(t)) dma |= isa::is_dma(program_.insts[u.inst].op);
    const int spread = least_slots(t) - 1;
    return std::min(std::max(max_slots_, spread + 1), spread + (dma ? 3 : 2));
  }

  // Bytes that the blocks around and inside each block need, so that one more slot costs a walk to
  // the root.
  struct Scope {
    int parent = -1;
    bool apart = false;
    int64_t own = 0;    // of the block's tensors
    int64_t inner = 0;  // of its largest inner block, with what lies inside that; apart: of all

    int64_t total() const { return own + inner; }
    void add_inner(int64_t before, int64_t now) {
      inner = apart ? inner + now - before : std::max(inner, now);
    }
  };

  int add_scope(const isa::Block& block, int parent, bool apart) {
    const auto id = static_cast<int>(scopes_.size());
    scopes_.push_back({parent, apart, 0, 0});
    int64_t own = 0;
    const auto enter = [&](const isa::Block& b, bool inner_apart) {
      const int child = add_scope(b, id, inner_apart);
      scopes_[id].add_inner(0, scopes_[child].total());
    };
    for (const Statement& s : block) {
      if (s.kind == Statement::Kind::Tensor && is_mine(s.id)) {
        scope_of_[s.id] = id;
        own += slots_[s.id] * slot_bytes(s.id);
      } else if (s.kind == Statement::Kind::Loop) {
        enter(program_.loops[s.id].body, apart || is_split(s.id));
      } else if (s.kind == Statement::Kind::Branch) {
        enter(program_.branches[s.id].then_block, apart);
        enter(program_.branches[s.id].else_block, apart);
      }
    }
    scopes_[id].own = own;
    return id;
  }

  bool grow(TensorId t) {
    const int64_t bytes = slot_bytes(t);
    // The scopes from here to the root as they would be.
    std::vector<std::pair<int, Scope>> path;
    int64_t before = 0;
    for (int s = scope_of_[t]; s >= 0; s = scopes_[s].parent) {
      Scope scope = scopes_[s];
      if (path.empty()) {
        scope.own += bytes;
      } else {
        scope.add_inner(before, path.back().second.total());
      }
      before = scopes_[s].total();
      path.emplace_back(s, scope);
    }
    if (path.back().second.total() > space_.capacity) return false;
    for (const auto& [s, scope] : path) scopes_[s] = scope;
    ++slots_[t];
    return true;
  }

  // One more slot each, the most used first, as long as room lasts; then the next round. Pinned
  // tensors leave gaps that the sums above do not see, so the result is laid out once more and
  // taken back if it is too long.
  void add_slots() {
    std::vector<std::pair<double, TensorId>> order;
    for (const TensorId t : tensors_) {
      double w = 0;
      for (const Use& u : uses_.of_tensor(t)) {
        w = std::max(w, uses_.weight(u.inst) * (isa::is_dma(program_.insts[u.inst].op) ? 2 : 1));
      }
      if (slots_[t] < most_slots(t)) order.emplace_back(-w, t);
    }
    std::stable_sort(order.begin(), order.end());
    const std::vector<int> least = slots_;
    scopes_.clear();
    scope_of_.assign(program_.tensors.size(), -1);
    add_scope(program_.body, -1, false);
    for (bool grew = true; grew;) {
      grew = false;
      for (const auto& [w, t] : order) {
        if (slots_[t] < most_slots(t)) grew |= grow(t);
      }
    }
    if (peak() > space_.capacity) slots_ = least;
  }

  // First byte from `from` on where `bytes` do not run into a pinned tensor.
  int64_t clear_of_pins(int64_t from, int64_t bytes) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (const TensorId t : pinned_) {
        const int64_t begin = *program_.placement.tensors[t].address;
        if (from < pinned_end(t) && begin < from + bytes) {
          from = round_up(pinned_end(t), space_.align);
          moved = true;
        }
      }
    }
    return from;
  }

  // Statements of the block between which the tensor is live.
  struct Life {
    int first = INT32_MAX, last = -1;
    bool meets(const Life& o) const { return first <= o.last && o.first <= last; }
    bool holds(int statement) const { return first <= statement && statement <= last; }
  };
  struct Placed {
    int64_t begin, end;
    Life life;
  };

  // Whether instructions of the loop are issued some iterations early. Then a tensor may be written
  // while another, which the body has done with by then, is still in use.
  bool is_split(isa::LoopId loop) const { return split_[loop] != 0; }

  // The tensors of a block lie behind those of the blocks around it; blocks side by side share
  // unless they are to be kept apart. Returns the first byte behind all.
  int64_t walk(const isa::Block& block, int64_t base, std::vector<Live>& live, bool apart) {
    const size_t outer = live.size();
    std::vector<Placed> placed;
    const bool share = share_ && !apart;
    const std::map<TensorId, Life> lives = share ? lives_in(block) : std::map<TensorId, Life>{};
    int64_t top = base;
    for (const Statement& s : block) {
      if (s.kind != Statement::Kind::Tensor || !is_mine(s.id)) continue;
      const int64_t bytes = slots_[s.id] * slot_bytes(s.id);
      live.push_back({s.id, bytes});
      if (program_.placement.tensors[s.id].address) continue;
      const auto it = lives.find(s.id);
      const Life life = it == lives.end() ? Life{0, INT32_MAX} : it->second;
      const int64_t begin =
          share ? first_gap(placed, life, base, bytes) : clear_of_pins(top, bytes);
      address_[s.id] = begin;
      if (share) placed.push_back({begin, begin + bytes, life});
      top = std::max(top, begin + bytes);
      note_peak(begin + bytes, live);
    }
    const int64_t own_top = top;
    for (size_t i = 0; i < block.size(); ++i) {
      const Statement& s = block[i];
      if (s.kind != Statement::Kind::Loop && s.kind != Statement::Kind::Branch) continue;
      int64_t inner = share ? base : own_top;
      for (const Placed& p : placed) {
        if (p.life.holds(static_cast<int>(i))) inner = std::max(inner, p.end);
      }
      const auto enter = [&](const isa::Block& b, bool inner_apart) {
        top = std::max(top, walk(b, apart ? top : inner, live, inner_apart));
      };
      if (s.kind == Statement::Kind::Loop) {
        enter(program_.loops[s.id].body, apart || is_split(s.id));
      } else {
        enter(program_.branches[s.id].then_block, apart);
        enter(program_.branches[s.id].else_block, apart);
      }
    }
    live.resize(outer);
    return top;
  }

  // The lowest place that is free as long as `life` lasts.
  int64_t first_gap(std::vector<Placed>& placed, const Life& life, int64_t base,
                    int64_t bytes) const {
    std::vector<const Placed*> near;
    for (const Placed& o : placed) {
      if (o.life.meets(life)) near.push_back(&o);
    }
    std::sort(near.begin(), near.end(),
              [](const Placed* a, const Placed* b) { return a->begin < b->begin; });
    int64_t at = clear_of_pins(base, bytes);
    for (const Placed* o : near) {
      if (o->begin < at + bytes && at < o->end) at = clear_of_pins(o->end, bytes);
    }
    return at;
  }

  bool is_mine(TensorId t) const {
    return program_.tensors[t].memory == space_.memory && !program_.tensors[t].view;
  }

  void note_peak(int64_t end, const std::vector<Live>& live) {
    if (end <= peak_) return;
    peak_ = end;
    at_peak_ = live;
  }

  // Between which statements of the block its tensors are used.
  std::map<TensorId, Life> lives_in(const isa::Block& block) const {
    std::map<TensorId, Life> out;
    for (const Statement& s : block) {
      // What the caller binds or reads lives from before to after.
      if (s.kind == Statement::Kind::Tensor && is_mine(s.id) &&
          program_.tensors[s.id].io == isa::Io::None)
        out[s.id] = {};
    }
    for (size_t i = 0; i < block.size(); ++i) note_uses(block[i], static_cast<int>(i), out);
    return out;
  }

  void note_uses(const Statement& s, int position, std::map<TensorId, Life>& out) const {
    const auto inside = [&](const isa::Block& block) {
      for (const Statement& inner : block) note_uses(inner, position, out);
    };
    if (s.kind == Statement::Kind::Instruction) {
      for (const Use& u : uses_.of_inst(s.id)) {
        const auto it = out.find(u.tensor);
        if (it == out.end()) continue;
        it->second.first = std::min(it->second.first, position);
        it->second.last = std::max(it->second.last, position);
      }
    } else if (s.kind == Statement::Kind::Loop) {
      inside(program_.loops[s.id].body);
    } else if (s.kind == Statement::Kind::Branch) {
      inside(program_.branches[s.id].then_block);
      inside(program_.branches[s.id].else_block);
    }
  }

  isa::Program& program_;
  const Uses& uses_;
  const Stages& stages_;
  Space space_;
  int max_slots_;
  bool share_ = false;
  std::vector<TensorId> tensors_, pinned_;
  std::vector<char> split_;  // per loop
  std::vector<int> slots_;
  std::vector<int64_t> address_;
  std::vector<Scope> scopes_;
  std::vector<int> scope_of_;  // per tensor
  int64_t peak_ = 0, top_ = 0;
  std::vector<Live> at_peak_;
};

Status full(const isa::Program& p, Allocator& allocator, const Space& space,
            const hw::CoreSpec& core) {
  const int64_t peak = allocator.top();
  std::string table;
  std::vector<Live> rows = allocator.at_peak();
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Live& a, const Live& b) { return a.bytes > b.bytes; });
  isa::SourceRef where;
  for (const Live& row : rows) {
    const isa::Tensor& t = p.tensors[row.tensor];
    if (where.line == 0) where = t.source;
    table += fmt::format("\n  {:>10} B  {}{}   line {}", row.bytes, t.name,
                         allocator.slots(row.tensor) > 1
                             ? fmt::format(", {} slots", allocator.slots(row.tensor))
                             : "",
                         t.source.line);
  }
  const bool per_partition = space.memory != Memory::Hbm;
  const std::string_view code = space.memory == Memory::Sbuf   ? "TY-MEM-003"
                                : space.memory == Memory::Psum ? "TY-MEM-004"
                                                               : "TY-MEM-005";
  return error(code,
               "{} is full: {} B live{}, a {} has {}. Live at the peak:{}\n  Make the largest tile "
               "smaller, or "
               "declare it inside the loop that needs it.",
               space.memory == Memory::Sbuf   ? "SBUF"
               : space.memory == Memory::Psum ? "PSUM"
                                              : "HBM",
               peak, per_partition ? " per partition" : "", core.name, space.capacity, table)
      .at(isa::place_of(p, where));
}

}  // namespace

Status allocate(isa::Program& program, const Uses& uses, const Stages& stages,
                const hw::CoreSpec& core, const Options& options, Report& report) {
  const int slots = options.plain ? 1 : options.max_slots;
  const Space spaces[] = {
      {Memory::Sbuf, core.sbuf_usable_bytes(), kSbufAlign},
      {Memory::Psum, core.psum.partition_bytes.value, core.psum_bank_bytes()},
      {Memory::Hbm, core.hbm.stack_bytes.value - core.hbm.code_reserve_bytes.value, kHbmAlign},
  };
  for (const Space& space : spaces) {
    Allocator allocator(program, uses, stages, space, slots);
    if (!allocator.run()) return full(program, allocator, space, core);
    const int64_t peak = allocator.top();
    if (space.memory == Memory::Sbuf) report.sbuf_bytes = peak;
    if (space.memory == Memory::Psum)
      report.psum_banks = static_cast<int>(round_up(peak, space.align) / space.align);
    if (space.memory == Memory::Hbm) report.hbm_bytes = peak;
  }
  return Status();
}

}  // namespace trainyard::place
