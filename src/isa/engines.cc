#include "isa/engines.h"

#include <algorithm>

#include "isa/operands.h"

namespace trainyard::isa {
namespace {

using Engines = std::vector<Engine>;
const Engines kEveryEngine(hw::kEngines.begin(), hw::kEngines.end());

bool is_word(Dtype dtype) { return dtype == Dtype::S32 || dtype == Dtype::U32; }

bool touches_psum(const Program& program, const Instruction& op) {
  bool found = false;
  each_access(op, [&](std::string_view, const Access& a, Role) {
    found |= program.tensors[a.tensor].memory == Memory::Psum;
  });
  return found;
}

bool is_dynamic(const Instruction& op) {
  bool found = false;
  each_access(op, [&](std::string_view, const Access& a, Role) { found |= a.is_dynamic(); });
  return found;
}

// Operators that GpSimd computes exactly on 32-bit integers.
bool is_exact_on_gpsimd(AluOp op) {
  switch (op) {
    case AluOp::Bypass:
    case AluOp::Add:
    case AluOp::Subtract:
    case AluOp::Multiply:
    case AluOp::Max:
    case AluOp::Min:
    case AluOp::Equal:
    case AluOp::NotEqual:
    case AluOp::GreaterEqual:
    case AluOp::Greater:
    case AluOp::LessEqual:
    case AluOp::Less:
      return true;
    case AluOp::LogicalAnd:
    case AluOp::LogicalOr:
    case AluOp::LogicalXor:
    case AluOp::Power:
    case AluOp::AbsMax:
    case AluOp::AbsMin:
    case AluOp::Abs:
    case AluOp::Square:
    case AluOp::Relu:
    case AluOp::Rsqrt:
    case AluOp::Reciprocal:
    case AluOp::BitwiseNot:
    case AluOp::BitwiseAnd:
    case AluOp::BitwiseOr:
    case AluOp::BitwiseXor:
    case AluOp::ShiftLeft:
    case AluOp::ShiftRight:
      return false;
  }
  return false;
}

// Operators that GpSimd has in fp32. [nki-shared]
bool is_fp32_on_gpsimd(AluOp op) {
  return op == AluOp::Bypass || op == AluOp::Add || op == AluOp::Subtract ||
         op == AluOp::Multiply || op == AluOp::Power || op == AluOp::Rsqrt;
}

bool is_gpsimd_only(AluOp op) { return op == AluOp::Power || op == AluOp::Rsqrt; }

// A constant or a tile that exact integer arithmetic can take; unused operands do not matter.
bool is_exact_operand(AluOp op, const Operand& operand) {
  if (op == AluOp::Bypass || is_unary(op)) return true;
  if (const Access* tile = std::get_if<Access>(&operand)) return is_word(tile->dtype);
  return std::holds_alternative<int64_t>(operand);
}

bool is_integer_tensor_tensor(const TensorTensor& i) {
  return is_word(i.dst.dtype) && is_word(i.data1.dtype) && is_word(i.data2.dtype) &&
         is_exact_on_gpsimd(i.op);
}

bool is_integer_tensor_scalar(const TensorScalar& i) {
  return is_word(i.dst.dtype) && is_word(i.data.dtype) && is_exact_on_gpsimd(i.op0) &&
         is_exact_on_gpsimd(i.op1) && is_exact_operand(i.op0, i.operand0) &&
         is_exact_operand(i.op1, i.operand1);
}

// The pattern by which kernels compute addresses: 32-bit data and destination, add and multiply by
// integer constants. It is exact on Vector too. [nki-isa]
bool is_address_arithmetic(const TensorScalar& i) {
  const auto step = [](AluOp op, const Operand& operand) {
    return op == AluOp::Bypass || ((op == AluOp::Add || op == AluOp::Multiply) &&
                                   std::holds_alternative<int64_t>(operand));
  };
  return is_word(i.dst.dtype) && is_word(i.data.dtype) && step(i.op0, i.operand0) &&
         step(i.op1, i.operand1) && i.op0 != AluOp::Bypass;
}

// The pairs that the scalar engine has. [nki-isa, nki-trn3]
bool is_scalar_engine_pair(const TensorScalar& i, const hw::CoreSpec& core) {
  if (!core.has.scalar_tensor_scalar.value) return false;
  const auto is = [&](AluOp a, AluOp b) { return i.op0 == a && i.op1 == b; };
  using enum AluOp;
  if (is(Multiply, Add) || is(Multiply, Bypass) || is(Add, Bypass)) return true;
  return core.has.scalar_tensor_scalar_full.value &&
         (is(Multiply, Subtract) || is(Subtract, Bypass) || is(Bypass, Bypass));
}

// What each instruction can run on, and the choice where nobody chose. One overload each, no
// default: a new instruction must say.
struct Rules {
  const Program& program;
  const Inst& inst;
  const hw::CoreSpec& core;

