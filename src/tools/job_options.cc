#include "tools/job_options.h"

#include <array>

#include "cluster/training/model_config.h"
#include "hw/machine_file.h"
#include "tools/quantities.h"

namespace trainyard::tools {

std::string instance_of(const std::string& name) {
  struct Short {
    const char* name;
    const char* instance;
  };
  constexpr std::array<Short, 20> kShort = {{{"p4d", "p4d.24xlarge"},
                                             {"p4de", "p4de.24xlarge"},
                                             {"p5", "p5.48xlarge"},
                                             {"p5en", "p5en.48xlarge"},
                                             {"trn1", "trn1.32xlarge"},
                                             {"trn1n", "trn1n.32xlarge"},
                                             {"trn2", "trn2.48xlarge"},
                                             {"trn2u", "trn2-ultraserver"},
                                             {"trn3", "trn3-gen1-ultraserver"},
                                             {"a100", "p4de.24xlarge"},
                                             {"h100", "p5.48xlarge"},
                                             {"h200", "p5en.48xlarge"},
                                             {"b200", "p6-b200.48xlarge"},
                                             {"b300", "p6-b300.48xlarge"},
                                             {"v4", "tpu-v4-pod"},
                                             {"v5e", "tpu-v5e-pod"},
                                             {"v5p", "tpu-v5p-pod"},
                                             {"v6e", "tpu-v6e-pod"},
                                             {"tpu7x", "tpu7x-pod"},
                                             {"mi300x", "8xmi300x"}}};
  for (const Short& s : kShort) {
    if (name == s.name) return s.instance;
  }
  return name;
}

void add_model_options(CLI::App& app, JobOptions& o) {
  cluster::JobRequest& r = o.request;
  app.add_option(
      "--model", o.model,
      "Built-in model, config.json or its folder, or numbers: layers=32,hidden=4096,...");
  app.add_option("--machine", o.machine, "Machine file of an instance of your own");
  app.add_option("--seq-len,--seq_len", r.seq_len, "Tokens of a sequence")->check(from_one);
  app.add_option("--global-batch,--global_batch", r.global_batch, "Sequences of a step")
      ->check(from_one);
  app.add_option("--dtype", r.dtype, "bf16 (fp32 masters), bf16+SR, fp16, fp8, tf32, fp32");
  app.add_option("--optimizer", r.optimizer, "adamw, lamb, lion, sgd, adafactor");
  app.add_option("--software", r.software, "Software stack, e.g. nxd, jax, megatron, maxtext");
  app.add_option("--overlap", r.overlap, "none, default, token, token+multistream");
  app.add_option("--lnc", r.lnc, "Physical cores of a rank on Trainium2 and 3")->check(from_one);
}

void add_layout_options(CLI::App& app, JobOptions& o) {
  cluster::JobRequest& r = o.request;
  app.add_option("--instance,--instance-type,--instance_type", o.instance,
                 "Instance, e.g. trn1.32xlarge, p5.48xlarge, tpu-v5p-pod")
      ->capture_default_str();
  app.add_option("--nodes,--instances", r.nodes, "Instances")
      ->check(from_one)
      ->capture_default_str();
  app.add_option("--chips", r.chips, "Chips of a slice, instead of --nodes")->check(from_one);
  app.add_option("--tp", r.tp, "Tensor parallel")->check(from_one)->capture_default_str();
  app.add_option("--pp", r.pp, "Pipeline stages")->check(from_one)->capture_default_str();
  app.add_option("--vpp", r.vpp, "Model chunks of a stage")->check(from_one)->capture_default_str();
  app.add_option("--cp", r.cp, "Context parallel")->check(from_one)->capture_default_str();
  app.add_option("--ep", r.ep, "Expert parallel")->check(from_one)->capture_default_str();
  app.add_option("--dp", r.dp, "Data parallel; by default the rest of the ranks")->check(from_one);
  app.add_option("--micro-batch,--micro_batch", r.micro_batch,
                 "Sequences that a data-parallel rank takes at a time")
      ->check(from_one);
  app.add_option("--recompute", r.recompute, "none, selective, partial, full");
  app.add_option("--sharding", r.sharding, "none, zero1, fsdp");
  app.add_flag("--no-sequence-parallel", o.no_sequence_parallel,
               "Norms and dropout on every tensor-parallel rank");
}

Result<cluster::JobRequest> read_job(const JobOptions& o) {
  cluster::JobRequest request = o.request;
  if (o.model.empty()) {
    return error("TY-CLU-201", "no model is given; write --model llama3-70b, or a config.json");
  }
  Result<cluster::Model> model = cluster::load_model(o.model);
  if (!model) return model.status();
  request.model = std::move(*model);
  Result<hw::System> system =
      o.machine.empty() ? hw::find_system(instance_of(o.instance)) : hw::load_system(o.machine);
  if (!system) return system.status();
  request.system = std::move(*system);
  if (o.no_sequence_parallel) request.sequence_parallel = false;
  return request;
}

}  // namespace trainyard::tools
