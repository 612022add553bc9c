#include "rows.h"

#include <ctime>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace trainyard::bench {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Result<runtime::Kernel> load_text(const std::string& text, const std::string& name,
                                  const place::Options& options) {
  return runtime::Kernel::from_text(text, name, *hw::find_target("trn2"), options);
}

Result<runtime::Kernel> load_example(const std::string& name, const place::Options& options) {
  const std::string path = "examples/" + name + ".tya";
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return load_text(text.str(), path, options);
}

void must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.str().c_str());
  std::exit(1);
}

runtime::Kernel must(Result<runtime::Kernel> kernel) {
  must(kernel.ok() ? Status() : kernel.status());
  return std::move(*kernel);
}

Bound::Bound(const isa::Program& program) {
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const isa::Tensor& t = program.tensors[i];
    if (t.io == isa::Io::None) continue;
    memory_.emplace_back(static_cast<size_t>(t.total_bytes()));
    // In strips: the memory rows measure the peak of a process that does only this.
    const auto size = static_cast<size_t>(numerics::size_of(t.dtype));
    const size_t count = memory_.back().size() / size;
    float strip[4096];
    for (size_t at = 0; at < count; at += std::size(strip)) {
      const size_t n = std::min(std::size(strip), count - at);
      for (size_t j = 0; j < n; ++j)
        strip[j] = static_cast<float>(((at + j) * 2654435761u >> 20) % 256) / 256 - 0.5f;
      numerics::narrow(t.dtype, strip, memory_.back().data() + at * size, n);
    }
    bindings_.push_back({static_cast<isa::TensorId>(i), memory_.back()});
  }
  // The vector of vectors may have moved its buffers' owners, not the buffers.
}

int64_t Bound::bytes() const {
  int64_t sum = 0;
  for (const auto& m : memory_) sum += static_cast<int64_t>(m.size());
  return sum;
}

}  // namespace trainyard::bench
