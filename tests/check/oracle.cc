#include "oracle.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "isa/operands.h"
#include "isa/structure.h"

namespace trainyard::check_test {
namespace {

using isa::InstId;
using isa::StreamItem;
using Execution = std::pair<InstId, int64_t>;            // instruction, instance
using Byte = std::tuple<isa::Memory, int64_t, int64_t>;  // partition (0 in HBM), address
using Own =
    std::tuple<isa::TensorId, int64_t, int64_t, int64_t>;  // tensor, instance, then as above

// Where an HBM tensor without an address lies: away from all others.
int64_t apart(isa::TensorId t) { return (int64_t{1} << 50) + (static_cast<int64_t>(t) << 40); }

// Who wrote a byte: an event and which of its operands, or one of these.
constexpr int kCaller = -1, kNothing = -2;
constexpr int kOperands = 16;

struct Use {
  isa::TensorId tensor = -1;
  int64_t instance = 0;
  int64_t base = 0;  // address of the tensor's byte 0
  int64_t tensor_partition = 0, first = 0, last = 0;
  std::vector<std::pair<int64_t, int64_t>> runs;  // bytes of the tensor
  std::vector<Byte> placed;
  std::vector<Own> own;
  bool reads = false, writes = false;
  bool must_be_there = false;  // the body has to have written all of it
  bool registers = false;      // an engine's own, which need no edge
};

struct Event {
  Execution execution;
  int engine = 0, stream = 0;
  bool replica = false;               // the same execution on another engine
  int issue = 0, start = 0, end = 0;  // nodes
  std::vector<Use> uses;
  bool matmul = false;
};

class Judge {
 public:
  Judge(const isa::Program& program, const isa::TripRecord& trips)
      : program_(program), trips_(trips), structure_(program) {}

  Verdict run() {
    unroll();
    find_points();
    if (!order_nodes() || never_) {
      verdict_.deadlock = true;
      verdict_.why = "a cycle of waits";
      return verdict_;
    }
    close();
    find_races();
    run_body();
    if (!verdict_.race) run_placement();
    return verdict_;
  }

 private:
  // ------------------------------------------------ events and nodes

  int node() {
    after_.emplace_back();
    return static_cast<int>(after_.size()) - 1;
  }
  void edge(int from, int to) { after_[from].push_back(to); }

  void unroll() {
    const std::vector<uint8_t> masks = isa::engine_masks(program_, structure_);
    struct Need {
      int event;
      Execution of;
    };
    std::vector<Need> needs;
    std::map<std::pair<isa::LoopId, int64_t>, int> barriers;
    std::map<int, int> last_of_stream;
    for (const hw::Engine engine : hw::kEngines) {
      const int e = static_cast<int>(hw::index(engine));
      isa::StreamWalker walker(program_, structure_, engine, trips_);
      int last_issue = -1;
      std::vector<int> mine;
      while (walker.next()) {
        const StreamItem item = walker.item();
        if (item.kind == StreamItem::Kind::LoopTurn) {
          const auto [it, is_new] = barriers.try_emplace({item.id, item.instance}, 0);
          if (is_new) it->second = node();
          for (const int m : mine) edge(events_[m].end, it->second);
          if (last_issue >= 0) edge(last_issue, it->second);
          last_issue = it->second;
          continue;
        }
        if (item.kind != StreamItem::Kind::Instruction) continue;
        const int id = add_event(walker, e);
        Event& event = events_[id];
        event.replica = *program_.placement.insts[item.id].engine != engine;
        if (last_issue >= 0) edge(last_issue, event.issue);
        last_issue = event.issue;
        const auto before = last_of_stream.find(event.stream);
        if (before != last_of_stream.end()) {
          edge(events_[before->second].start, event.start);
          edge(events_[before->second].end, event.end);
        }
        last_of_stream[event.stream] = id;
        mine.push_back(id);
        ends_[event.execution].push_back(event.end);
        for (const isa::Need& n : walker.needs()) needs.push_back({id, {n.producer, n.count - 1}});
      }
    }
    for (const Need& n : needs) {
      if (ends_[n.of].empty()) never_ = true;
      for (const int end : ends_[n.of]) edge(end, events_[n.event].issue);
    }
  }

