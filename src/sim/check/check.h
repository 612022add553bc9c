#pragma once
// Check: proves that a placement is free of races and computes what the body says, or says why not.
//
// Walks the placed program once with one vector clock entry per stream. The happens-before relation
// comes from edges alone, so one walk proves all schedules.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/status.h"
#include "hw/core_spec.h"
#include "isa/program.h"
#include "isa/stream.h"

namespace trainyard::sim {

enum class FindingKind : uint8_t {
  Capacity,
  Overlap,
  OutOfBounds,
  Uninitialised,
  Race,
  PsumGroup,
  DuplicateIndex,
  Deadlock,
  Range,
  WrongWriter
};

struct Finding {
  FindingKind kind = FindingKind::Race;
  Status status;           // code, source place, message with addresses and a fix
  isa::InstId inst = -1;   // where it shows
  isa::InstId other = -1;  // the other party, if any
  int64_t instance = 0, other_instance = 0;
  int64_t times = 1;  // same pair, other instances
};

struct CheckOptions {
  int64_t max_findings = 100;
  bool zero_region = false;  // bank-granular accumulation hazard, neuroncore 4.4 rule 6; also on if
                             // the core's psum.zero_region_check is
  Progress* progress = nullptr;
};

struct CheckResult {
  std::vector<Finding>
      findings;              // sorted by source line, then instance; one per (kind, inst, other)
  int64_t instructions = 0;  // walked
  int64_t cells = 0;         // memory of the walk, for the curious
};

// The placement must be complete. The program is well formed, as the text reader leaves it, but
// need not have passed `isa::verify`. `trips` says how run-time loops and branches went; of a loop
// that does the same in every turn only the first turns are walked. docs/check.md has the rules.
// Finds capacity, overlap, bounds, uninitialised reads (by last writers), races, reads of another
// writer than the body names, PSUM group errors and deadlocks. Findings that need data (indices,
// ranges of functions) come from a values run with `watch`.
Result<CheckResult> check(const isa::Program& program, const hw::CoreSpec& core,
                          const isa::TripRecord& trips, const CheckOptions& options = {});

}  // namespace trainyard::sim
