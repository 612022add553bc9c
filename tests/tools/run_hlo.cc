// run_hlo MODULE OUT_DIR IN.bin... [--print] [--text] [--check] [--times]: compiles StableHLO
// bytecode, runs it on one simulated core and writes OUT_DIR/outN.bin, raw bytes each.
//   --print   the graph after the passes      --text   the body
//   --check   place it, time it and prove the placement, too; prints the time
//   --times   seconds of each pass, and CPU seconds of five runs
// Exit 0: done; 2: refused with a code (on stderr).
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "compiler/compile.h"
#include "compiler/ir/print.h"
#include "compiler/stablehlo/reader.h"
#include "isa/text/text.h"
#include "isa/verify.h"
#include "runtime/kernel.h"

namespace {

using namespace trainyard;

std::vector<uint8_t> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Job {
  std::vector<std::string> files;
  std::set<std::string, std::less<>> flags;
  bool has(std::string_view flag) const { return flags.contains(flag); }
};

Status run_once(const compiler::Executable& exe, const hw::Machine& machine,
                std::vector<sim::Binding>& bindings, const Job& job) {
  if (job.has("--check")) {
    Result<runtime::Kernel> kernel = runtime::Kernel::make(exe.program, machine);
    if (!kernel.ok()) return kernel.status();
    runtime::RunOptions options;
    options.mode = runtime::Mode::Check;
    const Result<runtime::RunResult> result = kernel->run(bindings, options);
    if (!result.ok()) return result.status();
    for (const auto& event : result->events) fmt::print(stderr, "{}\n", event.status.str());
    for (const auto& finding : result->check->findings)
      fmt::print(stderr, "{}\n", finding.status.str());
    if (!result->events.empty() || !result->check->findings.empty()) {
      return error("TY-CHK-000", "check has findings");
    }
    if (result->time) fmt::print("simulated {} ticks\n", result->time->total.value);
    return {};
  }
  const auto plan = sim::ValuePlan::make(exe.program, machine.core, {.flush_denormals = true, .share_memory = true});
  if (!plan.ok()) return plan.status();
  auto run = sim::ValueRun::make(*plan, bindings, sim::serial());
  if (!run.ok()) return run.status();
  // With --times five runs, for the caches and pages to warm up.
  for (int i = 0; i < (job.has("--times") ? 5 : 1); ++i) {
    const std::clock_t start = std::clock();
    if (i > 0) TY_TRY((*run)->rebind(bindings));
    if ((*run)->resume() == sim::ValueRun::State::Fault) return (*run)->fault();
    if (job.has("--times")) {
      fmt::print("run {:.6f}\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
  }
  return {};
}

Status work(const Job& job) {
  Result<compiler::Module> module = compiler::read_stablehlo(read_file(job.files.at(0)));
  if (!module.ok()) return module.status();
  const Result<hw::Machine> machine = hw::find_target("trn2");
  std::vector<compiler::PassTime> times;
  compiler::CompileOptions options;
  options.times = &times;
  std::string last;
  if (job.has("--print")) {
    options.after_pass = [&](std::string_view, const compiler::Module& m) {
      last = compiler::print(m);
    };
  }
  Result<compiler::Executable> exe = compiler::compile(std::move(*module), *machine, options);
  fmt::print("{}", last);
  if (!exe.ok()) return exe.status();
  if (job.has("--text")) fmt::print("{}", isa::print_text(exe->program));
  if (job.has("--times")) {
    for (const auto& t : times) fmt::print("{} {:.6f}\n", t.name, t.seconds);
  }
  TY_TRY(isa::verify(exe->program, machine->core));
  std::vector<std::vector<std::byte>> memory;
  std::vector<sim::Binding> bindings;
  const auto bind = [&](isa::TensorId tensor, const std::vector<uint8_t>& bytes) {
    memory.emplace_back(bytes.size());
    if (!bytes.empty()) std::memcpy(memory.back().data(), bytes.data(), bytes.size());
    if (tensor >= 0) bindings.push_back({tensor, memory.back()});
  };
  memory.reserve(exe->arguments.size() + exe->outputs.size() + exe->constants.size());
  for (size_t i = 0; i < exe->arguments.size(); ++i) {
    bind(exe->arguments[i].tensor, read_file(job.files.at(2 + i)));
  }
  for (const auto& constant : exe->constants) bind(constant.tensor, constant.bytes);
  const size_t first = memory.size();
  for (const auto& output : exe->outputs) {
    const int64_t bytes = *output.type.elements() * compiler::byte_size(output.type.element);
    bind(output.tensor, std::vector<uint8_t>(static_cast<size_t>(bytes)));
  }
  TY_TRY(run_once(*exe, *machine, bindings, job));
  for (size_t i = 0; i < exe->outputs.size(); ++i) {
    std::ofstream out(fmt::format("{}/out{}.bin", job.files.at(1), i), std::ios::binary);
    out.write(reinterpret_cast<const char*>(memory[first + i].data()),
              static_cast<std::streamsize>(memory[first + i].size()));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text.starts_with("--")) {
      job.flags.insert(text);
    } else {
      job.files.push_back(text);
    }
  }
  const Status status = work(job);
  if (!status.ok()) fmt::print(stderr, "{}\n", status.str());
  return status.ok() ? 0 : 2;
}
