#pragma once
// The tensors that a run binds: from .npy files, at random, or empty.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/executable.h"
#include "isa/program.h"
#include "sim/values.h"

namespace trainyard::tools {

struct TensorFiles {
  std::map<std::string, std::string> inputs, outputs;  // tensor name -> .npy
  std::optional<uint64_t> random;                      // seed for inputs without a file
  std::vector<compiler::ConstantData> constants;       // inputs that came with the program
};

// "x=x.npy" -> {x, x.npy}; TY-TOOL-005 otherwise.
Status add_file(std::map<std::string, std::string>& files, const std::string& text);

class Tensors {
 public:
  // Loads and fills. An input without a file is an error, unless `files.random`.
  static Result<Tensors> make(const isa::Program& program, const TensorFiles& files);
  std::vector<sim::Binding> bindings();
  Status save(const isa::Program& program, const TensorFiles& files) const;
  // A short digest of every output, to compare runs by eye.
  std::vector<std::pair<std::string, uint64_t>> digests(const isa::Program& program) const;

 private:
  std::vector<std::pair<isa::TensorId, std::vector<std::byte>>> memory_;
};

}  // namespace trainyard::tools
