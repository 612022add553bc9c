#include "tools/nccom_files.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace trainyard::tools {
namespace {

using Json = nlohmann::json;

Status wrong(const std::string& path, std::string_view wanted) {
  return error("TY-NET-009", "file '{}': must hold {}", path, wanted);
}

Result<Json> read(const std::string& path) {
  std::ifstream file(path);
  if (!file) return error("TY-NET-009", "file '{}' cannot be read", path);
  Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded()) return wrong(path, "JSON");
  return json;
}

bool is_rank_list(const Json& json) {
  return json.is_array() && std::ranges::all_of(json, [](const Json& rank) {
           return rank.is_number_integer() && rank >= 0 && rank < int64_t{1} << 40;
         });
}

// Ranks of each group, or nothing if it is no list of lists of them.
bool parse_groups(const Json& json, RankGroups& groups) {
  if (!json.is_array() || !std::ranges::all_of(json, is_rank_list)) return false;
  groups = json.get<RankGroups>();
  return true;
}

bool parse_entry(const Json& json, StreamEntry& entry) {
  if (!json.is_object()) return false;
  const auto text = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  const auto number = [&](const char* key, int64_t high) -> int64_t {
    if (!json.contains(key)) return 0;
    const bool legal = json[key].is_number_integer() && json[key] >= 0 && json[key] <= high;
    return legal ? json[key].get<int64_t>() : -1;
  };
  entry.op = text("op");
  entry.size = text("size");
  const int64_t stream = number("stream", 63);
  entry.stream = static_cast<int>(stream);
  entry.packet_bytes = number("packet_bytes", 65536);
  if (json.contains("replica_groups") && !parse_groups(json["replica_groups"], entry.groups)) {
    return false;
  }
  return !entry.op.empty() && !entry.size.empty() && stream >= 0 && entry.packet_bytes >= 0;
}

}  // namespace

Result<RankGroups> read_replica_groups(const std::string& path) {
  const auto json = read(path);
  if (!json) return json.status();
  RankGroups groups;
  const bool named = json->is_object() && json->contains("replica_groups");
  if (!parse_groups(named ? (*json)["replica_groups"] : *json, groups)) {
    return wrong(path, R"({"replica_groups": [[0, 1], [2, 3]]})");
  }
  return groups;
}

Result<std::vector<cluster::Pair>> read_pairs(const std::string& path) {
  const auto json = read(path);
  if (!json) return json.status();
  const Status status = wrong(path, R"({"src_target_pairs": [[[0, 1], [1, 0]]]})");
  if (!json->is_object() || !json->contains("src_target_pairs")) return status;
  std::vector<cluster::Pair> pairs;
  for (const Json& list : (*json)["src_target_pairs"]) {
    RankGroups some;
    if (!parse_groups(list, some)) return status;
    for (const std::vector<int64_t>& pair : some) {
      if (pair.size() != 2) return status;
      pairs.push_back({pair[0], pair[1]});
    }
  }
  return pairs;
}

Result<int64_t> read_largest_count(const std::string& path, int64_t ranks) {
  const auto json = read(path);
  if (!json) return json.status();
  const Status status = wrong(
      path, fmt::format(R"(one list of entries with "send_counts" of {} numbers each)", ranks));
  if (!json->is_object() || json->size() != 1 || !json->begin()->is_array()) return status;
  int64_t most = 0;
  for (const Json& entry : *json->begin()) {
    if (!entry.is_object() || !entry.contains("send_counts")) return status;
    const Json& counts = entry["send_counts"];
    if (!is_rank_list(counts) || static_cast<int64_t>(counts.size()) != ranks) return status;
    for (const Json& count : counts) most = std::max(most, count.get<int64_t>());
  }
  if (most == 0) return status;
  return most;
}

Result<std::vector<StreamEntry>> read_streams(const std::string& path) {
  const auto json = read(path);
  if (!json) return json.status();
  const Status status =
      wrong(path, R"({"streams": [{"stream": 0, "op": "all_reduce", "size": "1M"}]})");
  if (!json->is_object() || !json->contains("streams") || !(*json)["streams"].is_array()) {
    return status;
  }
  std::vector<StreamEntry> entries;
  for (const Json& each : (*json)["streams"]) {
    if (!parse_entry(each, entries.emplace_back())) return status;
  }
  if (entries.empty()) return status;
  return entries;
}

}  // namespace trainyard::tools
