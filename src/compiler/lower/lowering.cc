#include "compiler/lower/lowering.h"

#include <utility>

#include "base/check.h"

namespace trainyard::compiler {

Lowering::Lowering(const Module& m, const Function& f, const hw::CoreSpec& c, Executable& e)
    : module(m), function(f), core(c), body(e.name, e.program.target), executable(e) {}

const Op* Lowering::maker(ValueId value) const {
  const OpId op = function.value(value).op;
  return op == kNoOp ? nullptr : &function.op(op);
}

const Constant* Lowering::constant(ValueId value) const {
  const Op* op = maker(value);
  if (op == nullptr || op->kind != OpKind::Constant) return nullptr;
  const auto id = std::get<ConstantAttributes>(op->attributes).value;
  return &module.constants[static_cast<size_t>(id)];
}

isa::TensorId Lowering::hbm(ValueId value) {
  if (is_empty(type(value))) return -1;
  if (const auto found = tensors_.find(value); found != tensors_.end()) return found->second;
  const Constant* data = constant(value);
  TY_CHECK(data != nullptr);  // every other value is bound by the kernel that makes it
  const auto id = std::get<ConstantAttributes>(maker(value)->attributes).value;
  auto [known, added] = constants_.try_emplace(id, -1);
  if (added) {
    known->second = body.global(hbm_tensor(data->type, "c" + std::to_string(id), isa::Io::In));
    std::vector<uint8_t> bytes = data->bytes;
    if (data->splat) {
      const auto count = static_cast<size_t>(*data->type.elements());
      const size_t size = bytes.size();
      bytes.resize(count * size);
      for (size_t i = size; i < bytes.size(); ++i) bytes[i] = bytes[i - size];
    }
    executable.constants.push_back({known->second, std::move(bytes)});
  }
  bind(value, known->second);
  return known->second;
}

isa::TensorId Lowering::define(ValueId value) {
  if (is_empty(type(value))) return -1;
  isa::TensorId tensor = -1;
  if (const auto found = reserved_.find(value); found != reserved_.end()) {
    tensor = found->second;
  } else {
    tensor = body.declare(hbm_tensor(type(value), "v" + std::to_string(value)));
  }
  bind(value, tensor);
  return tensor;
}

isa::Access Lowering::access(ValueId value, isa::Affine offset, std::vector<isa::Dim> dims) {
  const Storage storage = storage_of(type(value).element);
  isa::Access out;
  out.tensor = hbm(value);
  out.dtype = storage.dtype;
  out.offset = std::move(offset) * storage.words;
  out.dims = std::move(dims);
  if (storage.words > 1) {
    for (isa::Dim& dim : out.dims) dim.step *= storage.words;
    out.dims.push_back({1, storage.words});
  }
  return out;
}

isa::Access Lowering::whole(ValueId value) { return access(value, 0, {{1, elements(value)}}); }

void Lowering::copy(isa::TensorId dst, isa::TensorId src, std::string_view label) {
  const auto flat = [&](isa::TensorId id) {
    const isa::Tensor& tensor = body.program().tensors[static_cast<size_t>(id)];
    isa::Access access;
    access.tensor = id;
    access.dtype = tensor.dtype;
    access.dims = {{1, tensor.free_elements()}};
    return access;
  };
  isa::Access to = flat(dst);
  const isa::Access from = flat(src);
  to.dtype = from.dtype;  // bytes, whatever they mean
  to.dims = from.dims;
  body.emit(isa::DmaCopy{.dst = to, .src = from}, label);
}

void Lowering::set_source(const Op& op) {
  const SourcePlace at = place(op);
  const auto [file, added] = files_.try_emplace(at.file, 0);
  if (added) file->second = body.add_file(at.file);
  body.set_source({file->second, at.line, at.column});
}

std::string Lowering::label(const Op& op, OpId id) {
  std::string_view text = name(op.kind);
  if (const size_t dot = text.find('.'); dot != std::string_view::npos) text.remove_prefix(dot + 1);
  return std::string(text) + "_" + std::to_string(id);
}

void Lowering::remark(const Op& op, std::string_view text) {
  const SourcePlace at = place(op);
  executable.remarks.push_back(at.known() ? fmt::format("{}: {}: {}", at.str(), name(op.kind), text)
                                          : fmt::format("{}: {}", name(op.kind), text));
}

}  // namespace trainyard::compiler
