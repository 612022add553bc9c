#pragma once
// Body to placement: liveness, addresses and slots in SBUF, PSUM and HBM, engines, queues and who
// triggers them, `ahead`, edges. One library for the compiler, the NKI front end and hand-written
// programs.
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "hw/core_spec.h"
#include "isa/program.h"

namespace trainyard::place {

struct Options {
  int max_slots =
      3;  // buffers per tensor inside a repeat, while room lasts (PSUM: up to the banks)
  bool ahead = true;           // let instructions be issued some iterations early
  bool choose_engines = true;  // balance work among engines that give the same bits
  bool plain = false;  // body order, one slot, resolved engines, all triggers on Sync: the baseline
};

struct Report {
  int64_t sbuf_bytes = 0;  // peak per partition
  int psum_banks = 0;
  int64_t hbm_bytes = 0;
  int64_t edges_found = 0, edges_kept = 0;
  int64_t executed = 0;  // instructions when unrolled
  int64_t instruction_bytes = 0, ring_bytes = 0;
  std::vector<std::string> remarks;  // what was not done and why
};

// Completes program.placement; what the author pinned stays. Refuses with TY-MEM-... and the table
// of what is live at the peak if the program does not fit, and with TY-PLC-... if a pin contradicts
// the body. The result passes sim::check by construction.
Result<Report> place(isa::Program& program, const hw::CoreSpec& core, const Options& options = {});

}  // namespace trainyard::place
