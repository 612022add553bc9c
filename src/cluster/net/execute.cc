#include "cluster/net/execute.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "numerics/convert.h"

namespace trainyard::cluster {
namespace {

using numerics::Dtype;

// A run of elements inside every chunk.
struct Range {
  int64_t first, count;
};

// All sends of one step, and the ranks of the group that the members of the set stand for.
struct Set {
  const Stage& stage;
  int64_t base;  // rank of member 0
  int64_t rank(int32_t member) const { return base + member * stage.level.stride; }
};

// Calls `visit(offset)` for every combination of the coordinates of `levels`.
template <class Visit>
void for_offsets(std::span<const Level> levels, int64_t offset, Visit&& visit) {
  if (levels.empty()) return visit(offset);
  for (int64_t i = 0; i < levels.front().size; ++i) {
    for_offsets(levels.subspan(1), offset + i * levels.front().stride, visit);
  }
}

// The rank with the coordinates of `rank`, but 0 in `levels`.
int64_t without(std::span<const Level> levels, int64_t rank) {
  int64_t result = rank;
  for (const Level& level : levels) {
    result -= rank / level.stride % level.size * level.stride;
  }
  return result;
}

// The chunks of the group that chunk `number` of a stage stands for.
template <class Visit>
void for_chunks(const Set& set, int32_t number, Visit&& visit) {
  const int64_t own = without(set.stage.open, set.base);
  for_offsets(set.stage.open, own + number * set.stage.level.stride, visit);
}

// What to start a reduction from, and how to go on.
float identity(Reduction reduction) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return reduction == Reduction::Sum ? 0 : reduction == Reduction::Min ? kInfinity : -kInfinity;
}

float combined(Reduction reduction, float a, float b) {
  switch (reduction) {
    case Reduction::Sum:
      return a + b;
    case Reduction::Min:
      return std::min(a, b);
    case Reduction::Max:
      return std::max(a, b);
  }
  TY_CHECK(false);
}

// Values of all ranks: for each rank and chunk its elements.
class Memory {
 public:
  Memory(Dtype dtype, Reduction reduction, int64_t ranks, int64_t chunks, int64_t elements)
      : dtype_(dtype),
        reduction_(reduction),
        width_(numerics::size_of(dtype)),
        chunks_(chunks),
        elements_(elements),
        bytes_(static_cast<size_t>(ranks * chunks * elements * width_)),
        filled_(static_cast<size_t>(ranks * chunks * elements)) {}

  std::byte* at(int64_t rank, int64_t chunk, int64_t element) {
    return bytes_.data() + index(rank, chunk, element) * width_;
  }
  bool has(int64_t rank, int64_t chunk, const Range& range) const {
    const auto first = filled_.begin() + index(rank, chunk, range.first);
    return std::all_of(first, first + range.count, [](bool b) { return b; });
  }
  void forget(int64_t rank, int64_t chunk, const Range& range) { mark(rank, chunk, range, false); }
  void put(int64_t rank, int64_t chunk, const Range& range, const std::byte* from) {
    if (range.count == 0) return;
    std::memcpy(at(rank, chunk, range.first), from, static_cast<size_t>(range.count * width_));
    mark(rank, chunk, range, true);
  }
  // sum[i] += element i (or the lesser, or the greater), in fp32.
  void add_to(std::vector<float>& sum, int64_t rank, int64_t chunk, const Range& range) {
    std::vector<float> values(static_cast<size_t>(range.count));
    if (range.count == 0) return;
    numerics::widen(dtype_, at(rank, chunk, range.first), values.data(), values.size());
    for (size_t i = 0; i < values.size(); ++i) sum[i] = combined(reduction_, sum[i], values[i]);
  }
  void put_sum(int64_t rank, int64_t chunk, const Range& range, const std::vector<float>& sum) {
    if (range.count == 0) return;
    numerics::narrow(dtype_, sum.data(), at(rank, chunk, range.first), sum.size());
    mark(rank, chunk, range, true);
  }
  int64_t elements() const { return elements_; }
  int64_t chunks() const { return chunks_; }
  int64_t width() const { return width_; }

 private:
  int64_t index(int64_t rank, int64_t chunk, int64_t element) const {
    return (rank * chunks_ + chunk) * elements_ + element;
  }
  void mark(int64_t rank, int64_t chunk, const Range& range, bool value) {
    std::fill_n(filled_.begin() + index(rank, chunk, range.first), range.count, value);
  }

