#include "compiler/compile.h"

#include <fmt/format.h>

#include <chrono>

#include "compiler/ir/supported.h"
#include "compiler/ir/verify.h"
#include "compiler/lower/lowering.h"
#include "compiler/passes/pass.h"

namespace trainyard::compiler {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(std::vector<PassTime>* times) : times_(times) {}
  void lap(std::string_view name) {
    const auto now = std::chrono::steady_clock::now();
    if (times_ != nullptr) {
      times_->push_back({name, std::chrono::duration<double>(now - last_).count()});
    }
    last_ = now;
  }

 private:
  std::vector<PassTime>* times_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<Executable> compile(Module module, const hw::Machine& machine,
                           const CompileOptions& options) {
  Stopwatch watch(options.times);
  TY_TRY(verify(module));
  TY_TRY(check_supported(module));
  watch.lap("verify");
  for (const Pass& pass : pipeline()) {
    TY_TRY(pass.run(module));
    watch.lap(pass.name);
    if (options.verify_passes) {
      const Status legal = verify(module);
      if (!legal.ok()) {
        return Status(legal.code(), fmt::format("after pass {}: {}", pass.name, legal.message()));
      }
    }
    if (options.after_pass) options.after_pass(pass.name, module);
  }
  Result<Executable> executable = lower(module, machine.core, machine.name);
  watch.lap("lower");
  return executable;
}

}  // namespace trainyard::compiler
