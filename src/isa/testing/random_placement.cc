#include <algorithm>

#include "isa/structure.h"
#include "isa/testing/random.h"
#include "isa/testing/random_program.h"

namespace trainyard::isa::testing {
namespace {

class Placer {
 public:
  Placer(Program& program, uint64_t seed) : p_(program), structure_(program), random_(seed) {}

  void run() {
    p_.placement = {};
    while (p_.semaphores.size() < 2) {
      p_.semaphores.push_back(p_.semaphores.empty() ? "ready" : "done");
    }
    for (const Tensor& t : p_.tensors) p_.placement.tensors.push_back(place(t));
    for (size_t i = 0; i < p_.insts.size(); ++i) {
      p_.placement.insts.push_back(place(static_cast<InstId>(i)));
    }
    p_.placement.complete = random_.one_in(2);
  }

 private:
  TensorPlace place(const Tensor& t) {
    TensorPlace place;
    if (t.view || random_.one_in(4)) return place;
    place.address = random_.range(0, 1 << 14) / 4 * 4;
    if (t.memory == Memory::Psum && random_.one_in(2)) place.address = *place.address / 2048 * 2048;
    if (t.on_chip() && t.shape[0] <= 64 && random_.one_in(2)) place.partition = 64;
    if (random_.one_in(2)) place.slots = static_cast<int>(random_.range(1, 4));
    if (random_.one_in(4)) place.pitch = 2048 * random_.range(1, 4);
    return place;
  }

  // The `repeat`s among `around`, outermost first.
  std::vector<LoopId> repeats(const std::vector<Enclosure>& around) const {
    std::vector<LoopId> loops;
    for (const Enclosure& e : around) {
      const bool is_repeat =
          e.kind == Enclosure::Kind::Loop && p_.loops[e.id].kind == Loop::Kind::Repeat;
      if (is_repeat) loops.push_back(e.id);
    }
    return loops;
  }

  Edge edge(InstId waiter) {
    Edge e;
    e.producer = static_cast<InstId>(random_.range(0, static_cast<int64_t>(p_.insts.size()) - 1));
    const std::vector<LoopId> mine = repeats(structure_.around(waiter));
    const std::vector<LoopId> theirs = repeats(structure_.around(e.producer));
    const size_t shared =
        std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end()).first - mine.begin();
    if (random_.one_in(2)) {
      for (size_t i = shared; i < theirs.size(); ++i) {
        e.at.push_back(mine.empty() ? Affine(0) : Affine::counter(random_.pick_from(mine)));
      }
    }
    if (shared > 0 && random_.one_in(2)) {
      e.lag_loop = mine[random_.range(0, static_cast<int64_t>(shared) - 1)];
      e.lag = random_.range(0, 4);
    }
    return e;
  }

  InstPlace place(InstId id) {
    InstPlace place;
    if (!random_.one_in(4)) place.engine = random_.pick_from(hw::kEngines);
    if (is_dma(p_.insts[id].op)) place.queue = static_cast<int>(random_.range(0, 15));
    const std::vector<LoopId> loops = repeats(structure_.around(id));
    if (!loops.empty() && random_.one_in(4)) {
      place.ahead_loop = random_.pick_from(loops);
      place.ahead = random_.range(1, 2);
    }
    for (int64_t n = random_.range(0, 3); n > 0; --n) place.after.push_back(edge(id));
    if (random_.one_in(6)) {
      Affine value(random_.range(-2, 4));
      if (!loops.empty()) value += Affine::counter(random_.pick_from(loops), random_.range(-3, 3));
      place.waits.push_back({0, value});
    }
    if (random_.one_in(6)) place.increments = {0, 1};
    return place;
  }

  Program& p_;
  const Structure structure_;
  Random random_;
};

}  // namespace

void place_at_random(Program& program, uint64_t seed) { Placer(program, seed).run(); }

}  // namespace trainyard::isa::testing
