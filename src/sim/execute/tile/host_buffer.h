#pragma once
// Host memory for tensors and packed operands: cache-line aligned, in huge pages where it is large.
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace trainyard::sim {

class HostBuffer {
 public:
  HostBuffer() = default;
  explicit HostBuffer(size_t bytes) { reserve(bytes); }

  // Makes room for `bytes`; the contents are lost if the buffer grows.
  void reserve(size_t bytes);
  std::byte* data() const { return memory_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  size_t size_ = 0;
};

}  // namespace trainyard::sim
