#include "sim/execute/tile/host_buffer.h"

#include <sys/mman.h>

#include "base/check.h"

namespace trainyard::sim {

void HostBuffer::reserve(size_t bytes) {
  if (bytes <= size_) return;
  constexpr size_t kLine = 64, kHugePage = size_t{2} << 20;
  const size_t align = bytes >= kHugePage ? kHugePage : kLine;
  const size_t rounded = (bytes + align - 1) / align * align;
  memory_.reset();
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(align, rounded)));
  TY_CHECK(memory_ != nullptr);
  // A hint: without huge pages the result is the same and a little slower.
  if (align == kHugePage) static_cast<void>(madvise(memory_.get(), rounded, MADV_HUGEPAGE));
  size_ = rounded;
}

}  // namespace trainyard::sim
