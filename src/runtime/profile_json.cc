#include "runtime/profile_json.h"

namespace trainyard::runtime {
namespace {

using nlohmann::ordered_json;

ordered_json as_json(const EngineWork& work) {
  return {{"busy_seconds", work.busy_seconds},
          {"instructions", work.instructions},
          {"contraction_flops", work.contraction},
          {"float_flops", work.floats}};
}

ordered_json as_json(const std::array<EngineWork, hw::kEngineCount>& engines, bool only_used) {
  ordered_json out = ordered_json::object();
  for (const hw::Engine e : hw::kEngines) {
    const EngineWork& work = engines[hw::index(e)];
    if (only_used && work.instructions == 0) continue;
    out[std::string(hw::name(e))] = as_json(work);
  }
  return out;
}

}  // namespace

ordered_json as_json(const Profile& profile, size_t operations) {
  ordered_json rows = ordered_json::array();
  for (const OperationProfile& o : profile.operations) {
    if (rows.size() == operations) break;
    rows.push_back({{"place", o.place},
                    {"operation", o.operation},
                    {"runs_on", o.runs_on()},
                    {"busy_seconds", o.busy_seconds()},
                    {"waited_seconds", o.waited_seconds},
                    {"dma_seconds", o.dma_seconds},
                    {"engines", as_json(o.engines, true)}});
  }
  ordered_json compiled = ordered_json::object();
  for (const hw::Engine e : hw::kEngines) {
    compiled[std::string(hw::name(e))] = profile.compiled_floats[hw::index(e)];
  }
  return {{"seconds", profile.seconds},           {"bound_by", profile.bound_by},
          {"mostly_waits", profile.mostly_waits}, {"peak_flops", profile.peak_flops},
          {"dma_seconds", profile.dma_seconds},   {"engines", as_json(profile.engines, false)},
          {"compiled_float_flops", compiled},     {"operations", rows}};
}

}  // namespace trainyard::runtime