  struct Answer {
    Engine choice;
    Engines legal;
  };

  bool psum() const { return touches_psum(program, inst.op); }
  Memory memory(const Access& a) const { return program.tensors[a.tensor].memory; }

  Answer operator()(const Matmul&) const { return {Engine::Tensor, {Engine::Tensor}}; }

  // [nki-isa] Tensor into PSUM above the vector block, else Vector.
  Answer operator()(const Transpose& i) const {
    const int64_t p = i.data.partitions, f = i.data.free_elements();
    const int64_t block = core.limits.quadrant.value;
    const bool small = p <= block && f <= block;
    const bool to_psum = memory(i.dst) == Memory::Psum;
    Answer a{to_psum && !small ? Engine::Tensor : Engine::Vector, {}};
    if (to_psum && memory(i.data) == Memory::Sbuf && p <= core.pe.rows.value &&
        f <= core.pe.cols.value) {
      a.legal.push_back(Engine::Tensor);
    }
    if (small) a.legal.push_back(Engine::Vector);
    return a;
  }

  Answer operator()(const Activation&) const { return {Engine::Scalar, {Engine::Scalar}}; }

  Answer operator()(const TensorTensor& i) const {
    const bool exact = is_integer_tensor_tensor(i);
    Answer a{is_gpsimd_only(i.op) || (exact && !psum()) ? Engine::Gpsimd : Engine::Vector, {}};
    if (!is_gpsimd_only(i.op)) a.legal.push_back(Engine::Vector);
    if (!psum() && (exact || is_fp32_on_gpsimd(i.op))) a.legal.push_back(Engine::Gpsimd);
    return a;
  }

  Answer operator()(const TensorScalar& i) const {
    const bool only_gpsimd = is_gpsimd_only(i.op0) || is_gpsimd_only(i.op1);
    const bool exact = is_integer_tensor_scalar(i);
    const bool on_gpsimd =
        !psum() && (exact || (is_fp32_on_gpsimd(i.op0) && is_fp32_on_gpsimd(i.op1)));
    Answer a{Engine::Vector, {}};
    if (only_gpsimd || (exact && !psum() && !is_address_arithmetic(i))) a.choice = Engine::Gpsimd;
    if (!only_gpsimd) a.legal.push_back(Engine::Vector);
    if (is_scalar_engine_pair(i, core)) a.legal.push_back(Engine::Scalar);
    if (on_gpsimd) a.legal.push_back(Engine::Gpsimd);
    return a;
  }

  Answer operator()(const ScalarTensorTensor&) const { return vector_only(); }
  Answer operator()(const TensorTensorScan&) const { return vector_only(); }
  Answer operator()(const TensorReduce&) const { return vector_only(); }
  Answer operator()(const TensorCopyPredicated&) const { return vector_only(); }
  Answer operator()(const Select&) const { return vector_only(); }
  Answer operator()(const Reciprocal&) const { return vector_only(); }
  Answer operator()(const BnStats&) const { return vector_only(); }
  Answer operator()(const BnAggr&) const { return vector_only(); }
  Answer operator()(const Max8&) const { return vector_only(); }

  Answer operator()(const TensorCopy&) const {
    Answer a{Engine::Vector, {Engine::Vector}};
    if (core.has.scalar_tensor_copy.value) a.legal.push_back(Engine::Scalar);
    if (!psum()) a.legal.push_back(Engine::Gpsimd);
    return a;
  }

  Answer operator()(const Memset&) const {
    Answer a{Engine::Vector, {Engine::Vector}};
    if (!psum()) a.legal.push_back(Engine::Gpsimd);
    return a;
  }

