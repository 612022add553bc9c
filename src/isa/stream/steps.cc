#include "isa/stream/steps.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace trainyard::isa {
namespace {

bool holds(const Program& program, const Block& block, const InstSet& set) {
  if (set.empty()) return false;
  return std::any_of(block.begin(), block.end(), [&](const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Instruction:
        return set[s.id] != 0;
      case Statement::Kind::Loop:
        return holds(program, program.loops[s.id].body, set);
      case Statement::Kind::Branch:
        return holds(program, program.branches[s.id].then_block, set) ||
               holds(program, program.branches[s.id].else_block, set);
      case Statement::Kind::Tensor:
      case Statement::Kind::ExitUnless:
        return false;
    }
    return false;
  });
}

class Flattener {
 public:
  Flattener(const Program& program, const InstSet& wanted, const InstSet& controlled)
      : program_(program), wanted_(wanted), controlled_(controlled) {}

  std::vector<Step> run() && {
    flatten_block(program_.body, -1);
    steps_.push_back({Step::Kind::End});
    return std::move(steps_);
  }

 private:
  int32_t here() const { return static_cast<int32_t>(steps_.size()); }

  void flatten_block(const Block& block, LoopId loop) {
    for (size_t i = 0; i < block.size(); ++i) {
      const Statement& s = block[i];
      const auto position = static_cast<int64_t>(i);
      switch (s.kind) {
        case Statement::Kind::Instruction:
          if (wanted_[s.id]) steps_.push_back({Step::Kind::Instruction, false, s.id, -1, position});
          break;
        case Statement::Kind::Loop:
          flatten_loop(s.id, position);
          break;
        case Statement::Kind::Branch:
          flatten_branch(s.id, position);
          break;
        case Statement::Kind::ExitUnless:
          steps_.push_back({Step::Kind::Exit, false, loop, -1, position});
          break;
        case Statement::Kind::Tensor:
          break;
      }
    }
  }

  void flatten_loop(LoopId id, int64_t position) {
    const Loop& loop = program_.loops[id];
    if (!holds(program_, loop.body, wanted_)) return;
    const bool control = loop.kind != Loop::Kind::Repeat && holds(program_, loop.body, controlled_);
    const int32_t begin = here();
    steps_.push_back({Step::Kind::LoopBegin, control, id, -1, position});
    flatten_block(loop.body, id);
    const int32_t end = here();
    steps_.push_back({Step::Kind::LoopEnd, control, id, begin + 1, position});
    for (int32_t i = begin; i < end; ++i) {
      if (steps_[i].kind == Step::Kind::Exit && steps_[i].id == id) steps_[i].jump = end + 1;
    }
    steps_[begin].jump = end + 1;
  }

  void flatten_branch(BranchId id, int64_t position) {
    const Branch& branch = program_.branches[id];
    const auto either = [&](const InstSet& set) {
      return holds(program_, branch.then_block, set) || holds(program_, branch.else_block, set);
    };
    if (!either(wanted_)) return;
    const int32_t begin = here();
    steps_.push_back({Step::Kind::BranchBegin, either(controlled_), id, -1, position});
    flatten_block(branch.then_block, -1);
    const int32_t then_end = here();
    steps_.push_back({Step::Kind::ArmEnd, false, id, -1, position});
    steps_[begin].jump = then_end + 1;
    flatten_block(branch.else_block, -1);
    const int32_t else_end = here();
    steps_.push_back({Step::Kind::ArmEnd, false, id, else_end + 1, position});
    steps_[then_end].jump = else_end + 1;
  }

  const Program& program_;
  const InstSet& wanted_;
  const InstSet& controlled_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> flatten(const Program& program, const InstSet& wanted,
                          const InstSet& controlled) {
  return Flattener(program, wanted, controlled).run();
}

}  // namespace trainyard::isa
