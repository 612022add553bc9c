#pragma once
// A Program is an ordered body and a placement.
//
// The body is structured code over instructions in one semantic order: it says what is computed.
// The placement says when and where: an address for each tensor, an engine for each instruction, a
// queue and a triggering engine for each transfer, and edges (who waits for whom). Compiler, NKI
// front end and text form make Programs; `place` completes the placement; `sim` runs values from
// the body and time from the placement. docs/program.md fixes the meaning of both layers.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/gpsimd/program.h"
#include "isa/movement.h"

namespace trainyard::isa {

using InstId = int32_t;       // index into Program::insts
using BranchId = int32_t;     // index into Program::branches
using SemaphoreId = int32_t;  // index into Program::semaphores

// ---------------------------------------------------------------- body

struct Statement {
  enum class Kind : uint8_t { Instruction, Tensor, Loop, Branch, ExitUnless };
  Kind kind = Kind::Instruction;
  int32_t id = -1;  // InstId, TensorId (a declaration), LoopId, BranchId, RegisterId
  friend bool operator==(const Statement&, const Statement&) = default;
};
using Block = std::vector<Statement>;

// An instruction of the body. `engine` is set where the author chose one; otherwise
// `resolve_engine` (isa/engines.h) decides, always the same way, so that values never depend on the
// placement.
struct Inst {
  std::string label;  // unique in the program; never empty
  Instruction op;
  std::optional<Engine> engine;
  SourceRef source;
};

// How often a run-time loop or branch is expected to go round. Times alone need `expected` or
// --trips.
struct Trips {
  std::optional<int64_t> min, expected, max;
  friend bool operator==(const Trips&, const Trips&) = default;
};

// `repeat v n`: n known beforehand, affine in outer counters; it means its unrolling. No registers
// in n. `loop`: at run time. Either counted (`counter` goes from `from` below `to` by `step`), or
// endless with one ExitUnless among the top-level statements of its body.
struct Loop {
  enum class Kind : uint8_t { Repeat, Counted, While };
  Kind kind = Kind::Repeat;
  std::string name;  // of the counter (Repeat) or of the loop; unique in the program
  Affine count;      // Repeat
  RegisterId counter = -1;
  RegisterOperand from = int64_t{0}, to = int64_t{0};
  int64_t step = 1;
  Trips trips;  // Counted, While
  Block body;
  SourceRef source;
};

// if condition != 0 { then_block } else { else_block }
struct Branch {
  std::string name;
  RegisterId condition = -1;
  Trips taken;  // expected 0 or 1 for time alone
  Block then_block, else_block;
  SourceRef source;
};

// ---------------------------------------------------------------- placement

// Slot i of a tensor is at address + i * pitch. SBUF and PSUM: bytes inside each partition, from
// partition `partition` on; PSUM bank b begins at b * 2048. HBM: bytes in the core's HBM.
struct TensorPlace {
  std::optional<int64_t> address;
  int64_t partition = 0;
  int slots = 0;      // 0: not given
  int64_t pitch = 0;  // 0: the tensor's own size (PSUM: whole banks)
  friend bool operator==(const TensorPlace&, const TensorPlace&) = default;
};

// "After X": the instruction waits for instances of `producer`. Shared loops are those around both.
//  - at empty, lag_loop -1: all instances in the current iteration of the shared loops;
//  - at: the producer's unshared counters, outermost first, affine in the waiter's counters;
//  - lag_loop L, lag d: as above, but of the iteration d rounds of L earlier, counted over the
//  whole run,
//    so it crosses outer loops; before the first such iteration there is nothing to wait for.
struct Edge {
  InstId producer = -1;
  std::vector<Affine> at;
  LoopId lag_loop = -1;
  int64_t lag = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

// A hand-written wait: semaphore >= value. A value <= 0 is satisfied at once.
struct SemaphoreWait {
  SemaphoreId semaphore = -1;
  Affine value;
  friend bool operator==(const SemaphoreWait&, const SemaphoreWait&) = default;
};

struct InstPlace {
  std::optional<Engine> engine;  // of a transfer: the engine that triggers it
  int queue = -1;                // transfers only
  LoopId ahead_loop = -1;        // `ahead d of L`: issued d iterations of L early
  int64_t ahead = 0;
  std::vector<Edge> after;
  std::vector<SemaphoreWait> waits;
  std::vector<SemaphoreId> increments;  // on completion, by one
  friend bool operator==(const InstPlace&, const InstPlace&) = default;
};

// Parallel to Program::tensors and Program::insts. `complete` says that nothing is left to `place`.
struct Placement {
  std::vector<TensorPlace> tensors;
  std::vector<InstPlace> insts;
  bool complete = false;
  friend bool operator==(const Placement&, const Placement&) = default;
};

// ---------------------------------------------------------------- program

struct Program {
  std::string name;
  std::string target = "trn2";
  std::vector<std::string> files;  // for SourceRef

  std::vector<Tensor> tensors;
  std::vector<Inst> insts;
  std::vector<Loop> loops;
  std::vector<Branch> branches;
  std::vector<std::string> registers;
  std::vector<std::string> semaphores;
  std::vector<isa::gpsimd::Program> gpsimd;  // what gpsimd_call runs; names are unique
  Block body;

  Placement placement;
};

// Equal in everything but source lines and numbering: what the text form must keep. Ids count as
// renumbered in body order (isa/normalize.h); floats compare by their bits, all NaNs being one.
bool same_program(const Program& a, const Program& b);

// The place of a SourceRef in words, for a Status.
SourcePlace place_of(const Program& program, const SourceRef& source);

inline bool is_dma(const Instruction& op) {
  return std::holds_alternative<DmaCopy>(op) || std::holds_alternative<DmaTranspose>(op) ||
         std::holds_alternative<Collective>(op) || std::holds_alternative<SendRecv>(op);
}

}  // namespace trainyard::isa