  Dtype dtype_;
  Reduction reduction_;
  int64_t width_, chunks_, elements_;
  std::vector<std::byte> bytes_;
  std::vector<bool> filled_;
};

// One write of a step, held back until all sends of the step have read.
struct Delivery {
  int64_t rank, chunk;
  Range range;
  std::vector<float> sum;        // of a reduction
  std::vector<std::byte> bytes;  // of a copy
  bool last;
};

class Runner {
 public:
  Runner(const Program& program, Dtype dtype, Reduction reduction, int64_t chunks, int64_t elements)
      : program_(program),
        identity_(identity(reduction)),
        value_(dtype, reduction, program.ranks, chunks, elements),
        partial_(dtype, reduction, program.ranks, chunks, elements) {}

  Memory& value() { return value_; }
  Memory& received() { return partial_; }

  void run() {
    const auto parts = static_cast<int64_t>(program_.parts.size());
    for (int64_t p = 0; p < parts; ++p) {
      part_ = {value_.elements() * p / parts, 0};
      part_.count = value_.elements() * (p + 1) / parts - part_.first;
      for (const Stage& stage : program_.parts[static_cast<size_t>(p)].stages) run_stage(stage);
    }
  }

 private:
  void run_stage(const Stage& stage) {
    for (int64_t base = 0; base < program_.ranks; ++base) {
      if (base / stage.level.stride % stage.level.size != 0) continue;
      // A broadcast has reached only the ranks with coordinate 0 in the faster levels.
      if (program_.op == Op::Broadcast && base % stage.level.stride != 0) continue;
      const Set set{stage, base};
      const int32_t steps = stage.schedule.steps + (stage.schedule.tail ? 1 : 0);
      for (int32_t step = 0; step < steps; ++step) run_step(set, step);
      if (stage.schedule.op == Op::ReduceScatter || stage.schedule.op == Op::AllReduce) {
        keep_results(set);
      }
    }
  }

  void run_step(const Set& set, int32_t step) {
    const Schedule& schedule = set.stage.schedule;
    list_.clear();
    for (int32_t member = 0; member < schedule.members.count; ++member) {
      emit(schedule, step, member, list_);
    }
    deliveries_.clear();
    for (const Send& send : list_.sends) {
      if (schedule.op == Op::ReduceScatter || schedule.op == Op::AllReduce) {
        read_sum(set, send);
      } else {
        read_copy(set, send);
      }
    }
    for (const Delivery& d : deliveries_) write(d);
  }

  Range range_of(const Schedule& schedule, const Send& send) const {
    if (send.slice < 0) return part_;
    const int64_t first = part_.count * send.slice / schedule.slices;
    return {part_.first + first, part_.count * (send.slice + 1) / schedule.slices - first};
  }

  void read_sum(const Set& set, const Send& send) {
    const Range range = range_of(set.stage.schedule, send);
    for (uint32_t c = 0; c < send.chunk_count; ++c) {
      for_chunks(set, list_.chunks[send.first_chunk + c], [&](int64_t chunk) {
        std::vector<float> sum(static_cast<size_t>(range.count), identity_);
        for (uint32_t i = 0; i < send.input_count; ++i) {
          const int64_t from = set.rank(list_.inputs[send.first_input + i]);
          TY_CHECK(value_.has(from, chunk, range));
          value_.add_to(sum, from, chunk, range);
        }
        if (send.forward) {
          TY_CHECK(partial_.has(set.rank(send.src), chunk, range));
          partial_.add_to(sum, set.rank(send.src), chunk, range);
        }
        deliveries_.push_back({set.rank(send.dst), chunk, range, sum, {}, send.last});
      });
    }
  }

  void read_copy(const Set& set, const Send& send) {
    const Range range = range_of(set.stage.schedule, send);
    for (uint32_t c = 0; c < send.chunk_count; ++c) {
      const int32_t holder = send.input_count > 0 ? list_.inputs[send.first_input + c] : send.src;
      for_chunks(set, list_.chunks[send.first_chunk + c], [&](int64_t chunk) {
        const int64_t from = set.rank(holder);
        TY_CHECK(value_.has(from, chunk, range));
        const std::byte* first = value_.at(from, chunk, range.first);
        const std::vector<std::byte> bytes(first, first + range.count * value_.width());
        deliveries_.push_back({set.rank(send.dst), chunk, range, {}, bytes, false});
        if (send.dst2 >= 0) {
          deliveries_.push_back({set.rank(send.dst2), chunk, range, {}, bytes, false});
        }
      });
    }
  }

