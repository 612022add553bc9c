// The machine and the software of a published row.
#include <charconv>
#include <cmath>
#include <regex>

#include "cluster/training/published_fields.h"

namespace trainyard::cluster {
namespace {

struct Machine {
  std::string_view hardware;  // the hw column
  std::string_view system;    // of the catalogue
};

constexpr Machine kMachines[] = {
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
    {"gb200", "gb200-nvl72"},
    {"gb300", "gb200-nvl72"},
    {"v4", "tpu-v4-pod"},
    {"v5e", "tpu-v5e-pod"},
    {"v5p", "tpu-v5p-pod"},
    {"v6e", "tpu-v6e-pod"},
    {"tpu7x", "tpu7x-pod"},
    {"gaudi2", "8xgaudi2"},
    {"gaudi3", "8xgaudi3"},
    {"mi300x", "8xmi300x"},
};

Result<hw::System> system_of(const RowFields& row) {
  const std::string hardware = row.word("hw"), instance = row.word("instance_type");
  std::string name = hardware;
  for (const Machine& m : kMachines) {
    if (m.hardware == hardware) name = m.system;
  }
  if (hardware == "a100" && (contains(instance, "40gb") || contains(instance, "p4d."))) {
    name = "p4d.24xlarge";
  }
  Result<hw::System> system = hw::find_system(name);
  if (!system) {
    return error("TY-CLU-233", "hw = '{}': no machine of the catalogue; {}", hardware,
                 system.status().message());
  }
  if (hardware == "gb300") system->accelerator = *hw::find_accelerator("b300");
  return system;
}

// The number before `unit` in a note, as in "2.4 TB/s".
double number_before(std::string_view text, const char* unit) {
  const std::string words(text);
  std::smatch match;
  const std::regex pattern(std::string("([0-9]+(?:\\.[0-9]+)?) ?") + unit);
  if (!std::regex_search(words, match, pattern)) return 0;
  return std::strtod(match[1].str().c_str(), nullptr);
}

// Notes and instance names that change the catalogue's machine.
void apply_overrides(const RowFields& row, hw::System& system, PublishedRun& run) {
  const std::string instance = row.word("instance_type"), notes = row.word("notes");
  hw::InstanceSpec& i = system.instance;
  const double node_gbps = number_before(instance, "gb/s");
  double network = 0;  // GB/s of a node
  if (node_gbps > 0) network = node_gbps / 8;
  if (contains(instance, "dgx a100")) network = 200;  // eight 200 Gb/s adapters
  if (const double per_gpu = number_before(notes, "gb/s per gpu"); per_gpu > 0) {
    network = per_gpu / 8 * static_cast<double>(i.chips.value);
  }
  if (network > 0 && i.nics.value > 0) {
    i.nic_bytes_per_ns.value = network / static_cast<double>(i.nics.value);
    i.nic_bytes_per_ns.trust = hw::Trust::Assumed;
    run.notes.push_back(fmt::format("network {:.0f} GB/s per node, by the row", network));
  }
  if (const double rate = number_before(notes, "tb/s"); rate > 0) {
    system.accelerator.hbm_bytes_per_ns.value = 1000 * rate;
    run.notes.push_back(fmt::format("memory {} TB/s, by the notes", rate));
  }
  if (const double size = number_before(notes, "gb hbm"); size > 0) {
    system.accelerator.hbm_bytes.value = static_cast<int64_t>(size * 1e9);
  }
  if (const double watts = number_before(notes, "w limit"); watts > 0) {
    // A chip held below its design power clocks lower: about the square root at these levels.
    const double share = std::sqrt(std::min(1.0, watts / 700));
    system.accelerator.tflops_bf16.value *= share;
    system.accelerator.tflops_fp8.value *= share;
    run.notes.push_back(fmt::format("{:.0f} W limit: peak x {:.2f}", watts, share));
  }
}

// Chips of one slice: "16x v5e-256" is 16 slices, "v5p-128" counts two cores per chip.
int64_t slice_chips(const std::string& instance, int64_t chips) {
  std::smatch match;
  if (!std::regex_search(instance, match, std::regex("^([0-9]+)x "))) return chips;
  const int64_t slices = std::strtoll(match[1].str().c_str(), nullptr, 10);
  return slices > 0 && chips % slices == 0 ? chips / slices : chips;
}

}  // namespace

Status read_hardware(const RowFields& row, PublishedRun& run) {
  Result<hw::System> system = system_of(row);
  if (!system) return system.status();
  const Result<int64_t> chips = row.required("chips");
  if (!chips) return chips.status();
  if (*chips > 10'000'000) {
    return error("TY-CLU-232", "chips = {}: at most 10,000,000", *chips);
  }
  apply_overrides(row, *system, run);
  const std::optional<Precision> precision = parse_precision(row.word("dtype"));
  if (!precision) return error("TY-CLU-232", "dtype = '{}' is not known", row.text("dtype"));
  const std::optional<Optimizer> optimizer = parse_optimizer(row.word("optimizer"));
  Workload work{.system = *system,
                .chips = *chips,
                .software = parse_software(row.text("software"), row.text("date"), run.hardware),
                .precision = *precision,
                .optimizer = optimizer.value_or(Optimizer::AdamW)};
  const std::string instance = row.word("instance_type");
  if (system->instance.shape == hw::Shape::Torus && !work.software.neuron()) {
    work.chips_per_domain = slice_chips(instance, *chips);
  }
  run.workloads.push_back(work);
  if (contains(instance, "trn1.") && contains(instance, "trn1n.")) {
    if (Result<hw::System> other = hw::find_system("trn1n.32xlarge"); other) {
      work.system = *other;
      run.workloads.push_back(work);
      run.notes.push_back("trn1 or trn1n: mean of both");
    }
  }
  return {};
}

}  // namespace trainyard::cluster
