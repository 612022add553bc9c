// Transfers, registers and what meets other cores. [nki-isa]
#include <algorithm>
#include <limits>

#include "isa/engines.h"
#include "isa/operands.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

bool is_indirect(const DmaCopy& i) { return i.src_index || i.dst_index; }

bool has_dynamic_address(const Instruction& op) {
  bool found = false;
  each_access(op, [&](std::string_view, const Access& a, Role) { found |= a.is_dynamic(); });
  return found;
}

Status no_psum(const Subject& s, const Named& operand) {
  if (!s.psum(operand.access)) return {};
  return s.refuse("TY-ISA-150",
                  "{} ({}) is in psum, which DMA cannot reach; copy through sbuf with tensor_copy",
                  operand.name, s.tensor(operand.access).name);
}

Status memory_is(const Subject& s, const Named& operand, Memory wanted, std::string_view code) {
  const Memory memory = s.memory(operand.access);
  if (memory == wanted) return {};
  return s.refuse(code, "{} ({}) is in {}, it must be in {}; move it with dma_copy", operand.name,
                  s.tensor(operand.access).name, name(memory), name(wanted));
}

// Who makes the descriptors must be able to. [nki-dge]
Status verify_dge(const Subject& s, const Access& dst, const Access& src, bool indirect) {
  switch (resolve_dge(s.program, s.inst, s.core)) {
    case DgeMode::Hwdge:
      if (s.core.dma.hwdge_blocks.value == 0) {
        return s.refuse("TY-ISA-131",
                        "dge_mode hwdge needs NeuronCore-v3 or later, this is {}; "
                        "leave dge_mode out",
                        s.core.name);
      }
      if (indirect) {
        return s.refuse("TY-ISA-151", "dge_mode hwdge cannot gather or scatter; use swdge");
      }
      if (dst.dtype != src.dtype) {
        return s.refuse("TY-ISA-151",
                        "dge_mode hwdge converts nothing, but src is {} and dst is {}; use swdge, "
                        "or convert with tensor_copy",
                        numerics::name(src.dtype), numerics::name(dst.dtype));
      }
      return {};
    case DgeMode::Static:
    case DgeMode::Unknown:
      if (indirect || has_dynamic_address(s.inst.op)) {
        return s.refuse("TY-ISA-154",
                        "dge_mode none builds descriptors beforehand, but an address {}; leave "
                        "dge_mode out",
                        indirect ? "comes from an index tile" : "comes from a register");
      }
      return {};
    case DgeMode::Swdge:
      return {};
  }
  return {};
}

// An index tile replaces the leading dim of its side, which must be in HBM.
Status verify_index(const Subject& s, const Named& index, const Named& side) {
  if (!s.core.has.dma_indirect.value) {
    return s.refuse("TY-ISA-131",
                    "{} needs NeuronCore-v3 or later, this is {}; copy row by row with addresses "
                    "from registers",
                    index.name, s.core.name);
  }
  TY_TRY(memory_is(s, side, Memory::Hbm, "TY-ISA-152"));
  TY_TRY(memory_is(s, index, Memory::Sbuf, "TY-ISA-152"));
  if (index.access.dtype != Dtype::S32 && index.access.dtype != Dtype::U32) {
    return s.refuse("TY-ISA-152", "{} is {}, it must be i32 or u32", index.name,
                    numerics::name(index.access.dtype));
  }
  const int64_t rows = side.access.dims.empty() ? 0 : side.access.dims.front().count;
  if (index.access.free_elements() == 1 && index.access.partitions == rows) return {};
  return s.refuse("TY-ISA-152", "{} is {} x {}, it must have one element per row of {}, {} x 1",
                  index.name, index.access.partitions, index.access.free_elements(), side.name,
                  rows);
}

std::vector<int64_t> view_shape(const Tensor& tensor, const Access& a) {
  std::vector<int64_t> shape;
  if (tensor.on_chip()) shape.push_back(a.partitions);
  for (const Dim& d : a.dims) shape.push_back(d.count);
  return shape;
}