  int add_event(const isa::StreamWalker& walker, int engine) {
    const InstId inst = walker.item().id;
    const isa::InstPlace& place = program_.placement.insts[inst];
    Event event{.execution = {inst, walker.item().instance}, .engine = engine};
    event.stream = place.queue >= 0 ? 100 + place.queue : engine;
    event.issue = node();
    event.start = node();
    event.end = node();
    edge(event.issue, event.start);
    edge(event.start, event.end);
    const auto* mm = std::get_if<isa::Matmul>(&program_.insts[inst].op);
    event.matmul = mm != nullptr;
    isa::each_access(program_.insts[inst].op,
                     [&](std::string_view, const isa::Access& a, isa::Role role) {
                       Use use = touched(walker, a);
                       use.reads = role != isa::Role::Write;
                       use.writes = role != isa::Role::Read;
                       use.must_be_there = role == isa::Role::Read;
                       event.uses.push_back(std::move(use));
                     });
    // The reduce registers of the scalar engine, as one byte of their own.
    const isa::HiddenState h = isa::hidden_state(program_.insts[inst].op);
    if (h.act_reduce_read || h.act_reduce_write) {
      Use use{.reads = h.act_reduce_read, .writes = h.act_reduce_write, .registers = true};
      use.placed.emplace_back(isa::Memory::Sbuf, -1, -1);
      use.own.emplace_back(-1, 0, 0, 0);
      event.uses.push_back(std::move(use));
    }
    events_.push_back(std::move(event));
    return static_cast<int>(events_.size()) - 1;
  }

  int64_t base_of(isa::TensorId t, int64_t instance) const {
    const isa::Tensor& tensor = program_.tensors[t];
    const isa::TensorPlace& place = program_.placement.tensors[t];
    int64_t pitch = place.pitch > 0 ? place.pitch : tensor.free_bytes();
    if (place.pitch == 0 && tensor.memory == isa::Memory::Psum)
      pitch = (pitch + 2047) / 2048 * 2048;
    return place.address.value_or(apart(t)) + instance % std::max(1, place.slots) * pitch;
  }

  // What is touched, by counting through the pattern; contiguous elements go together.
  Use touched(const isa::StreamWalker& walker, const isa::Access& a) const {
    Use use;
    use.tensor = a.tensor;
    int64_t view = 0;
    while (program_.tensors[use.tensor].view) {
      view += program_.tensors[use.tensor].view->offset;
      use.tensor = program_.tensors[use.tensor].view->base;
    }
    const isa::Tensor& tensor = program_.tensors[use.tensor];
    use.instance = walker.tensor_instance(use.tensor);
    use.base = base_of(use.tensor, use.instance);
    if (tensor.on_chip()) {
      use.tensor_partition = program_.placement.tensors[use.tensor].partition;
      use.first = a.partition.value(walker.counters());
    }
    use.last = use.first + std::max<int64_t>(1, a.partitions);
    const int64_t size = numerics::size_of(a.dtype);
    int64_t width = size;
    size_t outer = a.dims.size();
    for (; outer > 0 && a.dims[outer - 1].step * size == width; --outer)
      width *= a.dims[outer - 1].count;
    const std::function<void(size_t, int64_t)> count = [&](size_t dim, int64_t element) {
      if (dim == outer) {
        use.runs.emplace_back(element * size + view, element * size + view + width);
        return;
      }
      for (int64_t i = 0; i < a.dims[dim].count; ++i)
        count(dim + 1, element + i * a.dims[dim].step);
    };
    count(0, a.offset.value(walker.counters()));
    return use;
  }

  // ------------------------------------------------ bytes that stand for others

  using Points = std::array<std::vector<int64_t>, 3>;  // by memory, in order

  void find_points() {
    const auto add = [](std::vector<int64_t>& to, int64_t from, int64_t end) {
      to.push_back(from);
      to.push_back(end);
    };
    for (const Event& event : events_) {
      for (const Use& use : event.uses) {
        if (use.registers) continue;
        const auto m = static_cast<size_t>(program_.tensors[use.tensor].memory);
        for (const auto& [from, end] : use.runs) add(bytes_[m], use.base + from, use.base + end);
        add(partitions_[m], use.tensor_partition + use.first, use.tensor_partition + use.last);
      }
    }
    for (size_t t = 0; t < program_.tensors.size(); ++t) {
      const int64_t base = base_of(static_cast<isa::TensorId>(t), 0);
      const auto m = static_cast<size_t>(program_.tensors[t].memory);
      if (program_.tensors[t].io != isa::Io::None)
        add(bytes_[m], base, base + program_.tensors[t].free_bytes());
    }
    for (Points* points : {&bytes_, &partitions_}) {
      for (auto& list : *points) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
      }
    }
    for (Event& event : events_) {
      for (Use& use : event.uses) {
        if (!use.registers) expand(use);
      }
    }
  }

  static std::vector<int64_t> within(const std::vector<int64_t>& points, int64_t from,
                                     int64_t end) {
    return {std::lower_bound(points.begin(), points.end(), from),
            std::lower_bound(points.begin(), points.end(), end)};
  }

