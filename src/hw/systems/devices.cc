#include "hw/systems/devices.h"

#include <fmt/format.h>

#include <span>

namespace trainyard::hw {
namespace {

// One chip of a published listing.
struct Slot {
  std::string_view bdf;
  int32_t numa_node;
};

struct Listing {
  std::string_view instance;
  std::span<const Slot> slots;
  std::span<const std::string_view> cpus;  // of each NUMA node
};

constexpr std::string_view kTrn1Cpus[] = {"0-31,64-95", "32-63,96-127"};
constexpr Slot kTrn1Slots[] = {{"10:1c.0", 0}, {"10:1d.0", 0}, {"a0:1c.0", 1}, {"a0:1d.0", 1},
                               {"20:1b.0", 0}, {"20:1c.0", 0}, {"90:1b.0", 1}, {"90:1c.0", 1},
                               {"20:1d.0", 0}, {"20:1e.0", 0}, {"90:1d.0", 1}, {"90:1e.0", 1},
                               {"10:1e.0", 0}, {"10:1b.0", 0}, {"a0:1e.0", 1}, {"a0:1b.0", 1}};

constexpr std::string_view kInf2Cpus[] = {"0-23,96-119", "24-47,120-143", "48-71,144-167",
                                          "72-95,168-191"};
constexpr Slot kInf2Slots[] = {{"80:1e.0", 2}, {"90:1e.0", 3}, {"80:1d.0", 2}, {"90:1f.0", 3},
                               {"80:1f.0", 2}, {"90:1d.0", 3}, {"20:1e.0", 1}, {"20:1f.0", 1},
                               {"10:1e.0", 0}, {"10:1f.0", 0}, {"10:1d.0", 0}, {"20:1d.0", 1}};

constexpr std::string_view kTrn2Cpus[] = {"0-47,96-143", "48-95,144-191"};
constexpr Slot kTrn2Slots[] = {{"cc:00.0", 1}, {"b5:00.0", 1}, {"b6:00.0", 1}, {"cb:00.0", 1},
                               {"6f:00.0", 0}, {"58:00.0", 0}, {"59:00.0", 0}, {"6e:00.0", 0},
                               {"9b:00.0", 0}, {"84:00.0", 0}, {"85:00.0", 0}, {"9a:00.0", 0},
                               {"f8:00.0", 1}, {"e1:00.0", 1}, {"e2:00.0", 1}, {"f7:00.0", 1}};

constexpr Listing kListings[] = {
    {"trn1.32xlarge", kTrn1Slots, kTrn1Cpus},   {"trn1n.32xlarge", kTrn1Slots, kTrn1Cpus},
    {"inf2.48xlarge", kInf2Slots, kInf2Cpus},   {"trn2.48xlarge", kTrn2Slots, kTrn2Cpus},
    {"trn2u.48xlarge", kTrn2Slots, kTrn2Cpus},  {"trn2-ultraserver-2", kTrn2Slots, kTrn2Cpus},
    {"trn2-ultraserver", kTrn2Slots, kTrn2Cpus}};

}  // namespace

std::vector<Device> devices(const InstanceSpec& instance) {
  std::vector<Device> all;
  for (const Listing& listing : kListings) {
    // A machine file may change the number of chips; then the listing says nothing.
    const auto chips = static_cast<size_t>(instance.chips.value / instance.servers.value);
    if (listing.instance != instance.name || listing.slots.size() != chips) continue;
    for (const Slot& slot : listing.slots) {
      all.push_back({static_cast<int32_t>(all.size()), fmt::format("0000:{}", slot.bdf),
                     std::string(listing.cpus[static_cast<size_t>(slot.numa_node)]),
                     slot.numa_node});
    }
    return all;
  }
  const int64_t cpus = instance.vcpus.value / instance.servers.value;
  const std::string range = cpus > 0 ? fmt::format("0-{}", cpus - 1) : "NA";
  for (int64_t i = 0; i < instance.chips.value / instance.servers.value; ++i) {
    all.push_back({static_cast<int32_t>(i), "NA", range, 0});
  }
  return all;
}

}  // namespace trainyard::hw
