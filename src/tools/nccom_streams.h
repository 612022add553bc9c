#pragma once
// `trainyard nccom --streams-json`: collectives that share an instance.
#include "tools/nccom_job.h"

namespace trainyard::tools {

// One collective of a stream, from the end of the one before to its own end.
struct StreamTime {
  int stream;
  cluster::Op op;
  cluster::Communicator group;
  int64_t bytes;
  Seconds time;
  cluster::CollectiveTime alone;  // the closed form, with nothing beside it
};

// In the order of the file. TY-NET-008 and TY-NET-009.
Result<std::vector<StreamTime>> time_streams(const NccomOptions& options);

}  // namespace trainyard::tools