  void expand(Use& use) const {
    const isa::Memory memory = program_.tensors[use.tensor].memory;
    const auto m = static_cast<size_t>(memory);
    std::set<int64_t> bytes;
    for (const auto& [from, end] : use.runs) {
      for (const int64_t b : within(bytes_[m], use.base + from, use.base + end)) bytes.insert(b);
    }
    for (const int64_t p : within(partitions_[m], use.tensor_partition + use.first,
                                  use.tensor_partition + use.last)) {
      for (const int64_t b : bytes) {
        use.placed.emplace_back(memory, p, b);
        use.own.emplace_back(use.tensor, use.instance, p - use.tensor_partition, b - use.base);
      }
    }
  }

  // ------------------------------------------------ happens-before

  bool order_nodes() {
    std::vector<int> waits(after_.size(), 0);
    for (const auto& next : after_) {
      for (const int n : next) ++waits[n];
    }
    std::vector<int> ready;
    for (size_t n = 0; n < waits.size(); ++n) {
      if (waits[n] == 0) ready.push_back(static_cast<int>(n));
    }
    while (!ready.empty()) {
      const int n = ready.back();
      ready.pop_back();
      order_.push_back(n);
      for (const int m : after_[n]) {
        if (--waits[m] == 0) ready.push_back(m);
      }
    }
    return order_.size() == after_.size();
  }

  void close() {
    const size_t words = (after_.size() + 63) / 64;
    reach_.assign(after_.size(), std::vector<uint64_t>(words, 0));
    for (auto n = order_.rbegin(); n != order_.rend(); ++n) {
      for (const int m : after_[*n]) {
        reach_[*n][m / 64] |= uint64_t{1} << (m % 64);
        for (size_t w = 0; w < words; ++w) reach_[*n][w] |= reach_[m][w];
      }
    }
  }
  bool reaches(int from, int to) const { return reach_[from][to / 64] >> (to % 64) & 1; }

  // ------------------------------------------------ races

  struct Touch {
    int event = 0;
    bool reads = false, writes = false;
  };

  static uint64_t packed(const Touch& t) {
    return static_cast<uint64_t>(t.event) << 2 | static_cast<uint64_t>(t.reads) << 1 |
           static_cast<uint64_t>(t.writes);
  }

  bool in_order(const Touch& a, const Touch& b) const {
    const Event& x = events_[a.event];
    const Event& y = events_[b.event];
    if (reaches(x.end, y.start)) return true;
    if (x.stream != y.stream || !reaches(x.start, y.start)) return false;
    // In one stream a write may follow; only a read of what was written must wait.
    if (a.writes && b.reads) return x.matmul && y.matmul && b.writes;
    return true;
  }

  void find_races() {
    std::map<Byte, std::vector<Touch>> touches;
    for (size_t e = 0; e < events_.size(); ++e) {
      for (const Use& use : events_[e].uses) {
        if (use.registers) continue;
        for (const Byte& b : use.placed)
          touches[b].push_back({static_cast<int>(e), use.reads, use.writes});
      }
    }
    std::unordered_set<uint64_t> seen;
    for (const auto& [byte, list] : touches) {
      for (size_t i = 0; i < list.size(); ++i) {
        for (size_t j = i + 1; j < list.size(); ++j) {
          const Touch &a = list[i], &b = list[j];
          if (a.event == b.event || (!a.writes && !b.writes)) continue;
          if (!seen.insert(packed(a) << 32 | packed(b)).second) continue;
          if (in_order(a, b) || in_order(b, a)) continue;
          if (!verdict_.race) verdict_.why = name(a.event) + " races with " + name(b.event);
          verdict_.race = true;
        }
      }
    }
  }

  std::string name(int event) const {
    if (event < 0) return event == kNothing ? "nothing" : "the caller";
    const Event& e = events_[event];
    return program_.insts[e.execution.first].label + "#" + std::to_string(e.execution.second);
  }

  // ------------------------------------------------ writers

  bool from_caller(isa::TensorId t) const {
    if (t < 0) return false;
    return program_.tensors[t].io == isa::Io::In || program_.tensors[t].io == isa::Io::InOut;
  }

