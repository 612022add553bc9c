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
  report.instruction_bytes = report.executed * core.seq.instruction_bytes.value;
  double rings = 0;
  for (size_t i = 0; i < program.insts.size(); ++i) {
    if (!isa::is_dma(program.insts[i].op)) continue;
    const isa::DmaShape shape = isa::dma_shape(program, program.insts[i], core, isa::Level::C);
    rings += uses.weight(static_cast<isa::InstId>(i)) * static_cast<double>(shape.ring_bytes);
  }
  report.ring_bytes = static_cast<int64_t>(rings);
  const auto over = [&](std::string_view what, int64_t bytes, int64_t limit, std::string_view key,
                        std::string_view instead) {
    if (bytes <= limit) return;
    report.remarks.push_back(fmt::format(
        "{} takes {} MB of HBM, above {} ({} MB): a real program would {}, which is not charged",
        what, bytes / 1000000, key, limit / 1000000, instead));
  };
  over("unrolled code", report.instruction_bytes, core.program.code_max_bytes.value,
       "program.code_max_bytes", "loop");
  over("static DMA rings", report.ring_bytes, core.program.ring_max_bytes.value,
       "program.ring_max_bytes", "generate descriptors");
}

Result<Report> run_steps(isa::Program& program, const hw::CoreSpec& core, const Options& options) {
  const isa::Structure structure(program);
  const Uses uses(program, structure);
  Report report;
  report.executed = structure.executed(program);
  TY_TRY(choose_engines(program, uses, core, options));
  report_size(program, uses, core, report);
  const Stages stages = choose_ahead(program, uses, options);
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
