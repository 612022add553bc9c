#pragma once
// What the parser knows while it reads: the program so far, its names and which of them are in
// scope. The readers of the grammar's parts are free functions over a Context.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "isa/text/names.h"
#include "isa/text/reader.h"

namespace trainyard::isa::text {

// One name space: declared names and their ids.
using Names = std::map<std::string, int32_t, std::less<>>;

struct Context {
  Reader in;
  Program program;

  Names tensors, labels, branches, semaphores, gpsimd_programs;
  Names loops, registers;  // one name space: both may stand in an affine expression
  std::vector<bool> tensor_open, loop_open;

  // An edge's label may come later in the text, so edges are resolved at the end.
  struct Pending {
    InstId waiter = -1;
    size_t edge = 0;
    Token label;
  };
  std::vector<Pending> pending;

  Context(std::string_view text, std::string file) : in(text, std::move(file)) {}

  // Reads a new name and enters it. Errors: a reserved word, a name that is taken.
  std::string declare(NameKind kind, int32_t id);
  void declare(NameKind kind, const Token& name, int32_t id);

  // Read a name that must be known and in scope; -1 after an error.
  TensorId tensor();
  LoopId open_repeat();
  RegisterId reg();
  SemaphoreId semaphore();
  int32_t gpsimd();  // a program of the GpSimd engine

  // A counter or register inside an affine expression.
  Affine variable();

  void fail_unknown(const Token& name, std::string_view what, const Names& known);

 private:
  int declared_line(NameKind kind, int32_t id) const;  // 0: not recorded
  LoopId open_repeat(const Token& name, LoopId id);
};

}  // namespace trainyard::isa::text
