#include "cluster/net/topology.h"

#include <algorithm>

#include "base/check.h"

namespace trainyard::cluster {
namespace {

using hw::Shape;

std::array<int32_t, 3> coordinates(const Topology& t, int32_t chip) {
  return {chip % t.dims[0], chip / t.dims[0] % t.dims[1], chip / (t.dims[0] * t.dims[1])};
}

int32_t chip_at(const Topology& t, const std::array<int32_t, 3>& at) {
  return (at[2] * t.dims[1] + at[1]) * t.dims[0] + at[0];
}

// The chip `step` further along an axis, around the corner if need be.
int32_t moved(const Topology& t, int32_t chip, size_t axis, int32_t step) {
  std::array<int32_t, 3> at = coordinates(t, chip);
  at[axis] = (at[axis] + step + t.dims[axis]) % t.dims[axis];
  return chip_at(t, at);
}

// +1 or -1: the way along an axis of `size` from `at` to `to`, for a path that began at `start`.
int32_t direction(int32_t size, int32_t start, int32_t at, int32_t to) {
  const int32_t forward = (to - at + size) % size;
  if (2 * forward != size) return 2 * forward < size ? 1 : -1;
  return start % 2 == 0 ? 1 : -1;
}

int32_t next_on_torus(const Topology& t, int32_t from, int32_t at, int32_t to) {
  const auto start = coordinates(t, from), here = coordinates(t, at), goal = coordinates(t, to);
  for (size_t axis = 0; axis < 3; ++axis) {
    if (here[axis] == goal[axis]) continue;
    return moved(t, at, axis, direction(t.dims[axis], start[axis], here[axis], goal[axis]));
  }
  TY_CHECK(false);
}

// Switch vertices of sleds: one per sled, then one per group.
int32_t sled_switch(const Topology& t, int32_t chip) { return t.chips + chip / t.sled_chips; }
int32_t group_switch(const Topology& t, int32_t chip) {
  return t.chips + t.chips / t.sled_chips + chip / t.group_chips;
}

int32_t next_on_sleds(const Topology& t, int32_t at, int32_t to) {
  if (at >= t.chips) return to;  // a switch reaches each of its chips
  if (at / t.group_chips != to / t.group_chips) {
    return (at + t.group_chips) % t.chips;  // the same place in the other group
  }
  return at / t.sled_chips == to / t.sled_chips ? sled_switch(t, at) : group_switch(t, at);
}

// Both directions between two vertices.
void join(Topology& t, int32_t a, int32_t b, double rate) {
  t.links.push_back({a, b, rate});
  t.links.push_back({b, a, rate});
}

void build_torus(Topology& t, double rate, double far_rate) {
  for (int32_t chip = 0; chip < t.chips; ++chip) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const int32_t size = t.dims[axis];
      const int32_t next = moved(t, chip, axis, 1);
      // A ring of two has one link, not two.
      if (size > 2 || (size == 2 && next > chip)) join(t, chip, next, axis == 2 ? far_rate : rate);
    }
  }
}

void build_sleds(Topology& t, const hw::InstanceSpec& instance) {
  t.sled_chips = static_cast<int32_t>(instance.sled_chips.value);
  t.group_chips = static_cast<int32_t>(instance.switch_chips.value);
  t.vertices = t.chips + t.chips / t.sled_chips + t.chips / t.group_chips;
  for (int32_t chip = 0; chip < t.chips; ++chip) {
    join(t, chip, sled_switch(t, chip), instance.link_sled_bytes_per_ns.value);
    join(t, chip, group_switch(t, chip), instance.link_group_bytes_per_ns.value);
    if (chip < t.group_chips) {
      join(t, chip, chip + t.group_chips, instance.link_rack_bytes_per_ns.value);
    }
  }
}

