#include "compiler/lower/lowering.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "compiler/lower/views.h"
#include "numerics/convert.h"

namespace trainyard::compiler {

Lowering::Lowering(const Module& m, const Function& f, const hw::CoreSpec& c, Executable& e)
    : module(m), function(f), core(c), body(e.name, e.program.target), executable(e) {
  users_.resize(f.values.size());
  for (size_t id = 0; id < f.ops.size(); ++id) {
    for (const ValueId v : f.ops[id].operands) {
      users_[static_cast<size_t>(v)].push_back(static_cast<OpId>(id));
    }
  }
}

bool Lowering::is_used_outside(ValueId value, const std::vector<OpId>& ops) const {
  return std::ranges::any_of(users_[static_cast<size_t>(value)],
                             [&](OpId user) { return std::ranges::find(ops, user) == ops.end(); });
}

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
  if (const Op* op = maker(value); op != nullptr && op->kind != OpKind::Constant) {
    if (op->kind == OpKind::Reshape && has_dense(*this, op->operands[0])) {
      return hbm(op->operands[0]);
    }
    TY_CHECK(is_view_op(op->kind));  // every other value is bound by the kernel that makes it
    return materialize(*this, value, body.declare(hbm_tensor(type(value), "view")));
  }
  const Constant* data = constant(value);
  TY_CHECK(data != nullptr);
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

isa::TensorId Lowering::one(isa::Dtype dtype) {
  const auto [known, added] = ones_.try_emplace(dtype, -1);
  if (added) {
    known->second = body.global({.name = "one",
                                 .memory = isa::Memory::Hbm,
                                 .dtype = dtype,
                                 .shape = {1},
                                 .io = isa::Io::In});
    const float number = 1;
    std::vector<uint8_t> bytes(static_cast<size_t>(numerics::size_of(dtype)));
    numerics::convert(isa::Dtype::F32, &number, dtype, bytes.data(), 1, {});
    executable.constants.push_back({known->second, std::move(bytes)});
  }
  return known->second;
}

isa::TensorId Lowering::allocate(ValueId value) {
  if (const auto found = reserved_.find(value); found != reserved_.end()) return found->second;
  return body.declare(hbm_tensor(type(value), "v" + std::to_string(value)));
}

isa::TensorId Lowering::define(ValueId value) {
  if (is_empty(type(value))) return -1;
  const isa::TensorId tensor = allocate(value);
  bind(value, tensor);
  return tensor;
}

isa::Access Lowering::access(ValueId value, isa::Affine offset, std::vector<isa::Dim> dims) {
  return access({hbm(value), 0, {}}, type(value).element, std::move(offset), std::move(dims));
}

isa::Access Lowering::access(const StridedView& view, ElementType element, isa::Affine offset,
                             std::vector<isa::Dim> dims) const {
  const Storage storage = storage_of(element);
  isa::Access out;
  out.tensor = view.tensor;
  out.dtype = storage.dtype;
  out.offset = (std::move(offset) + view.offset) * storage.words;
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

bool Lowering::may_take_over(ValueId value, const Op& op) {
  if (uses_.empty()) {
    uses_.assign(function.values.size(), 0);
    block_of_.assign(function.ops.size(), -1);
    for (size_t b = 0; b < function.blocks.size(); ++b) {
      for (const OpId id : function.blocks[b].ops) {
        block_of_[static_cast<size_t>(id)] = static_cast<BlockId>(b);
        for (const ValueId v : function.op(id).operands) ++uses_[static_cast<size_t>(v)];
      }
    }
  }
  const Op* made = maker(value);
  if (made == nullptr || uses_[static_cast<size_t>(value)] != 1 || !is_bound(value)) return false;
  switch (made->kind) {
    case OpKind::Constant:
    case OpKind::OptimizationBarrier:
      return false;  // another value's bytes
    default:
      break;
  }
  if (is_view_op(made->kind)) return false;
  const auto block = [&](const Op& o) {
    return block_of_[static_cast<size_t>(&o - function.ops.data())];
  };
  const isa::Tensor& tensor = body.program().tensors[static_cast<size_t>(hbm(value))];
  return block(*made) == block(op) && tensor.io != isa::Io::In && !tensor.view;
}

isa::RegisterId Lowering::condition_register(size_t which) {
  isa::RegisterId& id = condition_registers_[which];
  if (id < 0) id = body.reg("condition" + std::to_string(which));
  return id;
}

isa::RegisterId Lowering::address_register(size_t i) {
  while (address_registers_.size() <= i) address_registers_.push_back(body.reg("address"));
  return address_registers_[i];
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
