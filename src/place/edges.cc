// Who must wait for whom.
//
// Edges always point backward in body order (or to an earlier iteration), so they cannot deadlock.
// A wait that is longer than needed is safe; one that is missing is a race, and sim::check would
// find it.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "place/steps.h"

namespace trainyard::place {

using isa::Affine;
using isa::Edge;
using isa::Enclosure;
using isa::InstId;
using isa::LoopId;
using isa::TensorId;

namespace {

class EdgeFinder {
 public:
  EdgeFinder(isa::Program& program, const Uses& uses, const std::vector<size_t>& given,
             Report& report)
      : program_(program),
        uses_(uses),
        structure_(uses.structure()),
        given_(given),
        report_(report) {}

  void run() {
    for (size_t t = 0; t < program_.tensors.size(); ++t) {
      if (!program_.tensors[t].view) tensor_edges(static_cast<TensorId>(t));
    }
    for (const isa::Memory memory : {isa::Memory::Sbuf, isa::Memory::Psum, isa::Memory::Hbm}) {
      occupants_.clear();
      where_.clear();
      entered_.clear();
      memory_ = memory;
      occupy_block(program_.body, -1);
    }
    for (size_t i = 0; i < program_.insts.size(); ++i) tidy(program_.placement.insts[i], given_[i]);
  }

 private:
  // Engines are streams 0 to 4, queues from 8 on.
  int stream(InstId inst) const {
    const isa::InstPlace& place = program_.placement.insts[inst];
    return place.queue >= 0 ? 8 + place.queue : static_cast<int>(hw::index(*place.engine));
  }

  static bool is_matmul_into(const isa::Program& p, InstId inst) {
    return std::holds_alternative<isa::Matmul>(p.insts[inst].op);
  }

  // Starts, writes and completions of one stream are in order, so only a read of an earlier result
  // waits. Accumulation in PSUM is the array's own affair.
  bool ordered_by_stream(const Use& first, const Use& second) const {
    if (stream(first.inst) != stream(second.inst)) return false;
    if (!first.writes() || !second.reads()) return true;
    return is_matmul_into(program_, first.inst) && is_matmul_into(program_, second.inst) &&
           second.writes();
  }

  void add(InstId waiter, Edge edge) {
    auto& after = program_.placement.insts[waiter].after;
    if (std::find(after.begin(), after.end(), edge) != after.end()) return;
    after.push_back(std::move(edge));
    ++report_.edges_found;
  }

  // ------------------------------------------------ uses of one tensor

  void tensor_edges(TensorId tensor) {
    const auto& all = uses_.of_tensor(tensor);
    const auto depth = static_cast<int>(structure_.around_tensor(tensor).size());
    std::vector<const Use*> open;  // not yet behind a write that replaces them
    for (size_t i = 0; i < all.size();) {
      // An instruction reads before it writes, so what it replaces counts for its own reads.
      size_t end = i;
      for (; end < all.size() && all[end].inst == all[i].inst; ++end) {
        for (const Use* earlier : open) {
          if (earlier->writes() || all[end].writes()) pair(*earlier, all[end], depth);
        }
      }
      for (size_t u = i; u < end; ++u) {
        if (!all[u].writes()) continue;
        const auto replaced = [&](const Use* o) { return replaces(all[u], *o); };
        open.erase(std::remove_if(open.begin(), open.end(), replaced), open.end());
      }
      for (; i < end; ++i) open.push_back(&all[i]);
    }
    carried_edges(all, depth);
    slot_edges(tensor, all);
  }

  // Whether everything that comes after `write` may forget `old`: it waits for `old` in each
  // iteration and covers all that `old` touched.
  bool replaces(const Use& write, const Use& old) const {
    if (!write.region.dense || !(write.region.offset == old.region.offset) ||
        !(write.region.partition == old.region.partition)) {
      return false;
    }
    if (!always_together(write.inst, old.inst)) return false;
    return write.region.begin <= old.region.begin && old.region.end <= write.region.end &&
           write.region.partitions >= old.region.partitions;
  }

