#pragma once
// Instructions that move data, work on registers, or meet other cores. See isa/instructions.h for
// the meaning of `fields`.
#include "isa/instructions.h"

namespace trainyard::isa {

// dst = cast(src), element by element in row-major order of each pattern; only the counts must
// agree. Between HBM and SBUF in any combination. With an index tile ([P,1] i32 or u32 in SBUF) the
// leading dim of that side's HBM pattern is indirect: row p begins at offset + index[p] * step of
// that dim. An index outside the tensor faults, or drops its row (oob_mode=skip). Scatter indices
// must differ.
struct DmaCopy {
  static constexpr std::string_view name = "dma_copy";
  Access dst, src;
  std::optional<Access> src_index, dst_index;
  OobMode oob_mode = OobMode::Error;
  DgeMode dge_mode = DgeMode::Unknown;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    const bool keeps_rows = s.dst_index.has_value() || s.oob_mode == OobMode::Skip;
    v.dst("dst", s.dst, keeps_rows ? Role::Update : Role::Write);
    v.src("src", s.src);
    v.optional_src("src_index", s.src_index);
    v.optional_src("dst_index", s.dst_index);
    v.attribute("oob_mode", s.oob_mode, OobMode::Error);
    v.attribute("dge_mode", s.dge_mode, DgeMode::Unknown);
  }
  friend bool operator==(const DmaCopy&, const DmaCopy&) = default;
};

// dst = transpose(src): 2-D [1,0], 3-D [2,1,0], 4-D [3,1,2,0], chosen by the rank of src's view,
// which is dims (HBM) or partition and dims (SBUF). dst in SBUF; 2- or 4-byte types, equal on both
// sides.
struct DmaTranspose {
  static constexpr std::string_view name = "dma_transpose";
  Access dst, src;
  DgeMode dge_mode = DgeMode::Unknown;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("src", s.src);
    v.attribute("dge_mode", s.dge_mode, DgeMode::Unknown);
  }
  friend bool operator==(const DmaTranspose&, const DmaTranspose&) = default;
};

// dst = value. Registers are 32-bit and private to an engine; a body register is kept by every
// engine that has work depending on it.
struct RegisterMove {
  static constexpr std::string_view name = "register_move";
  RegisterRef dst;
  RegisterOperand value = int64_t{0};

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.reg_dst("dst", s.dst);
    v.reg_src("value", s.value);
  }
  friend bool operator==(const RegisterMove&, const RegisterMove&) = default;
};

// dst = a op b, wrapping 32-bit.
struct RegisterAlu {
  static constexpr std::string_view name = "register_alu";
  RegisterRef dst;
  RegisterOperand a = int64_t{0}, b = int64_t{0};
  RegisterOp op = RegisterOp::Add;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.reg_dst("dst", s.dst);
    v.reg_src("a", s.a);
    v.reg_src("b", s.b);
    v.attribute("op", s.op, RegisterOp::Add);
  }
  friend bool operator==(const RegisterAlu&, const RegisterAlu&) = default;
};

// dst = the one element of src (integer type, HBM or SBUF).
struct RegisterLoad {
  static constexpr std::string_view name = "register_load";
  RegisterRef dst;
  Access src;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.reg_dst("dst", s.dst);
    v.src("src", s.src);
  }
  friend bool operator==(const RegisterLoad&, const RegisterLoad&) = default;
};

// The one element of dst = value.
struct RegisterStore {
  static constexpr std::string_view name = "register_store";
  Access dst;
  RegisterOperand value = int64_t{0};

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.reg_src("value", s.value);
  }
  friend bool operator==(const RegisterStore&, const RegisterStore&) = default;
};

// Does nothing on its engine; carries hand-written semaphore waits and increments.
struct Nop {
  static constexpr std::string_view name = "nop";

  template <class Self, class V>
  static void fields(Self&, V&&) {}
  friend bool operator==(const Nop&, const Nop&) = default;
};

// Waits until both cores of a logical core have come here.
struct CoreBarrier {
  static constexpr std::string_view name = "core_barrier";

  template <class Self, class V>
  static void fields(Self&, V&&) {}
  friend bool operator==(const CoreBarrier&, const CoreBarrier&) = default;
};

// Sends src to one core of the logical core and receives dst from one.
struct SendRecv {
  static constexpr std::string_view name = "sendrecv";
  Access dst, src;
  int64_t send_to_rank = 0, recv_from_rank = 0, pipe_id = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("src", s.src);
    v.attribute("send_to_rank", s.send_to_rank, int64_t{0});
    v.attribute("recv_from_rank", s.recv_from_rank, int64_t{0});
    v.attribute("pipe_id", s.pipe_id, int64_t{0});
  }
  friend bool operator==(const SendRecv&, const SendRecv&) = default;
};

// A collective between the ranks of groups of `group_size` consecutive ranks (0: all). HBM to HBM.
// It exists in the format from the start; one core alone refuses to run it.
struct Collective {
  static constexpr std::string_view name = "collective";
  Access dst, src;
  CollectiveKind kind = CollectiveKind::AllReduce;
  AluOp op = AluOp::Add;
  int64_t group_size = 0;
  int64_t channel = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.dst("dst", s.dst, Role::Write);
    v.src("src", s.src);
    v.word("kind", s.kind, std::nullopt);
    v.attribute("op", s.op, AluOp::Add);
    v.attribute("group_size", s.group_size, int64_t{0});
    v.attribute("channel", s.channel, int64_t{0});
  }
  friend bool operator==(const Collective&, const Collective&) = default;
};

// Runs program number `program` of Program::gpsimd on the GpSimd engine. Operand i, in HBM or SBUF,
// is the whole tensor that window i lies in: its bytes in pattern order (SBUF: partition by
// partition) are the bytes of the window's `tensor`, dense and row-major. The types need not agree,
// the sizes do: 64-bit elements are pairs of any 4-byte type, truth values are bytes. A program
// with scratch has one more operand, in SBUF and written, with at least that many bytes. roles[i]
// follows from the window (isa/gpsimd_call.h). A scalar is the bits of its param; a register is
// extended to 64 bits by the sign of the param's type.
struct GpsimdCall {
  static constexpr std::string_view name = "gpsimd_call";
  int32_t program = -1;
  std::vector<Access> operands;
  std::vector<Role> roles;
  std::vector<RegisterOperand> scalars;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v.call(s.program, s.operands, s.roles, s.scalars);
  }
  // The name of operand i in messages.
  static std::string_view operand_name(size_t i);
  Role role(size_t i) const { return i < roles.size() ? roles[i] : Role::Update; }
  friend bool operator==(const GpsimdCall&, const GpsimdCall&) = default;
};

using Instruction =
    std::variant<Matmul, Transpose, Activation, TensorTensor, TensorScalar, ScalarTensorTensor,
                 TensorTensorScan, TensorReduce, TensorCopy, TensorCopyPredicated, Select,
                 Reciprocal, Memset, Iota, AffineSelect, BnStats, BnAggr, Max8, DmaCopy,
                 DmaTranspose, RegisterMove, RegisterAlu, RegisterLoad, RegisterStore, Nop,
                 CoreBarrier, SendRecv, Collective, GpsimdCall>;

inline std::string_view name(const Instruction& inst) {
  return std::visit([](const auto& i) { return i.name; }, inst);
}

}  // namespace trainyard::isa
