#include "cluster/net/rings.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/check.h"

namespace trainyard::cluster {
namespace {

using hw::Shape;

// Deterministic and good enough to pick squares.
class Dice {
 public:
  uint32_t below(uint32_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<uint32_t>((state_ >> 33) % n);
  }

 private:
  uint64_t state_ = 20;
};

// A torus whose links are split into as many factors as it has axes. In a factor every chip has two
// links, so it is a set of cycles; at first these are the rows, the columns and the verticals.
// Swapping the opposite sides of a square between two factors keeps that and joins or cuts cycles.
class Factors {
 public:
  explicit Factors(const Topology& topology) : topology_(topology) {
    for (int32_t axis = 0; axis < 3; ++axis) {
      if (topology.dims[static_cast<size_t>(axis)] > 2) axes_.push_back(axis);
    }
    colour_.resize(static_cast<size_t>(topology.chips) * 3);
    for (size_t i = 0; i < colour_.size(); ++i) {
      const auto found = std::ranges::find(axes_, static_cast<int32_t>(i % 3));
      colour_[i] = static_cast<int32_t>(found - axes_.begin());
    }
  }

  size_t count() const { return axes_.size(); }

  // The cycles of one factor, each once.
  std::vector<Cycle> cycles(int32_t factor) const {
    std::vector<Cycle> found;
    std::vector<bool> seen(static_cast<size_t>(topology_.chips));
    for (int32_t start = 0; start < topology_.chips; ++start) {
      if (seen[static_cast<size_t>(start)]) continue;
      Cycle cycle;
      for (int32_t at = start, before = -1; !seen[static_cast<size_t>(at)];) {
        seen[static_cast<size_t>(at)] = true;
        cycle.push_back(at);
        const auto [a, b] = ends(at, factor);
        const int32_t next = a == before ? b : a;
        before = at;
        at = next;
      }
      found.push_back(std::move(cycle));
    }
    return found;
  }

  size_t cycle_count() const {
    size_t sum = 0;
    for (size_t f = 0; f < count(); ++f) sum += cycles(static_cast<int32_t>(f)).size();
    return sum;
  }

  // Swaps a random square; false if its sides do not belong to two factors.
  bool swap_square(Dice& dice) {
    last_ = {dice.below(static_cast<uint32_t>(topology_.chips)),
             dice.below(static_cast<uint32_t>(count())),
             dice.below(static_cast<uint32_t>(count()))};
    if (last_[1] == last_[2]) return false;
    const Square s = square();
    if (*s.a0 != *s.a1 || *s.b0 != *s.b1 || *s.a0 == *s.b0) return false;
    swap_back();
    return true;
  }

  // Swaps the last square again, which undoes it.
  void swap_back() {
    const Square s = square();
    std::swap(*s.a0, *s.b0);
    *s.a1 = *s.a0;
    *s.b1 = *s.b0;
  }

 private:
  struct Square {
    int32_t *a0, *a1, *b0, *b1;
  };

  int32_t moved(int32_t chip, int32_t axis, int32_t step) const {
    const int32_t x = topology_.dims[0], y = topology_.dims[1];
    const int32_t stride = axis == 0 ? 1 : axis == 1 ? x : x * y;
    const int32_t size = topology_.dims[static_cast<size_t>(axis)];
    const int32_t at = chip / stride % size;
    return chip + ((at + step + size) % size - at) * stride;
  }
  // The factor of the link from `chip` one further along `axis`.
  int32_t& colour(int32_t chip, int32_t axis) {
    return colour_[static_cast<size_t>(chip) * 3 + static_cast<size_t>(axis)];
  }
  int32_t colour(int32_t chip, int32_t axis) const {
    return colour_[static_cast<size_t>(chip) * 3 + static_cast<size_t>(axis)];
  }
  // The two neighbours of a chip in a factor.
  std::pair<int32_t, int32_t> ends(int32_t chip, int32_t factor) const {
    std::array<int32_t, 2> found{};
    size_t n = 0;
    for (const int32_t axis : axes_) {
      const int32_t back = moved(chip, axis, -1);
      if (colour(chip, axis) == factor) found[n++] = moved(chip, axis, 1);
      if (colour(back, axis) == factor) found[n++] = back;
    }
    TY_CHECK(n == 2);
    return {found[0], found[1]};
  }
  Square square() {
    const auto chip = static_cast<int32_t>(last_[0]);
    const int32_t a = axes_[last_[1]], b = axes_[last_[2]];
    return {&colour(chip, a), &colour(moved(chip, b, 1), a), &colour(chip, b),
            &colour(moved(chip, a, 1), b)};
  }

  const Topology& topology_;
  std::vector<int32_t> axes_;
  std::vector<int32_t> colour_;
  std::array<uint32_t, 3> last_{};
};

// Enough for 4x4x4 many times over.
constexpr int kMaxSwaps = 200'000;

// A cycle through all `chips` over links that are still `free`, by depth-first search with a
// budget.
class Search {
 public:
  Search(const Topology& topology, std::span<const int32_t> chips, const std::vector<bool>& free)
      : topology_(topology), free_(free), wanted_(static_cast<size_t>(topology.chips)) {
    for (const int32_t chip : chips) wanted_[static_cast<size_t>(chip)] = true;
    size_ = chips.size();
    path_.push_back(chips.front());
    wanted_[static_cast<size_t>(chips.front())] = false;
  }