  Answer operator()(const Iota&) const { return {Engine::Gpsimd, {Engine::Gpsimd}}; }
  Answer operator()(const AffineSelect&) const { return {Engine::Gpsimd, {Engine::Gpsimd}}; }

  Answer operator()(const GpsimdCall&) const { return {Engine::Gpsimd, {Engine::Gpsimd}}; }

  Answer operator()(const DmaCopy& i) const { return trigger(i.dst, i.src); }
  Answer operator()(const DmaTranspose& i) const { return trigger(i.dst, i.src); }
  Answer operator()(const SendRecv& i) const { return trigger(i.dst, i.src); }
  Answer operator()(const Collective& i) const { return trigger(i.dst, i.src); }

  Answer operator()(const RegisterMove&) const { return {Engine::Sync, kEveryEngine}; }
  Answer operator()(const RegisterAlu&) const { return {Engine::Sync, kEveryEngine}; }
  Answer operator()(const RegisterLoad&) const { return {Engine::Sync, kEveryEngine}; }
  Answer operator()(const RegisterStore&) const { return {Engine::Sync, kEveryEngine}; }
  Answer operator()(const Nop&) const { return {Engine::Sync, kEveryEngine}; }
  Answer operator()(const CoreBarrier&) const { return {Engine::Gpsimd, kEveryEngine}; }

 private:
  Answer vector_only() const { return {Engine::Vector, {Engine::Vector}}; }

  // swdge is microcode of GpSimd; a DGE block listens to Sync and Scalar; the tail of a static ring
  // can be written by anybody. Stores leave Sync to the loads: a store waits for results, and in
  // one stream the loads behind it would wait too. [nki-dge]
  Answer trigger(const Access& dst, const Access& src) const {
    const bool store = memory(dst) == Memory::Hbm && memory(src) == Memory::Sbuf;
    const Engine free_choice = store ? Engine::Scalar : Engine::Sync;
    switch (resolve_dge(program, inst, core)) {
      case DgeMode::Swdge:
        return {Engine::Gpsimd, {Engine::Gpsimd}};
      case DgeMode::Hwdge:
        return {free_choice, {Engine::Sync, Engine::Scalar}};
      case DgeMode::Static:
      case DgeMode::Unknown:
        return {free_choice, kEveryEngine};
    }
    return {free_choice, kEveryEngine};
  }
};

Arithmetic alu(AluOp op) { return is_bitwise(op) ? Arithmetic::Bits : Arithmetic::Fp32; }

struct ArithmeticOf {
  Engine engine;

