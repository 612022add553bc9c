#pragma once
// Profiles as JSON, the same for `trainyard preflight --json` and for the Python package.
#include <nlohmann/json.hpp>

#include "runtime/profile.h"

namespace trainyard::runtime {

// At most so many operations, the longest first.
nlohmann::ordered_json as_json(const Profile& profile, size_t operations);

}  // namespace trainyard::runtime
