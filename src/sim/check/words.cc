// How findings name instructions, tensors and memory.
#include <algorithm>

#include "isa/stream.h"
#include "sim/check/findings.h"

namespace trainyard::sim::hazard {

using isa::InstId;

std::string Findings::who(const Touch& t, bool with_line) const {
  if (t.inst == kCaller) return "the caller, before the run,";
  if (t.inst == kNobody) return "nobody";
  const isa::Inst& inst = program_.insts[t.inst];
  const isa::InstPlace& place = program_.placement.insts[t.inst];
  const std::string at = place.queue >= 0
                             ? fmt::format("queue {} by {}", place.queue, hw::name(*place.engine))
                             : std::string(hw::name(*place.engine));
  return fmt::format("{} ({} on {}{})", inst.label, isa::name(inst.op), at,
                     with_line ? fmt::format(", line {}", inst.source.line) : "");
}

const std::string& Findings::tensor_name(const Touch& t) const {
  return program_.tensors[t.tensor].name;
}

std::string Findings::instance_of(const Touch& t) const {
  if (structure_.around_tensor(t.tensor).empty()) return tensor_name(t);
  const int slots = layout_.tensor(t.tensor).slots;
  std::string text = fmt::format("{} (instance {}", tensor_name(t), t.tensor_instance);
  if (slots > 1) text += fmt::format(", slot {} of {}", t.tensor_instance % slots, slots);
  return text + ")";
}

std::string Findings::where(const Box& box, isa::TensorId tensor) const {
  const Plane& plane = layout_.planes()[layout_.tensor(tensor).plane];
  if (plane.memory == isa::Memory::Hbm) {
    const int64_t from = plane.base + box.row * plane.pitch + box.begin;
    if (box.row_end - box.row < 2)
      return fmt::format("HBM bytes {:#x} to {:#x}", from, from + box.end - box.begin - 1);
    return fmt::format("HBM {} rows of {} bytes, {} apart, from {:#x} on", box.row_end - box.row,
                       box.end - box.begin, plane.pitch, from);
  }
  std::string text = "SBUF";
  if (plane.memory == isa::Memory::Psum) {
    const int64_t first = box.begin / core_.psum_bank_bytes();
    const int64_t last = (box.end - 1) / core_.psum_bank_bytes();
    text = first == last ? fmt::format("PSUM bank {}", first)
                         : fmt::format("PSUM banks {} to {}", first, last);
  }
  return fmt::format("{} partitions {} to {}, bytes {:#x} to {:#x}", text, box.row, box.row_end - 1,
                     box.begin, box.end - 1);
}

// The counters of the loops around, found by walking there. Findings are few.
std::vector<int64_t> Findings::counter_values(InstId inst, int64_t instance) const {
  isa::Program plain = program_;
  for (isa::InstPlace& place : plain.placement.insts) place.after.clear();
  const InstId members[] = {inst};
  isa::StreamWalker walker(plain, structure_, members, trips_);
  while (walker.next()) {
    const isa::StreamItem& item = walker.item();
    if (item.kind == isa::StreamItem::Kind::Instruction && item.instance == instance)
      return {walker.counters(), walker.counters() + program_.loops.size()};
  }
  return std::vector<int64_t>(program_.loops.size(), 0);
}

std::string Findings::counters(const Touch& t) const {
  if (t.inst < 0) return "";
  std::string text;
  const std::vector<int64_t> values = counter_values(t.inst, t.instance);
  for (const isa::Enclosure& e : structure_.around(t.inst)) {
    if (e.kind != isa::Enclosure::Kind::Loop) continue;
    text += fmt::format("{} {} = {}", text.empty() ? ", at" : ",", program_.loops[e.id].name,
                        values[e.id]);
  }
  return text;
}

// The edge of `second` that would order it after `first`, as an author writes it.
std::string Findings::edge_that_orders(const Touch& first, const Touch& second) const {
  const auto repeat_name = [&](const isa::Enclosure& e) -> const std::string* {
    if (e.kind != isa::Enclosure::Kind::Loop) return nullptr;
    const isa::Loop& loop = program_.loops[e.id];
    return loop.kind == isa::Loop::Kind::Repeat ? &loop.name : nullptr;
  };
  const auto& a = structure_.around(first.inst);
  const auto& b = structure_.around(second.inst);
  const auto& of_tensor = structure_.around_tensor(first.tensor);
  if (first.tensor == second.tensor && first.tensor_instance != second.tensor_instance &&
      !of_tensor.empty() && repeat_name(of_tensor.back()) != nullptr) {
    return fmt::format("after {}{{{}-{}}}", label(first.inst), *repeat_name(of_tensor.back()),
                       second.tensor_instance - first.tensor_instance);
  }
  const std::vector<int64_t> at_first = counter_values(first.inst, first.instance);
  const std::vector<int64_t> at_second = counter_values(second.inst, second.instance);
  const auto shared = static_cast<size_t>(isa::Structure::shared(a, b));
  for (size_t i = 0; i < shared; ++i) {
    if (repeat_name(a[i]) == nullptr) continue;
    const int64_t distance = at_second[a[i].id] - at_first[a[i].id];
    if (distance != 0)
      return fmt::format("after {}{{{}-{}}}", label(first.inst), *repeat_name(a[i]), distance);
  }
  return fmt::format("after {}", label(first.inst));
}

}  // namespace trainyard::sim::hazard
