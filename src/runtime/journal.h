#pragma once
// Which programs ran how often, so that their simulated time can be asked for afterwards. Running
// costs no more than a count; time is simulated only when somebody wants to know.
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/code.h"

namespace trainyard::runtime {

struct SimulatedTime {
  struct Row {
    std::string program;
    int64_t runs = 0;
    ProgramTime time;  // of one run
  };
  std::vector<Row> rows;  // in order of first appearance
  // Device time of all runs, launches included, as if one core had run them one after another.
  double seconds = 0;
  double last_seconds = 0;  // of the last run
  int64_t runs = 0;
  int64_t forgotten = 0;  // runs of programs that were let go to save memory
  hw::Trust trust = hw::Trust::Documented;
};

// Thread-safe.
class Journal {
 public:
  // So many different programs are remembered, the oldest goes first.
  static constexpr size_t kMostPrograms = 1024;

  // A launch is under way from `launched` to `ended`. Between them it may have `ran`. In mode time
  // there are no counts: the program's own expectation holds.
  void launched();
  void ended();
  void ran(const std::shared_ptr<const Code>& code, std::optional<isa::TripRecord> trips);
  // Everything launched since the last call; waits for what is under way. An error if a program
  // cannot be placed or timed.
  Result<SimulatedTime> take();

 private:
  struct Entry {
    std::shared_ptr<const Code> code;
    std::optional<isa::TripRecord> trips;
    int64_t runs = 0;
  };
  std::mutex mutex_;
  std::condition_variable idle_;
  int64_t under_way_ = 0;
  std::vector<Entry> entries_;
  size_t last_ = 0;  // index of the entry of the last run
  int64_t forgotten_ = 0;
};

}  // namespace trainyard::runtime
