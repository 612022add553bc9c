#pragma once
// A GpSimd program, decoded once, with the working memory of one call at a time.
//
// Values have fixed places, so an operation knows the addresses of what it reads and writes. An
// executor belongs to one thread at a time; runs do not depend on those before.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sim/gpsimd/primitives.h"
#include "sim/gpsimd/run.h"

namespace trainyard::sim::gpsimd {

class Executor {
 public:
  // The program must verify and outlive the executor.
  Executor(const isa::gpsimd::Program& program, const hw::CoreSpec& core);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  Result<RunCost> run(const Operands& operands, const RunOptions& options = {});

 private:
  // An operation with everything that does not change from call to call.
  struct Step {
    const isa::gpsimd::Op* op = nullptr;
    isa::gpsimd::Form form = isa::gpsimd::Form::Constant;
    int64_t cycles = 1;
    int64_t n = 0;  // elements of the result, or of what is stored
    LaneOp lane;
    const void* in[3] = {nullptr, nullptr, nullptr};
    void* out = nullptr;
    std::string what;                // of an access, for errors
    std::unique_ptr<Folder> folder;  // of reduce, scan and scatter
    std::unique_ptr<Work> work;      // of a primitive
  };
  using Ids = std::span<const isa::gpsimd::ValueId>;

  void lay_out_values();
  Step decode(const isa::gpsimd::Op& op, const hw::CoreSpec& core);

  Status check(const Operands& operands) const;
  void bring(const Operands& operands);
  bool is_in_place(const Operands& operands, size_t i) const;
  void take_back(const Operands& operands) const;

  // False after a fault, which is then in `fault_`: a Status for each operation would cost more
  // than most operations on scalars.
  bool block(isa::gpsimd::BlockId id);
  bool execute(Step& step);
  bool strip(Step& step);
  bool access(Step& step);
  void compress(const Step& step);
  void fold(Step& step);
  bool for_turns(const Step& step);
  bool while_turns(const Step& step);
  bool spend_turn(const Step& step);
  void hand_on(Ids from, Ids to);
  bool failed(Status status) {
    if (status.ok()) return false;
    fault_ = std::move(status);
    return true;
  }

  std::byte* at(isa::gpsimd::ValueId v) { return places_[v]; }
  isa::gpsimd::ValueType type(isa::gpsimd::ValueId v) const { return f_.values[v]; }
  std::span<int64_t> positions(int64_t n) { return {positions_.data(), static_cast<size_t>(n)}; }
  void indices(Type type, const void* from, int64_t n);
  void affine(int64_t first, int64_t step, int64_t n);

  const isa::gpsimd::Program& program_;
  const isa::gpsimd::Function& f_;
  RunOptions options_;
  std::vector<WindowData> windows_;
  std::vector<uint64_t> memory_;    // of all values
  std::vector<std::byte*> places_;  // per value
  std::vector<uint64_t> passing_;   // values that are handed on
  std::vector<std::vector<Step>> blocks_;
  std::array<int64_t, kMostLanes> positions_;
  Status fault_;
  int64_t spent_ = 0;
  int64_t turns_ = 0;
};

}  // namespace trainyard::sim::gpsimd
