// Runs the values of a program in text form on files of raw bytes, for tests that compare with
// NumPy.
//
//   run_values program.tya folder [key=value...]
//
// Reads folder/NAME.bin for every `in` and `inout` tensor and writes it for every `out` and
// `inout` one. Keys: target (trn1, trn2, trn3), strict, watch, shortcuts (0 or 1), threads,
// share (nanoseconds), nan (0: max and min drop NaN), stochastic (a seed). Prints events, trips and
// the fault, one per line, and exits with 1 after a fault and with 2 after an error.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "hw/catalogue.h"
#include "isa/text/text.h"
#include "sim/values.h"

namespace trainyard {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : std::string();
}

using Settings = std::map<std::string, std::string>;

int number(const Settings& settings, const std::string& key, int otherwise) {
  const auto at = settings.find(key);
  return at == settings.end() ? otherwise : std::stoi(at->second);
}

sim::ValueOptions options_of(const Settings& s) {
  sim::ValueOptions o;
  o.strict = number(s, "strict", 0) != 0;
  o.watch = number(s, "watch", 0) != 0;
  o.shortcuts = number(s, "shortcuts", 1) != 0;
  o.max_propagates_nan = number(s, "nan", 1) != 0;
  o.share_above = number(s, "share", static_cast<int>(o.share_above));
  if (s.contains("stochastic")) {
    o.convert.rounding.mode = numerics::Rounding::Stochastic;
    o.convert.rounding.seed = static_cast<uint64_t>(number(s, "stochastic", 0));
  }
  return o;
}

// Fresh threads for each loop: slow, and enough for tests.
sim::ParallelFor threads_of(int count) {
  if (count <= 1) return sim::serial();
  return {count, [count](int64_t n, const std::function<void(int64_t, int)>& work) {
            std::atomic<int64_t> next{0};
            std::vector<std::thread> threads;
            for (int t = 0; t < count; ++t) {
              threads.emplace_back([&, t] {
                for (int64_t i = next++; i < n; i = next++) work(i, t);
              });
            }
            for (std::thread& t : threads) t.join();
          }};
}

const hw::CoreSpec& core_of(const std::string& target) {
  if (target == "trn1") return hw::kNeuronCoreV2;
  if (target == "trn3") return hw::kNeuronCoreV4;
  return hw::kNeuronCoreV3;
}

int fail(const Status& status) {
  fmt::print("error {}\n", status.str());
  return 2;
}

struct Memory {
  const isa::Tensor* tensor;
  std::vector<uint32_t> words;  // aligned
  std::span<std::byte> bytes() {
    return {reinterpret_cast<std::byte*>(words.data()), static_cast<size_t>(tensor->total_bytes())};
  }
};

int run(const std::string& path, const std::string& folder, const Settings& settings) {
  Result<isa::Program> program = isa::parse_text(read_file(path), path);
  if (!program.ok()) return fail(program.status());
  const auto target = settings.find("target");
  const hw::CoreSpec& core = core_of(target == settings.end() ? program->target : target->second);
  const auto plan = sim::ValuePlan::make(*program, core, options_of(settings));
  if (!plan.ok()) return fail(plan.status());
  for (const std::string& remark : (*plan)->remarks()) fmt::print("remark {}\n", remark);

  std::vector<Memory> memory;
  memory.reserve(program->tensors.size());
  std::vector<sim::Binding> bindings;
  for (size_t id = 0; id < program->tensors.size(); ++id) {
    const isa::Tensor& t = program->tensors[id];
    if (t.io == isa::Io::None) continue;
    memory.push_back({&t, std::vector<uint32_t>((t.total_bytes() + 3) / 4)});
    if (t.io != isa::Io::Out) {
      const std::string file = read_file(folder + "/" + t.name + ".bin");
      if (static_cast<int64_t>(file.size()) != t.total_bytes())
        return fail(error("TY-TOOL-000", "{}.bin has {} bytes, not {}", t.name, file.size(),
                          t.total_bytes()));
      std::copy_n(reinterpret_cast<const std::byte*>(file.data()), file.size(),
                  memory.back().bytes().begin());
    }
    bindings.push_back({static_cast<isa::TensorId>(id), memory.back().bytes()});
  }
  auto run = sim::ValueRun::make(*plan, bindings, threads_of(number(settings, "threads", 1)));
  if (!run.ok()) return fail(run.status());
  const sim::ValueRun::State state = (*run)->resume();
  for (const sim::ValueEvent& e : (*run)->events())
    fmt::print("event {} x{}\n", e.status.str(), e.times);
  fmt::print("executed {}\n", (*run)->executed());
  for (Memory& m : memory) {
    if (m.tensor->io == isa::Io::In) continue;
    std::ofstream out(folder + "/" + m.tensor->name + ".bin", std::ios::binary);
    out.write(reinterpret_cast<const char*>(m.bytes().data()),
              static_cast<std::streamsize>(m.bytes().size()));
  }
  if (state != sim::ValueRun::State::Fault) return 0;
  fmt::print("fault {}\n", (*run)->fault().str());
  return 1;
}

}  // namespace
}  // namespace trainyard

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: run_values program.tya folder [key=value...]\n");
    return 2;
  }
  trainyard::Settings settings;
  for (int i = 3; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    settings[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  return trainyard::run(argv[1], argv[2], settings);
}
