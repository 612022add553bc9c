#include "isa/explain/words.h"

namespace trainyard::isa {

InstructionWords words(std::type_identity<Matmul>) {
  return {
      "dst[m, n] (+)= sum over k of stationary[k, m] * moving[k, n]",
      "On the tensor engine. k lies on the partitions of both operands, so the array multiplies "
      "the "
      "transpose of stationary without forming it; the sum is kept in fp32 in PSUM. accumulate "
      "overwrites, adds, or lets the first write to an element overwrite. tile_rows and "
      "tile_columns use a part of the array; parts work at the same time.",
      "stationary and moving in SBUF, dst in PSUM. K at most {pe.rows} partitions, M at most "
      "{limits.stationary_free} stationary columns, N at most {limits.moving_free} moving columns "
      "(bf16 result: {limits.moving_free_bf16}). f32 and tf32 pair only with each other. dst is "
      "f32; bf16 too: {has.psum_bf16}. May cross PSUM banks: {has.psum_span_banks}. is_transpose "
      "(the bits pass unchanged, moving is an identity): {has.transpose_mode}. Array tiles of at "
      "least {limits.row_tile_min} rows and {limits.column_tile_min} columns. double_row (fp8, "
      "[K, 2, M] and [K, 2, N]) multiplies the rate by {pe.macs_double_row}; 0: not on this core.",
      "interval = passes * max(N, {pe.mm_floor}, min({pe.stationary_floor}, M)) + {pe.mm_extra} "
      "per hardware instruction (fp32: {pe.instructions_fp32}) cycles. passes: {pe.passes_16bit} "
      "for 16 bit, {pe.passes_fp8} for fp8, {pe.passes_fp32} for fp32, {pe.passes_fp32_onezero} "
      "with a one-zero hint, {pe.passes_fp32_transpose} for an fp32 transpose. The stationary load "
      "takes M / {pe.ls_divisor} cycles (fp32: {pe.ls_passes_fp32} times) and hides behind the "
      "matmul before it. latency = passes * N + {pe.fixed_latency}. A moving step of "
      "{pe.stride_bytes} bytes or more multiplies by {pe.stride_slowdown}. The power ramp (on this "
      "core: {pe.throttle}) may hold the rate at {pe.throttle_ratio}."};
}

InstructionWords words(std::type_identity<Transpose>) {
  return {"dst[f, p] = data[p, f], free dims flattened, bits unchanged",
          "On the tensor engine, from SBUF to PSUM; or on the vector engine, between any on-chip "
          "memories. Where nobody chooses: tensor if dst is in PSUM and a side is longer than "
          "{limits.quadrant}, else vector.",
          "Equal types. Tensor: up to {pe.rows} x {pe.cols}; without transpose mode (on this core: "
          "{has.transpose_mode}) a NaN or Inf spoils its row. Vector: up to {limits.quadrant} x "
          "{limits.quadrant}.",
          "Tensor: as nc_matmul with as many moving columns as data has partitions. Vector: "
          "{dve.transpose_interval} cycles, {dve.transpose_turn} if the quadrants are not those of "
          "the transpose before; latency {dve.transpose_latency}."};
}

InstructionWords words(std::type_identity<Activation>) {
  return {
      "dst = op(data * scale + bias), in fp32",
      "On the scalar engine. The product is rounded, then the sum, then the function is "
      "applied. With a reduce_cmd the results, before they are rounded to dst's type, are also "
      "added into one register per partition; reduce_res receives it.",
      "scale is a number or an f32 column [P,1]; bias a column of any type but tf32, or, where "
      "the core takes one (here: {has.scalar_bias_immediate}), a number. Each function has a valid "
      "input range.",
      "interval = max({act.min_interval}, N * {act.function}) cycles, plus {act.stream_extra} "
      "for up to {act.stream_extra_free} elements; silu takes {act.silu_sbuf} from SBUF and "
      "{act.silu_psum} from PSUM per element. reduce_res adds {act.reduce_readout} cycles, "
      "measured {act.read_accumulator_interval_ns} ns. latency = N + {act.latency_function} "
      "(copy: {act.latency_copy}, from PSUM {act.latency_copy_psum}) and "
      "{act.operand_extra_ns} ns per column operand. Another function table takes "
      "{act.table_load_ns} ns; copy, relu, square, abs and sign are in every table."};
}

InstructionWords words(std::type_identity<TensorTensor>) {
  return {
      "dst = data1 op data2",
      "On the vector engine in fp32, bitwise operators on bit patterns. 32-bit integers in SBUF "
      "go to the gpsimd engine, which computes them exactly, unless the author names vector; "
      "power exists on gpsimd only; fp32 add, subtract and multiply on both.",
      "Equal partitions and elements; not both inputs in PSUM; gpsimd not with PSUM at all. "
      "abs_max and abs_min need NeuronCore-v4.",
      "vector: max({dve.min_interval}, N * rate) cycles, rate {dve.binary_fp32}; "
      "{dve.binary_16bit} if all three are 16-bit, contiguous and in SBUF and op is add, "
      "subtract or multiply; {dve.binary_psum} with one input in PSUM. A step of more than "
      "{dve.stride_bytes} bytes multiplies by {dve.stride_slowdown}. latency: "
      "{dve.fixed_latency} more. gpsimd: {pool.startup} + N * {pool.tensor_tensor}, power "
      "N * {pool.power}."};
}

InstructionWords words(std::type_identity<TensorScalar>) {
  return {"dst = (data op0 operand0) op1 operand1",
          "On the vector engine in fp32, each operator rounded by itself; on the scalar engine "
          "(on this core: {has.scalar_tensor_scalar}) as (multiply, add), multiply or add, with "
          "the same bits. "
          "Integers of 32 bits are exact on gpsimd, and on vector if they are only added to and "
          "multiplied by integer constants. rsqrt and power exist on gpsimd only. reverse0 and "
          "reverse1 swap the sides of an operator.",
          "operands are numbers or columns [P,1], f32 for arithmetic, integers for bitwise "
          "operators; the two classes do not mix. An operator with one operand stands as op0. "
          "square and relu need NeuronCore-v4.",
          "vector: max({dve.min_interval}, N * rate) cycles, rate {dve.unary_fp32}; "
          "{dve.unary_16bit_contiguous} for 16-bit in and out, contiguous, in SBUF; "
          "{dve.unary_16bit} for 16-bit that is not contiguous or has one side in PSUM; "
          "{dve.unary_psum} with PSUM otherwise; latency {dve.fixed_latency} more. scalar: N * "
          "{act.copy} (16-bit {act.copy_16bit}), latency {act.latency_copy}. gpsimd: "
          "{pool.startup} + N * {pool.tensor_tensor}, rsqrt {pool.rsqrt}, power {pool.power}."};
}

InstructionWords words(std::type_identity<ScalarTensorTensor>) {
  return {"dst = (data op0 operand0) op1 operand1, operand1 a whole tile",
          "On the vector engine in fp32, each operator rounded by itself.",
          "Arithmetic operators only; operand0 is a number or a column; data and operand1 not both "
          "in PSUM.",
          "max({dve.min_interval}, N * {dve.scalar_tensor_tensor}) cycles; "
          "{dve.scalar_tensor_tensor_fast} per element for two bf16 tiles, subtract then multiply, "
          "an even count. latency {dve.fixed_latency} more."};
}

InstructionWords words(std::type_identity<TensorTensorScan>) {
  return {"r[i] = op1(op0(data0[i], r[i-1]), data1[i]) along the free axis, r[-1] = initial",
          "On the vector engine; the state is fp32.",
          "Arithmetic operators; initial is a number or a column; inputs not both in PSUM.",
          "max({dve.min_interval}, N * {dve.scan}) cycles; latency {dve.fixed_latency} more, and "
          "{dve.scan_tensor_initial_ns} ns if initial is a column."};
}

InstructionWords words(std::type_identity<TensorReduce>) {
  return {"dst = op over the last `axes` dims of data",
          "On the vector engine in fp32, times -1 with negate. Across partitions: transpose first, "
          "or multiply by ones on the tensor engine.",
          "op is add, subtract, multiply, max, min, logical or bitwise and, or, xor. dst has the "
          "elements of the dims that remain.",
          "max({dve.min_interval}, N * {dve.reduce}) cycles, {dve.reduce_bf16} per element for "
          "bf16 in and out with add or max; latency {dve.fixed_latency} more."};
}

InstructionWords words(std::type_identity<TensorCopy>) {
  return {
      "dst = cast(src); the bits themselves if the types are equal",
      "On vector; on scalar (on this core: {has.scalar_tensor_copy}); on gpsimd without PSUM. All "
      "give the "
      "same bits.",
      "Equal partitions and elements per partition; shapes may differ.",
      "vector: max({dve.min_interval}, N * rate) cycles, rate {dve.unary_fp32}; "
      "{dve.unary_16bit_contiguous} for 16-bit in and out, contiguous, in SBUF; "
      "{dve.unary_16bit} not contiguous or one side in PSUM; {dve.unary_bf16_to_fp32} from bf16 "
      "to f32; {dve.unary_psum} with PSUM otherwise; latency {dve.fixed_latency} more. scalar: "
      "N * {act.copy}, latency {act.latency_copy}, from PSUM {act.latency_copy_psum}. gpsimd: "
      "{pool.startup} + N * {pool.copy}."};
}

InstructionWords words(std::type_identity<TensorCopyPredicated>) {
  return {"dst = src where predicate is not 0 (is 0 if reversed); other elements stay",
          "On the vector engine; bits are copied, nothing is converted.",
          "predicate is u8, u16 or u32; src is a tile of dst's type or a number; src and predicate "
          "not both in PSUM.",
          "max({dve.min_interval}, N * {dve.copy_predicated}) cycles, {dve.copy_predicated_split} "
          "per element if src is a number or one of the two is in PSUM; latency "
          "{dve.fixed_latency} more."};
}

InstructionWords words(std::type_identity<Select>) {
  return {
      "dst = predicate ? on_true : on_false, element by element",
      "On the vector engine, through fp32.",
      "predicate is an 8- or 16-bit integer; values are not tf32 or 32-bit integers; on_false is "
      "a number, a column or a whole tile; on_true and predicate not both in PSUM.",
      "max({dve.min_interval}, N * {dve.select}) cycles; with a whole tile as on_false a copy "
      "(tensor_copy) and a predicated copy (N * {dve.copy_predicated}), because the engine has "
      "two input streams. latency {dve.fixed_latency} more."};
}

InstructionWords words(std::type_identity<Reciprocal>) {
  return {
      "dst = 1 / data, correctly rounded fp32",
      "On the vector engine; more precise than the scalar engine's function.",
      "Equal partitions and elements.",
      "max({dve.min_interval}, N * {dve.reciprocal}) cycles; latency {dve.fixed_latency} more."};
}

InstructionWords words(std::type_identity<Memset>) {
  return {"every element of dst = value", "On vector, or on gpsimd outside PSUM.",
          "An integer type takes an integer that fits.",
          "vector: max({dve.min_interval}, N * {dve.memset}) cycles, {dve.memset_zero_16bit} per "
          "element for 16-bit zeros, plus {dve.memset_extra_ns} ns. gpsimd: {pool.startup} + N * "
          "{pool.memset}."};
}

InstructionWords words(std::type_identity<Iota>) {
  return {"dst[p, i...] = offset + p * channel_multiplier + sum(step * i), int32, then cast",
          "On the gpsimd engine. p counts from dst's first partition.",
          "dst in SBUF; pattern has up to {limits.pattern_dims} dims, and its counts multiply to "
          "the elements of a partition.",
          "{pool.startup} + N * {pool.iota} cycles."};
}

InstructionWords words(std::type_identity<AffineSelect>) {
  return {"dst = cmp_op(iota value, 0) ? on_true_tile : on_false_value",
          "On the gpsimd engine; for masks that follow from the position, as in causal attention.",
          "SBUF only; cmp_op is a comparison; pattern as for iota.",
          "{pool.startup} + N * {pool.affine_select} cycles."};
}

InstructionWords words(std::type_identity<BnStats>) {
  return {"dst = (count, mean, variance * count) of the even, then of the odd elements",
          "On the vector engine; bn_aggr joins any number of such tuples.",
          "At most {limits.bn_stats_free} elements per partition; dst has 6.",
          "max({dve.min_interval}, N * {dve.bn_stats}) cycles; latency {dve.fixed_latency} more."};
}

InstructionWords words(std::type_identity<BnAggr>) {
  return {"dst = (mean, population variance) of the tuples (count, mean, variance * count) in data",
          "On the vector engine.", "data has whole tuples, a multiple of 3 elements; dst has 2.",
          "max({dve.min_interval}, N / 3 * {dve.bn_aggr_tuple}) cycles; latency "
          "{dve.fixed_latency} more."};
}

InstructionWords words(std::type_identity<Max8>) {
  return {"dst = the eight largest elements of each partition, descending",
          "On the vector engine, compared in fp32.",
          "{limits.max8_min} to {limits.max8_max} elements per partition, up to 3 free dims; dst "
          "has 8.",
          "max({dve.min_interval}, N * {dve.max8}) cycles; latency {dve.fixed_latency} more."};
}

InstructionWords words(std::type_identity<DmaCopy>) {
  return {"dst = cast(src) between HBM and SBUF, element by element in the order of each pattern",
          "By {dma.engines} DMA engines; SBUF partition p belongs to one of them (8 partitions "
          "each). With an index tile the leading dim of the HBM side is indirect: row p begins at "
          "index[p]. Descriptors are made beforehand (none), by gpsimd (swdge) or by a hardware "
          "block (hwdge); unknown lets the addresses decide.",
          "Not PSUM; equal element counts; a conversion goes through fp32. hwdge (blocks: "
          "{dma.hwdge_blocks}) needs equal types and no index; index tiles (on this core: "
          "{has.dma_indirect}) are i32 or u32 in SBUF, one element per row.",
          "A descriptor is one run that is contiguous on both sides: max({dma.descriptor_floor_ns} "
          "ns, bytes / {dma.sustained_bytes_per_ns} B/ns), rows up to {dma.small_row_bytes} bytes "
          "at {dma.small_row_bytes_per_ns} B/ns (0: off). Payload is the longest engine's sum. "
          "Before it {dma.dispatch_load_ns} ns (store {dma.dispatch_store_ns}), after it "
          "{dma.notify_load_ns} ns ({dma.notify_store_ns}); engines start staggered over "
          "{dma.stagger_load_ns} ns ({dma.stagger_store_ns}) and together take {dma.slope_load} "
          "({dma.slope_store}) times as long when alone. The trigger takes {dma.issue_static_ns} "
          "ns, swdge {dma.issue_swdge_ns} ns of gpsimd and {dma.issue_swdge_descriptor_ns} ns per "
          "descriptor beyond {dma.issue_swdge_free_descriptors}, hwdge {dma.issue_hwdge_ns} ns of "
          "its block."};
}

InstructionWords words(std::type_identity<DmaTranspose>) {
  return {"dst = src with its first and last dim exchanged",
          "By the DMA engines, HBM or SBUF to SBUF.",
          "Equal 2- or 4-byte types, 2 to 4 dims. hwdge: 2 bytes, last dim at most "
          "{limits.dma_transpose_free}, first dim 16 (2-D) or 1, 2, 4, 8, 16.",
          "As dma_copy at {dma.transpose_hbm_rate} (SBUF to SBUF {dma.transpose_sbuf_rate}) of the "
          "copy rate; 0: one descriptor per element."};
}

InstructionWords words(std::type_identity<RegisterMove>) {
  return {"dst = value", "On the sequencer of every engine whose work depends on the register.",
          "{seq.registers} registers of {seq.register_bits} bits.",
          "An immediate {seq.move_immediate_ns} ns, a register {seq.control_op} base cycles."};
}

InstructionWords words(std::type_identity<RegisterAlu>) {
  return {"dst = a op b, wrapping 32-bit",
          "On the sequencer of every engine whose work depends on the register.",
          "{seq.registers} registers of {seq.register_bits} bits.",
          "{seq.control_op} base cycles."};
}

InstructionWords words(std::type_identity<RegisterLoad>) {
  return {"dst = the one element of src",
          "On the sequencer of every engine whose work depends on the register.",
          "One integer in HBM or SBUF.", "{seq.control_op} base cycles."};
}

InstructionWords words(std::type_identity<RegisterStore>) {
  return {"the one element of dst = value", "On a sequencer.", "One integer in HBM or SBUF.",
          "{seq.control_op} base cycles."};
}

InstructionWords words(std::type_identity<Nop>) {
  return {"does nothing; carries hand-written semaphore waits and increments", "On any sequencer.",
          "{sem.count} semaphores.", "{seq.control_op} base cycles."};
}

InstructionWords words(std::type_identity<CoreBarrier>) {
  return {"waits until both cores of a logical core have come here",
          "On any engine, gpsimd where nobody chooses; blocks that engine only.",
          "From NeuronCore-v3 on.", "{seq.control_op} base cycles and the wait."};
}

InstructionWords words(std::type_identity<SendRecv>) {
  return {"sends src to one core of the logical core and receives dst from one",
          "By the DMA engines; calls pair up per pipe_id in program order.",
          "SBUF tiles of equal shape and type, ranks 0 and 1, from NeuronCore-v3 on.",
          "{dma.sendrecv_ns} ns and the payload of a copy."};
}

InstructionWords words(std::type_identity<Collective>) {
  return {
      "exchanges or reduces between the ranks of groups of consecutive ranks",
      "all_gather, all_reduce, reduce_scatter, all_to_all, permute, broadcast, over the DMA "
      "engines and the links.",
      "HBM to HBM, equal types, reductions by add, max or min; sizes follow from kind and "
      "group_size. One core alone refuses to run it.",
      "On this core a copy in packets of {dma.collective_packet_bytes} bytes; the links are the "
      "cluster's business."};
}

InstructionWords words(std::type_identity<GpsimdCall>) {
  return {
      "runs a gpsimd program on tensors in HBM and SBUF",
      "On gpsimd: {pool.processors} processors of {pool.width_bits} bits. The program declares "
      "windows (parts of the operands) and computes on strips of up to {call.strip} elements: "
      "sort, "
      "gather, scatter, 64-bit integers, f64, whatever no other engine does.",
      "One operand per window, not in PSUM, with exactly the bytes of the window's tensor. Values "
      "that are alive at once fit {pool.tcm_bytes} bytes per processor.",
      "{pool.startup} cycles, and per operation and strip {call.issue} plus ceil(bytes / vector) "
      "times its weight: simple {call.simple}, f32 multiply {call.multiply_f32}, division "
      "{call.divide}, functions {call.transcendental}, f64 {call.simple_f64}; a gathered element "
      "{call.gather} per processor. Loops count their declared maximum. HBM windows move at "
      "{pool.dma_bytes_per_ns} B/ns each way (0: at the rate of the DMA queues), added to the "
      "cycles, or behind them if the program is double_buffered."};
}

}  // namespace trainyard::isa