  Arithmetic operator()(const TensorTensor& i) const {
    if (is_bitwise(i.op)) return Arithmetic::Bits;
    const bool exact = engine == Engine::Gpsimd && is_integer_tensor_tensor(i);
    return exact ? Arithmetic::Int32 : Arithmetic::Fp32;
  }
  Arithmetic operator()(const TensorScalar& i) const {
    if (is_bitwise(i.op0) || is_bitwise(i.op1)) return Arithmetic::Bits;
    if (engine == Engine::Vector && is_address_arithmetic(i)) return Arithmetic::Int32;
    const bool exact = engine == Engine::Gpsimd && is_integer_tensor_scalar(i);
    return exact ? Arithmetic::Int32 : Arithmetic::Fp32;
  }
  Arithmetic operator()(const TensorReduce& i) const { return alu(i.op); }
  Arithmetic operator()(const TensorCopy& i) const { return copy(i.dst, i.src); }
  Arithmetic operator()(const DmaCopy& i) const { return copy(i.dst, i.src); }
  // What is copied is never converted: the types must be equal.
  Arithmetic operator()(const Transpose&) const { return Arithmetic::Bits; }
  Arithmetic operator()(const TensorCopyPredicated&) const { return Arithmetic::Bits; }
  Arithmetic operator()(const DmaTranspose&) const { return Arithmetic::Bits; }
  Arithmetic operator()(const SendRecv&) const { return Arithmetic::Bits; }
  Arithmetic operator()(const Memset&) const { return Arithmetic::Bits; }
  Arithmetic operator()(const Iota&) const { return Arithmetic::Int32; }
  Arithmetic operator()(const RegisterMove&) const { return Arithmetic::Int32; }
  Arithmetic operator()(const RegisterAlu&) const { return Arithmetic::Int32; }
  Arithmetic operator()(const RegisterLoad&) const { return Arithmetic::Int32; }
  Arithmetic operator()(const RegisterStore&) const { return Arithmetic::Int32; }
  Arithmetic operator()(const Nop&) const { return Arithmetic::Bits; }
  Arithmetic operator()(const GpsimdCall&) const { return Arithmetic::Bits; }
  Arithmetic operator()(const CoreBarrier&) const { return Arithmetic::Bits; }
  Arithmetic operator()(const Matmul& i) const {
    return i.is_transpose ? Arithmetic::Bits : Arithmetic::Fp32;
  }
  Arithmetic operator()(const Activation&) const { return Arithmetic::Fp32; }
  Arithmetic operator()(const ScalarTensorTensor&) const { return Arithmetic::Fp32; }
  Arithmetic operator()(const TensorTensorScan&) const { return Arithmetic::Fp32; }
  Arithmetic operator()(const Select&) const { return Arithmetic::Fp32; }
  Arithmetic operator()(const Reciprocal&) const { return Arithmetic::Fp32; }
  Arithmetic operator()(const AffineSelect&) const { return Arithmetic::Fp32; }
  Arithmetic operator()(const BnStats&) const { return Arithmetic::Fp32; }
  Arithmetic operator()(const BnAggr&) const { return Arithmetic::Fp32; }
  Arithmetic operator()(const Max8&) const { return Arithmetic::Fp32; }
  Arithmetic operator()(const Collective&) const { return Arithmetic::Fp32; }

 private:
  static Arithmetic copy(const Access& dst, const Access& src) {
    return dst.dtype == src.dtype ? Arithmetic::Bits : Arithmetic::Fp32;
  }
};

}  // namespace

Engine resolve_engine(const Program& program, const Inst& inst, const hw::CoreSpec& core) {
  if (inst.engine) return *inst.engine;
  return std::visit(Rules{program, inst, core}, inst.op).choice;
}

std::vector<Engine> legal_engines(const Program& program, const Inst& inst,
                                  const hw::CoreSpec& core) {
  return std::visit(Rules{program, inst, core}, inst.op).legal;
}

std::vector<Engine> same_bits_engines(const Program& program, const Inst& inst,
                                      const hw::CoreSpec& core) {
  const Engine resolved = resolve_engine(program, inst, core);
  const Arithmetic wanted = arithmetic(program, inst, resolved);
  Engines engines = legal_engines(program, inst, core);
  // Before transpose mode the array multiplies by the identity: one NaN spoils its row of sums.
  const bool lossy_array =
      std::holds_alternative<Transpose>(inst.op) && !core.has.transpose_mode.value;
  std::erase_if(engines, [&](Engine e) {
    return e == resolved || lossy_array || arithmetic(program, inst, e) != wanted;
  });
  engines.insert(engines.begin(), resolved);
  return engines;
}

Arithmetic arithmetic(const Program&, const Inst& inst, Engine engine) {
  return std::visit(ArithmeticOf{engine}, inst.op);
}

DgeMode resolve_dge(const Program&, const Inst& inst, const hw::CoreSpec& core) {
  const auto automatic = [&](const Access& dst, const Access& src, bool indexed) {
    if (indexed) return DgeMode::Swdge;
    if (!is_dynamic(inst.op)) return DgeMode::Static;
    const bool hardware = core.dma.hwdge_blocks.value > 0 && dst.dtype == src.dtype;
    return hardware ? DgeMode::Hwdge : DgeMode::Swdge;
  };
  if (const auto* i = std::get_if<DmaCopy>(&inst.op)) {
    if (i->dge_mode != DgeMode::Unknown) return i->dge_mode;
    return automatic(i->dst, i->src, i->src_index || i->dst_index);
  }
  if (const auto* i = std::get_if<DmaTranspose>(&inst.op)) {
    if (i->dge_mode != DgeMode::Unknown) return i->dge_mode;
    return automatic(i->dst, i->src, false);
  }
  return DgeMode::Static;  // sendrecv and collectives have no descriptor modes
}

}  // namespace trainyard::isa
