#pragma once
// Facts about the host that `trainyard doctor` shows.
#include <cstdint>
#include <string>

namespace trainyard::tools {

// A size of 0 or an empty model means that the host does not tell.
struct Host {
  std::string cpu_model;
  int cores = 0;    // physical, as far as this process may use them
  int threads = 0;  // hardware threads that this process may use
  int numa_nodes = 0;
  int64_t l1d_bytes = 0;  // of one core
  int64_t l2_bytes = 0;
  int64_t l3_bytes = 0;  // one cache; a host may have several
  int64_t memory_bytes = 0;
  int64_t available_bytes = 0;  // without swapping, now
};

Host host();

}  // namespace trainyard::tools
