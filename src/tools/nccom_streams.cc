#include "tools/nccom_streams.h"

#include <map>

#include "tools/nccom_files.h"

namespace trainyard::tools {
namespace {

Result<cluster::Launch> launch_of(const cluster::Cluster& machine, const StreamEntry& entry) {
  const auto op = parse_nccom_op(entry.op);
  if (!op) return op.status();
  const auto bytes = parse_size(entry.size);
  if (!bytes) return bytes.status();
  const auto group = entry.groups.empty() ? cluster::Communicator::make(machine, cluster::Grid{})
                                          : cluster::Communicator::make(machine, entry.groups);
  if (!group) return group.status();
  return cluster::Launch{.group = *group,
                         .request = {*op, *bytes},
                         .stream = entry.stream,
                         .ready = {},
                         .packet_bytes = entry.packet_bytes};
}

}  // namespace

Result<std::vector<StreamTime>> time_streams(const NccomOptions& options) {
  const auto machine = nccom_machine(options);
  if (!machine) return machine.status();
  const auto entries = read_streams(options.streams_file);
  if (!entries) return entries.status();
  std::vector<cluster::Launch> launches;
  for (const StreamEntry& entry : *entries) {
    auto launch = launch_of(*machine, entry);
    if (!launch) return launch.status();
    launches.push_back(std::move(*launch));
  }
  const auto ends = cluster::simulate_streams(launches);
  if (!ends) return ends.status();
  std::map<int, Seconds> before;
  std::vector<StreamTime> times;
  for (size_t i = 0; i < launches.size(); ++i) {
    const cluster::Launch& launch = launches[i];
    const auto alone = cluster::collective_time(launch.group, launch.request);
    if (!alone) return alone.status();
    Seconds& last = before[launch.stream];
    times.push_back({launch.stream, launch.request.op, launch.group, launch.request.bytes,
                     (*ends)[i] - last, *alone});
    last = (*ends)[i];
  }
  return times;
}

}  // namespace trainyard::tools
