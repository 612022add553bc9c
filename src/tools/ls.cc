// `trainyard ls`: the devices of a simulated instance, with the columns and keys of neuron-ls.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/units.h"
#include "cluster/net/collective.h"
#include "cluster/net/topology.h"
#include "hw/machine_file.h"
#include "hw/systems/devices.h"
#include "hw/systems/price.h"
#include "tools/command.h"
#include "tools/job_options.h"
#include "tools/table.h"
#include "tools/topology_drawing.h"

namespace trainyard::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string instance = "trn2.48xlarge";
  std::string machine;  // a machine file; overrides `instance`
  int64_t lnc = 0;
  bool wide = false, all = false, topology = false, json = false, list = false, prices = false;
};

// Everything that a row shows.
struct Line {
  hw::Device device;
  int64_t cores;  // logical
  int64_t first_core;
  std::vector<int32_t> connected;
};

// Chips of this host that one link or one switch of the nearest level joins with `chip`.
std::vector<int32_t> connected(const cluster::Topology& t, int32_t chip, int32_t here) {
  std::vector<int32_t> found;
  for (const int32_t other : cluster::neighbours(t, chip)) {
    if (other < here) found.push_back(other);
  }
  const bool switched = t.shape == hw::Shape::Sleds || t.shape == hw::Shape::Switch;
  if (!switched) return found;
  const int32_t together = t.shape == hw::Shape::Sleds ? t.sled_chips : t.chips;
  const int32_t first = chip / together * together;
  for (int32_t other = first; other < std::min(here, first + together); ++other) {
    if (other != chip) found.push_back(other);
  }
  return found;
}

std::vector<Line> lines(const cluster::Cluster& machine) {
  const cluster::Topology t = cluster::make_topology(machine.system.instance);
  const std::vector<hw::Device> all = hw::devices(machine.system.instance);
  std::vector<Line> result;
  for (const hw::Device& device : all) {
    result.push_back({device, machine.ranks_per_chip(), device.index * machine.ranks_per_chip(),
                      connected(t, device.index, static_cast<int32_t>(all.size()))});
  }
  return result;
}

std::string memory_text(const hw::AcceleratorSpec& chip) {
  const auto gib = static_cast<double>(chip.hbm_bytes.value) / GiB;
  // The vendor writes GB for GiB.
  const bool whole = chip.hbm_bytes.value % GiB == 0;
  return fmt::format("{:g} GB", whole ? gib : static_cast<double>(chip.hbm_bytes.value) * 1e-9);
}

void print_table(const cluster::Cluster& machine, const Options& options) {
  const hw::System& system = machine.system;
  fmt::print("instance-type: {}\ninstance-id: simulated\nlogical-neuroncore-config: {}\n",
             system.name, machine.lnc);
  if (system.instance.servers.value > 1) {
    fmt::print("servers: {}, this is the first\n", system.instance.servers.value);
  }
  std::vector<Row> heading = {{"NEURON", "NEURON", "NEURON", "NEURON", "CONNECTED", "PCI"},
                              {"DEVICE", "CORES", "CORE IDS", "MEMORY", "DEVICES", "BDF"}};
  const bool processes = options.wide || options.all;
  const Row extra[2] = {processes ? Row{"PID", "COMMAND", "RUNTIME"} : Row{"CPU", "NUMA"},
                        processes ? Row{"", "", "VERSION"} : Row{"AFFINITY", "NODE"}};
  for (size_t i = 0; i < 2; ++i) {
    heading[i].insert(heading[i].end(), extra[i].begin(), extra[i].end());
  }
  std::vector<Row> rows;
  for (const Line& line : lines(machine)) {
    const int64_t last = line.first_core + line.cores - 1;
    Row& row = rows.emplace_back();
    row = {fmt::format("{}", line.device.index),
           fmt::format("{}", line.cores),
           last > line.first_core ? fmt::format("{}-{}", line.first_core, last)
                                  : fmt::format("{}", line.first_core),
           memory_text(system.accelerator),
           fmt::format("{}", fmt::join(line.connected, ", ")),
           line.device.bdf};
    // A simulated instance has no processes; neuron-ls writes NA for an idle device.
    const Row end = processes ? Row{"NA", "NA", "NA"}
                              : Row{line.device.cpus, fmt::format("{}", line.device.numa_node)};
    row.insert(row.end(), end.begin(), end.end());
  }
  fmt::print("{}", boxed_table(heading, rows));
  if (!options.topology) return;
  fmt::print("\n\nNeuron Device Topology\n{}", draw(cluster::make_topology(system.instance)));
}

