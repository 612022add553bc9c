#pragma once
// Writes Perfetto traces (ui.perfetto.dev): tracks, slices and counters. A small writer of the wire
// format, so that nothing links libprotobuf, which clashes with the copies inside JAX.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

class PerfettoWriter {
 public:
  using Track = uint64_t;

  PerfettoWriter();

  // A named row. Tracks without a parent are top-level groups; order among siblings is the order of
  // creation.
  Track add_track(std::string_view name, Track parent = 0);
  Track add_counter(std::string_view name, std::string_view unit, Track parent = 0);

  struct Note {  // shown when a slice is selected
    std::string_view key;
    std::string_view text;
  };
  // Slices of one track must not overlap unless they nest. Times are nanoseconds from the start of
  // the trace.
  void slice(Track track, std::string_view name, std::string_view category, int64_t begin_ns,
             int64_t end_ns, const std::vector<Note>& notes = {});
  void count(Track counter, int64_t ns, int64_t value);

  const std::string& bytes() const { return out_; }

 private:
  uint64_t intern(std::string_view name, std::map<std::string, uint64_t, std::less<>>& table,
                  int field);
  void packet(std::string_view body, int64_t ns);
  Track add(std::string_view name, Track parent, std::string_view extra);

  std::string out_;
  std::string interned_;  // names first used by the next packet
  std::map<std::string, uint64_t, std::less<>> names_, categories_, keys_;
  uint64_t next_track_ = 1;
};

}  // namespace trainyard