  std::optional<Cycle> run() { return extend() ? std::optional(path_) : std::nullopt; }

 private:
  bool extend() {
    if (++steps_ > kBudget) return false;
    const int32_t at = path_.back();
    if (path_.size() == size_) return usable(at, path_.front());
    for (const Link& link : topology_.links_of(at)) {
      if (link.to >= topology_.chips || !wanted_[static_cast<size_t>(link.to)]) continue;
      if (!usable(at, link.to)) continue;
      wanted_[static_cast<size_t>(link.to)] = false;
      path_.push_back(link.to);
      if (extend()) return true;
      path_.pop_back();
      wanted_[static_cast<size_t>(link.to)] = true;
    }
    return false;
  }
  bool usable(int32_t from, int32_t to) const {
    const int32_t link = topology_.link(from, to);
    return link >= 0 && free_[static_cast<size_t>(link)];
  }

  static constexpr int kBudget = 100'000;
  const Topology& topology_;
  const std::vector<bool>& free_;
  std::vector<bool> wanted_;
  size_t size_ = 0;
  Cycle path_;
  int steps_ = 0;
};

Cycle reversed(const Cycle& cycle) { return {cycle.rbegin(), cycle.rend()}; }

// Each cycle in both directions.
std::vector<Cycle> both_ways(const std::vector<Cycle>& cycles) {
  std::vector<Cycle> all;
  for (const Cycle& cycle : cycles) {
    all.push_back(cycle);
    all.push_back(reversed(cycle));
  }
  return all;
}

// Cycles in the graph of the chips, one after the other, each without the links of those before.
std::vector<Cycle> found_cycles(const Topology& t, std::span<const int32_t> chips) {
  std::vector<Cycle> cycles;
  std::vector<bool> free(t.links.size(), true);
  while (const auto cycle = Search(t, chips, free).run()) {
    cycles.push_back(*cycle);
    for (size_t i = 0; i < cycle->size(); ++i) {
      const int32_t a = (*cycle)[i], b = (*cycle)[(i + 1) % cycle->size()];
      free[static_cast<size_t>(t.link(a, b))] = false;
      free[static_cast<size_t>(t.link(b, a))] = false;
    }
  }
  return cycles;
}

// Orders that step by each number without a common divisor: they share no link of a full mesh.
std::vector<Cycle> strided(std::span<const int32_t> chips) {
  std::vector<Cycle> cycles;
  const size_t n = chips.size();
  for (size_t step = 1; 2 * step < n; ++step) {
    if (std::gcd(step, n) != 1) continue;
    Cycle cycle;
    for (size_t i = 0; i < n; ++i) cycle.push_back(chips[i * step % n]);
    cycles.push_back(std::move(cycle));
  }
  return both_ways(cycles);
}

// Through the first group sled by sled and back through the second, so that both crossings are
// direct links. Each ring enters the sleds at another chip, so that no chip does all the crossing.
std::vector<Cycle> over_sleds(const Topology& t) {
  std::vector<Cycle> cycles;
  for (int32_t turn = 0; turn < t.sled_chips; ++turn) {
    Cycle cycle;
    for (int32_t i = 0; i < t.group_chips; ++i) {
      const int32_t sled = i / t.sled_chips;
      cycle.push_back(sled * t.sled_chips + (i + turn) % t.sled_chips);
    }
    for (size_t i = cycle.size(); i-- > 0;) cycle.push_back(cycle[i] + t.group_chips);
    cycles.push_back(std::move(cycle));
  }
  return both_ways(cycles);
}

bool is_whole(const Topology& t, std::span<const int32_t> chips) {
  return chips.size() == static_cast<size_t>(t.chips);
}

}  // namespace

std::vector<Cycle> hamiltonian_cycles(const Topology& t) {
  Factors factors(t);
  if (factors.count() == 0) return {};
  Dice dice;
  size_t cycles = factors.cycle_count();
  for (int swaps = 0; cycles > factors.count() && swaps < kMaxSwaps; ++swaps) {
    if (!factors.swap_square(dice)) continue;
    const size_t now = factors.cycle_count();
    if (now > cycles) {
      factors.swap_back();
    } else {
      cycles = now;
    }
  }
  std::vector<Cycle> whole;
  for (size_t f = 0; f < factors.count(); ++f) {
    std::vector<Cycle> found = factors.cycles(static_cast<int32_t>(f));
    if (found.size() == 1) whole.push_back(std::move(found.front()));
  }
  return whole;
}

std::vector<Cycle> channels(const Topology& t, std::span<const int32_t> chips) {
  const Cycle in_order(chips.begin(), chips.end());
  // With two chips both directions are the same cycle.
  if (chips.size() <= 2 || t.shape == Shape::Switch || t.shape == Shape::Chain) return {in_order};
  if (t.shape == Shape::FullMesh) return strided(chips);
  if (t.shape == Shape::Sleds) {
    return is_whole(t, chips) ? over_sleds(t) : std::vector<Cycle>{in_order};
  }
  const bool all_closed = std::ranges::none_of(t.dims, [](int32_t size) { return size == 2; });
  std::vector<Cycle> cycles =
      is_whole(t, chips) && all_closed ? hamiltonian_cycles(t) : found_cycles(t, chips);
  if (cycles.empty()) return {in_order};
  return both_ways(cycles);
}

}  // namespace trainyard::cluster
