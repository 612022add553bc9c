#pragma once
// What the tests of this folder share: reading, placing, checking and comparing programs.
#include <filesystem>
#include <string>
#include <vector>

#include "isa/program.h"
#include "isa/stream.h"
#include "oracle.h"
#include "place/place.h"
#include "sim/check/check.h"

namespace trainyard::check_test {

std::string contents(const std::filesystem::path& path);
std::vector<std::filesystem::path> programs_in(const std::string& folder);

// The program of a file; a failing test and an empty program if it cannot be read.
isa::Program read(const std::filesystem::path& path);
// Completes the placement; a failing test if it cannot.
isa::Program placed(isa::Program program, const place::Options& options = {},
                    const hw::CoreSpec& core = hw::kNeuronCoreV3);

// `turns` for each run-time loop; branches take their arms in turn.
isa::TripRecord trips_of(const isa::Program& program, int64_t turns = 2);

std::vector<sim::Finding> findings_of(const isa::Program& program, const isa::TripRecord& trips);
std::string text_of(const std::vector<sim::Finding>& findings);

// Compares sim::check with the oracle: both silent, or both of one mind about what kind it is.
// Returns what differs, or nothing.
std::string difference(const isa::Program& program, const isa::TripRecord& trips);

}  // namespace trainyard::check_test
