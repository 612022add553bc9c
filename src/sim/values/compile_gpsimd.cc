// Calls of GpSimd programs.
#include <mutex>

#include "isa/gpsimd_call.h"
#include "sim/execute/tile/copy.h"
#include "sim/gpsimd/executor.h"
#include "sim/values/compile.h"

namespace trainyard::sim {
namespace {

// An operand as one dense run of bytes: itself, or a copy.
struct CallOperand {
  OperandRef at;
  int64_t bytes = 0;
  bool dense = false;
  bool written = false;
  CopyPlan in, out;  // of a copy
};

CallOperand call_operand(const Compiler& c, const isa::Access& access, isa::Role role) {
  CallOperand o{.at = c.operand(access), .written = role != isa::Role::Read};
  Pattern& p = o.at.pattern;
  o.bytes = p.elements() * p.size();
  o.dense = fold_rows({&p});
  if (o.dense) return o;
  const Pattern flat = make_pattern(p.dtype, 1, 0, {{p.size(), p.elements()}});
  o.in = plan_copy(flat, p);
  o.out = plan_copy(p, flat);
  return o;
}

// What one call at a time needs. Calls of the same instruction on several workers have one each.
struct CallState {
  CallState(const isa::gpsimd::Program& program, const hw::CoreSpec& core)
      : executor(program, core), copies(program.windows.size()), tensors(program.windows.size()) {}

  gpsimd::Executor executor;
  std::vector<HostBuffer> copies;
  std::vector<std::span<std::byte>> tensors;
  std::vector<uint64_t> scalars;
};

class CallStep final : public Step {
 public:
  CallStep(const Compiler& c, const isa::GpsimdCall& call)
      : program_(c.program), core_(c.core), call_(call), code_(c.program.gpsimd[call.program]) {
    // The scratch of a program has no values that anybody could see.
    for (size_t i = 0; i < code_.windows.size(); ++i)
      operands_.push_back(call_operand(c, call.operands[i], call.roles[i]));
    free_.push_back(std::make_unique<CallState>(code_, core_));
  }

  void run(Lane& lane) const override {
    std::unique_ptr<CallState> state = take();
    for (size_t i = 0; i < operands_.size(); ++i) bring(*state, i, lane);
    state->scalars.clear();
    for (size_t i = 0; i < call_.scalars.size(); ++i) state->scalars.push_back(scalar(i, lane));
    const Result<gpsimd::RunCost> cost = state->executor.run({state->tensors, state->scalars});
    if (cost.ok()) {
      for (size_t i = 0; i < operands_.size(); ++i) {
        const CallOperand& o = operands_[i];
        if (!o.dense && o.written)
          run_copy(o.out, o.at.data(lane), state->copies[i].data(), lane.exec);
      }
    } else {
      fail(lane, cost.status());
    }
    give_back(std::move(state));
  }

 private:
  void bring(CallState& state, size_t i, Lane& lane) const {
    const CallOperand& o = operands_[i];
    std::byte* data = o.at.data(lane);
    if (!o.dense) {
      state.copies[i].reserve(o.bytes);
      run_copy(o.in, state.copies[i].data(), data, lane.exec);
      data = state.copies[i].data();
    }
    state.tensors[i] = {data, static_cast<size_t>(o.bytes)};
  }

  uint64_t scalar(size_t i, const Lane& lane) const {
    const isa::gpsimd::Type type = code_.body.values[code_.body.blocks[0].params[i]].type;
    if (const auto* number = std::get_if<int64_t>(&call_.scalars[i]))
      return isa::scalar_bits(*number, false, type);
    return isa::scalar_bits(lane.registers[std::get<isa::RegisterId>(call_.scalars[i])], true,
                            type);
  }

  // The fault belongs to the call; the line in the program is told in words.
  void fail(Lane& lane, const Status& status) const {
    const std::string line =
        status.place().line > 0 ? fmt::format(", line {}", status.place().line) : "";
    raise(lane, program_, inst,
          error(status.code(), "{}: gpsimd '{}'{}: {}", program_.insts[inst].label, code_.name,
                line, status.message()));
  }

  std::unique_ptr<CallState> take() const {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<CallState> state = std::move(free_.back());
        free_.pop_back();
        return state;
      }
    }
    return std::make_unique<CallState>(code_, core_);
  }
  void give_back(std::unique_ptr<CallState> state) const {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(state));
  }

  const isa::Program& program_;
  const hw::CoreSpec& core_;
  const isa::GpsimdCall& call_;
  const isa::gpsimd::Program& code_;
  std::vector<CallOperand> operands_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<CallState>> free_;
};

}  // namespace

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::GpsimdCall& i) {
  return std::make_unique<CallStep>(c, i);
}

}  // namespace trainyard::sim