// The fast form of the hardware block. [nki-isa]
Status verify_hardware_transpose(const Subject& s, const DmaTranspose& i,
                                 const std::vector<int64_t>& shape) {
  if (numerics::size_of(i.src.dtype) != 2) {
    return s.refuse("TY-ISA-153",
                    "dge_mode hwdge transposes 2-byte types, src is {}; leave "
                    "dge_mode out",
                    numerics::name(i.src.dtype));
  }
  const int64_t most = s.core.limits.dma_transpose_free.value;
  const int64_t first = shape.front(), last = shape.back();
  const int64_t rows = first * shape[shape.size() - 2];
  constexpr int64_t kRows = 16;  // rows that the engines write together
  const bool leading = shape.size() == 2
                           ? first == kRows
                           : first <= kRows && kRows % first == 0 && rows % kRows == 0;
  if (last <= most && leading) return {};
  return s.refuse("TY-ISA-153",
                  "src is [{}], but dge_mode hwdge takes a last dim of at most {} and {}; leave "
                  "dge_mode out",
                  fmt::join(shape, ","), most,
                  shape.size() == 2 ? "16 rows"
                                    : "a first dim of 1, 2, 4, 8 or 16 whose product with the "
                                      "second last is a multiple of 16");
}

bool fits_register(int64_t v) {
  return v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<uint32_t>::max();
}

Status verify_register_operand(const Subject& s, std::string_view name, const RegisterOperand& o) {
  const int64_t* number = std::get_if<int64_t>(&o);
  if (number == nullptr || fits_register(*number)) return {};
  return s.refuse("TY-ISA-105", "{} is {}, which does not fit a 32-bit register", name, *number);
}

Status one_integer(const Subject& s, const Named& operand) {
  if (operand.access.elements() != 1) {
    return s.refuse("TY-ISA-127", "{} has {} elements, a register holds one", operand.name,
                    operand.access.elements());
  }
  if (numerics::is_integer(operand.access.dtype)) return no_psum(s, operand);
  return s.refuse("TY-ISA-129",
                  "{} is {}, a register holds an integer; convert it with tensor_copy",
                  operand.name, numerics::name(operand.access.dtype));
}

Status needs_pairs(const Subject& s) {
  if (s.core.generation >= hw::Generation::V3) return {};
  return s.refuse("TY-ISA-131",
                  "it joins the two cores of a logical core, which needs NeuronCore-v3 or later; "
                  "this is {}",
                  s.core.name);
}

}  // namespace

Status verify_op(const Subject& s, const DmaCopy& i) {
  const Named dst{"dst", i.dst}, src{"src", i.src};
  TY_TRY(no_psum(s, dst));
  TY_TRY(no_psum(s, src));
  if (i.dst.elements() != i.src.elements()) {
    return s.refuse("TY-ISA-150", "src has {} elements and dst has {}; make them equal",
                    i.src.elements(), i.dst.elements());
  }
  if (i.src_index) TY_TRY(verify_index(s, {"src_index", *i.src_index}, src));
  if (i.dst_index) TY_TRY(verify_index(s, {"dst_index", *i.dst_index}, dst));
  if (i.oob_mode == OobMode::Skip && !is_indirect(i) && !has_dynamic_address(s.inst.op)) {
    return s.refuse("TY-ISA-152",
                    "oob_mode skip needs an index tile or an address in a register; "
                    "all addresses here are known");
  }
  return verify_dge(s, i.dst, i.src, is_indirect(i));
}

Status verify_op(const Subject& s, const DmaTranspose& i) {
  TY_TRY(memory_is(s, {"dst", i.dst}, Memory::Sbuf, "TY-ISA-153"));
  TY_TRY(no_psum(s, {"src", i.src}));
  TY_TRY(same_type(s, {"dst", i.dst}, {"src", i.src}));
  const int size = numerics::size_of(i.src.dtype);
  if (size != 2 && size != 4) {
    return s.refuse("TY-ISA-153",
                    "src is {}, DMA transposes 2-byte and 4-byte types; read bytes "
                    "in pairs, or use nc_transpose",
                    numerics::name(i.src.dtype));
  }
  const std::vector<int64_t> from = view_shape(s.tensor(i.src), i.src);
  const std::vector<int64_t> to = view_shape(s.tensor(i.dst), i.dst);
  if (from.size() < 2 || from.size() > 4) {
    return s.refuse("TY-ISA-153", "src has {} dims, DMA transposes 2 to 4", from.size());
  }
  // [1,0], [2,1,0], [3,1,2,0]: the ends change places.
  std::vector<int64_t> wanted = from;
  std::swap(wanted.front(), wanted.back());
  if (to != wanted) {
    return s.refuse("TY-ISA-153", "src is [{}], so dst must be [{}], and it is [{}]",
                    fmt::join(from, ","), fmt::join(wanted, ","), fmt::join(to, ","));
  }
  TY_TRY(verify_dge(s, i.dst, i.src, false));
  switch (resolve_dge(s.program, s.inst, s.core)) {
    case DgeMode::Hwdge:
      return verify_hardware_transpose(s, i, from);
    case DgeMode::Swdge:
      return s.refuse("TY-ISA-153", "swdge does not transpose without an index; {}",
                      has_dynamic_address(s.inst.op) ? "use an address that is known beforehand"
                                                     : "leave dge_mode out");
    case DgeMode::Static:
    case DgeMode::Unknown:
      return {};
  }
  return {};
}

