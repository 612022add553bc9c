#pragma once
// What the user asked for in the environment, read once when a client is made.
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/status.h"
#include "hw/catalogue.h"
#include "runtime/kernel.h"

namespace trainyard::runtime {

// Where traces go: one file, which keeps that of the longest program.
struct TraceFile {
  std::string path;
  std::mutex mutex;
  double longest_seconds = -1;
};

struct Settings {
  hw::Machine machine;               // TRAINYARD_MACHINE (a file), else TRAINYARD_TARGET, else trn2
  Mode mode = Mode::Values;          // TRAINYARD_MODE
  std::shared_ptr<TraceFile> trace;  // TRAINYARD_TRACE; null: none
  std::string dump;  // TRAINYARD_DUMP: folder for what the compiler does; empty: none
  std::string cache;  // TRAINYARD_CACHE: folder of compiled programs; empty: none
  bool wants_time() const { return mode != Mode::Values || trace != nullptr; }
};

// Looks up "target", "machine", "mode", "trace", "dump", "cache"; empty if it is not set.
using Lookup = std::function<std::string(std::string_view key)>;

// TY-HW errors of the machine; TY-RUN-021 for a mode that does not exist.
Result<Settings> read_settings(const Lookup& lookup);
// Changes mode, trace, dump and cache where they are set; the machine stays.
Status change_settings(Settings& settings, const Lookup& lookup);

// TRAINYARD_TARGET and so on.
std::string from_environment(std::string_view key);

// TRAINYARD_THREADS, or 0 for as many as the host has. TY-RUN-021 if it is no count.
Result<int> thread_count();

}  // namespace trainyard::runtime
