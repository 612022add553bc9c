#include "sim/check/capacity.h"

#include <algorithm>

namespace trainyard::sim::hazard {

using isa::Memory;
using isa::TensorId;

namespace {

struct Limit {
  Memory memory;
  std::string_view name, code;
  int64_t bytes = 0, partitions = 0;
};

struct Row {
  TensorId tensor = -1;
  int64_t begin = 0, end = 0;
};

Row row_of(const TensorLayout& t, TensorId id) {
  const int64_t last = (t.slots - 1) * t.slot_pitch;
  return {id, t.address + std::min<int64_t>(0, last),
          t.address + std::max<int64_t>(0, last) + t.bytes};
}

std::string table(const isa::Program& program, const Layout& layout, std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.end > b.end; });
  std::string text;
  for (const Row& r : rows) {
    const TensorLayout& t = layout.tensor(r.tensor);
    text +=
        fmt::format("\n    {:#x} to {:#x}  {}", r.begin, r.end - 1, program.tensors[r.tensor].name);
    if (t.slots > 1) text += fmt::format(", {} slots of {} B", t.slots, t.slot_pitch);
    if (t.partition + t.partitions > 1 && program.tensors[r.tensor].on_chip())
      text += fmt::format(", partitions {} to {}", t.partition, t.partition + t.partitions - 1);
    text += fmt::format("   line {}", program.tensors[r.tensor].source.line);
  }
  return text;
}

}  // namespace

void check_capacity(const isa::Program& program, const Layout& layout, const hw::CoreSpec& core,
                    Findings& findings) {
  const int64_t partitions = core.limits.partitions.value;
  const Limit limits[] = {
      {Memory::Sbuf, "SBUF", "TY-MEM-003", core.sbuf_usable_bytes(), partitions},
      {Memory::Psum, "PSUM", "TY-MEM-004", core.psum.partition_bytes.value, partitions},
      {Memory::Hbm, "HBM", "TY-MEM-005",
       core.hbm.stack_bytes.value - core.hbm.code_reserve_bytes.value, 1},
  };
  for (const Limit& limit : limits) {
    std::vector<Row> beyond;
    int64_t top = 0;
    for (size_t i = 0; i < program.tensors.size(); ++i) {
      const isa::Tensor& tensor = program.tensors[i];
      if (tensor.memory != limit.memory || tensor.view) continue;
      const TensorLayout& t = layout.tensor(static_cast<TensorId>(i));
      const Row row = row_of(t, static_cast<TensorId>(i));
      top = std::max(top, row.end);
      if (row.begin < 0 || row.end > limit.bytes || t.partition < 0 ||
          t.partition + t.partitions > limit.partitions) {
        beyond.push_back(row);
      }
    }
    if (beyond.empty()) continue;
    const isa::SourceRef where = program.tensors[beyond.front().tensor].source;
    findings.add(FindingKind::Capacity,
                 error(limit.code,
                       "{} is full: the placement takes {} B{}, a {} has {}. Beyond its end:{}\n"
                       "    fix   use fewer slots or smaller tiles, or let tensors that are not "
                       "in use together share bytes",
                       limit.name, top, limit.memory == Memory::Hbm ? "" : " per partition",
                       core.name, limit.bytes, table(program, layout, beyond))
                     .at(isa::place_of(program, where)));
  }
}

}  // namespace trainyard::sim::hazard
