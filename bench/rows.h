#pragma once
// The rows of `./dev bench`: what is measured, against what, and the bar.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel.h"

namespace trainyard::bench {

struct Row {
  std::string name;
  double ours = 0, ceiling = 0;
  std::string unit;  // of both
  double ratio = 0;
  double bar = 0;
  bool at_least = true;  // ratio must be >= bar, else <= bar
  std::string note;

  bool passes() const { return at_least ? ratio >= bar : ratio <= bar; }
};

struct Area {
  std::string_view name;
  std::function<std::vector<Row>()> run;
};

// One file each.
std::vector<Row> matmul_rows();     // values of whole matmul programs against the raw tile loop
std::vector<Row> vector_rows();     // activation, tensor_tensor, tensor_scalar, dma_copy
std::vector<Row> time_rows();       // time alone and check, instructions per second
std::vector<Row> memory_rows();     // what a core costs beside its tensors
std::vector<Row> placement_rows();  // simulated quality of placements, and how long placing takes

// CPU seconds of the calling thread: other work on the host does not count.
double thread_seconds();
double wall_seconds();
double median(std::vector<double> values);

Result<runtime::Kernel> load_text(const std::string& text, const std::string& name,
                                  const place::Options& options = {});
Result<runtime::Kernel> load_example(const std::string& name, const place::Options& options = {});
// Prints the error and ends the program.
runtime::Kernel must(Result<runtime::Kernel> kernel);
void must(const Status& status);

// Memory for every tensor that a program binds, filled with small numbers.
class Bound {
 public:
  explicit Bound(const isa::Program& program);
  std::span<const sim::Binding> bindings() const { return bindings_; }
  int64_t bytes() const;

 private:
  std::vector<std::vector<std::byte>> memory_;
  std::vector<sim::Binding> bindings_;
};

}  // namespace trainyard::bench