  // Whether one is executed exactly as often as the other. What stands before the exit of a loop
  // without bounds comes once more than what stands behind it.
  bool always_together(InstId a, InstId b) const {
    const auto& around = structure_.around(a);
    return around == structure_.around(b) &&
           std::none_of(around.begin(), around.end(), [&](const Enclosure& e) {
             return e.kind == Enclosure::Kind::Loop &&
                    program_.loops[e.id].kind == isa::Loop::Kind::While;
           });
  }

  // `second` comes later in the same iteration.
  void pair(const Use& first, const Use& second, int) {
    if (first.inst == second.inst || ordered_by_stream(first, second)) return;
    const int shared =
        isa::Structure::shared(structure_.around(first.inst), structure_.around(second.inst));
    if (!uses_.may_overlap(first, second, shared)) return;
    Edge edge{.producer = first.inst};
    if (first.writes() && !second.writes()) edge.at = part_needed(first, second, shared);
    add(second.inst, edge);
  }

  // The last instance of `write` that `read` may need, where one loop of the writer walks over the
  // tensor.
  std::vector<Affine> part_needed(const Use& write, const Use& read, int shared) const {
    const auto& path = structure_.around(write.inst);
    if (static_cast<int>(path.size()) != shared + 1 || path.back().kind != Enclosure::Kind::Loop)
      return {};
    const isa::Loop& loop = program_.loops[path.back().id];
    if (loop.kind != isa::Loop::Kind::Repeat || !loop.count.is_constant()) return {};
    const isa::Variable counter{isa::Variable::Kind::Counter, path.back().id};
    const int64_t step = write.region.offset.coefficient(counter);
    if (step <= 0 || write.region.offset.has_register() || read.region.offset.has_register())
      return {};
    Affine moved = write.region.offset;
    moved += Affine::counter(counter.id, -step);
    const Affine distance = read.region.offset - moved;
    Affine tile, rest(distance.constant);
    for (const isa::Term& t : distance.terms) {
      if (t.coefficient % step == 0) {
        tile += Affine::counter(t.variable.id, t.coefficient / step);
      } else {
        rest.terms.push_back(t);
      }
    }
    const int64_t reach = uses_.range(rest, {}).high + read.region.end - 1 - write.region.begin;
    tile += Affine(reach >= 0 ? reach / step : -1);
    const Uses::Range values = uses_.range(tile, {});
    if (values.low < 0 || values.high >= loop.count.constant) return {};
    return {tile};
  }

  // Between iterations of loops inside the tensor's scope: an earlier turn's use against a later
  // turn's.
  void carried_edges(const std::vector<Use>& all, int depth) {
    for (const Use& later : all) {
      for (const Use& earlier : all) {
        if (!later.writes() && !earlier.writes()) continue;
        if (ordered_by_stream(earlier, later)) continue;
        const auto& path = structure_.around(later.inst);
        const int shared = isa::Structure::shared(path, structure_.around(earlier.inst));
        for (int i = shared - 1; i >= depth; --i) {
          if (ends_in_barrier(path[i])) break;
          if (!is_repeat(path[i])) continue;
          if (!uses_.may_overlap_across(earlier, later, shared, path[i].id)) continue;
          add(later.inst, {.producer = earlier.inst, .lag_loop = path[i].id, .lag = 1});
          break;  // counted over the whole run: covers the loops around, too
        }
      }
    }
  }

  bool is_repeat(const Enclosure& e) const {
    return e.kind == Enclosure::Kind::Loop && program_.loops[e.id].kind == isa::Loop::Kind::Repeat;
  }

  // Every entry of the loop is over, and known to be, before anything behind it starts. The last
  // iteration of a `loop` without bounds stops at its exit, where there is no barrier.
  bool ends_in_barrier(const Enclosure& e) const {
    return e.kind == Enclosure::Kind::Loop && program_.loops[e.id].kind == isa::Loop::Kind::Counted;
  }

