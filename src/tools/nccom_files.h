#pragma once
// The JSON files that nccom-test takes. TY-NET-009 names the file and what it should hold.
#include <string>
#include <vector>

#include "cluster/net/collective.h"

namespace trainyard::tools {

using RankGroups = std::vector<std::vector<int64_t>>;

// {"replica_groups": [[0, 1], [2, 3]]}, or the list alone.
Result<RankGroups> read_replica_groups(const std::string& path);

// {"src_target_pairs": [[[0, 1], [1, 0]]]}: all pairs of all lists.
Result<std::vector<cluster::Pair>> read_pairs(const std::string& path);

// {"alltoallv_metadata": [{"send_counts": [512, 1024], "recv_counts": [...], ...}]}, under any key:
// one entry for all ranks or one each. The most elements that a rank sends to another.
Result<int64_t> read_largest_count(const std::string& path, int64_t ranks);

// {"streams": [{"stream": 0, "op": "all_reduce", "size": "1M", "replica_groups": [[0, 1]],
//   "packet_bytes": 4096}]}: collectives in program order. All but "op" and "size" may be absent:
// stream 0, all ranks, the packets of the machine.
struct StreamEntry {
  int stream = 0;
  std::string op, size;
  RankGroups groups;
  int64_t packet_bytes = 0;
};
Result<std::vector<StreamEntry>> read_streams(const std::string& path);

}  // namespace trainyard::tools
