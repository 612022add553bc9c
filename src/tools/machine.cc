#include <fmt/core.h>

#include <memory>
#include <string>

#include "hw/machine_file.h"
#include "tools/command.h"

namespace trainyard::tools {
namespace {

struct Options {
  std::string target = "trn2";
  std::string machine;  // a machine file; overrides `target`
};

// An instance has more numbers than its chip.
Result<int> print_system(const hw::System& system) {
  fmt::print("{}", hw::system_to_toml(system));
  return 0;
}

Result<int> print_machine(const Options& options) {
  const Result<hw::System> system =
      options.machine.empty() ? hw::find_system(options.target) : hw::load_system(options.machine);
  if (system) return print_system(*system);
  const Result<hw::Machine> machine =
      options.machine.empty() ? hw::find_target(options.target) : hw::load_machine(options.machine);
  if (!machine) return machine.status();
  fmt::print("{}", hw::machine_to_toml(*machine));
  return 0;
}

}  // namespace

Run declare_machine(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("target", options->target, "Chip or instance to print")->capture_default_str();
  app.add_option("--machine", options->machine, "Machine file to check and print");
  return [options] { return print_machine(*options); };
}

}  // namespace trainyard::tools
