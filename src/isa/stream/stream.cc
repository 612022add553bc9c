#include "isa/stream.h"

#include <algorithm>
#include <utility>

#include "isa/stream/group.h"

namespace trainyard::isa {

void TripRecord::append(std::vector<Run>& runs, int64_t value) {
  if (!runs.empty() && runs.back().value == value) {
    ++runs.back().times;
  } else {
    runs.push_back({value, 1});
  }
}

StreamWalker::StreamWalker(const Program& program, const Structure& structure, Engine engine,
                           const TripRecord& trips) {
  using Ahead = StreamGroup::Ahead;
  const std::vector<uint8_t> masks = engine_masks(program, structure);
  // The first group has no `ahead`; it also carries the control items.
  std::vector<Ahead> kinds(1);
  std::vector<InstSet> members(1, InstSet(program.insts.size(), 0));
  InstSet all(program.insts.size(), 0);
  for (size_t i = 0; i < program.insts.size(); ++i) {
    const InstPlace& place = program.placement.insts[i];
    if ((masks[i] >> hw::index(engine) & 1) == 0) continue;
    const Ahead kind = place.ahead > 0 ? Ahead{place.ahead_loop, place.ahead} : Ahead{};
    auto it = std::find(kinds.begin(), kinds.end(), kind);
    if (it == kinds.end()) {
      kinds.push_back(kind);
      members.emplace_back(program.insts.size(), 0);
      it = kinds.end() - 1;
    }
    members[it - kinds.begin()][i] = 1;
    all[i] = 1;
  }
  groups_.reserve(kinds.size());
  for (size_t g = 0; g < kinds.size(); ++g) {
    groups_.emplace_back(program, structure, std::move(members[g]), g == 0 ? all : InstSet{}, trips,
                         kinds[g]);
  }
}

StreamWalker::StreamWalker(const Program& program, const Structure& structure,
                           std::span<const InstId> members, const TripRecord& trips) {
  InstSet set(program.insts.size(), 0);
  for (const InstId i : members) set[i] = 1;
  groups_.emplace_back(program, structure, set, set, trips, StreamGroup::Ahead{});
}

StreamWalker::~StreamWalker() = default;
StreamWalker::StreamWalker(StreamWalker&&) noexcept = default;

const int64_t* StreamWalker::counters() const { return current_->counters(); }

int64_t StreamWalker::tensor_instance(TensorId tensor) const {
  return current_->tensor_instance(tensor);
}

bool StreamWalker::next() {
  if (current_ != nullptr) current_->advance();
  current_ = nullptr;
  if (groups_.size() == 1) {
    if (!groups_[0].done()) current_ = &groups_[0];
  } else {
    for (StreamGroup& g : groups_) {
      if (g.done()) continue;
      g.make_key();
      if (current_ == nullptr || g.key() < current_->key()) current_ = &g;
    }
  }
  if (current_ == nullptr) return false;
  item_ = current_->item();
  if (item_.kind == StreamItem::Kind::Instruction) {
    current_->needs(needs_);
  } else {
    needs_.clear();
  }
  return true;
}

}  // namespace trainyard::isa