void build_links(Topology& t, const hw::InstanceSpec& instance) {
  const double rate = instance.link_bytes_per_ns.value;
  switch (t.shape) {
    case Shape::Single:
      return;
    case Shape::Chain:
      for (int32_t chip = 0; chip + 1 < t.chips; ++chip) join(t, chip, chip + 1, rate);
      return;
    case Shape::Ring:
    case Shape::Torus:
      return build_torus(t, rate, instance.link_far_bytes_per_ns.value);
    case Shape::Switch:
      t.vertices = t.chips + 1;
      for (int32_t chip = 0; chip < t.chips; ++chip) join(t, chip, t.chips, rate);
      return;
    case Shape::FullMesh:
      for (int32_t a = 0; a < t.chips; ++a) {
        for (int32_t b = a + 1; b < t.chips; ++b) join(t, a, b, rate);
      }
      return;
    case Shape::Sleds:
      return build_sleds(t, instance);
  }
}

void index_links(Topology& t) {
  std::ranges::sort(t.links, {}, [](const Link& l) { return std::pair(l.from, l.to); });
  t.first_link.assign(static_cast<size_t>(t.vertices) + 1, 0);
  for (const Link& l : t.links) ++t.first_link[static_cast<size_t>(l.from) + 1];
  for (size_t v = 0; v < static_cast<size_t>(t.vertices); ++v) {
    t.first_link[v + 1] += t.first_link[v];
  }
}

}  // namespace

int32_t Topology::link(int32_t from, int32_t to) const {
  const std::span<const Link> out = links_of(from);
  const auto found = std::ranges::lower_bound(out, to, {}, &Link::to);
  if (found == out.end() || found->to != to) return -1;
  return static_cast<int32_t>(&*found - links.data());
}

Topology make_topology(const hw::InstanceSpec& instance) {
  Topology t;
  t.shape = instance.shape;
  t.chips = static_cast<int32_t>(instance.chips.value);
  t.vertices = t.chips;
  t.dims = {t.chips, 1, 1};
  if (t.shape == Shape::Torus) {
    t.dims = {static_cast<int32_t>(instance.torus_x.value),
              static_cast<int32_t>(instance.torus_y.value),
              static_cast<int32_t>(instance.torus_z.value)};
  }
  build_links(t, instance);
  index_links(t);
  return t;
}

std::vector<int32_t> neighbours(const Topology& t, int32_t chip) {
  std::vector<int32_t> found;
  const auto add = [&](int32_t other) {
    if (other != chip && std::ranges::find(found, other) == found.end()) found.push_back(other);
  };
  if (t.shape == Shape::Torus) {
    add(moved(t, chip, 1, -1));
    add(moved(t, chip, 0, -1));
    add(moved(t, chip, 1, 1));
    add(moved(t, chip, 0, 1));
    add(moved(t, chip, 2, -1));
    add(moved(t, chip, 2, 1));
    return found;
  }
  if (t.shape == Shape::Ring) {
    add(moved(t, chip, 0, -1));
    add(moved(t, chip, 0, 1));
    return found;
  }
  for (const Link& l : t.links_of(chip)) {
    if (l.to < t.chips) add(l.to);
  }
  return found;
}

int32_t next_vertex(const Topology& t, int32_t from, int32_t at, int32_t to) {
  switch (t.shape) {
    case Shape::Single:
      break;
    case Shape::Chain:
      return at < to ? at + 1 : at - 1;
    case Shape::Ring:
    case Shape::Torus:
      return next_on_torus(t, from, at, to);
    case Shape::Switch:
      return at < t.chips ? t.chips : to;
    case Shape::FullMesh:
      return to;
    case Shape::Sleds:
      return next_on_sleds(t, at, to);
  }
  TY_CHECK(false);
}

Hops hops(const Topology& t, int32_t from, int32_t to) {
  Hops result;
  for (int32_t at = from; at != to;) {
    at = next_vertex(t, from, at, to);
    if (at != to) ++(at < t.chips ? result.chips : result.switches);
  }
  return result;
}

int32_t distance(const Topology& t, int32_t from, int32_t to) {
  int32_t count = 0;
  route(t, from, to, [&](int32_t) { ++count; });
  return count;
}

}  // namespace trainyard::cluster
