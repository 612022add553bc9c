#include "pjrt/extension.h"

#include <nlohmann/json.hpp>

#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

using nlohmann::json;

json as_json(const runtime::SimulatedTime& time) {
  json rows = json::array();
  for (const auto& row : time.rows) {
    rows.push_back({{"program", row.program},
                    {"runs", row.runs},
                    {"seconds", row.time.seconds},
                    {"launch_seconds", row.time.launch_seconds},
                    {"flops", row.time.flops},
                    {"hbm_bytes", row.time.hbm_bytes},
                    {"trust", hw::name(row.time.trust)}});
  }
  return {{"seconds", time.seconds},     {"last_seconds", time.last_seconds}, {"runs", time.runs},
          {"forgotten", time.forgotten}, {"trust", hw::name(time.trust)},     {"programs", rows}};
}

Status simulated_time(TextArgs& args) {
  const Result<std::shared_ptr<runtime::Process>> shared = process();
  if (!shared.ok()) return shared.status();
  const Result<runtime::SimulatedTime> time = (*shared)->journal.take();
  if (!time.ok()) return time.status();
  static thread_local std::string text;
  text = as_json(*time).dump();
  args.text = text.c_str();
  args.text_size = text.size();
  return {};
}

}  // namespace

PJRT_Extension_Base* extensions() {
  static Extension extension = {
      .base = {.struct_size = sizeof(Extension), .type = kExtensionType, .next = nullptr},
      .simulated_time = Entry<simulated_time>::call,
  };
  return &extension.base;
}

}  // namespace trainyard::pjrt
