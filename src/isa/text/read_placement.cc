#include <algorithm>
#include <limits>
#include <utility>

#include "isa/subscript.h"
#include "isa/text/statements.h"
#include "isa/text/text.h"
#include "isa/text/values.h"

namespace trainyard::isa::text {
namespace {

constexpr int64_t kMostSlots = 1 << 20;

// Sets `seen`; an error if it was set.
void once(Context& c, bool& seen, std::string_view what) {
  if (std::exchange(seen, true)) {
    c.in.fail("TY-TXT-013", fmt::format("the placement gives {} twice", what));
  }
}

int64_t read_bank(Context& c, Memory memory) {
  if (memory != Memory::Psum) {
    c.in.fail("TY-TXT-013", fmt::format("only psum has banks; place a tensor in {} by its address",
                                        name(memory)));
  }
  c.in.expect("bank");
  const int64_t bank = c.in.integer("a bank", 0, kMaxExtent / kTextBankBytes - 1);
  const int64_t rest =
      c.in.accept("+") ? c.in.integer("an offset in a bank", 0, kTextBankBytes - 1) : 0;
  return bank * kTextBankBytes + rest;
}

void set_engine(Context& c, InstPlace& place) {
  bool given = place.engine.has_value();
  once(c, given, "an engine");
  place.engine = read_engine(c);
}

void read_queue(Context& c, InstPlace& place) {
  bool given = place.queue >= 0;
  once(c, given, "a queue");
  const Token word = c.in.take();
  constexpr int kMostQueues = 1 << 16;
  for (const char digit : word.text.substr(std::min<size_t>(1, word.text.size()))) {
    place.queue = std::max(place.queue, 0) * 10 + (digit - '0');
    if (place.queue >= kMostQueues) {
      c.in.fail_at(word, "TY-TXT-007",
                   fmt::format("queue '{}' is beyond {}", shown(word.text), kMostQueues - 1));
      return;
    }
  }
  if (c.in.accept("by")) set_engine(c, place);
}

void read_ahead(Context& c, InstPlace& place) {
  bool given = place.ahead_loop >= 0;
  once(c, given, "`ahead`");
  place.ahead = c.in.integer("a number of iterations", 1, kMaxExtent);
  c.in.expect("of");
  place.ahead_loop = c.open_repeat();
}

// X, X(k, ...), X{v-d}, X(k, ...){v-d}
void read_edge(Context& c, InstId waiter, InstPlace& place) {
  if (!c.in.spend(sizeof(Edge) + sizeof(Context::Pending))) return;
  const Token label = c.in.name("the label of an instruction");
  c.pending.push_back({waiter, place.after.size(), label});
  Edge edge;
  if (c.in.accept("(")) {
    do {
      if (edge.at.size() == kMaxDepth) {
        c.in.fail(
            "TY-TXT-011",
            fmt::format(
                "an edge has more than {} counters; give those of the loops around its instruction",
                kMaxDepth));
        return;
      }
      c.in.spend(sizeof(Affine));
      edge.at.push_back(read_affine(c));
    } while (c.in.accept(","));
    if (!c.in.accept(")")) c.in.fail_expected("',' or ')'");
  }
  if (c.in.accept("{")) {
    edge.lag_loop = c.open_repeat();
    c.in.expect("-");
    edge.lag = c.in.integer("a number of iterations", 0, kMaxExtent);
    c.in.expect("}");
  }
  place.after.push_back(std::move(edge));
}

void read_wait(Context& c, InstPlace& place) {
  if (!c.in.spend(sizeof(SemaphoreWait))) return;
  SemaphoreWait wait;
  wait.semaphore = c.semaphore();
  c.in.expect(">=");
  wait.value = read_affine(c);
  place.waits.push_back(std::move(wait));
}

void read_inc(Context& c, InstPlace& place) {
  if (c.in.spend(sizeof(SemaphoreId))) place.increments.push_back(c.semaphore());
}

bool at_engine(const Token& word) {
  return word.kind == Token::Kind::Name &&
         std::any_of(hw::kEngines.begin(), hw::kEngines.end(),
                     [&](Engine e) { return hw::name(e) == word.text; });
}

}  // namespace

TensorPlace read_tensor_place(Context& c, Memory memory) {
  TensorPlace place;
  bool partition = false, any = false;
  for (;; any = true) {
    const Token& now = c.in.peek();
    bool address = place.address.has_value(), slots = place.slots > 0, pitch = place.pitch > 0;
    if (now.kind == Token::Kind::Integer) {
      once(c, address, "an address");
      place.address = c.in.integer("an address", 0, kMaxExtent);
    } else if (c.in.at_word("bank")) {
      once(c, address, "an address");
      place.address = read_bank(c, memory);
    } else if (c.in.at_word("partition")) {
      once(c, partition, "a partition");
      c.in.take();
      place.partition = c.in.integer("a partition", 0, kMaxExtent);
    } else if (c.in.at_word("slots")) {
      once(c, slots, "slots");
      c.in.take();
      place.slots = static_cast<int>(c.in.integer("the number of slots", 1, kMostSlots));
    } else if (c.in.at_word("pitch")) {
      once(c, pitch, "a pitch");
      c.in.take();
      place.pitch = c.in.integer("a pitch", 1, kMaxExtent);
    } else {
      if (!any) c.in.fail_expected("an address, 'bank', 'partition', 'slots' or 'pitch'");
      return place;
    }
  }
}

InstPlace read_inst_place(Context& c, InstId waiter) {
  InstPlace place;
  bool in_edges = false;  // after `after`, a word that is no item is one more label
  do {
    const Token& now = c.in.peek();
    if (at_engine(now)) {
      set_engine(c, place);
    } else if (now.kind == Token::Kind::Name && is_queue(now.text)) {
      read_queue(c, place);
    } else if (c.in.accept("ahead")) {
      read_ahead(c, place);
    } else if (c.in.accept("wait")) {
      read_wait(c, place);
    } else if (c.in.accept("inc")) {
      read_inc(c, place);
    } else if (c.in.accept("after") || (in_edges && now.is_name())) {
      read_edge(c, waiter, place);
      in_edges = true;
    } else {
      c.in.fail_expected("an engine, a queue, 'after', 'ahead', 'wait' or 'inc'");
    }
  } while (c.in.accept(","));
  return place;
}

}  // namespace trainyard::isa::text
