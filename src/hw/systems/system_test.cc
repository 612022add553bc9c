#include "hw/systems/system.h"

#include <gtest/gtest.h>

#include <set>

#include "hw/machine_file.h"
#include "hw/systems/system_fields.h"
#include "hw/systems/system_override.h"

namespace trainyard::hw {
namespace {

Result<System> changed(const std::string& lines, const std::string& base = "trn2.48xlarge") {
  return parse_system("base = \"" + base + "\"\n" + lines, "my.toml");
}

std::string refusal(const Result<System>& system) {
  return system ? "accepted" : system.status().str();
}

TEST(Systems, EveryInstanceHasItsChipAndFitsTogether) {
  EXPECT_EQ(system_names().size(), 35u);
  for (const std::string& name : system_names()) {
    auto system = find_system(name);
    ASSERT_TRUE(system) << refusal(system);
    const System before = *system;
    const Status status = settle(*system);
    EXPECT_TRUE(status.ok()) << name << ": " << status.str();
    EXPECT_EQ(*system, before) << name << " changes when it settles";
  }
}

TEST(Systems, NamesAreUnique) {
  const std::vector<std::string> names = system_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

// The table of the documents: chips, ranks, vCPU, host GiB, HBM GiB, BF16 TFLOPS, network Gbps.
struct Row {
  const char* name;
  int64_t chips, ranks, vcpus, host_gib, hbm_gib;
  double tflops, gbps;
};

TEST(Systems, InstancesHaveTheSizesOfTheDocuments) {
  const Row rows[] = {
      {"inf1.xlarge", 1, 4, 4, 8, 8, 64, 25},
      {"inf1.2xlarge", 1, 4, 8, 16, 8, 64, 25},
      {"inf1.6xlarge", 4, 16, 24, 48, 32, 256, 25},
      {"inf1.24xlarge", 16, 64, 96, 192, 128, 1024, 100},
      {"inf2.xlarge", 1, 2, 4, 16, 32, 190, 15},
      {"inf2.8xlarge", 1, 2, 32, 128, 32, 190, 25},
      {"inf2.24xlarge", 6, 12, 96, 384, 192, 1140, 50},
      {"inf2.48xlarge", 12, 24, 192, 768, 384, 2280, 100},
      {"trn1.2xlarge", 1, 2, 8, 32, 32, 190, 25},
      {"trn1.32xlarge", 16, 32, 128, 512, 512, 3040, 800},
      {"trn1n.32xlarge", 16, 32, 128, 512, 512, 3040, 1600},
      {"trn2.3xlarge", 1, 4, 12, 128, 96, 667, 200},
      {"trn2.48xlarge", 16, 64, 192, 2048, 1536, 10672, 3200},
      {"trn2u.48xlarge", 16, 64, 192, 2048, 1536, 10672, 3200},
      {"trn2-ultraserver", 64, 256, 768, 8192, 6144, 42688, 12800},
      {"trn3-gen1-ultraserver", 64, 256, 768, 8192, 9216, 42944, 12800},
      {"trn3-gen2-ultraserver", 144, 576, 2304, 27648, 20736, 96624, 28800},
      {"p4d.24xlarge", 8, 8, 96, 1152, 298, 2496, 400},
      {"p5.48xlarge", 8, 8, 192, 2048, 596, 7916, 3200},
      {"p5en.48xlarge", 8, 8, 192, 2048, 1050, 7916, 3200},
  };
  for (const Row& row : rows) {
    const System s = *find_system(row.name);
    const int64_t chips = s.instance.chips.value;
    EXPECT_EQ(chips, row.chips) << row.name;
    EXPECT_EQ(chips * s.accelerator.cores.value / s.accelerator.lnc_default.value, row.ranks)
        << row.name;
    EXPECT_EQ(s.instance.vcpus.value, row.vcpus) << row.name;
    EXPECT_EQ(s.instance.host_bytes.value / GiB, row.host_gib) << row.name;
    EXPECT_EQ(chips * s.accelerator.hbm_bytes.value / GiB, row.hbm_gib) << row.name;
    EXPECT_DOUBLE_EQ(static_cast<double>(chips) * s.accelerator.tflops_bf16.value, row.tflops)
        << row.name;
    EXPECT_DOUBLE_EQ(s.instance.network_bytes_per_ns() * 8, row.gbps) << row.name;
  }
}

TEST(Systems, LinkRatesAddUpToWhatIsListedPerChip) {
  const auto both_ways = [](const char* name, double links) {
    return 2 * links * find_system(name)->instance.link_bytes_per_ns.value;
  };
  EXPECT_EQ(both_ways("trn1.32xlarge", 4), 384);
  EXPECT_EQ(both_ways("inf2.48xlarge", 2), 192);
  EXPECT_EQ(both_ways("trn2.48xlarge", 4), 1024);
  EXPECT_EQ(both_ways("p5.48xlarge", 1), 900);
  const System ultra = *find_system("trn2-ultraserver");
  EXPECT_EQ(both_ways("trn2-ultraserver", 4) + 4 * ultra.instance.link_far_bytes_per_ns.value,
            ultra.accelerator.listed_link_bytes_per_ns.value);
}

// The table of chips: TFLOPS in bf16 and fp8, memory in GB, its bandwidth and the scale-up links of
// both directions in GB/s, chips that they join.
struct Chip {
  const char* name;
  double bf16, fp8, memory, bandwidth, links;
  int64_t domain;
};

TEST(Systems, ChipsHaveTheNumbersOfTheDocuments) {
  constexpr double kGib = 1.073741824;
  const Chip chips[] = {
      {"inferentia", 64, 0, 8 * kGib, 50, 32, 16},
      {"inferentia2", 190, 190, 32 * kGib, 820, 192, 12},
      {"trainium1", 190, 190, 32 * kGib, 820, 384, 16},
      {"trainium2", 667, 1299, 96 * kGib, 2900, 1280, 64},
      {"trainium3", 671, 2517, 144 * kGib, 4900, 2560, 144},
      {"a100-40", 312, 0, 40, 1555, 600, 8},
      {"a100-80", 312, 0, 80, 2040, 600, 8},
      {"h100", 989.5, 1979, 80, 3350, 900, 8},
      {"h200", 989.5, 1979, 141, 4800, 900, 8},
      {"b200", 2250, 4500, 180, 8000, 1800, 72},
      {"b300", 2250, 4500, 288, 8000, 1800, 72},
      {"tpu-v4", 275, 0, 32, 1200, 600, 4096},
      {"tpu-v5e", 197, 0, 16, 819, 400, 256},
      {"tpu-v5p", 459, 0, 95, 2765, 1200, 8960},
      {"tpu-v6e", 918, 0, 32, 1600, 800, 256},
      {"tpu7x", 2307, 4614, 192, 7400, 1200, 9216},
      {"gaudi2", 432, 865, 96, 2450, 525, 8},
      {"gaudi3", 1835, 1835, 128, 3700, 1050, 8},
      {"mi300x", 1307, 2615, 192, 5300, 896, 8},
  };
  EXPECT_EQ(std::size(chips), accelerators().size());
  for (const Chip& chip : chips) {
    const AcceleratorSpec* spec = find_accelerator(chip.name);
    ASSERT_NE(spec, nullptr) << chip.name;
    EXPECT_EQ(spec->tflops_bf16.value, chip.bf16) << chip.name;
    EXPECT_EQ(spec->tflops_fp8.value, chip.fp8) << chip.name;
    EXPECT_NEAR(static_cast<double>(spec->hbm_bytes.value) * 1e-9, chip.memory, 1e-6) << chip.name;
    EXPECT_EQ(spec->hbm_bytes_per_ns.value, chip.bandwidth) << chip.name;
    EXPECT_EQ(spec->listed_link_bytes_per_ns.value, chip.links) << chip.name;
    EXPECT_EQ(spec->domain_chips.value, chip.domain) << chip.name;
  }
}

// Network of one chip, one direction, in Gbps.
TEST(Systems, EveryChipHasItsShareOfTheNetwork) {
  const auto gbps = [](const char* name) {
    const InstanceSpec i = find_system(name)->instance;
    return 8 * i.network_bytes_per_ns() / static_cast<double>(i.chips.value);
  };
  EXPECT_EQ(gbps("trn1.32xlarge"), 50);
  EXPECT_EQ(gbps("trn1n.32xlarge"), 100);
  for (const char* name : {"trn2.3xlarge", "trn2.48xlarge", "trn2-ultraserver",
                           "trn3-gen1-ultraserver", "trn3-gen2-ultraserver"}) {
    EXPECT_EQ(gbps(name), 200) << name;
  }
  EXPECT_EQ(gbps("p4d.24xlarge"), 50);
  for (const char* name : {"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "8xmi300x"}) {
    EXPECT_EQ(gbps(name), 400) << name;
  }
  EXPECT_EQ(gbps("p6-b300.48xlarge"), 800);
}

// GB/s of one link and direction: in a plane or into a switch, between planes; on Trainium3 in the
// sled, in the group, between groups.
TEST(Systems, LinksHaveTheRatesPerDirectionOfTheDocuments) {
  const auto instance = [](const char* name) { return find_system(name)->instance; };
  EXPECT_EQ(instance("inf1.24xlarge").link_bytes_per_ns.value, 8);
  EXPECT_EQ(instance("inf2.48xlarge").link_bytes_per_ns.value, 48);
  EXPECT_EQ(instance("trn1.32xlarge").link_bytes_per_ns.value, 48);
  EXPECT_EQ(instance("trn1n.32xlarge").link_bytes_per_ns.value, 48);
  EXPECT_EQ(instance("trn2.48xlarge").link_bytes_per_ns.value, 128);
  EXPECT_EQ(instance("trn2-ultraserver").link_far_bytes_per_ns.value, 64);
  for (const char* name : {"trn3-gen1-ultraserver", "trn3-gen2-ultraserver"}) {
    EXPECT_EQ(instance(name).link_sled_bytes_per_ns.value, 256);
    EXPECT_EQ(instance(name).link_group_bytes_per_ns.value, 320);
    EXPECT_EQ(instance(name).link_rack_bytes_per_ns.value, 128);
  }
}

TEST(Systems, AnAcceleratorAgreesWithItsChip) {
  for (const AcceleratorSpec& a : accelerators()) {
    if (a.chip.empty()) continue;
    const Machine device = *find_target(a.chip);
    EXPECT_EQ(a.cores.value, device.chip.cores.value) << a.name;
    EXPECT_EQ(a.cc_cores.value, device.chip.cc_cores.value) << a.name;
    EXPECT_EQ(a.tflops_bf16.value, device.chip.listed_tflops_16bit.value) << a.name;
    EXPECT_EQ(a.hbm_bytes_per_ns.value, device.chip.listed_hbm_bytes_per_ns.value) << a.name;
    EXPECT_EQ(a.hbm_bytes.value, device.chip.hbm_stacks.value * device.core.hbm.stack_bytes.value)
        << a.name;
  }
}

TEST(Systems, EveryNumberNamesItsSource) {
  for (const std::string& name : system_names()) {
    const System s = *find_system(name);
    for (const auto& f : accelerator_fields()) {
      EXPECT_FALSE(f.get(s.accelerator).source.empty()) << name << " " << f.key;
    }
    for (const auto& f : instance_fields()) {
      EXPECT_FALSE(f.get(s.instance).source.empty()) << name << " " << f.key;
    }
    for (const auto& f : knob_fields()) {
      EXPECT_FALSE(f.get(s.knobs).source.empty()) << f.key;
    }
  }
}

TEST(Systems, EveryKnobLiesInItsLikelyRange) {
  ASSERT_EQ(knob_ranges().size(), knob_fields().size());
  for (size_t i = 0; i < knob_ranges().size(); ++i) {
    const KnobRange& range = knob_ranges()[i];
    const KnobField& field = knob_fields()[i];
    EXPECT_EQ(range.key, field.key);
    const double value = field.get(default_knobs()).value;
    EXPECT_LE(range.low, value) << range.key;
    EXPECT_GE(range.high, value) << range.key;
    EXPECT_LE(field.low, range.low) << range.key;
    EXPECT_GE(field.high, range.high) << range.key;
  }
}

TEST(Systems, AnEraSetsTheStartUpCost) {
  Knobs knobs = default_knobs();
  ASSERT_TRUE(set_era(knobs, "2022").ok());
  EXPECT_EQ(knobs.net.t_start_us.value, 145);
  ASSERT_TRUE(set_era(knobs, "2026").ok());
  EXPECT_EQ(knobs.net.t_start_us.value, default_knobs().net.t_start_us.value);
  EXPECT_EQ(set_era(knobs, "2021").str(),
            "TY-HW-011  there is no runtime era '2021'; eras are 2022, 2024, 2025, 2026");
}

TEST(Systems, AnUnknownInstanceIsRefusedWithTheNearestName) {
  EXPECT_EQ(refusal(find_system("trn2.49xlarge")),
            "TY-HW-009  there is no instance 'trn2.49xlarge' (did you mean 'trn2.48xlarge'?); "
            "'trainyard ls --list' shows all");
}

TEST(SystemFile, AnyNumberOfASystemCanBeChanged) {
  const auto system = changed(
      "name = \"twice\"\n[instance]\nnics = 32\n[net]\neff_link = 0.5\n[accelerator]\ncores = 16\n"
      "[core.pe]\nmm_floor = 32\n[run]\nusable_hbm = 0.8\n");
  ASSERT_TRUE(system) << refusal(system);
  EXPECT_EQ(system->name, "twice");
  EXPECT_EQ(system->instance.nics, (Fact<int64_t>{32, Trust::Assumed, "user:my.toml"}));
  EXPECT_EQ(system->knobs.net.eff_link.value, 0.5);
  EXPECT_EQ(system->accelerator.cores.value, 16);
  EXPECT_EQ(system->knobs.run.usable_hbm.value, 0.8);
  ASSERT_TRUE(system->device);
  EXPECT_EQ(system->device->core.pe.mm_floor.value, Cycles{32});
  EXPECT_EQ(system->device->name, "twice");
}

TEST(SystemFile, MoreMemoryInTheCoresReachesTheCluster) {
  const auto system = changed("[core.hbm]\nstack_bytes = 51539607552\n");
  ASSERT_TRUE(system) << refusal(system);
  EXPECT_EQ(system->accelerator.hbm_bytes,
            (Fact<int64_t>{192 * GiB, Trust::Assumed, "user:my.toml"}));
}

TEST(SystemFile, ADumpLoadsBackToAnEqualSystem) {
  for (const std::string& name : system_names()) {
    const System system = *find_system(name);
    const auto again = parse_system(system_to_toml(system), "my.toml");
    ASSERT_TRUE(again) << refusal(again);
    EXPECT_EQ(*again, system) << name;
  }
}

TEST(SystemFile, AMachineFileOfAnInstanceGivesItsChip) {
  const auto machine =
      parse_machine("base = \"trn2.48xlarge\"\n[instance]\nnics = 8\n[chip]\ncc_cores = 20\n", "m");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->chip.cc_cores.value, 20);
  EXPECT_EQ(parse_machine("base = \"p5.48xlarge\"\n", "m").status().code(), "TY-HW-010");
}

TEST(SystemFile, KeysOfAnInstanceNeedAnInstance) {
  EXPECT_EQ(parse_machine("base = \"trn2\"\n[instance]\nnics = 8\n", "my.toml").status().str(),
            "my.toml:3:8  TY-HW-003  the key 'instance.nics' needs an instance as base; start the "
            "file with a line like: base = \"trn2.48xlarge\"");
  EXPECT_EQ(refusal(changed("", "trn2")),
            "my.toml  TY-HW-009  the base 'trn2' is a chip, not an instance; start the file with a "
            "line like: base = \"trn2.48xlarge\"");
  EXPECT_EQ(refusal(changed("[core.pe]\nrows = 64\n", "p5.48xlarge")),
            "my.toml:3:8  TY-HW-003  there is no key 'core.pe.rows' on p5.48xlarge: its cores are "
            "not in the catalogue");
}

TEST(SystemFile, WrongKeysTypesAndRangesAreRefused) {
  EXPECT_EQ(refusal(changed("[instance]\nnic = 8\n")),
            "my.toml:3:7  TY-HW-003  there is no key 'instance.nic' (did you mean "
            "'instance.nics'?); 'trainyard machine trn2.48xlarge' lists all keys");
  EXPECT_EQ(refusal(changed("[net]\neff_link = 2\n")),
            "my.toml:3:12  TY-HW-005  net.eff_link = 2: must be from 0.01 to 1");
  EXPECT_EQ(refusal(changed("[instance]\nchips = \"many\"\n")),
            "my.toml:3:9  TY-HW-004  instance.chips = 'many': must be a whole number");
}

TEST(SystemFile, ShapesThatContradictThemselvesAreRefused) {
  EXPECT_EQ(refusal(changed("[instance]\ntorus_z = 2\n")),
            "my.toml  TY-HW-006  instance.torus_x * torus_y * torus_z = 32 must equal "
            "instance.chips = 16; change one of the two");
  EXPECT_EQ(changed("[instance]\ntorus_z = 2\nchips = 32\n").status().code(), "TY-HW-006");
  EXPECT_TRUE(changed("[instance]\ntorus_z = 2\nchips = 32\nlink_far_bytes_per_ns = 64\n"));
  EXPECT_EQ(changed("[instance]\nchips = 2\n", "trn2.3xlarge").status().code(), "TY-HW-006");
  EXPECT_EQ(changed("[instance]\nsled_chips = 5\n", "trn3-gen2-ultraserver").status().code(),
            "TY-HW-006");
  EXPECT_EQ(changed("[accelerator]\nlnc_default = 4\n").status().code(), "TY-HW-006");
}

}  // namespace
}  // namespace trainyard::hw
