#include "place/place.h"

#include <algorithm>

#include "isa/cost_dma.h"
#include "isa/structure.h"
#include "place/steps.h"

namespace trainyard::place {
namespace {

// A repeat is unrolled code and its transfers are static rings, both in HBM. Past the limits a real
// program would loop and generate descriptors instead; the time does not include that, so it is
// said.
void report_size(const isa::Program& program, const Uses& uses, const hw::CoreSpec& core,
                 Report& report) {
  // Absurd counts saturate; whether they may run is decided elsewhere.
  constexpr int64_t kMost = int64_t{1} << 62;
  const int64_t each = core.seq.instruction_bytes.value;
  report.instruction_bytes = std::min(report.executed, kMost / std::max<int64_t>(1, each)) * each;
  double rings = 0;
  for (size_t i = 0; i < program.insts.size(); ++i) {
    if (!isa::is_dma(program.insts[i].op)) continue;
    const isa::DmaShape shape = isa::dma_shape(program, program.insts[i], core, isa::Level::C);
    rings += uses.weight(static_cast<isa::InstId>(i)) * static_cast<double>(shape.ring_bytes);
  }
  report.ring_bytes = static_cast<int64_t>(std::min(rings, static_cast<double>(kMost)));
  const auto over = [&](std::string_view what, int64_t bytes, int64_t limit, std::string_view key,
                        std::string_view instead) {
    if (bytes <= limit) return;
    report.remarks.push_back(fmt::format(
        "{} {:.1f} MB of HBM, more than the {:.1f} MB of program.{}: {}, or raise the "
        "limit in a machine file",
        what, static_cast<double>(bytes) / 1e6, static_cast<double>(limit) / 1e6, key, instead));
  };
  over("unrolled code takes", report.instruction_bytes, core.program.code_max_bytes.value,
       "code_max_bytes",
       "a real program would loop, and the time here leaves the cost of that out; write the outer "
       "`repeat` as a `loop` to have it charged");
  over("static DMA rings take", report.ring_bytes, core.program.ring_max_bytes.value,
       "ring_max_bytes",
       core.dma.hwdge_blocks.value > 0
           ? "a real program would generate descriptors, and the time here leaves the cost of that "
             "out; write dge_mode=hwdge on the transfers to have it charged"
           : "a real program would generate descriptors, and the time here leaves the cost of that "
             "out; write dge_mode=swdge on the transfers to have it charged");
}

Result<Report> run_steps(isa::Program& program, const hw::CoreSpec& core, const Options& options) {
  const isa::Structure structure(program);
  const Uses uses(program, structure);
  Report report;
  report.executed = structure.executed(program);
  TY_TRY(choose_engines(program, uses, core, options));
  report_size(program, uses, core, report);
  const Stages stages = choose_ahead(program, uses, core, options, report);
  TY_TRY(allocate(program, uses, stages, core, options, report));
  std::vector<size_t> given;
  for (const isa::InstPlace& p : program.placement.insts) given.push_back(p.after.size());
  add_edges(program, uses, given, report);
  drop_implied_edges(program, structure, given, report);
  program.placement.complete = true;
  return report;
}

// Of a placement that the author wrote: what it takes of each memory.
Report measure(const isa::Program& program, const hw::CoreSpec& core) {
  const isa::Structure structure(program);
  Report report;
  report.executed = structure.executed(program);
  report_size(program, Uses(program, structure), core, report);
  const int64_t bank = core.psum_bank_bytes();
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    const isa::Tensor& tensor = program.tensors[t];
    const isa::TensorPlace& where = program.placement.tensors[t];
    if (tensor.view) continue;
    const int64_t size = tensor.free_bytes();
    const int64_t whole =
        tensor.memory == isa::Memory::Psum ? (size + bank - 1) / bank * bank : size;
    const int64_t end = where.address.value_or(0) + size +
                        (std::max(1, where.slots) - 1) * (where.pitch > 0 ? where.pitch : whole);
    if (tensor.memory == isa::Memory::Sbuf) report.sbuf_bytes = std::max(report.sbuf_bytes, end);
    if (tensor.memory == isa::Memory::Psum)
      report.psum_banks = std::max(report.psum_banks, static_cast<int>((end + bank - 1) / bank));
    if (tensor.memory == isa::Memory::Hbm) report.hbm_bytes = std::max(report.hbm_bytes, end);
  }
  return report;
}

}  // namespace

Result<Report> place(isa::Program& program, const hw::CoreSpec& core, const Options& options) {
  program.placement.tensors.resize(program.tensors.size());
  program.placement.insts.resize(program.insts.size());
  if (program.placement.complete) return measure(program, core);
  const isa::Placement given = program.placement;
  Result<Report> report = run_steps(program, core, options);
  if (report.ok() || !options.ahead || options.plain) return report;
  // Stages need slots. A program that does not fit with them may fit without.
  program.placement = given;
  Options plainer = options;
  plainer.ahead = false;
  Result<Report> second = run_steps(program, core, plainer);
  if (!second.ok()) {
    program.placement = given;
    return second;
  }
  second->remarks.push_back("nothing is issued ahead: the slots for it do not fit");
  return second;
}

}  // namespace trainyard::place
