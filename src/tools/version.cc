#include "tools/version.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <hwy/highway.h>

#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>

namespace trainyard::tools {

const char* version() { return TRAINYARD_VERSION; }

const char* build_type() { return TRAINYARD_BUILD_TYPE; }

std::string compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::vector<Library> libraries() {
  return {
      {"CLI11", CLI11_VERSION},
      {"fmt",
       fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"Highway", fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH)},
      {"hwloc", HWLOC_VERSION},
      {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                    NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
  };
}

}  // namespace trainyard::tools
