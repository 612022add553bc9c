#include "tools/command.h"

namespace trainyard::tools {
namespace {

// The order is the order of `trainyard --help`.
constexpr Command kCommands[] = {
    {"explain", "Explain an error code or a part of the machine",
     "trainyard explain TY-TOOL-001\ntrainyard explain tensor --target trn3\n"
     "trainyard explain pe.mm_floor\ntrainyard explain --list",
     declare_explain},
    {"machine", "Print every number of a machine, as a machine file to change",
     "trainyard machine trn3\ntrainyard machine --machine mine.toml", declare_machine},
    {"doctor", "Show what this host offers to the simulator",
     "trainyard doctor\ntrainyard doctor --json", declare_doctor},
};

}  // namespace
}  // namespace trainyard::tools

int main(int argc, char** argv) {
  return trainyard::tools::run_command_line(trainyard::tools::kCommands, argc, argv);
}