void print_json(const cluster::Cluster& machine) {
  Json list = Json::array();
  for (const Line& line : lines(machine)) {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < line.cores; ++i) ids.push_back(line.first_core + i);
    list.push_back({{"neuron_device", line.device.index},
                    {"bdf", line.device.bdf},
                    {"cpu_affinity", line.device.cpus},
                    {"numa_node", fmt::format("{}", line.device.numa_node)},
                    {"connected_to", line.connected},
                    {"nc_count", line.cores},
                    {"logical_neuroncore_config", machine.lnc},
                    {"memory_size", machine.system.accelerator.hbm_bytes.value},
                    {"neuroncore_ids", ids},
                    {"neuron_processes", Json::array()}});
  }
  fmt::print("{}\n", list.dump(4));
}

void print_catalogue() {
  std::vector<Row> rows = {{"instance", "chips", "chip", "shape", "ranks", "HBM GiB", "vCPU",
                            "host GiB", "network Gbps"}};
  for (const std::string& name : hw::system_names()) {
    const hw::System s = *hw::find_system(name);
    const int64_t chips = s.instance.chips.value;
    const int64_t ranks = chips * s.accelerator.cores.value / s.accelerator.lnc_default.value;
    rows.push_back({name, fmt::format("{}", chips), std::string(s.accelerator.product),
                    std::string(hw::name(s.instance.shape)), fmt::format("{}", ranks),
                    fmt::format("{}", chips * s.accelerator.hbm_bytes.value / GiB),
                    fmt::format("{}", s.instance.vcpus.value),
                    fmt::format("{}", s.instance.host_bytes.value / GiB),
                    fmt::format("{:g}", s.instance.network_bytes_per_ns() * 8)});
  }
  fmt::print("{}", plain_table(rows));
}

// What the catalogue knows about prices, every row with its date and source.
void print_prices(bool json) {
  Json list = Json::array();
  std::vector<Row> rows = {
      {"instance", "chips", "region", "market", "USD/hour", "date", "trust", "source"}};
  for (const hw::Price& p : hw::prices()) {
    list.push_back({{"provider", p.provider},
                    {"instance", p.instance},
                    {"chips", p.chips},
                    {"region", p.region},
                    {"market", hw::name(p.market)},
                    {"usd_per_hour", p.middle()},
                    {"date", p.date},
                    {"trust", hw::name(p.trust)},
                    {"source", p.source}});
    rows.push_back({std::string(p.instance), fmt::format("{}", p.chips), std::string(p.region),
                    std::string(hw::name(p.market)), fmt::format("{:.3f}", p.middle()),
                    std::string(p.date), std::string(hw::name(p.trust)), std::string(p.source)});
  }
  fmt::print("{}", json ? list.dump(4) + "\n" : plain_table(rows));
}

Result<int> list_devices(const Options& options) {
  if (options.prices) {
    print_prices(options.json);
    return 0;
  }
  if (options.list) {
    print_catalogue();
    return 0;
  }
  const Result<hw::System> system = options.machine.empty()
                                        ? hw::find_system(instance_of(options.instance))
                                        : hw::load_system(options.machine);
  if (!system) return system.status();
  const auto machine = cluster::make_cluster(*system, 1, options.lnc);
  if (!machine) return machine.status();
  if (options.json) {
    print_json(*machine);
  } else {
    print_table(*machine, options);
  }
  return 0;
}

}  // namespace

Run declare_ls(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("--instance", options->instance, "Instance to list")->capture_default_str();
  app.add_option("--machine", options->machine, "Machine file of an instance to list");
  app.add_option("--lnc", options->lnc, "Physical cores of a logical core; 0: the chip's default");
  app.add_flag("-w,--wide", options->wide, "Show processes; a simulated instance has none");
  app.add_flag("-a,--show-all-procs", options->all, "As --wide");
  app.add_flag("-t,--topology", options->topology, "Draw the links");
  app.add_flag("-j,--json-output,--json", options->json, "Print JSON with the keys of neuron-ls");
  app.add_flag("--list", options->list, "List all instances of the catalogue");
  app.add_flag("--prices", options->prices, "List all prices of the catalogue");
  return [options] { return list_devices(*options); };
}

}  // namespace trainyard::tools