  void write(const Delivery& d) {
    if (d.sum.empty()) {
      // A rank that passes its buffer on keeps it until it has been read.
      const bool apart = program_.op == Op::Permute || program_.op == Op::SendRecv;
      return (apart ? partial_ : value_).put(d.rank, d.chunk, d.range, d.bytes.data());
    }
    std::vector<float> sum = d.sum;
    if (!d.last && partial_.has(d.rank, d.chunk, d.range)) {
      partial_.add_to(sum, d.rank, d.chunk, d.range);
    }
    partial_.put_sum(d.rank, d.chunk, d.range, sum);
  }

  // The sums become the values that the next stage starts from; everything else is used up.
  void keep_results(const Set& set) {
    const bool everywhere = set.stage.schedule.op == Op::AllReduce;
    for (int32_t member = 0; member < set.stage.schedule.members.count; ++member) {
      const int64_t rank = set.rank(member);
      for (int32_t number = 0; number < set.stage.schedule.members.count; ++number) {
        for_chunks(set, number, [&](int64_t chunk) {
          value_.forget(rank, chunk, part_);
          if (everywhere || number == member) {
            TY_CHECK(partial_.has(rank, chunk, part_));
            value_.put(rank, chunk, part_, partial_.at(rank, chunk, part_.first));
          }
          partial_.forget(rank, chunk, part_);
        });
      }
    }
  }

