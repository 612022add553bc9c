// What a core costs beside its tensors in values mode: the peak of a child process that runs, less
// one that only binds the same tensors.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "rows.h"
#include "runtime/threads.h"

namespace trainyard::bench {
namespace {

double peak_mib(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  rusage usage{};
  int status = 0;
  wait4(child, &status, 0, &usage);
  if (status != 0)
    must(error("TY-TOOL-003", "a child of the benchmark failed with status {}", status));
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double cost_mib(const std::string& example, int threads) {
  const double bound = peak_mib([&] {
    const runtime::Kernel kernel = must(load_example(example));
    const Bound tensors(kernel.program());
  });
  const double run = peak_mib([&] {
    const runtime::Kernel kernel = must(load_example(example));
    const Bound tensors(kernel.program());
    const runtime::Threads pool(threads);
    const auto r =
        kernel.run(tensors.bindings(), {.mode = runtime::Mode::Values}, pool.parallel_for());
    must(r.ok() ? Status() : r.status());
  });
  return run - bound;
}

}  // namespace

std::vector<Row> memory_rows() {
  std::vector<Row> rows;
  for (const char* example : {"matmul", "softmax", "attention"}) {
    const double one = cost_mib(example, 1), two = cost_mib(example, 2);
    rows.push_back({fmt::format("{}: a core beside its tensors", example), one, 48, "MiB", one / 48,
                    1, false, ""});
    rows.push_back({fmt::format("{}: one more host thread", example), two - one, 32, "MiB",
                    (two - one) / 32, 1, false, ""});
  }
  return rows;
}

}  // namespace trainyard::bench
