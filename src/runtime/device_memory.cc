#include "runtime/device_memory.h"

#include <algorithm>
#include <map>
#include <vector>

namespace trainyard::runtime {
namespace {

std::string words(const Purpose& purpose) {
  return fmt::format("{} {}", purpose.type ? compiler::str(*purpose.type) : "tensors inside",
                     purpose.origin ? "of " + *purpose.origin : "from the host");
}

std::string mib(int64_t bytes) {
  constexpr double kMiB = 1 << 20;
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMiB);
}

}  // namespace

DeviceMemory::Reservation& DeviceMemory::Reservation::operator=(Reservation&& other) noexcept {
  release();
  memory_ = std::exchange(other.memory_, nullptr);
  live_ = other.live_;
  return *this;
}

void DeviceMemory::Reservation::release() {
  if (memory_ == nullptr) return;
  const std::lock_guard lock(memory_->mutex_);
  memory_->in_use_ -= live_->bytes;
  memory_->live_.erase(live_);
  memory_ = nullptr;
}

Result<DeviceMemory::Reservation> DeviceMemory::reserve(int64_t bytes, Purpose purpose) {
  const std::lock_guard lock(mutex_);
  if (bytes > limit_ - in_use_) return exhausted(bytes, purpose);
  in_use_ += bytes;
  peak_ = std::max(peak_, in_use_);
  largest_ = std::max(largest_, bytes);
  ++allocations_;
  live_.push_front({bytes, std::move(purpose)});
  Reservation reservation;
  reservation.memory_ = this;
  reservation.live_ = live_.begin();
  return reservation;
}

Status DeviceMemory::exhausted(int64_t bytes, const Purpose& purpose) const {
  struct Group {
    int64_t count = 0, bytes = 0;
  };
  std::map<std::string, Group> groups;
  for (const Live& live : live_) {
    Group& group = groups[words(live.purpose)];
    ++group.count;
    group.bytes += live.bytes;
  }
  std::vector<std::pair<std::string, Group>> rows(groups.begin(), groups.end());
  std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second.bytes; });
  constexpr size_t kRows = 12;
  std::string table;
  for (size_t i = 0; i < std::min(rows.size(), kRows); ++i) {
    const auto& [what, group] = rows[i];
    table += fmt::format("\n  {:>14}  {:>6} x {}", mib(group.bytes), group.count, what);
  }
  if (rows.size() > kRows) table += fmt::format("\n  and {} kinds more", rows.size() - kRows);
  return error(
      "TY-RUN-020",
      "{} has no room for {} ({}): {} of {} are in use. Delete or donate arrays, make the batch "
      "smaller, or give the machine more memory (TRAINYARD_MACHINE). Live now:{}",
      device_, words(purpose), mib(bytes), mib(in_use_), mib(limit_), table);
}

MemoryStats DeviceMemory::stats() const {
  const std::lock_guard lock(mutex_);
  return {in_use_, peak_, allocations_, largest_, limit_};
}

void DeviceMemory::clear_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = in_use_;
}

}  // namespace trainyard::runtime
