#include "tools/progress_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace trainyard::tools {

std::string progress_words(const char* phase, int64_t done, int64_t of, int seconds) {
  const auto millions = [](int64_t n) { return static_cast<double>(n) / 1e6; };
  if (done == 0) return fmt::format("{}: {} s", phase, seconds);
  // What a run-time loop adds to the amount is not known beforehand.
  if (done > of) {
    return fmt::format("{}: {:.1f} million instructions, {} s", phase, millions(done), seconds);
  }
  return fmt::format("{}: {:.1f} of {:.1f} million instructions, {:.0f} %, {} s", phase,
                     millions(done), millions(of),
                     100 * static_cast<double>(done) / static_cast<double>(of), seconds);
}

ProgressLine::ProgressLine(const Progress& progress) : progress_(progress) {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { show(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ProgressLine::show() {
  constexpr int kPatience = 3;  // seconds; a short run needs no line
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; })) {
    if (++seconds < kPatience) continue;
    fmt::print(stderr, "\r\x1b[K{}",
               progress_words(progress_.phase, progress_.done, progress_.of, seconds));
    std::fflush(stderr);
  }
  if (seconds >= kPatience) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace trainyard::tools
