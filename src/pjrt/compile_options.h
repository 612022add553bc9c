#pragma once
// The part of a serialized CompileOptionsProto that concerns us. A reader of the wire format of our
// own: a second libprotobuf in the process would clash with the framework's.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace trainyard::pjrt {

struct CompileOptions {
  int64_t replicas = 1;
  int64_t partitions = 1;
  std::string device_assignment;    // the bytes of the DeviceAssignmentProto; empty: none given
  std::vector<int64_t> device_ids;  // of partition 0, 1, ..., each with all of its replicas
  std::map<std::string, std::string> overrides;  // jit(..., compiler_options=), values as text
};

// Unknown fields are skipped. TY-PJRT-004 with the offset if the bytes are damaged.
Result<CompileOptions> read_compile_options(std::string_view bytes);

}  // namespace trainyard::pjrt