Status verify_op(const Subject& s, const RegisterMove& i) {
  return verify_register_operand(s, "value", i.value);
}

Status verify_op(const Subject& s, const RegisterAlu& i) {
  TY_TRY(verify_register_operand(s, "a", i.a));
  return verify_register_operand(s, "b", i.b);
}

Status verify_op(const Subject& s, const RegisterLoad& i) { return one_integer(s, {"src", i.src}); }

Status verify_op(const Subject& s, const RegisterStore& i) {
  TY_TRY(verify_register_operand(s, "value", i.value));
  return one_integer(s, {"dst", i.dst});
}

Status verify_op(const Subject&, const Nop&) { return {}; }

Status verify_op(const Subject& s, const CoreBarrier&) { return needs_pairs(s); }

Status verify_op(const Subject& s, const SendRecv& i) {
  const Named dst{"dst", i.dst}, src{"src", i.src};
  TY_TRY(needs_pairs(s));
  TY_TRY(memory_is(s, dst, Memory::Sbuf, "TY-ISA-155"));
  TY_TRY(memory_is(s, src, Memory::Sbuf, "TY-ISA-155"));
  TY_TRY(same_shape(s, dst, src));
  TY_TRY(same_type(s, dst, src));
  for (const auto& [name, rank] :
       {std::pair{"send_to_rank", i.send_to_rank}, std::pair{"recv_from_rank", i.recv_from_rank}}) {
    if (rank != 0 && rank != 1) {
      return s.refuse("TY-ISA-155", "{} is {}, the cores of a logical core are 0 and 1", name,
                      rank);
    }
  }
  if (i.pipe_id >= 0) return {};
  return s.refuse("TY-ISA-155", "pipe_id is {}, it must not be negative", i.pipe_id);
}

Status verify_op(const Subject& s, const Collective& i) {
  const Named dst{"dst", i.dst}, src{"src", i.src};
  TY_TRY(memory_is(s, dst, Memory::Hbm, "TY-ISA-156"));
  TY_TRY(memory_is(s, src, Memory::Hbm, "TY-ISA-156"));
  TY_TRY(same_type(s, dst, src));
  constexpr int64_t kChannels = 4;  // of a whole node [nki-isa]
  if (i.group_size < 0 || i.channel < 0 || i.channel >= kChannels) {
    return s.refuse("TY-ISA-156",
                    "group_size is {} and channel is {}; a group has 0 (all) or more "
                    "ranks, a channel is 0 to {}",
                    i.group_size, i.channel, kChannels - 1);
  }
  const bool reduces =
      i.kind == CollectiveKind::AllReduce || i.kind == CollectiveKind::ReduceScatter;
  if (reduces && i.op != AluOp::Add && i.op != AluOp::Max && i.op != AluOp::Min) {
    return s.refuse("TY-ISA-156", "op is {}, a collective reduces by add, max or min",
                    enum_name(i.op));
  }
  const int64_t in = i.src.elements(), out = i.dst.elements();
  const int64_t large = std::max(in, out), small = std::min(in, out);
  const auto wrong = [&](std::string_view rule) {
    return s.refuse("TY-ISA-156", "src has {} elements and dst has {}; {} {}", in, out,
                    enum_name(i.kind), rule);
  };
  const bool whole = large % small == 0 && (i.group_size == 0 || large / small == i.group_size);
  switch (i.kind) {
    case CollectiveKind::AllGather:
      return whole && out >= in ? Status() : wrong("makes dst group_size times as large as src");
    case CollectiveKind::ReduceScatter:
      return whole && in >= out ? Status() : wrong("makes src group_size times as large as dst");
    case CollectiveKind::AllToAll:
      if (in == out && (i.group_size == 0 || in % i.group_size == 0)) return {};
      return wrong("keeps the size, a multiple of group_size");
    case CollectiveKind::AllReduce:
    case CollectiveKind::Permute:
    case CollectiveKind::Broadcast:
      return in == out ? Status() : wrong("keeps the size");
  }
  return {};
}

}  // namespace trainyard::isa
