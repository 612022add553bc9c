#pragma once
// A line on the terminal that says how far a long run has come.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/progress.h"

namespace trainyard::tools {

// Shows `progress` on stderr from the third second on, while it lives. Silent if stderr is no
// terminal.
class ProgressLine {
 public:
  explicit ProgressLine(const Progress& progress);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void show();

  const Progress& progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// "time: 12.3 of 40.0 million instructions, 31 %", "values: 5 s"
std::string progress_words(const char* phase, int64_t done, int64_t of, int seconds);

}  // namespace trainyard::tools
