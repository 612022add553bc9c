#include "tools/tensors.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.h"
#include "base/npy.h"
#include "numerics/convert.h"

namespace trainyard::tools {
namespace {

using isa::Dtype;
using isa::Io;

// NumPy's type string of a .npy file, without byte order. Types that NumPy lacks are saved as raw
// bytes.
std::string npy_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::F32:
    case Dtype::TF32:
      return "f4";
    case Dtype::F16:
      return "f2";
    case Dtype::BF16:
      return "V2";
    case Dtype::F8E5M2:
    case Dtype::F8E4M3:
    case Dtype::F8E4M3FN:
    case Dtype::F8E3M4:
      return "V1";
    case Dtype::S8:
      return "i1";
    case Dtype::U8:
      return "u1";
    case Dtype::S16:
      return "i2";
    case Dtype::U16:
      return "u2";
    case Dtype::S32:
      return "i4";
    case Dtype::U32:
      return "u4";
  }
  return "";
}

uint64_t splitmix(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// Floats: about normal (a sum of four uniform numbers, so no libm enters). Integers: 0 to 15.
void fill_random(const isa::Tensor& tensor, uint64_t seed, std::vector<std::byte>& bytes) {
  std::vector<float> values(
      static_cast<size_t>(tensor.free_elements() * std::max<int64_t>(1, tensor.partitions())));
  uint64_t state = seed ^ XXH3_64bits(tensor.name.data(), tensor.name.size());
  for (float& v : values) {
    const uint64_t bits = splitmix(state);
    if (numerics::is_float(tensor.dtype)) {
      int64_t sum = 0;
      for (int i = 0; i < 4; ++i) sum += static_cast<int64_t>(bits >> (16 * i) & 0xffff) - 0x8000;
      v = static_cast<float>(sum) * 0x1.bb67aep-16f;  // variance 1: sqrt(3) / 65536
    } else {
      v = static_cast<float>(bits & 15);
    }
  }
  numerics::narrow(tensor.dtype, values.data(), bytes.data(), values.size());
}

Status load(const isa::Tensor& tensor, const std::string& path, std::vector<std::byte>& bytes) {
  Result<NpyArray> array = load_npy(path);
  if (!array.ok()) return array.status();
  const std::string want = npy_type(tensor.dtype);
  const bool same_type = array->type == want ||
                         (array->type[0] == 'V' && array->type[1] == want[1]) ||
                         (want == "u1" && array->type == "b1");
  if (!same_type) {
    return error(
        "TY-TOOL-006",
        "{} holds type {}, but tensor {} is {} ({} in a .npy file). Convert it before saving.",
        path, array->type, tensor.name, numerics::name(tensor.dtype), want);
  }
  if (array->shape != tensor.shape) {
    return error("TY-TOOL-007",
                 "{} has shape [{}], but tensor {} is [{}]. Reshape it before saving.", path,
                 fmt::join(array->shape, ", "), tensor.name, fmt::join(tensor.shape, ", "));
  }
  bytes = std::move(array->bytes);
  return Status();
}

Status take(const compiler::ConstantData& constant, const isa::Tensor& tensor,
            std::vector<std::byte>& bytes) {
  if (constant.bytes.size() != bytes.size()) {
    return error("TY-EXE-008", "the constant for tensor '{}' has {} bytes, not {}. Compile again.",
                 tensor.name, constant.bytes.size(), bytes.size());
  }
  std::ranges::transform(constant.bytes, bytes.begin(), [](uint8_t b) { return std::byte{b}; });
  return Status();
}

Status check_names(const isa::Program& program, const std::map<std::string, std::string>& files,
                   bool input) {
  std::vector<std::string> names;
  for (const isa::Tensor& t : program.tensors) {
    const bool fits =
        input ? t.io == Io::In || t.io == Io::InOut : t.io == Io::Out || t.io == Io::InOut;
    if (fits) names.push_back(t.name);
  }
  for (const auto& [name, path] : files) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return error("TY-TOOL-008", "the program has no {} called {}. It has: {}.",
                 input ? "input" : "output", name,
                 names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }
  return Status();
}

}  // namespace

Status add_file(std::map<std::string, std::string>& files, const std::string& text) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    return error("TY-TOOL-005", "'{}' is not of the form NAME=FILE. Write for example x=x.npy.",
                 text);
  }
  files[text.substr(0, at)] = text.substr(at + 1);
  return Status();
}

Result<Tensors> Tensors::make(const isa::Program& program, const TensorFiles& files) {
  TY_TRY(check_names(program, files.inputs, true));
  TY_TRY(check_names(program, files.outputs, false));
  Tensors out;
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const isa::Tensor& t = program.tensors[i];
    if (t.io == Io::None) continue;
    std::vector<std::byte> bytes(static_cast<size_t>(t.total_bytes()));
    if (t.io != Io::Out) {
      const auto constant = std::ranges::find(files.constants, static_cast<isa::TensorId>(i),
                                              &compiler::ConstantData::tensor);
      if (constant != files.constants.end()) {
        TY_TRY(take(*constant, t, bytes));
      } else if (const auto it = files.inputs.find(t.name); it != files.inputs.end()) {
        TY_TRY(load(t, it->second, bytes));
      } else if (files.random) {
        fill_random(t, *files.random, bytes);
      } else {
        return error("TY-TOOL-009",
                     "input {} has no values. Give --input {}=FILE.npy, or --random SEED for all "
                     "that have none.",
                     t.name, t.name);
      }
    }
    out.memory_.emplace_back(static_cast<isa::TensorId>(i), std::move(bytes));
  }
  return out;
}

std::vector<sim::Binding> Tensors::bindings() {
  std::vector<sim::Binding> out;
  for (auto& [tensor, bytes] : memory_) out.push_back({tensor, bytes});
  return out;
}

Status Tensors::save(const isa::Program& program, const TensorFiles& files) const {
  for (const auto& [tensor, bytes] : memory_) {
    const isa::Tensor& t = program.tensors[tensor];
    const auto it = files.outputs.find(t.name);
    if (it == files.outputs.end()) continue;
    TY_TRY(save_npy(it->second, {npy_type(t.dtype), t.shape, bytes}));
  }
  return Status();
}

std::vector<std::pair<std::string, uint64_t>> Tensors::digests(const isa::Program& program) const {
  std::vector<std::pair<std::string, uint64_t>> out;
  for (const auto& [tensor, bytes] : memory_) {
    const isa::Tensor& t = program.tensors[tensor];
    if (t.io == Io::Out || t.io == Io::InOut)
      out.emplace_back(t.name, XXH3_64bits(bytes.data(), bytes.size()));
  }
  return out;
}

}  // namespace trainyard::tools