  // Who wrote each byte that an execution reads, in body order.
  void run_body() {
    std::map<Execution, int> first;  // event that stands for all replicas
    for (size_t e = 0; e < events_.size(); ++e) {
      if (!events_[e].replica) first[events_[e].execution] = static_cast<int>(e);
    }
    std::vector<InstId> all;
    for (size_t i = 0; i < program_.insts.size(); ++i) all.push_back(static_cast<InstId>(i));
    isa::StreamWalker walker(program_, structure_, all, trips_);
    struct State {
      int writer = kNothing;
      bool open = false;  // a sum that goes on
    };
    std::map<Own, State> memory;
    const auto state = [&](const Own& b) -> State& {
      const auto [it, is_new] = memory.try_emplace(b);
      if (is_new && from_caller(std::get<0>(b))) it->second.writer = kCaller;
      return it->second;
    };
    while (walker.next()) {
      if (walker.item().kind != StreamItem::Kind::Instruction) continue;
      const int id = first.at({walker.item().id, walker.item().instance});
      const Event& event = events_[id];
      const bool tensor_engine = event.stream == 0;
      auto& wanted = expected_[event.execution];
      for (const Use& use : event.uses) {
        for (const Own& b : use.own) {
          State& s = state(b);
          if (!use.reads) continue;
          const bool sum = event.matmul && use.writes;
          wanted.push_back(sum && !s.open ? kNothing : s.writer);
          if (use.must_be_there && s.writer == kNothing) {
            verdict_.uninitialised = true;
            if (verdict_.why.empty()) verdict_.why = name(id) + " reads what nobody wrote";
          }
          if (!tensor_engine) s.open = false;
        }
      }
      for (const Use& use : event.uses) {
        if (!use.writes) continue;
        const int writer = id * kOperands + static_cast<int>(&use - event.uses.data());
        for (const Own& b : use.own) state(b) = {writer, event.matmul};
      }
    }
    for (const auto& [byte, s] : memory) final_[byte] = s.writer;
  }

  void run_placement() {
    std::map<Byte, int> memory;
    for (size_t t = 0; t < program_.tensors.size(); ++t) {
      const isa::Tensor& tensor = program_.tensors[t];
      if (!from_caller(static_cast<isa::TensorId>(t)) || tensor.view) continue;
      const int64_t base = base_of(static_cast<isa::TensorId>(t), 0);
      const auto m = static_cast<size_t>(tensor.memory);
      for (const int64_t b : within(bytes_[m], base, base + tensor.free_bytes()))
        memory[{tensor.memory, 0, b}] = -100 - static_cast<int>(t);
    }
    std::map<int, int> at_start;
    for (size_t e = 0; e < events_.size(); ++e) at_start[events_[e].start] = static_cast<int>(e);
    for (const int n : order_) {
      const auto found = at_start.find(n);
      if (found == at_start.end()) continue;
      const Event& event = events_[found->second];
      const std::vector<int>& wanted = expected_[event.execution];
      size_t k = 0;
      for (const Use& use : event.uses) {
        if (!use.reads) continue;
        for (size_t i = 0; i < use.placed.size(); ++i, ++k)
          compare(memory, use.placed[i], std::get<0>(use.own[i]), wanted[k], found->second);
      }
      for (const Use& use : event.uses) {
        if (!use.writes) continue;
        const int writer = found->second * kOperands + static_cast<int>(&use - event.uses.data());
        for (const Byte& b : use.placed) {
          const auto [it, is_new] = memory.try_emplace(b, writer);
          // Two results of one instruction in one place come in no order.
          if (!is_new && it->second >= 0 && it->second / kOperands == found->second) {
            verdict_.wrong = true;
            verdict_.why = name(found->second) + " writes a byte twice";
          }
          it->second = writer;
        }
      }
    }
    for (const auto& [own, writer] : final_) {
      const auto& [t, instance, partition, byte] = own;
      if (t < 0) continue;
      const isa::Io io = program_.tensors[t].io;
      if (io != isa::Io::Out && io != isa::Io::InOut) continue;
      compare(memory, {isa::Memory::Hbm, 0, base_of(t, 0) + byte}, t, writer, -1);
    }
  }

  void compare(const std::map<Byte, int>& memory, const Byte& byte, isa::TensorId tensor,
               int wanted, int event) {
    if (wanted == kNothing) return;
    if (wanted == kCaller) wanted = -100 - tensor;
    const auto it = memory.find(byte);
    const int got = it == memory.end() ? kNothing : it->second;
    const bool same = got == wanted;
    if (same || verdict_.wrong) return;
    verdict_.wrong = true;
    const auto writer = [&](int w) { return w >= 0 ? name(w / kOperands) : name(w); };
    verdict_.why = (event >= 0 ? name(event) : "the caller") + " sees " + writer(got) +
                   " instead of " + writer(wanted);
  }

  const isa::Program& program_;
  const isa::TripRecord& trips_;
  isa::Structure structure_;
  std::vector<Event> events_;
  Points bytes_, partitions_;
  std::vector<std::vector<int>> after_;
  std::map<Execution, std::vector<int>> ends_;
  std::vector<int> order_;
  std::vector<std::vector<uint64_t>> reach_;
  std::map<Execution, std::vector<int>> expected_;  // writer of each byte it reads
  std::map<Own, int> final_;
  bool never_ = false;  // somebody waits for what never happens
  Verdict verdict_;
};

}  // namespace

Verdict judge(const isa::Program& program, const isa::TripRecord& trips) {
  return Judge(program, trips).run();
}

}  // namespace trainyard::check_test