  const Program& program_;
  float identity_;
  Memory value_, partial_;
  Range part_{0, 0};
  SendList list_;
  std::vector<Delivery> deliveries_;
};

// AllToAll moves every piece (from, for) without changing it, so it is enough to follow where each
// one is.
std::vector<int64_t> places_after_all_to_all(const Program& program) {
  const int64_t n = program.ranks;
  std::vector<int64_t> place(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n * n; ++i) place[static_cast<size_t>(i)] = i / n;
  SendList list;
  struct Move {
    size_t piece;
    int64_t to;
  };
  std::vector<Move> moves;
  for (const Stage& stage : program.parts.front().stages) {
    for (int64_t base = 0; base < n; ++base) {
      if (base / stage.level.stride % stage.level.size != 0) continue;
      const Set set{stage, base};
      // Levels faster than this one are still as the sender has them; slower ones are done.
      const int64_t slow =
          base / (stage.level.stride * stage.level.size) * (stage.level.stride * stage.level.size);
      for (int32_t step = 0; step < stage.schedule.steps; ++step) {
        list.clear();
        for (int32_t m = 0; m < stage.schedule.members.count; ++m) {
          emit(stage.schedule, step, m, list);
        }
        moves.clear();
        for (const Send& send : list.sends) {
          for (uint32_t i = 0; i < send.input_count; ++i) {
            const int64_t fast = base % stage.level.stride;
            const int64_t origin = fast + list.inputs[send.first_input + i] * stage.level.stride;
            for (uint32_t c = 0; c < send.chunk_count; ++c) {
              const int64_t goal = slow + list.chunks[send.first_chunk + c] * stage.level.stride;
              for_offsets(stage.open, origin, [&](int64_t from) {
                for (int64_t to = goal; to < goal + stage.level.stride; ++to) {
                  const auto piece = static_cast<size_t>(from * n + to);
                  TY_CHECK(place[piece] == set.rank(send.src));
                  moves.push_back({piece, set.rank(send.dst)});
                }
              });
            }
          }
        }
        for (const Move& move : moves) place[move.piece] = move.to;
      }
    }
  }
  return place;
}

std::vector<Buffer> all_to_all(const Program& program, std::span<const Buffer> inputs) {
  const auto n = static_cast<size_t>(program.ranks);
  const size_t piece = inputs.front().size() / n;
  std::vector<Buffer> outputs(n, Buffer(inputs.front().size()));
  const std::vector<int64_t> place = places_after_all_to_all(program);
  for (size_t from = 0; from < n; ++from) {
    for (size_t to = 0; to < n; ++to) {
      TY_CHECK(place[from * n + to] == static_cast<int64_t>(to));
      std::memcpy(outputs[to].data() + from * piece, inputs[from].data() + to * piece, piece);
    }
  }
  return outputs;
}

std::vector<Buffer> pass_on(const Program& program, std::span<const Buffer> inputs) {
  const auto bytes = static_cast<int64_t>(inputs.front().size());
  Runner runner(program, Dtype::U8, Reduction::Sum, 1, bytes);
  const Range all{0, bytes};
  for (int64_t r = 0; r < program.ranks; ++r) {
    runner.value().put(r, 0, all, inputs[static_cast<size_t>(r)].data());
  }
  runner.run();
  std::vector<Buffer> outputs(inputs.size());
  for (int64_t r = 0; r < program.ranks; ++r) {
    if (!runner.received().has(r, 0, all)) continue;
    const std::byte* first = runner.received().at(r, 0, 0);
    outputs[static_cast<size_t>(r)].assign(first, first + bytes);
  }
  return outputs;
}

// AllGather, ReduceScatter, AllReduce and Broadcast: a buffer of one chunk per rank.
std::vector<Buffer> over_chunks(const Program& program, Dtype dtype, std::span<const Buffer> inputs,
                                Reduction reduction) {
  const int64_t n = program.ranks, width = numerics::size_of(dtype);
  const auto in = static_cast<int64_t>(inputs.front().size()) / width;
  const bool gather = program.op == Op::AllGather, scatter = program.op == Op::ReduceScatter;
  const int64_t elements = gather ? in : (in + n - 1) / n;
  Runner runner(program, dtype, reduction, n, elements);
  for (int64_t r = 0; r < n; ++r) {
    if (program.op == Op::Broadcast && r != 0) continue;
    Buffer padded = inputs[static_cast<size_t>(r)];
    padded.resize(static_cast<size_t>((gather ? 1 : n) * elements * width));
    for (int64_t c = 0; c < (gather ? 1 : n); ++c) {
      runner.value().put(r, gather ? r : c, {0, elements}, &padded[0] + c * elements * width);
    }
  }
  runner.run();
  std::vector<Buffer> outputs(inputs.size());
  for (int64_t r = 0; r < n; ++r) {
    Buffer& out = outputs[static_cast<size_t>(r)];
    for (int64_t c = scatter ? r : 0; c < (scatter ? r + 1 : n); ++c) {
      TY_CHECK(runner.value().has(r, c, {0, elements}));
      const std::byte* first = runner.value().at(r, c, 0);
      out.insert(out.end(), first, first + elements * width);
    }
    if (!gather && !scatter) out.resize(inputs.front().size());
  }
  return outputs;
}

Status check_inputs(const Program& program, Dtype dtype, std::span<const Buffer> inputs) {
  const auto n = static_cast<size_t>(program.ranks);
  const auto width = static_cast<size_t>(numerics::size_of(dtype));
  if (inputs.size() != n) {
    return error("TY-NET-005", "{} buffers for {} ranks", inputs.size(), n);
  }
  const bool divides = program.op == Op::ReduceScatter || program.op == Op::AllToAll;
  const size_t bytes = inputs.front().size();
  if (bytes == 0 || bytes % (divides ? n * width : width) != 0) {
    return error("TY-NET-005",
                 "{} of {} bytes over {} ranks: the size must be a multiple of {} bytes",
                 name(program.op), bytes, n, divides ? n * width : width);
  }
  for (const Buffer& buffer : inputs) {
    if (buffer.size() != bytes) {
      return error("TY-NET-005", "buffers of {} and {} bytes; all ranks must have the same", bytes,
                   buffer.size());
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Buffer>> execute(const Program& program, Dtype dtype,
                                    std::span<const Buffer> inputs, Reduction reduction) {
  TY_TRY(check_inputs(program, dtype, inputs));
  if (program.ranks == 1) return std::vector<Buffer>(inputs.begin(), inputs.end());
  switch (program.op) {
    case Op::AllGather:
    case Op::ReduceScatter:
    case Op::AllReduce:
    case Op::Broadcast:
      return over_chunks(program, dtype, inputs, reduction);
    case Op::AllToAll:
      return all_to_all(program, inputs);
    case Op::Permute:
    case Op::SendRecv:
      return pass_on(program, inputs);
  }
  TY_CHECK(false);
}

}  // namespace trainyard::cluster