  // A new instance takes the bytes of the one `slots` instances back. In each turn of the innermost
  // repeat around there is at most one, unless a loop without bounds lies between, of which only
  // the last iteration may still be going on.
  void slot_edges(TensorId tensor, const std::vector<Use>& all) {
    const auto& around = structure_.around_tensor(tensor);
    int lag = std::max(1, program_.placement.tensors[tensor].slots);
    auto e = around.rbegin();
    for (; e != around.rend() && !is_repeat(*e); ++e) {
      if (ends_in_barrier(*e)) return;
      if (e->kind == Enclosure::Kind::Loop) lag = 1;
    }
    if (e == around.rend()) return;
    for (const Use& write : all) {
      if (!write.writes()) continue;
      for (const Use& old : all) {
        if (stream(write.inst) == stream(old.inst))
          continue;  // write after read or write, in order
        add(write.inst, {.producer = old.inst, .lag_loop = e->id, .lag = lag});
      }
    }
  }

  // ------------------------------------------------ tensors that share bytes

  struct Span {
    int64_t begin = 0, end = 0;
    int64_t partition = 0, partition_end = 0;
    bool meets(const Span& o) const {
      return begin < o.end && o.begin < end && partition < o.partition_end &&
             o.partition < partition_end;
    }
    bool covers(const Span& o) const {
      return begin <= o.begin && o.end <= end && partition <= o.partition &&
             o.partition_end <= partition_end;
    }
  };
  struct Occupant {
    TensorId tensor = -1;
    Span span;
    LoopId lag_loop = -1;  // entered in an earlier iteration of this loop
  };

  Span span(TensorId t) const {
    const isa::Tensor& tensor = program_.tensors[t];
    const isa::TensorPlace& place = program_.placement.tensors[t];
    const int64_t end =
        *place.address + (std::max(1, place.slots) - 1) * place.pitch + tensor.free_bytes();
    return {*place.address, end, place.partition,
            place.partition + std::max<int64_t>(1, tensor.partitions())};
  }

  // Walks the declarations in body order. A repeat's body is walked twice: the second time what is
  // found there was left by the iteration before.
  void occupy_block(const isa::Block& block, LoopId repeat) {
    const size_t first = entered_.size();
    occupy_once(block);
    if (repeat < 0 || entered_.size() == first) return;
    const std::vector<TensorId> inside(entered_.begin() + static_cast<std::ptrdiff_t>(first),
                                       entered_.end());
    for (const TensorId t : inside) set_lag(t, repeat);
    occupy_once(block);
    for (const TensorId t : inside) set_lag(t, -1);
  }

  void set_lag(TensorId tensor, LoopId loop) {
    const auto it = where_.find(tensor);
    if (it != where_.end()) it->second->second.lag_loop = loop;
  }

  // A tensor takes its bytes where it is first used: that may be long after its declaration, and
  // another one may have come and gone meanwhile.
  void occupy_once(const isa::Block& block) {
    using Kind = isa::Statement::Kind;
    std::set<TensorId> waiting;
    for (const isa::Statement& s : block) {
      if (s.kind == Kind::Tensor && program_.tensors[s.id].memory == memory_ &&
          !program_.tensors[s.id].view) {
        waiting.insert(s.id);
      }
    }
    for (const isa::Statement& s : block) {
      if (!waiting.empty()) occupy_used(s, waiting);
      if (s.kind == Kind::Loop) {
        const bool repeats = program_.loops[s.id].kind == isa::Loop::Kind::Repeat;
        occupy_block(program_.loops[s.id].body, repeats ? s.id : -1);
      } else if (s.kind == Kind::Branch) {
        occupy_once(program_.branches[s.id].then_block);
        occupy_once(program_.branches[s.id].else_block);
      }
    }
  }

  // Those of `waiting` that the statement uses.
  void occupy_used(const isa::Statement& s, std::set<TensorId>& waiting) {
    using Kind = isa::Statement::Kind;
    const auto inside = [&](const isa::Block& block) {
      for (const isa::Statement& inner : block) occupy_used(inner, waiting);
    };
    if (s.kind == Kind::Instruction) {
      for (const Use& u : uses_.of_inst(s.id)) {
        if (waiting.erase(u.tensor) > 0) occupy(u.tensor);
      }
    } else if (s.kind == Kind::Loop) {
      inside(program_.loops[s.id].body);
    } else if (s.kind == Kind::Branch) {
      inside(program_.branches[s.id].then_block);
      inside(program_.branches[s.id].else_block);
    }
  }

