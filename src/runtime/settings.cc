#include "runtime/settings.h"

#include <charconv>
#include <cstdlib>

#include "hw/machine_file.h"

namespace trainyard::runtime {

std::string from_environment(std::string_view key) {
  std::string variable = "TRAINYARD_";
  for (const char c : key) variable += static_cast<char>(std::toupper(c));
  const char* text = std::getenv(variable.c_str());
  return text == nullptr ? "" : text;
}

Result<Settings> read_settings(const Lookup& lookup) {
  const std::string file = lookup("machine"), target = lookup("target");
  Result<hw::Machine> machine =
      !file.empty() ? hw::load_machine(file) : hw::find_target(target.empty() ? "trn2" : target);
  if (!machine.ok()) return machine.status();
  Settings settings{.machine = std::move(*machine)};
  TY_TRY(change_settings(settings, lookup));
  return settings;
}

Status change_settings(Settings& settings, const Lookup& lookup) {
  if (const std::string mode = lookup("mode"); !mode.empty()) {
    const std::optional<Mode> parsed = parse_mode(mode);
    if (!parsed) {
      return error("TY-RUN-021", "there is no mode '{}'. Take values, time, both or check.", mode);
    }
    settings.mode = *parsed;
  }
  if (const std::string path = lookup("trace"); !path.empty()) {
    settings.trace = std::make_shared<TraceFile>();
    settings.trace->path = path;
  }
  if (const std::string folder = lookup("dump"); !folder.empty()) settings.dump = folder;
  if (const std::string folder = lookup("cache"); !folder.empty()) settings.cache = folder;
  return {};
}

Result<int> thread_count() {
  const std::string text = from_environment("threads");
  if (text.empty()) return 0;
  constexpr int kMost = 4096;
  int count = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (fault != std::errc() || end != text.data() + text.size() || count < 1 || count > kMost) {
    return error("TY-RUN-021", "TRAINYARD_THREADS is '{}', which is no count from 1 to {}.", text,
                 kMost);
  }
  return count;
}

}  // namespace trainyard::runtime
