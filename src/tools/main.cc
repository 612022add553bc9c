#include "tools/command.h"

namespace trainyard::tools {
namespace {

// The order is the order of `trainyard --help`.
constexpr Command kCommands[] = {
    {"run", "Run a program on a simulated core: values, time, hazards",
     "trainyard run examples/attention.tya --random 1\n"
     "trainyard run softmax.tya --input x=x.npy --output y=y.npy --trace softmax.pftrace\n"
     "trainyard run newton.tya --mode time --trips newton=12\n"
     "trainyard run softmax.tya --mode check --random 1",
     declare_run},
    {"compile", "Compile StableHLO to a program",
     "trainyard compile model.mlirbc -o model.tyx\n"
     "trainyard compile model.mlirbc --print-after=inline\n"
     "trainyard compile model.mlir --time-passes --remarks",
     declare_compile},
    {"preflight", "Say what a module would do on a core, before it runs",
     "trainyard preflight step.mlirbc\ntrainyard preflight step.mlir --target trn3 --all\n"
     "trainyard preflight step.mlirbc --json",
     declare_preflight},
    {"profile", "Run a JAX script on a simulated device: time per step, what bounds it",
     "trainyard profile train.py\ntrainyard profile --trace step.pftrace train.py --steps 3",
     declare_profile},
    {"asm", "Check a program, place it and write it out complete",
     "trainyard asm softmax.tya -o placed.tya\ntrainyard asm softmax.tya --target trn3",
     declare_asm},
    {"disasm", "Show body and placement side by side",
     "trainyard disasm softmax.tya\ntrainyard disasm softmax.tya --counts 4", declare_disasm},
    {"cache", "Show compiled programs in TRAINYARD_CACHE, and why one is found or not",
     "trainyard cache\ntrainyard cache --explain model.mlirbc\n"
     "trainyard cache --folder compiled --explain model.mlirbc --target trn1",
     declare_cache},
    {"fidelity", "Compare predicted times with published ones",
     "trainyard fidelity\ntrainyard fidelity --json\ntrainyard fidelity --dir my/programs",
     declare_fidelity},
    {"explain", "Explain an error code or a part of the machine",
     "trainyard explain TY-TOOL-001\ntrainyard explain tensor --target trn3\n"
     "trainyard explain pe.mm_floor\ntrainyard explain --list",
     declare_explain},
    {"machine", "Print every number of a machine, as a machine file to change",
     "trainyard machine trn3\ntrainyard machine trn2.48xlarge\n"
     "trainyard machine --machine mine.toml",
     declare_machine},
    {"ls", "List the devices of an instance, as neuron-ls does",
     "trainyard ls\ntrainyard ls --instance trn1.32xlarge --topology\n"
     "trainyard ls --instance trn2.48xlarge --json-output\ntrainyard ls --list",
     declare_ls},
    {"nccom", "Time a collective on simulated instances, as nccom-test does",
     "trainyard nccom all_reduce --instance trn2.48xlarge --nodes 4 --min 8 --max 1g\n"
     "trainyard nccom allg -r 32 -b 1kb -e 1mb -f 8 -d fp32 --instance trn1.32xlarge\n"
     "trainyard nccom allr --nodes 64 -b 1GB --slow-link 3:5-6:0.5 --jitter --stats avg p50 p99\n"
     "trainyard nccom redsct --algo cost --json\n"
     "trainyard nccom permute --custom-src-target-pairs examples/nccom/pairs.json",
     declare_nccom},
    {"step", "Predict one training step: time, memory, what bounds it",
     "trainyard step --model llama3-70b --instance trn1.32xlarge --nodes 32 --tp 32 --pp 8 "
     "--seq-len 4096 --global-batch 1024\n"
     "trainyard step --model config.json --instance trn2.48xlarge --nodes 4 --tp 4 --sharding "
     "fsdp\n"
     "trainyard step --csv rows.csv --out predicted.csv",
     declare_step},
    {"plan", "Find layouts, machines and sizes for a training run, with cost and odds",
     "trainyard plan --model llama3-70b --tokens 2T --on trn2.48xlarge,p5.48xlarge --nodes 1..128 "
     "--deadline 30d\n"
     "trainyard plan --model llama3-8b --tokens 1T --on trn1,trn2,h100,v5p --compare\n"
     "trainyard plan --model config.json --tokens 300B --on trn2 --price trn2=2.25/chip-hour "
     "--spot",
     declare_plan},
    {"fidelity-cluster", "Compare predicted training steps with published runs",
     "trainyard fidelity-cluster\ntrainyard fidelity-cluster rows.csv --rows",
     declare_fidelity_cluster},
    {"doctor", "Show what this host offers to the simulator",
     "trainyard doctor\ntrainyard doctor --json", declare_doctor},
};

}  // namespace
}  // namespace trainyard::tools

int main(int argc, char** argv) {
  return trainyard::tools::guarded(
      [&] { return trainyard::tools::run_command_line(trainyard::tools::kCommands, argc, argv); });
}
