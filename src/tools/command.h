#pragma once
// The sub-commands of `trainyard`. Each lives in a file of its own; main.cc lists them.
#include <CLI/App.hpp>
#include <functional>
#include <span>

#include "base/status.h"

namespace trainyard::tools {

// What a sub-command does once its options are read. The value is the exit code of the program;
// an error is printed and makes it kExitFailed.
using Run = std::function<Result<int>()>;

inline constexpr int kExitFailed = 1;  // the user's program or input is wrong
inline constexpr int kExitUsage = 2;   // the command line is wrong
inline constexpr int kExitBroken = 3;  // Trainyard is wrong, or memory ran out

struct Command {
  const char* name;
  const char* summary;        // one line, no full stop
  const char* examples;       // command lines, one per line
  Run (*declare)(CLI::App&);  // adds options to the app; Run sees them after parsing
};

// Parses the command line, runs one command, returns the exit code. Results go to stdout, errors
// to stderr.
int run_command_line(std::span<const Command> commands, int argc, const char* const* argv);

// Runs `work` and turns an exception into a message on stderr: TY-TOOL-012 if memory ran out,
// TY-TOOL-011 for any other, which is a mistake of Trainyard. No exception is meant to come here.
int guarded(const std::function<int()>& work);

// run.cc: runs a program on a simulated core.
Run declare_run(CLI::App& app);
// compile.cc: compiles StableHLO to a body.
Run declare_compile(CLI::App& app);
// preflight.cc: what a module would do on a core, before it runs.
Run declare_preflight(CLI::App& app);
// profile.cc: runs a Python script on a simulated device and says where its time goes.
Run declare_profile(CLI::App& app);
// asm.cc: checks, places and prints a program.
Run declare_asm(CLI::App& app);
// disasm.cc: shows body and placement side by side, with what edges mean.
Run declare_disasm(CLI::App& app);
// cache.cc: the compiled programs of a cache, and the key of a module.
Run declare_cache(CLI::App& app);
// fidelity.cc: compares predicted times with published ones.
Run declare_fidelity(CLI::App& app);
// doctor.cc: what the host offers to the simulator.
Run declare_doctor(CLI::App& app);
// explain.cc: pages about error codes and the machine.
Run declare_explain(CLI::App& app);
// ls.cc: the devices of an instance.
Run declare_ls(CLI::App& app);
// nccom.cc: times of collectives.
Run declare_nccom(CLI::App& app);
// machine.cc: every number of a machine, as a machine file.
Run declare_machine(CLI::App& app);
// step.cc: the time, memory and bounds of one training step.
Run declare_step(CLI::App& app);
// plan.cc: the best layouts, machines and sizes for a whole run, with their cost.
Run declare_plan(CLI::App& app);
// fidelity_cluster.cc: the step model against published runs.
Run declare_fidelity_cluster(CLI::App& app);

}  // namespace trainyard::tools