  void occupy(TensorId tensor) {
    const Span mine = span(tensor);
    longest_ = std::max(longest_, mine.end - mine.begin);
    for (auto it = occupants_.lower_bound(mine.begin - longest_);
         it != occupants_.end() && it->first < mine.end;) {
      const Occupant& o = it->second;
      if (o.tensor != tensor && o.span.meets(mine)) wait_for_tensor(tensor, o);
      if (o.tensor == tensor || (mine.covers(o.span) && always_beside(tensor, o.tensor))) {
        where_.erase(o.tensor);
        it = occupants_.erase(it);
      } else {
        ++it;
      }
    }
    where_[tensor] = occupants_.emplace(mine.begin, Occupant{tensor, mine, -1});
    entered_.push_back(tensor);
  }

  // Whether `tensor` is used in every iteration in which `old` is, so that waiting for it is
  // enough.
  bool always_beside(TensorId tensor, TensorId old) const {
    const auto& mine = structure_.around_tensor(tensor);
    const auto shared =
        static_cast<size_t>(isa::Structure::shared(mine, structure_.around_tensor(old)));
    const bool reached = std::all_of(
        mine.begin() + static_cast<std::ptrdiff_t>(shared), mine.end(), [&](const Enclosure& e) {
          return is_repeat(e) && program_.loops[e.id].count.is_constant() &&
                 program_.loops[e.id].count.constant > 0;
        });
    const auto depth = mine.size();
    const auto& uses = uses_.of_tensor(tensor);
    return reached && std::any_of(uses.begin(), uses.end(), [&](const Use& u) {
             return u.writes() && structure_.around(u.inst).size() == depth;
           });
  }

  void wait_for_tensor(TensorId tensor, const Occupant& old) {
    for (const Use& write : uses_.of_tensor(tensor)) {
      if (!write.writes()) continue;
      for (const Use& use : uses_.of_tensor(old.tensor)) {
        if (stream(write.inst) == stream(use.inst)) continue;
        if (old.lag_loop < 0 && structure_.order(use.inst) > structure_.order(write.inst)) continue;
        Edge edge{.producer = use.inst};
        if (old.lag_loop >= 0) edge.lag_loop = old.lag_loop, edge.lag = 1;
        add(write.inst, edge);
      }
    }
  }

  // ------------------------------------------------ fewer edges

  // Of several producers in one block and stream the last implies the others.
  void tidy(isa::InstPlace& place, size_t given) {
    auto& after = place.after;
    const auto implied = [&](const Edge& e) {
      return std::any_of(after.begin(), after.end(), [&](const Edge& o) {
        return &o != &e && e.at.empty() && o.at.empty() && o.lag_loop == e.lag_loop &&
               o.lag == e.lag && stream(o.producer) == stream(e.producer) &&
               always_together(o.producer, e.producer) &&
               structure_.order(o.producer) > structure_.order(e.producer) &&
               no_ahead(o.producer) && no_ahead(e.producer);
      });
    };
    std::vector<Edge> kept;
    for (size_t e = 0; e < after.size(); ++e) {
      if (e < given || !implied(after[e])) kept.push_back(after[e]);
    }
    after = std::move(kept);
  }
  bool no_ahead(InstId inst) const { return program_.placement.insts[inst].ahead == 0; }

  isa::Program& program_;
  const Uses& uses_;
  const isa::Structure& structure_;
  const std::vector<size_t>& given_;
  Report& report_;
  isa::Memory memory_ = isa::Memory::Sbuf;
  std::multimap<int64_t, Occupant> occupants_;  // by first byte
  std::map<TensorId, std::multimap<int64_t, Occupant>::iterator> where_;
  std::vector<TensorId> entered_;  // in the order of the walk
  int64_t longest_ = 0;            // span of an occupant
};

}  // namespace

void add_edges(isa::Program& program, const Uses& uses, const std::vector<size_t>& given,
               Report& report) {
  EdgeFinder(program, uses, given, report).run();
}

}  // namespace trainyard::place
