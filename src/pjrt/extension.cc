// Our own extension of the table: questions of the Python package.
#include <nlohmann/json.hpp>

#include "pjrt/handles.h"
#include "runtime/plugin_extension.h"
#include "runtime/profile_json.h"

namespace trainyard::pjrt {
namespace {

using nlohmann::json;
using runtime::ExtensionHead;
using runtime::PluginExtension;
using runtime::TextAnswer;

static_assert(sizeof(ExtensionHead) == sizeof(PJRT_Extension_Base));
static_assert(offsetof(ExtensionHead, next) == offsetof(PJRT_Extension_Base, next));
static_assert(offsetof(runtime::TableHead, extensions) == offsetof(PJRT_Api, extension_start));

// Of one program: those that take the longest.
constexpr size_t kMostOperations = 40;

json as_json(const runtime::SimulatedTime& time) {
  json rows = json::array();
  for (const auto& row : time.rows) {
    rows.push_back({{"program", row.program},
                    {"runs", row.runs},
                    {"seconds", row.time.seconds},
                    {"launch_seconds", row.time.launch_seconds},
                    {"flops", row.time.flops},
                    {"hbm_bytes", row.time.hbm_bytes},
                    {"trust", hw::name(row.time.trust)},
                    {"profile", runtime::as_json(*row.time.profile, kMostOperations)}});
  }
  return {{"seconds", time.seconds},     {"last_seconds", time.last_seconds}, {"runs", time.runs},
          {"forgotten", time.forgotten}, {"trust", hw::name(time.trust)},     {"programs", rows}};
}

Result<std::string> simulated_time_text() {
  const Result<std::shared_ptr<runtime::Process>> shared = process();
  if (!shared.ok()) return shared.status();
  const Result<runtime::SimulatedTime> time = (*shared)->journal.take();
  if (!time.ok()) return time.status();
  return as_json(*time).dump();
}

void simulated_time(TextAnswer* answer) noexcept {
  static thread_local std::string text;
  try {
    const Result<std::string> told = simulated_time_text();
    answer->ok = told.ok();
    text = told.ok() ? *told : told.status().str();
  } catch (const std::exception& fault) {
    answer->ok = false;
    text = fault.what();
  }
  answer->text = text.c_str();
  answer->size = text.size();
}

}  // namespace

PJRT_Extension_Base* extensions() {
  static PluginExtension extension = {
      .head = {.struct_size = sizeof(PluginExtension),
               .type = PluginExtension::kType,
               .next = nullptr},
      .simulated_time = simulated_time,
  };
  return reinterpret_cast<PJRT_Extension_Base*>(&extension.head);
}

}  // namespace trainyard::pjrt
