#pragma once
// The codes of the binary form. The code of an enumerator is its place in the list here, whatever
// its value in memory; so an enum may be sorted or renamed and old files still mean the same. A new
// enumerator goes to the end of its list. Nothing is ever moved or taken out.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "isa/program.h"

namespace trainyard::isa::binary {

template <class E>
inline constexpr int kCodes = 0;  // every enum that is written has a list below
template <class E>
inline constexpr std::string_view kWhat;  // in words, for errors

template <class E>
uint64_t to_code(E value) {
  for (size_t i = 0; i < kCodes<E>.size(); ++i) {
    if (kCodes<E>[i] == value) return i;
  }
  TY_CHECK(false);  // a test sees that each enumerator is listed
  return 0;
}

template <class E>
std::optional<E> from_code(uint64_t code) {
  if (code >= kCodes<E>.size()) return std::nullopt;
  return kCodes<E>[code];
}

template <>
inline constexpr std::array kCodes<AluOp> = {
    AluOp::Bypass,    AluOp::Add,        AluOp::Subtract,   AluOp::Multiply,     AluOp::Max,
    AluOp::Min,       AluOp::Equal,      AluOp::NotEqual,   AluOp::GreaterEqual, AluOp::Greater,
    AluOp::LessEqual, AluOp::Less,       AluOp::LogicalAnd, AluOp::LogicalOr,    AluOp::LogicalXor,
    AluOp::Power,     AluOp::AbsMax,     AluOp::AbsMin,     AluOp::Abs,          AluOp::Square,
    AluOp::Relu,      AluOp::Rsqrt,      AluOp::Reciprocal, AluOp::BitwiseNot,   AluOp::BitwiseAnd,
    AluOp::BitwiseOr, AluOp::BitwiseXor, AluOp::ShiftLeft,  AluOp::ShiftRight};
template <>
inline constexpr std::string_view kWhat<AluOp> = "operator";
template <>
inline constexpr std::array kCodes<Accumulate> = {Accumulate::FirstWrite, Accumulate::Overwrite,
                                                  Accumulate::Add};
template <>
inline constexpr std::string_view kWhat<Accumulate> = "way to accumulate";
template <>
inline constexpr std::array kCodes<PerfMode> = {PerfMode::None, PerfMode::DoubleRow};
template <>
inline constexpr std::string_view kWhat<PerfMode> = "performance mode";
template <>
inline constexpr std::array kCodes<ReduceCmd> = {ReduceCmd::Idle, ReduceCmd::Reset,
                                                 ReduceCmd::Reduce, ReduceCmd::ResetReduce};
template <>
inline constexpr std::string_view kWhat<ReduceCmd> = "reduce command";
template <>
inline constexpr std::array kCodes<DgeMode> = {DgeMode::Unknown, DgeMode::Static, DgeMode::Swdge,
                                               DgeMode::Hwdge};
template <>
inline constexpr std::string_view kWhat<DgeMode> = "descriptor mode";
template <>
inline constexpr std::array kCodes<OobMode> = {OobMode::Error, OobMode::Skip};
template <>
inline constexpr std::string_view kWhat<OobMode> = "bounds mode";
template <>
inline constexpr std::array kCodes<RegisterOp> = {
    RegisterOp::Add, RegisterOp::Subtract, RegisterOp::Multiply,  RegisterOp::And,
    RegisterOp::Or,  RegisterOp::Xor,      RegisterOp::ShiftLeft, RegisterOp::ShiftRight,
    RegisterOp::Min, RegisterOp::Max,      RegisterOp::Less,      RegisterOp::Equal};
template <>
inline constexpr std::string_view kWhat<RegisterOp> = "register operator";
template <>
inline constexpr std::array kCodes<CollectiveKind> = {
    CollectiveKind::AllGather, CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
    CollectiveKind::AllToAll,  CollectiveKind::Permute,   CollectiveKind::Broadcast};
template <>
inline constexpr std::string_view kWhat<CollectiveKind> = "collective";
template <>
inline constexpr std::array kCodes<Function> = {Function::Copy,
                                                Function::Square,
                                                Function::Sigmoid,
                                                Function::Relu,
                                                Function::Prelu,
                                                Function::Gelu,
                                                Function::GeluDx,
                                                Function::GeluApprxTanh,
                                                Function::GeluApprxSigmoid,
                                                Function::GeluApprxSigmoidDx,
                                                Function::Silu,
                                                Function::SiluDx,
                                                Function::Tanh,
                                                Function::Softplus,
                                                Function::Mish,
                                                Function::Erf,
                                                Function::ErfDx,
                                                Function::Exp,
                                                Function::Log,
                                                Function::Sin,
                                                Function::Arctan,
                                                Function::Sqrt,
                                                Function::Rsqrt,
                                                Function::Reciprocal,
                                                Function::Sign,
                                                Function::Abs};
template <>
inline constexpr std::string_view kWhat<Function> = "activation function";
template <>
inline constexpr std::array kCodes<Role> = {Role::Read, Role::Write, Role::Update};
template <>
inline constexpr std::string_view kWhat<Role> = "role";
template <>
inline constexpr std::array kCodes<Engine> = {Engine::Tensor, Engine::Vector, Engine::Scalar,
                                              Engine::Gpsimd, Engine::Sync};
template <>
inline constexpr std::string_view kWhat<Engine> = "engine";
template <>
inline constexpr std::array kCodes<Dtype> = {
    Dtype::F32,    Dtype::TF32,     Dtype::BF16,   Dtype::F16, Dtype::F8E5M2,
    Dtype::F8E4M3, Dtype::F8E4M3FN, Dtype::F8E3M4, Dtype::S8,  Dtype::U8,
    Dtype::S16,    Dtype::U16,      Dtype::S32,    Dtype::U32};
template <>
inline constexpr std::string_view kWhat<Dtype> = "element type";
template <>
inline constexpr std::array kCodes<Memory> = {Memory::Hbm, Memory::Sbuf, Memory::Psum};
template <>
inline constexpr std::string_view kWhat<Memory> = "memory";
template <>
inline constexpr std::array kCodes<Io> = {Io::None, Io::In, Io::Out, Io::InOut};
template <>
inline constexpr std::string_view kWhat<Io> = "use by the caller";
template <>
inline constexpr std::array kCodes<Variable::Kind> = {Variable::Kind::Counter,
                                                      Variable::Kind::Register};
template <>
inline constexpr std::string_view kWhat<Variable::Kind> = "variable";
template <>
inline constexpr std::array kCodes<Statement::Kind> = {
    Statement::Kind::Instruction, Statement::Kind::Tensor, Statement::Kind::Loop,
    Statement::Kind::Branch, Statement::Kind::ExitUnless};
template <>
inline constexpr std::string_view kWhat<Statement::Kind> = "statement";
template <>
inline constexpr std::array kCodes<Loop::Kind> = {Loop::Kind::Repeat, Loop::Kind::Counted,
                                                  Loop::Kind::While};
template <>
inline constexpr std::string_view kWhat<Loop::Kind> = "loop";
template <>
inline constexpr std::array kCodes<gpsimd::Type> = {
    gpsimd::Type::I1,   gpsimd::Type::S8,  gpsimd::Type::S16, gpsimd::Type::S32, gpsimd::Type::S64,
    gpsimd::Type::U8,   gpsimd::Type::U16, gpsimd::Type::U32, gpsimd::Type::U64, gpsimd::Type::F16,
    gpsimd::Type::BF16, gpsimd::Type::F32, gpsimd::Type::F64};
template <>
inline constexpr std::string_view kWhat<gpsimd::Type> = "type of GpSimd values";
template <>
inline constexpr std::array kCodes<gpsimd::Window::Use> = {
    gpsimd::Window::Use::Read, gpsimd::Window::Use::Write, gpsimd::Window::Use::Update};
template <>
inline constexpr std::string_view kWhat<gpsimd::Window::Use> = "use of a window";
template <>
inline constexpr std::array kCodes<gpsimd::Bounds> = {gpsimd::Bounds::Fault, gpsimd::Bounds::Clamp,
                                                      gpsimd::Bounds::Fill, gpsimd::Bounds::Drop};
template <>
inline constexpr std::string_view kWhat<gpsimd::Bounds> = "bounds rule";
template <>
inline constexpr std::array kCodes<gpsimd::Fold::Kind> = {
    gpsimd::Fold::Kind::None, gpsimd::Fold::Kind::Add, gpsimd::Fold::Kind::Mul,
    gpsimd::Fold::Kind::Min,  gpsimd::Fold::Kind::Max, gpsimd::Fold::Kind::And,
    gpsimd::Fold::Kind::Or,   gpsimd::Fold::Kind::Xor, gpsimd::Fold::Kind::Function};
template <>
inline constexpr std::string_view kWhat<gpsimd::Fold::Kind> = "fold";
template <>
inline constexpr std::array kCodes<gpsimd::Order> = {gpsimd::Order::Ascending,
                                                     gpsimd::Order::Descending};
template <>
inline constexpr std::string_view kWhat<gpsimd::Order> = "order";
template <>
inline constexpr std::array kCodes<gpsimd::Code> = {
    gpsimd::Code::Constant,     gpsimd::Code::Neg,
    gpsimd::Code::Abs,          gpsimd::Code::Not,
    gpsimd::Code::Popcount,     gpsimd::Code::Clz,
    gpsimd::Code::Round,        gpsimd::Code::RoundAway,
    gpsimd::Code::Floor,        gpsimd::Code::Ceil,
    gpsimd::Code::Sign,         gpsimd::Code::Sqrt,
    gpsimd::Code::Rsqrt,        gpsimd::Code::Cbrt,
    gpsimd::Code::Exp,          gpsimd::Code::Expm1,
    gpsimd::Code::Log,          gpsimd::Code::Log1p,
    gpsimd::Code::Sin,          gpsimd::Code::Cos,
    gpsimd::Code::Tan,          gpsimd::Code::Tanh,
    gpsimd::Code::Logistic,     gpsimd::Code::Erf,
    gpsimd::Code::Erfc,         gpsimd::Code::ErfInv,
    gpsimd::Code::Add,          gpsimd::Code::Sub,
    gpsimd::Code::Mul,          gpsimd::Code::Div,
    gpsimd::Code::Rem,          gpsimd::Code::Min,
    gpsimd::Code::Max,          gpsimd::Code::And,
    gpsimd::Code::Or,           gpsimd::Code::Xor,
    gpsimd::Code::Shl,          gpsimd::Code::Shr,
    gpsimd::Code::Sar,          gpsimd::Code::Atan2,
    gpsimd::Code::Pow,          gpsimd::Code::Eq,
    gpsimd::Code::Ne,           gpsimd::Code::Lt,
    gpsimd::Code::Le,           gpsimd::Code::Gt,
    gpsimd::Code::Ge,           gpsimd::Code::EqTotal,
    gpsimd::Code::NeTotal,      gpsimd::Code::LtTotal,
    gpsimd::Code::LeTotal,      gpsimd::Code::GtTotal,
    gpsimd::Code::GeTotal,      gpsimd::Code::IsFinite,
    gpsimd::Code::Select,       gpsimd::Code::Fma,
    gpsimd::Code::Convert,      gpsimd::Code::Bitcast,
    gpsimd::Code::Iota,         gpsimd::Code::Broadcast,
    gpsimd::Code::Shuffle,      gpsimd::Code::Compress,
    gpsimd::Code::Reduce,       gpsimd::Code::Scan,
    gpsimd::Code::Load,         gpsimd::Code::Store,
    gpsimd::Code::Gather,       gpsimd::Code::Scatter,
    gpsimd::Code::For,          gpsimd::Code::While,
    gpsimd::Code::If,           gpsimd::Code::Sort,
    gpsimd::Code::TopK,         gpsimd::Code::SegmentedScan,
    gpsimd::Code::GatherRows,   gpsimd::Code::ScatterRows,
    gpsimd::Code::ReduceAxes,   gpsimd::Code::ReduceWindow,
    gpsimd::Code::Histogram,    gpsimd::Code::BinarySearch,
    gpsimd::Code::GatherSlices, gpsimd::Code::ScatterSlices,
    gpsimd::Code::Dot};
template <>
inline constexpr std::string_view kWhat<gpsimd::Code> = "operation of GpSimd programs";

// Instructions, by name.
inline constexpr std::array<std::string_view, 29> kInstructionCodes = {"nc_matmul",
                                                                       "nc_transpose",
                                                                       "activation",
                                                                       "tensor_tensor",
                                                                       "tensor_scalar",
                                                                       "scalar_tensor_tensor",
                                                                       "tensor_tensor_scan",
                                                                       "tensor_reduce",
                                                                       "tensor_copy",
                                                                       "tensor_copy_predicated",
                                                                       "select",
                                                                       "reciprocal",
                                                                       "memset",
                                                                       "iota",
                                                                       "affine_select",
                                                                       "bn_stats",
                                                                       "bn_aggr",
                                                                       "max8",
                                                                       "dma_copy",
                                                                       "dma_transpose",
                                                                       "register_move",
                                                                       "register_alu",
                                                                       "register_load",
                                                                       "register_store",
                                                                       "nop",
                                                                       "core_barrier",
                                                                       "sendrecv",
                                                                       "collective",
                                                                       "gpsimd_call"};

}  // namespace trainyard::isa::binary
