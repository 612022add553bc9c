// Whether arrays and constants fit the tensors that they are bound to. A program of the compiler
// always passes; a file need not.
#include <fmt/format.h>

#include <vector>

#include "compiler/file/executable_file.h"
#include "isa/verify.h"

namespace trainyard::compiler {
namespace {

enum class Use : uint8_t { None, Argument, Output, ArgumentAndOutput, Constant };

template <class... Args>
Status refuse(const std::string& what, fmt::format_string<Args...> text, Args&&... args) {
  return error("TY-EXE-008", "{}: {}. Compile the program again.", what,
               fmt::format(text, std::forward<Args>(args)...));
}

// A tensor that the caller binds, of that many bytes.
Status check_tensor(const isa::Program& program, isa::TensorId id, int64_t bytes,
                    const std::string& what) {
  if (id < 0 || static_cast<size_t>(id) >= program.tensors.size()) {
    return refuse(what, "it names tensor number {}, of {}", id, program.tensors.size());
  }
  const isa::Tensor& tensor = program.tensors[static_cast<size_t>(id)];
  if (tensor.io == isa::Io::None) {
    return refuse(what, "tensor '{}' is not one that the caller binds", tensor.name);
  }
  if (tensor.total_bytes() == bytes) return {};
  return refuse(what, "it has {} bytes, tensor '{}' has {}", bytes, tensor.name,
                tensor.total_bytes());
}

// An array of the caller. Without elements it has no tensor; an argument that nobody reads, too.
Status check_array(const isa::Program& program, const TensorType& type, isa::TensorId id,
                   bool may_lack, const std::string& what) {
  constexpr size_t kMostAxes = 64;
  const std::optional<int64_t> elements = type.elements();
  constexpr int64_t kMost = int64_t{1} << 48;
  bool sound = type.shape.size() <= kMostAxes && elements && *elements <= kMost;
  for (const int64_t n : type.shape) sound &= n >= 0;
  if (!sound) return refuse(what, "its shape [{}] is none", fmt::join(type.shape, ","));
  if (id == -1 && (may_lack || *elements == 0)) return {};
  return check_tensor(program, id, *elements * byte_size(type.element), what);
}

// Each tensor has one use; a result may lie in an argument.
class Uses {
 public:
  explicit Uses(const isa::Program& program) : program_(program), uses_(program.tensors.size()) {}

  Status add(isa::TensorId id, Use use, const std::string& what) {
    if (id < 0) return {};
    Use& known = uses_[static_cast<size_t>(id)];
    const isa::Tensor& tensor = program_.tensors[static_cast<size_t>(id)];
    const bool written = tensor.io == isa::Io::Out || tensor.io == isa::Io::InOut;
    if (use == Use::Constant && written) {
      return refuse(what, "tensor '{}' is written", tensor.name);
    }
    const bool shares = use == Use::Output && (known == Use::Argument || known == Use::Output ||
                                               known == Use::ArgumentAndOutput);
    if (known != Use::None && !shares) {
      return refuse(what, "tensor '{}' is bound twice", tensor.name);
    }
    known = known == Use::Argument ? Use::ArgumentAndOutput : use;
    return {};
  }

  Status all_bound() const {
    for (size_t i = 0; i < uses_.size(); ++i) {
      const isa::Tensor& tensor = program_.tensors[i];
      if (tensor.io == isa::Io::None || uses_[i] != Use::None) continue;
      return refuse("the program", "nothing is bound to tensor '{}'", tensor.name);
    }
    return {};
  }

 private:
  const isa::Program& program_;
  std::vector<Use> uses_;
};

}  // namespace

Status verify_executable(const Executable& executable, const hw::CoreSpec& core) {
  const isa::Program& program = executable.program;
  TY_TRY(isa::verify(program, core));
  Uses uses(program);
  for (size_t i = 0; i < executable.arguments.size(); ++i) {
    const Argument& a = executable.arguments[i];
    const std::string what = fmt::format("argument {}", i);
    TY_TRY(check_array(program, a.type, a.tensor, /*may_lack=*/true, what));
    TY_TRY(uses.add(a.tensor, Use::Argument, what));
    if (a.alias && (*a.alias < 0 || static_cast<size_t>(*a.alias) >= executable.outputs.size())) {
      return refuse(what, "it gives its memory to result {}, of {}", *a.alias,
                    executable.outputs.size());
    }
  }
  for (size_t i = 0; i < executable.outputs.size(); ++i) {
    const Output& o = executable.outputs[i];
    const std::string what = fmt::format("result {}", i);
    TY_TRY(check_array(program, o.type, o.tensor, /*may_lack=*/false, what));
    TY_TRY(uses.add(o.tensor, Use::Output, what));
  }
  for (size_t i = 0; i < executable.constants.size(); ++i) {
    const ConstantData& c = executable.constants[i];
    const std::string what = fmt::format("constant {}", i);
    TY_TRY(check_tensor(program, c.tensor, static_cast<int64_t>(c.bytes.size()), what));
    TY_TRY(uses.add(c.tensor, Use::Constant, what));
  }
  return uses.all_bound();
}

}  // namespace trainyard::compiler
