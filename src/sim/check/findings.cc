#include "sim/check/findings.h"

#include <algorithm>

#include "isa/stream.h"

namespace trainyard::sim::hazard {

using isa::InstId;

Findings::Findings(const isa::Program& program, const isa::Structure& structure,
                   const isa::TripRecord& trips, const Layout& layout, const hw::CoreSpec& core,
                   int64_t most)
    : program_(program),
      structure_(structure),
      trips_(trips),
      layout_(layout),
      core_(core),
      most_(most) {}

Finding* Findings::open(FindingKind kind, std::string_view code, const Touch& me,
                        const Touch& other) {
  const auto [it, is_new] = known_.try_emplace(Key{kind, code, me.inst, other.inst}, all_.size());
  if (!is_new) {
    if (it->second >= all_.size()) return nullptr;
    Finding& f = all_[it->second];
    if (last_[it->second] != me.instance) ++f.times;
    last_[it->second] = me.instance;
    return nullptr;
  }
  if (static_cast<int64_t>(all_.size()) >= most_) {
    it->second = SIZE_MAX;
    return nullptr;
  }
  Finding f{.kind = kind, .inst = me.inst, .other = other.inst};
  f.instance = me.instance;
  f.other_instance = other.instance;
  all_.push_back(std::move(f));
  last_.push_back(me.instance);
  return &all_.back();
}

void Findings::close(Finding& f, std::string_view code, const std::string& text) {
  const SourcePlace place =
      f.inst >= 0 ? isa::place_of(program_, program_.insts[f.inst].source) : SourcePlace{};
  f.status = Status(code, text, place);
}

void Findings::add(FindingKind kind, Status status) {
  all_.push_back({.kind = kind, .status = std::move(status)});
  last_.push_back(-1);
}

void Findings::race(const Party& me, const Party& other, const Box& box) {
  Finding* f = open(FindingKind::Race, "TY-HAZ-001", me.touch, other.touch);
  if (f == nullptr) return;
  const auto verb = [](const Party& p) { return p.writes ? "writes" : "reads"; };
  const bool forward = other.touch.order < me.touch.order;
  const Touch& first = forward ? other.touch : me.touch;
  const Touch& second = forward ? me.touch : other.touch;
  std::string text = fmt::format("a {} races with a {}", me.writes ? "write" : "read",
                                 other.writes ? "write" : "read");
  text += fmt::format("\n    {} {} {}, {}{}", who(me.touch, false), verb(me), instance_of(me.touch),
                      where(box, me.touch.tensor), counters(me.touch));
  text += fmt::format("\n    {} {} {}{}", who(other.touch, true), verb(other),
                      instance_of(other.touch), counters(other.touch));
  text += fmt::format("\n    nothing orders {} after {}", label(second.inst), label(first.inst));
  text += fmt::format("\n    fix   add `{}` to {}", edge_that_orders(first, second),
                      label(second.inst));
  if (first.tensor != second.tensor) {
    text += fmt::format(", or place {} and {} apart", tensor_name(first), tensor_name(second));
  } else if (first.tensor_instance != second.tensor_instance) {
    text += fmt::format(", or give {} more than {} slots", tensor_name(first),
                        layout_.tensor(first.tensor).slots);
  }
  close(*f, "TY-HAZ-001", text);
}

void Findings::wrong_writer(const Party& me, const Touch& got, const Touch& wanted,
                            const Box& box) {
  Finding* f = open(FindingKind::WrongWriter, "TY-HAZ-003", me.touch, got);
  if (f == nullptr) return;
  close(
      *f, "TY-HAZ-003",
      fmt::format("a read sees another write than the body names\n    {} {} {}, {}{}\n    {} has "
                  "written it last{}\n    in the body {} comes last before it{}\n    fix   issue "
                  "none of them `ahead`, or let them wait for each other in the order of the body",
                  who(me.touch, false), me.writes ? "updates" : "reads", instance_of(me.touch),
                  where(box, me.touch.tensor), counters(me.touch), who(got, true), counters(got),
                  who(wanted, true), counters(wanted)));
}

void Findings::wrong_contents(const Party& me, const Touch& other, const Box& box) {
  const bool overlap = other.inst != kNobody && other.tensor != me.touch.tensor;
  const auto kind = overlap ? FindingKind::Overlap : FindingKind::WrongWriter;
  const std::string_view code = overlap ? "TY-MEM-008" : "TY-HAZ-004";
  Finding* f = open(kind, code, me.touch, other);
  if (f == nullptr) return;
  const std::string reader =
      fmt::format("\n    {} {} {}, {}{}", who(me.touch, false), me.writes ? "updates" : "reads",
                  instance_of(me.touch), where(box, me.touch.tensor), counters(me.touch));
  std::string text;
  if (overlap) {
    text = fmt::format(
        "{} and {} share bytes while both are in use{}\n    {} has written {} there\n    fix   "
        "place {} and {} apart",
        tensor_name(me.touch), tensor_name(other), reader, who(other, true), instance_of(other),
        tensor_name(me.touch), tensor_name(other));
  } else if (other.inst == kNobody) {
    text = fmt::format(
        "a read comes before the write that the body names{}\n    nothing has been written there\n"
        "    fix   let {} wait for the instruction that writes {}",
        reader, label(me.touch.inst), tensor_name(me.touch));
  } else {
    text = fmt::format(
        "a read sees another instance of its tensor{}\n    {} has written {} there\n    fix   give "
        "{} more than {} slots, or slots that are further apart",
        reader, who(other, true), instance_of(other), tensor_name(other),
        layout_.tensor(other.tensor).slots);
  }
  close(*f, code, text);
}

void Findings::two_results(const Touch& me, const Touch& before, const Box& box) {
  Finding* f = open(FindingKind::Overlap, "TY-MEM-008", me, before);
  if (f == nullptr) return;
  close(*f, "TY-MEM-008",
        fmt::format("{} writes {} and {} into the same bytes\n    {}{}\n    which of them stays is "
                    "not known\n    fix   place them apart",
                    who(me, false), instance_of(before), instance_of(me), where(box, me.tensor),
                    counters(me)));
}

void Findings::lost_output(isa::TensorId tensor, const Touch& got, const Touch& wanted,
                           const Box& box) {
  const std::string& name = program_.tensors[tensor].name;
  const bool overlap = got.tensor != tensor;
  const std::string_view code = overlap ? "TY-MEM-008" : "TY-HAZ-003";
  Finding* f = open(overlap ? FindingKind::Overlap : FindingKind::WrongWriter, code, got,
                    Touch{.inst = kCaller});
  if (f == nullptr) return;
  const std::string reader =
      fmt::format("\n    the caller reads {} after the run, {}\n    {} has written {} there last{}",
                  name, where(box, tensor), who(got, false), instance_of(got), counters(got));
  if (overlap) {
    close(*f, code,
          fmt::format("{} and {} share bytes while both are in use{}\n    fix   place {} and {} "
                      "apart",
                      name, tensor_name(got), reader, name, tensor_name(got)));
  } else {
    close(
        *f, code,
        fmt::format("an output holds another write than the body names{}\n    in the body {} "
                    "comes last{}\n    fix   let them wait for each other in the order of the body",
                    reader, who(wanted, true), counters(wanted)));
  }
}

void Findings::hidden_order(const Touch& me, const Touch& other) {
  Finding* f = open(FindingKind::WrongWriter, "TY-HAZ-003", me, other);
  if (f == nullptr) return;
  close(*f, "TY-HAZ-003",
        fmt::format("a sum in the reduce registers of the scalar engine is not the one that the "
                    "body names\n    {} reads them{}\n    {} has written them last{}\n    fix   "
                    "give both the same `ahead`",
                    who(me, false), counters(me), who(other, true), counters(other)));
}

void Findings::uninitialised(const Touch& me, const OperandPlan& operand, const Box& box) {
  Finding* f = open(FindingKind::Uninitialised, "TY-MEM-007", me, Touch{});
  if (f == nullptr) return;
  close(*f, "TY-MEM-007",
        fmt::format("{} reads {} before anything is written there\n    operand {}, {}{}\n    each "
                    "entry of the block that declares {} makes a new instance without contents\n"
                    "    fix   write it first, or declare it outside the loop that carries it",
                    who(me, false), instance_of(me), operand.name, where(box, me.tensor),
                    counters(me), program_.tensors[operand.declared].name));
}

void Findings::out_of_bounds(const Touch& me, const OperandPlan& operand, int64_t byte,
                             int64_t partition) {
  Finding* f = open(FindingKind::OutOfBounds, "TY-MEM-006", me, Touch{});
  if (f == nullptr) return;
  const isa::Tensor& t = program_.tensors[operand.declared];
  std::string text = fmt::format(
      "{} reaches outside {}\n    operand {} takes bytes {} to {} of {}", who(me, false), t.name,
      operand.name, byte + operand.runs.front().begin - operand.low,
      byte + operand.runs.back().end - 1 - operand.low, operand.high - operand.low);
  if (t.on_chip()) {
    text += fmt::format(" in partitions {} to {} of {}", partition,
                        partition + operand.partitions - 1, operand.declared_partitions);
  }
  text +=
      fmt::format("{}\n    fix   make {} larger or the loop around shorter", counters(me), t.name);
  close(*f, "TY-MEM-006", text);
}

void Findings::group_without_start(const Touch& me, const Box& box) {
  Finding* f = open(FindingKind::PsumGroup, "TY-HAZ-005", me, Touch{});
  if (f == nullptr) return;
  close(*f, "TY-HAZ-005",
        fmt::format("{} adds onto {}, where no sum was begun\n    {}{}\n    what is there is "
                    "undefined\n    fix   let the first matmul of the sum say `overwrite`, or "
                    "leave it to `first_write`",
                    who(me, false), instance_of(me), where(box, me.tensor), counters(me)));
}

void Findings::group_on_other_write(const Touch& me, const Touch& writer, const Box& box) {
  Finding* f = open(FindingKind::PsumGroup, "TY-HAZ-006", me, writer);
  if (f == nullptr) return;
  close(*f, "TY-HAZ-006",
        fmt::format("{} adds onto what another engine wrote\n    {} of {}, {}{}\n    {} wrote it; "
                    "on {} only sums that a matmul began can go on\n    fix   begin the sum with "
                    "a matmul and add the other term afterwards",
                    who(me, false), "dst", instance_of(me), where(box, me.tensor), counters(me),
                    who(writer, true), core_.name));
}

void Findings::group_beside_open(const Touch& me, const Touch& open_sum, const Box& box) {
  Finding* f = open(FindingKind::PsumGroup, "TY-HAZ-007", me, open_sum);
  if (f == nullptr) return;
  close(*f, "TY-HAZ-007",
        fmt::format("{} begins a sum in a bank where another is open{}\n    {} has an open sum in "
                    "{}, {}\n    fix   place {} in another bank, or read the open sum first",
                    who(me, false), counters(me), who(open_sum, true), instance_of(open_sum),
                    where(box, open_sum.tensor), tensor_name(me)));
}

void Findings::duplicate_index(const Touch& me, const Touch& writer, std::string_view why) {
  Finding* f = open(FindingKind::DuplicateIndex, "TY-HAZ-008", me, writer);
  if (f == nullptr) return;
  close(*f, "TY-HAZ-008",
        fmt::format("{} scatters several rows to the same place\n    its indices come from {}, "
                    "and {}\n    the rows arrive in no order\n    fix   give each row its own "
                    "index",
                    who(me, false), who(writer, true), why));
}

void Findings::repeated_destination(const Touch& me) {
  Finding* f = open(FindingKind::DuplicateIndex, "TY-HAZ-008", me, Touch{});
  if (f == nullptr) return;
  close(*f, "TY-HAZ-008",
        fmt::format("{} writes some elements of dst more than once\n    the parts of a transfer "
                    "arrive in no order\n    fix   write each element once",
                    who(me, false)));
}

void Findings::deadlock(InstId inst, int64_t instance, const std::string& cycle) {
  Finding* f =
      open(FindingKind::Deadlock, "TY-HAZ-002", Touch{.inst = inst, .instance = instance}, Touch{});
  if (f == nullptr) return;
  close(*f, "TY-HAZ-002",
        fmt::format("deadlock: the streams wait for each other{}\n    fix   remove the wait that "
                    "points forward, or give the tensor another slot",
                    cycle));
}

std::vector<Finding> Findings::take() {
  for (Finding& f : all_) {
    if (f.times < 2) continue;
    f.status = Status(f.status.code(),
                      fmt::format("{}\n    {} times in this run", f.status.message(), f.times),
                      f.status.place());
  }
  std::stable_sort(all_.begin(), all_.end(), [](const Finding& a, const Finding& b) {
    const auto key = [](const Finding& f) {
      return std::tuple(f.status.place().file, f.status.place().line, f.instance);
    };
    return key(a) < key(b);
  });
  return std::move(all_);
}

}  // namespace trainyard::sim::hazard
