#pragma once
// Makes Programs statement by statement: for tests, the compiler and the bindings.
//
//   ProgramBuilder b("double");
//   const TensorId x = b.hbm("x", Dtype::F32, {4096, 512}, Io::In);
//   const TensorId y = b.hbm("y", Dtype::F32, {4096, 512}, Io::Out);
//   const Affine i = b.repeat("i", 32);
//   const TensorId t = b.sbuf("t", Dtype::F32, {128, 512});
//   b.emit(DmaCopy{.dst = b.all(t), .src = b.at(x, {slice(i * 128, 128), all()})}, "load");
//   b.end();
//   Program p = b.finish();
//
// Names need not be unique: a taken one gets a suffix (`load_1`), an empty one is made from the
// instruction or the kind of statement. Misuse (an unclosed block, a subscript that does not fit)
// is a bug of the caller and stops the program; who passes on a user's subscripts calls `subscript`
// (isa/subscript.h), which returns a Status.
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "isa/subscript.h"

namespace trainyard::isa {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string name, std::string target = "trn2");

  // Declarations, in the open block.
  TensorId hbm(std::string_view name, Dtype dtype, std::vector<int64_t> shape, Io io = Io::None);
  TensorId sbuf(std::string_view name, Dtype dtype, std::vector<int64_t> shape);
  TensorId psum(std::string_view name, Dtype dtype, std::vector<int64_t> shape);
  // A tensor in the memory of `base`, `offset` bytes into it (on chip: into each partition).
  TensorId view(std::string_view name, TensorId base, Dtype dtype, std::vector<int64_t> shape,
                int64_t offset = 0);
  TensorId declare(Tensor tensor);
  // Declares at the very start of the program, whatever block is open.
  TensorId global(Tensor tensor);
  RegisterId reg(std::string_view name);
  SemaphoreId semaphore(std::string_view name);
  // A program for `make_call` (isa/gpsimd_call.h); its number.
  int32_t add_gpsimd(gpsimd::Program program);

  // Control statements open a block; `end` closes the innermost one. `repeat` returns its counter.
  Affine repeat(std::string_view name, Affine count);
  LoopId loop(std::string_view name, RegisterId counter, RegisterOperand from, RegisterOperand to,
              int64_t step = 1, Trips trips = {});
  LoopId loop_until_exit(std::string_view name, Trips trips = {});
  void exit_unless(RegisterId condition);
  BranchId branch(std::string_view name, RegisterId condition,
                  std::optional<bool> expected = std::nullopt);
  void otherwise();  // from the first arm of the open branch to its second
  void end();

  InstId emit(Instruction op, std::string_view label = "", std::optional<Engine> engine = {});

  // Accesses to a tensor: all of it, or a subscript with one entry per axis.
  Access all(TensorId tensor) const;
  Access at(TensorId tensor, std::initializer_list<Subscript> axes) const;
  Access at(TensorId tensor, std::span<const Subscript> axes) const;

  // What is built so far. Placements may be written in place.
  const Program& program() const { return program_; }
  TensorPlace& tensor_place(TensorId tensor) { return program_.placement.tensors[tensor]; }
  InstPlace& inst_place(InstId inst) { return program_.placement.insts[inst]; }
  // The source line that later statements get.
  void set_source(SourceRef source) { source_ = source; }
  int32_t add_file(std::string name);

  // The program; every block must be closed. The builder is empty afterwards.
  Program finish();

 private:
  struct Open {
    enum class Kind : uint8_t { Body, Loop, Then, Else };
    Kind kind = Kind::Body;
    int32_t id = -1;
  };
  using Taken = std::map<std::string, int, std::less<>>;  // name -> its next free suffix

  Block& block();
  void add(Statement::Kind kind, int32_t id) { block().push_back({kind, id}); }
  LoopId open_loop(Loop loop);
  static std::string unique(Taken& taken, std::string_view wish, std::string_view otherwise);

  Program program_;
  std::vector<Open> open_ = {{}};
  Taken tensors_, labels_, variables_, branches_, semaphores_, gpsimd_;
  SourceRef source_;
};

// Shorthand for subscripts.
inline Subscript all() { return Subscript::all(); }
inline Subscript slice(Affine start, int64_t count, int64_t step = 1) {
  return Subscript::slice(std::move(start), count, step);
}
inline Subscript index(Affine at) { return Subscript::index(std::move(at)); }

}  // namespace trainyard::isa
