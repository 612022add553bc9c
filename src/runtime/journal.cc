#include "runtime/journal.h"

namespace trainyard::runtime {

void Journal::launched() {
  const std::lock_guard lock(mutex_);
  ++under_way_;
}

void Journal::ended() {
  const std::lock_guard lock(mutex_);
  if (--under_way_ == 0) idle_.notify_all();
}

void Journal::ran(const std::shared_ptr<const Code>& code, std::optional<isa::TripRecord> trips) {
  const std::lock_guard lock(mutex_);
  const auto same = [&](const Entry& entry) { return entry.code == code && entry.trips == trips; };
  if (last_ < entries_.size() && same(entries_[last_])) {
    ++entries_[last_].runs;
    return;
  }
  for (last_ = 0; last_ < entries_.size(); ++last_) {
    if (same(entries_[last_])) {
      ++entries_[last_].runs;
      return;
    }
  }
  if (entries_.size() == kMostPrograms) {
    forgotten_ += entries_.front().runs;
    entries_.erase(entries_.begin());
  }
  entries_.push_back({code, std::move(trips), 1});
  last_ = entries_.size() - 1;
}

Result<SimulatedTime> Journal::take() {
  std::vector<Entry> entries;
  size_t last = 0;
  SimulatedTime sum;
  {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return under_way_ == 0; });
    entries.swap(entries_);
    last = last_;
    sum.forgotten = std::exchange(forgotten_, 0);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const Result<ProgramTime> time =
        entry.trips ? entry.code->time(*entry.trips) : entry.code->expected_time();
    if (!time.ok()) return time.status();
    sum.rows.push_back({*entry.code->name(), entry.runs, *time});
    const double one = time->seconds + time->launch_seconds;
    sum.seconds += one * static_cast<double>(entry.runs);
    if (i == last) sum.last_seconds = one;
    sum.runs += entry.runs;
    sum.trust = hw::weakest(sum.trust, time->trust);
  }
  return sum;
}

}  // namespace trainyard::runtime
