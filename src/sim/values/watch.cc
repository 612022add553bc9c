#include "sim/values/watch.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "sim/execute/tile/elementwise.h"
#include "sim/execute/tile/odometer.h"

namespace trainyard::sim {
namespace {

// Calls f(first byte, bytes) for elements that are neighbours, as many at once as the innermost dim
// allows.
template <class F>
void each_run(const Pattern& p, int64_t offset, F f) {
  for (int64_t row = 0; row < p.rows; ++row) {
    const int64_t start = offset + row * p.pitch;
    if (p.dims.empty()) {
      f(start, p.size());
      continue;
    }
    const bool dense = p.dims.back().step == p.size();
    Odometer at(p.dims, 0);
    for (int64_t i = 0; i < p.count;) {
      const int64_t n = dense ? at.left() : 1;
      f(start + at.offset(), n * p.size());
      at.advance(n);
      i += n;
    }
  }
}

// How many of `n` bytes are 1, the others being 0. Eight at a time: tiles have many bytes.
int64_t ones(const uint8_t* bytes, int64_t n) {
  int64_t sum = 0;
  for (; n >= 8; n -= 8, bytes += 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    sum += static_cast<int64_t>(word * 0x0101010101010101 >> 56);
  }
  for (; n > 0; --n) sum += *bytes++;
  return sum;
}

constexpr int64_t kIntegerPoison = 4;

}  // namespace

Watch::Watch(const isa::Program& program, const std::vector<Home>& homes)
    : program_(program), homes_(homes), written_(program.tensors.size()) {}

void Watch::new_instance(isa::TensorId root, std::byte* data) {
  const isa::Tensor& t = program_.tensors[root];
  const isa::Operand poison = numerics::is_float(t.dtype)
                                  ? isa::Operand(std::numeric_limits<float>::quiet_NaN())
                                  : isa::Operand(kIntegerPoison);
  const int64_t size = numerics::size_of(t.dtype);
  const Pattern all = make_pattern(t.dtype, 1, 0, {{size, homes_[root].bytes / size}});
  fill({data, &all}, stored_word(poison, t.dtype, {}));
  forget(root);
}

void Watch::bound(isa::TensorId root, bool initialised) {
  if (!initialised) forget(root);
}

void Watch::forget(isa::TensorId root) {
  Written& w = written_[root];
  w.left = homes_[root].bytes;
  w.bytes.assign(static_cast<size_t>(w.left), 0);
}

bool Watch::is_written(isa::TensorId root, const Pattern& pattern, int64_t offset) const {
  const Written& w = written_[root];
  if (w.left == 0) return true;
  bool all = true;
  each_run(pattern, offset, [&](int64_t at, int64_t n) {
    all = all && std::memchr(w.bytes.data() + at, 0, static_cast<size_t>(n)) == nullptr;
  });
  return all;
}

void Watch::mark(isa::TensorId root, const Pattern& pattern, int64_t offset) {
  Written& w = written_[root];
  if (w.left == 0) return;
  each_run(pattern, offset, [&](int64_t at, int64_t n) {
    uint8_t* bytes = w.bytes.data() + at;
    w.left -= n - ones(bytes, n);
    std::memset(bytes, 1, static_cast<size_t>(n));
  });
}

void Watch::report(Lane& lane, isa::InstId inst, Status status) {
  const auto [at, is_new] = known_.try_emplace({inst, status.code()}, lane.events.size());
  if (!is_new) {
    ++lane.events[at->second].times;
    return;
  }
  lane.events.push_back({.status = status.at(isa::place_of(program_, program_.insts[inst].source)),
                         .inst = inst,
                         .counters = lane.counters});
}

void Watch::report_unwritten(Lane& lane, isa::InstId inst, std::string_view operand,
                             isa::TensorId root) {
  report(lane, inst,
         error("TY-CHK-030",
               "{}: {} reads elements of '{}' that nothing has written since the tensor was "
               "declared; write them first, with memset or a load",
               program_.insts[inst].label, operand, program_.tensors[root].name));
}

void Watch::before(isa::InstId inst, const std::vector<WatchedOperand>& operands, Lane& lane) {
  range_ = {};
  lane.exec.ranges = &range_;
  for (const WatchedOperand& o : operands) {
    if (o.role == isa::Role::Write || (o.role == isa::Role::Update && !o.reads_old)) continue;
    if (is_written(o.at.root, o.at.pattern, o.at.offset(lane))) continue;
    report_unwritten(lane, inst, o.name, o.at.root);
  }
}

void Watch::after(isa::InstId inst, const std::vector<WatchedOperand>& operands, Lane& lane) {
  lane.exec.ranges = nullptr;
  if (range_.count > 0) {
    const auto& act = std::get<isa::Activation>(program_.insts[inst].op);
    const numerics::InputRange valid = numerics::valid_range(act.op);
    report(lane, inst,
           error("TY-CHK-031",
                 "{}: {} inputs of {} are outside its range {}{} to {}, the first is {}; on the "
                 "machine the result is invalid: select or scale them beforehand",
                 program_.insts[inst].label, range_.count, numerics::name(act.op),
                 valid.magnitude ? "of magnitudes " : "", valid.lo, valid.hi, range_.first));
  }
  for (const WatchedOperand& o : operands) {
    if (o.role != isa::Role::Read) mark(o.at.root, o.at.pattern, o.at.offset(lane));
  }
}

void Watch::report_twice(Lane& lane, isa::InstId inst, const IndexedRows& dst) {
  std::set<int64_t> seen;
  for (int64_t row = 0; row < dst.rows(); ++row) {
    const int64_t index = dst.index_of(row);
    if (seen.insert(index).second) continue;
    report(lane, inst,
           error("TY-CHK-032",
                 "{}: row {} scatters to index {}, as a row before it; which one stays is "
                 "undefined: make the indices differ",
                 program_.insts[inst].label, row, index));
  }
}

void Watch::report_outside(Lane& lane, isa::InstId inst, const IndexedRows& rows) {
  for (int64_t row = 0; row < rows.rows(); ++row) {
    if (rows.is_inside(rows.index_of(row))) continue;
    report(lane, inst,
           error("TY-CHK-033",
                 "{}: index {} of row {} leads outside the tensor; correct the index tile",
                 program_.insts[inst].label, rows.index_of(row), row));
  }
}

void Watch::indexed_copy(isa::InstId inst, const Rows& dst, const Rows& src, Lane& lane) {
  const auto each_row = [](const IndexedRows& r, auto visit) {
    for (int64_t row = 0; row < r.rows(); ++row) {
      const int64_t index = r.index_of(row);
      if (r.is_inside(index)) visit(r.offset + index * r.side->step);
    }
  };
  if (src.rows.side != nullptr) {
    report_outside(lane, inst, src.rows);
    bool written = true;
    each_row(src.rows,
             [&](int64_t at) { written &= is_written(src.root, src.rows.side->row, at); });
    if (!written) report_unwritten(lane, inst, "src", src.root);
  }
  if (dst.rows.side != nullptr) {
    report_outside(lane, inst, dst.rows);
    report_twice(lane, inst, dst.rows);
    each_row(dst.rows, [&](int64_t at) { mark(dst.root, dst.rows.side->row, at); });
  }
}

}  // namespace trainyard::sim
