#include "tools/host.h"

#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>

#include "base/units.h"

namespace trainyard::tools {
namespace {

int64_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  return cache == nullptr ? 0 : static_cast<int64_t>(cache->attr->cache.size);
}

std::string cpu_model(hwloc_topology_t topology) {
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  const char* model =
      package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
  return model == nullptr ? "" : model;
}

// A row of /proc/meminfo, 0 when it is not there. hwloc counts per NUMA node and misses memory that
// a virtual machine got later.
int64_t meminfo_bytes(std::string_view wanted) {
  std::ifstream meminfo("/proc/meminfo");
  std::string key, unit;
  int64_t kibibytes = 0;
  while (meminfo >> key >> kibibytes && std::getline(meminfo, unit)) {
    if (key == wanted) return kibibytes * KiB;
  }
  return 0;
}

// A container may have less memory than its host; without a limit the file says "max".
int64_t limit_of_container(int64_t bytes) {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  int64_t limit = 0;
  return file >> limit ? std::min(limit, bytes) : bytes;
}

}  // namespace

Host host() {
  setenv("HWLOC_HIDE_ERRORS", "2", 0);  // it would warn on stderr where /sys is not mounted
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return {};
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> owner(
      topology, hwloc_topology_destroy);
  if (hwloc_topology_load(topology) != 0) return {};
  const auto count = [&](hwloc_obj_type_t type) {
    return hwloc_get_nbobjs_by_type(topology, type);
  };
  return {
      .cpu_model = cpu_model(topology),
      .cores = count(HWLOC_OBJ_CORE),
      .threads = count(HWLOC_OBJ_PU),
      .numa_nodes = count(HWLOC_OBJ_NUMANODE),
      .l1d_bytes = cache_bytes(topology, HWLOC_OBJ_L1CACHE),
      .l2_bytes = cache_bytes(topology, HWLOC_OBJ_L2CACHE),
      .l3_bytes = cache_bytes(topology, HWLOC_OBJ_L3CACHE),
      .memory_bytes = limit_of_container(meminfo_bytes("MemTotal:")),
      .available_bytes = limit_of_container(meminfo_bytes("MemAvailable:")),
  };
}

}  // namespace trainyard::tools
