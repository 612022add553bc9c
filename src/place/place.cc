#include "place/place.h"

#include "isa/structure.h"
#include "place/steps.h"

namespace trainyard::place {
namespace {

Result<Report> run_steps(isa::Program& program, const hw::CoreSpec& core, const Options& options) {
  const isa::Structure structure(program);
  const Uses uses(program, structure);
  Report report;
  report.executed = structure.executed(program);
  report.instruction_bytes = report.executed * core.seq.instruction_bytes.value;
  TY_TRY(choose_engines(program, uses, core, options));
  const Stages stages = choose_ahead(program, uses, options);
  TY_TRY(allocate(program, uses, stages, core, options, report));
  std::vector<size_t> given;
  for (const isa::InstPlace& p : program.placement.insts) given.push_back(p.after.size());
  add_edges(program, uses, given, report);
  drop_implied_edges(program, structure, given, report);
  program.placement.complete = true;
  return report;
}

}  // namespace

Result<Report> place(isa::Program& program, const hw::CoreSpec& core, const Options& options) {
  program.placement.tensors.resize(program.tensors.size());
  program.placement.insts.resize(program.insts.size());
  if (program.placement.complete) return Report{};
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
