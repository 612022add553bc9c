#include "hw/systems/devices.h"

#include <gtest/gtest.h>

#include <set>

#include "hw/machine_file.h"

namespace trainyard::hw {
namespace {

std::vector<Device> of(const char* instance) { return devices(find_system(instance)->instance); }

std::set<int32_t> on_numa(const std::vector<Device>& all, int32_t node) {
  std::set<int32_t> found;
  for (const Device& device : all) {
    if (device.numa_node == node) found.insert(device.index);
  }
  return found;
}

TEST(Devices, NumaNodesAreThoseOfTheDocuments) {
  EXPECT_EQ(on_numa(of("trn1.32xlarge"), 0), (std::set<int32_t>{0, 1, 4, 5, 8, 9, 12, 13}));
  EXPECT_EQ(on_numa(of("trn2.48xlarge"), 0), (std::set<int32_t>{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(of("trn1.32xlarge")[0].cpus, "0-31,64-95");
  EXPECT_EQ(of("trn1.32xlarge")[2].cpus, "32-63,96-127");
  EXPECT_EQ(of("trn2.48xlarge")[4].cpus, "0-47,96-143");
  EXPECT_EQ(of("trn2.48xlarge")[0].cpus, "48-95,144-191");
}

TEST(Devices, EveryChipOfAHostIsListedOnceAndAddressesDiffer) {
  for (const std::string& name : system_names()) {
    const InstanceSpec instance = find_system(name)->instance;
    const std::vector<Device> all = devices(instance);
    EXPECT_EQ(static_cast<int64_t>(all.size()), instance.chips.value / instance.servers.value)
        << name;
    std::set<std::string> addresses;
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].index, static_cast<int32_t>(i)) << name;
      if (all[i].bdf == "NA") continue;
      EXPECT_TRUE(addresses.insert(all[i].bdf).second) << name;
    }
  }
}

TEST(Devices, AMachineFileWithMoreChipsListsThemAll) {
  const auto wide =
      parse_system("base = \"trn2.48xlarge\"\n[instance]\nchips = 32\ntorus_x = 8\n", "wide.toml");
  ASSERT_TRUE(wide) << wide.status().str();
  const std::vector<Device> all = devices(wide->instance);
  ASSERT_EQ(all.size(), 32u);
  EXPECT_EQ(all[31].bdf, "NA");
}

}  // namespace
}  // namespace trainyard::hw
