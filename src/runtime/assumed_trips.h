#pragma once
// How often run-time loops go round and which arm branches take where no values run: as the user
// says, or as the program expects.
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/stream.h"

namespace trainyard::runtime {

using GivenTrips = std::map<std::string, int64_t>;  // by name of the loop or branch

struct AssumedTrips {
  isa::TripRecord record;
  std::vector<std::string> assumptions;  // in words
};

// Whether every name is a run-time loop or a branch (TY-TIM-003) and every count one that it may
// have (TY-RUN-013).
Status check_given(const isa::Program& program, const GivenTrips& given);

// TY-TIM-002 if a loop or branch has neither a given nor an expected count.
Result<AssumedTrips> assume_trips(const isa::Program& program, const GivenTrips& given);

// The counts of the loops as isa::Structure::amount takes them; -1 for repeats.
std::vector<int64_t> turns_by_loop(const isa::Program& program, const isa::TripRecord& record);

}  // namespace trainyard::runtime
