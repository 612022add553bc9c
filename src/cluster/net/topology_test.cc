#include "cluster/net/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cluster/net/rings.h"
#include "hw/systems/system.h"

namespace trainyard::cluster {
namespace {

Topology of(const char* instance) { return make_topology(hw::find_system(instance)->instance); }

// T1
TEST(Topology, ATrn2NodeIsAFourByFourTorus) {
  const Topology t = of("trn2.48xlarge");
  EXPECT_EQ(t.links.size(), 64u);  // 32 links, two directions
  for (int32_t i = 0; i < 16; ++i) {
    const int32_t r = i / 4, c = i % 4;
    const std::vector<int32_t> expected = {(r + 3) % 4 * 4 + c, r * 4 + (c + 3) % 4,
                                           (r + 1) % 4 * 4 + c, r * 4 + (c + 1) % 4};
    EXPECT_EQ(neighbours(t, i), expected) << i;
    for (const int32_t n : expected) {
      EXPECT_GE(t.link(i, n), 0);
      EXPECT_GE(t.link(n, i), 0);
    }
  }
  EXPECT_EQ(neighbours(t, 0), (std::vector<int32_t>{12, 3, 4, 1}));
  EXPECT_EQ(neighbours(t, 5), (std::vector<int32_t>{1, 4, 9, 6}));
  EXPECT_EQ(neighbours(t, 15), (std::vector<int32_t>{11, 14, 3, 12}));
}

void expect_disjoint_cycles(const Topology& t, const std::vector<Cycle>& cycles) {
  std::set<std::pair<int32_t, int32_t>> used;
  for (const Cycle& cycle : cycles) {
    EXPECT_EQ(std::set<int32_t>(cycle.begin(), cycle.end()).size(), static_cast<size_t>(t.chips));
    for (size_t i = 0; i < cycle.size(); ++i) {
      const int32_t a = cycle[i], b = cycle[(i + 1) % cycle.size()];
      EXPECT_GE(t.link(a, b), 0) << a << "-" << b;
      EXPECT_TRUE(used.insert(std::minmax(a, b)).second) << a << "-" << b << " is used twice";
    }
  }
  EXPECT_EQ(2 * used.size(), t.links.size());
}

// T2
TEST(Topology, TwoCyclesCoverTheThirtyTwoLinksOfATorus) {
  const Topology t = of("trn1.32xlarge");
  const std::vector<Cycle> cycles = hamiltonian_cycles(t);
  EXPECT_EQ(cycles.size(), 2u);
  expect_disjoint_cycles(t, cycles);
}

TEST(Topology, ThreeCyclesCoverTheLinksOfAnUltraServer) {
  const Topology t = of("trn2-ultraserver");
  EXPECT_EQ(t.links.size(), 2u * 192);
  const std::vector<Cycle> cycles = hamiltonian_cycles(t);
  EXPECT_EQ(cycles.size(), 3u);
  expect_disjoint_cycles(t, cycles);
}

struct Distances {
  int32_t sum, diameter;
};

Distances distances_from(const Topology& t, int32_t chip) {
  Distances d{0, 0};
  for (int32_t other = 0; other < t.chips; ++other) {
    d.sum += distance(t, chip, other);
    d.diameter = std::max(d.diameter, distance(t, chip, other));
  }
  return d;
}

// T3
TEST(Topology, DistancesOnTheTorusAddUpAsPublished) {
  const Topology node = of("trn2.48xlarge"), ultra = of("trn2-ultraserver");
  for (int32_t chip = 0; chip < 16; ++chip) {
    EXPECT_EQ(distances_from(node, chip).sum, 32);
    EXPECT_EQ(distances_from(node, chip).diameter, 4);
  }
  for (int32_t chip = 0; chip < 64; ++chip) {
    EXPECT_EQ(distances_from(ultra, chip).sum, 192);
    EXPECT_EQ(distances_from(ultra, chip).diameter, 6);
  }
  EXPECT_NEAR(192.0 / 63, 3.048, 5e-4);
}

TEST(Topology, AllToAllLoadsEveryLinkOfATorusAlike) {
  for (const char* name : {"trn2.48xlarge", "trn2-ultraserver", "tpu-v5e-pod"}) {
    const Topology t = of(name);
    std::vector<int> load(t.links.size());
    for (int32_t a = 0; a < t.chips; ++a) {
      for (int32_t b = 0; b < t.chips; ++b) {
        route(t, a, b, [&](int32_t link) { ++load[static_cast<size_t>(link)]; });
      }
    }
    EXPECT_EQ(*std::ranges::max_element(load), *std::ranges::min_element(load)) << name;
  }
}

TEST(Topology, RoutesAreAsShortAsTheGraphAllows) {
  for (const std::string& name : hw::system_names()) {
    const Topology t = of(name.c_str());
    if (t.chips > 300) continue;
    // Breadth first from chip 0.
    std::vector<int32_t> depth(static_cast<size_t>(t.vertices), -1);
    std::vector<int32_t> queue = {0};
    depth[0] = 0;
    for (size_t i = 0; i < queue.size(); ++i) {
      for (const Link& l : t.links_of(queue[i])) {
        if (depth[static_cast<size_t>(l.to)] >= 0) continue;
        depth[static_cast<size_t>(l.to)] = depth[static_cast<size_t>(queue[i])] + 1;
        queue.push_back(l.to);
      }
    }
    for (int32_t chip = 0; chip < t.chips; ++chip) {
      EXPECT_EQ(distance(t, 0, chip), depth[static_cast<size_t>(chip)]) << name << " " << chip;
    }
  }
}

TEST(Topology, TwoServersOfAnUltraServerHaveAVerticalRingOfTwo) {
  const Topology t = of("trn2-ultraserver-2");
  EXPECT_EQ(t.chips, 32);
  EXPECT_EQ(distances_from(t, 0).diameter, 5);
  for (int32_t chip = 0; chip < 16; ++chip) {
    EXPECT_GE(t.link(chip, chip + 16), 0);
    EXPECT_GE(t.link(chip + 16, chip), 0);
    EXPECT_EQ(distance(t, chip, chip + 16), 1);
  }
}

TEST(Topology, EveryLinkHasAReturnOfTheSameRateAndNobodyIsCutOff) {
  for (const std::string& name : hw::system_names()) {
    const Topology t = of(name.c_str());
    for (const Link& link : t.links) {
      const int32_t back = t.link(link.to, link.from);
      ASSERT_GE(back, 0) << name;
      EXPECT_EQ(t.links[static_cast<size_t>(back)].bytes_per_ns, link.bytes_per_ns) << name;
      EXPECT_GT(link.bytes_per_ns, 0) << name;
    }
    for (int32_t chip = 0; chip < t.chips && t.chips > 1; ++chip) {
      EXPECT_FALSE(t.links_of(chip).empty()) << name << " " << chip;
    }
  }
}

TEST(Topology, TheThreeLevelsOfTrainium3HaveTheirOwnRates) {
  // Servers s and s + 18 of Gen2 hold the two ends of a direct link; Gen1 joins domains of 32.
  const Topology t = of("trn3-gen2-ultraserver");
  const auto rate = [&](int32_t from, int32_t to) {
    return t.links[static_cast<size_t>(t.link(from, to))].bytes_per_ns;
  };
  for (int32_t server = 0; server < 18; ++server) {
    for (int32_t c = 0; c < 4; ++c) {
      EXPECT_EQ(rate(4 * server + c, 4 * (server + 18) + c), 128);
    }
  }
  // Into the switch of the sled, and into that of the group.
  const auto first_hop = [&](int32_t from, int32_t to) {
    return rate(from, next_vertex(t, from, from, to));
  };
  EXPECT_EQ(first_hop(0, 3), 256);
  EXPECT_EQ(first_hop(0, 71), 320);
  EXPECT_EQ(first_hop(0, 72), 128);
}

TEST(Topology, Inf2IsARingAndInf1AChain) {
  const Topology ring = of("inf2.48xlarge"), chain = of("inf1.24xlarge");
  EXPECT_EQ(neighbours(ring, 0), (std::vector<int32_t>{11, 1}));
  EXPECT_EQ(neighbours(ring, 11), (std::vector<int32_t>{10, 0}));
  EXPECT_EQ(neighbours(chain, 0), (std::vector<int32_t>{1}));
  EXPECT_EQ(neighbours(chain, 7), (std::vector<int32_t>{6, 8}));
}

TEST(Topology, Trainium3CrossesAtMostOneDirectLinkAndOneSwitch) {
  for (const char* name : {"trn3-gen1-ultraserver", "trn3-gen2-ultraserver"}) {
    const Topology t = of(name);
    const int32_t half = t.chips / 2;
    EXPECT_EQ(neighbours(t, 1), (std::vector<int32_t>{half + 1}));
    for (int32_t chip = 1; chip < t.chips; ++chip) {
      const Hops h = hops(t, 0, chip);
      EXPECT_LE(h.switches, 1) << chip;
      EXPECT_EQ(h.chips, chip > half ? 1 : 0) << chip;
    }
    EXPECT_EQ(distance(t, 0, 3), 2);
    EXPECT_EQ(distance(t, 0, half), 1);
  }
}

TEST(Rings, RowsPairsAndHalvesOfATorusHaveChannelsOnTheirOwnLinks) {
  const Topology t = of("trn2.48xlarge");
  const auto count = [&](std::vector<int32_t> chips) { return channels(t, chips).size(); };
  EXPECT_EQ(count({0}), 1u);
  EXPECT_EQ(count({0, 1}), 1u);
  EXPECT_EQ(count({0, 1, 2, 3}), 2u);   // a row is a ring
  EXPECT_EQ(count({0, 4, 8, 12}), 2u);  // and so is a column
  EXPECT_EQ(count({0, 1, 2, 3, 4, 5, 6, 7}), 2u);
  std::vector<int32_t> all(16);
  for (int32_t i = 0; i < 16; ++i) all[static_cast<size_t>(i)] = i;
  EXPECT_EQ(channels(t, all).size(), 4u);
}

TEST(Rings, ChannelsOfSledsCrossBetweenTheGroupsOnDirectLinks) {
  const Topology t = of("trn3-gen2-ultraserver");
  std::vector<int32_t> all(144);
  for (int32_t i = 0; i < 144; ++i) all[static_cast<size_t>(i)] = i;
  const std::vector<Cycle> cycles = channels(t, all);
  EXPECT_EQ(cycles.size(), 8u);
  for (const Cycle& cycle : cycles) {
    EXPECT_EQ(std::set<int32_t>(cycle.begin(), cycle.end()).size(), 144u);
    for (size_t i = 0; i < cycle.size(); ++i) {
      EXPECT_LE(distance(t, cycle[i], cycle[(i + 1) % cycle.size()]), 2);
    }
  }
}

}  // namespace
}  // namespace trainyard::cluster
