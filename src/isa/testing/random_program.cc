#include "isa/testing/random_program.h"

#include <algorithm>
#include <array>

#include "isa/builder.h"
#include "isa/gpsimd_call.h"
#include "isa/testing/random.h"

namespace trainyard::isa::testing {
namespace {

constexpr int64_t kRows = 256, kColumns = 160;  // of the HBM tensors

// Shapes of tiles: partitions and one or two free counts.
struct Tile {
  int64_t partitions = 128;
  std::vector<int64_t> counts;
};

class Maker {
 public:
  Maker(uint64_t seed, const RandomProgramOptions& options)
      : random_(seed), options_(options), b_("random", "trn2") {}

  Program run() {
    for (const Dtype d : {Dtype::F32, Dtype::BF16, Dtype::S32}) {
      inputs_.push_back(b_.hbm("in", d, {kRows, kColumns}, Io::In));
      outputs_.push_back(b_.hbm("out", d, {kRows, kColumns}, Io::Out));
    }
    if (options_.run_time_control) {
      for (int i = 0; i < 3; ++i) registers_.push_back(b_.reg("r"));
      for (const RegisterId r : registers_) b_.emit(RegisterMove{.dst = {r}, .value = int64_t{1}});
    }
    left_ = options_.statements;
    while (left_ > 0) statement(0);
    return b_.finish();
  }

 private:
  // ------------------------------------------------------------ choices

  // An affine expression with values in [0, n).
  Affine below(int64_t n) {
    int64_t room = n - 1;
    Affine a;
    for (const auto& [counter, most] : counters_) {
      if (!random_.one_in(2)) continue;
      const int64_t steepest = most == 0 ? room : room / most;
      if (steepest < 1) continue;
      const int64_t coefficient = random_.range(1, steepest);
      a += counter * coefficient;
      room -= coefficient * most;
    }
    return a + (room > 0 && random_.one_in(2) ? random_.range(0, room) : 0);
  }

  Tile shape() {
    Tile t{.partitions = random_.pick<int64_t>({32, 64, 128}), .counts = {}};
    if (random_.one_in(3)) t.counts.push_back(random_.range(1, 4));
    t.counts.push_back(random_.range(1, 48));
    return t;
  }

  Dtype any_float() { return random_.pick({Dtype::F32, Dtype::BF16, Dtype::F16}); }
  float number() { return static_cast<float>(random_.range(-4000, 4000)) / 256; }
  AluOp arithmetic() {
    return random_.pick({AluOp::Add, AluOp::Subtract, AluOp::Multiply, AluOp::Max, AluOp::Min,
                         AluOp::GreaterEqual, AluOp::NotEqual});
  }

  // ------------------------------------------------------------ tensors and accesses

  // A new tensor of the open block, filled at once so that every later read is defined.
  TensorId fresh(Memory memory, Dtype dtype, const Tile& tile) {
    std::vector<int64_t> shape = {tile.partitions == 128 || random_.one_in(2) ? 128
                                                                              : tile.partitions};
    if (tile.counts.size() == 2 || random_.one_in(2)) {
      shape.push_back((tile.counts.size() == 2 ? tile.counts[0] : 1) + random_.range(0, 3));
    }
    const int64_t slack = memory == Memory::Psum ? 0 : random_.range(0, 8);
    // Even, so that 2-byte types can be read as 4-byte ones.
    shape.push_back((tile.counts.back() + slack + 1) / 2 * 2);
    const TensorId t =
        memory == Memory::Psum ? b_.psum("p", dtype, shape) : b_.sbuf("s", dtype, shape);
    visible_.push_back(t);
    const bool is_float = numerics::is_float(dtype);
    b_.emit(Memset{.dst = b_.all(t), .value = is_float ? Operand(number()) : Operand(int64_t{1})});
    return t;
  }

  bool fits(const Tensor& t, const Tile& tile) const {
    const size_t axes = t.shape.size();
    if (t.shape[0] < tile.partitions || t.shape.back() < tile.counts.back()) return false;
    return tile.counts.size() == 1 || (axes == 3 && t.shape[1] >= tile.counts[0]);
  }

  TensorId find(Memory memory, Dtype dtype, const Tile& tile) {
    std::vector<TensorId> found;
    for (const TensorId id : visible_) {
      const Tensor& t = b_.program().tensors[id];
      if (t.memory == memory && t.dtype == dtype && fits(t, tile)) found.push_back(id);
    }
    return found.empty() || random_.one_in(4) ? fresh(memory, dtype, tile)
                                              : random_.pick_from(found);
  }

  Access on_chip(Memory memory, Dtype dtype, const Tile& tile) {
    const TensorId id = find(memory, dtype, tile);
    const std::vector<int64_t>& shape = b_.program().tensors[id].shape;
    // A start partition is a multiple of 32, and 64 partitions do not begin at 32.
    const int64_t last = shape[0] / tile.partitions - 1;
    std::vector<Subscript> axes = {
        slice(tile.partitions * random_.range(0, last), tile.partitions)};
    for (size_t i = 1; i < shape.size(); ++i) {
      const bool innermost = i + 1 == shape.size();
      if (!innermost && tile.counts.size() == 1) {
        axes.push_back(index(below(shape[i])));
        continue;
      }
      const int64_t count = innermost ? tile.counts.back() : tile.counts[0];
      const int64_t step = count > 1 ? random_.range(1, (shape[i] - 1) / (count - 1)) : 1;
      axes.push_back(slice(below(shape[i] - step * (count - 1)), count, step));
    }
    return b_.at(id, axes);
  }
  Access sbuf(Dtype dtype, const Tile& tile) { return on_chip(Memory::Sbuf, dtype, tile); }
  // SBUF, or PSUM where the type allows it.
  Access tile(Dtype dtype, const Tile& tile) {
    const bool psum = dtype == Dtype::F32 && random_.one_in(4);
    return on_chip(psum ? Memory::Psum : Memory::Sbuf, dtype, tile);
  }
  Access column(Dtype dtype, int64_t partitions) { return sbuf(dtype, {partitions, {1}}); }

  Operand operand(int64_t partitions) {
    if (random_.one_in(3)) return column(Dtype::F32, partitions);
    return random_.one_in(4) ? Operand(random_.range(-8, 8)) : Operand(number());
  }

  // A read that repeats one row of the free axis.
  Access broadcast(Dtype dtype, const Tile& tile) {
    Access a = sbuf(dtype, {tile.partitions, {tile.counts.back()}});
    if (tile.counts.size() == 2) a.dims.insert(a.dims.begin(), Dim{0, tile.counts[0]});
    return a;
  }

  Access hbm(const std::vector<TensorId>& choices, const Tile& tile) {
    const TensorId id = random_.pick_from(choices);
    const int64_t columns = Access{.dims = dims_of(tile)}.free_elements();
    return b_.at(id, {slice(below(kRows - tile.partitions + 1), tile.partitions),
                      slice(below(kColumns - columns + 1), columns)});
  }
  static std::vector<Dim> dims_of(const Tile& tile) {
    std::vector<Dim> dims;
    for (const int64_t n : tile.counts) dims.push_back({1, n});
    return dims;
  }
  Dtype dtype_of(const Access& a) const { return b_.program().tensors[a.tensor].dtype; }

  // ------------------------------------------------------------ statements

  void statement(int depth) {
    --left_;
    const bool deeper = depth < options_.depth && left_ > 0;
    if (deeper && random_.one_in(5)) {
      repeat(depth);
    } else if (deeper && options_.run_time_control && random_.one_in(12)) {
      random_.one_in(2) ? loop(depth) : branch(depth);
    } else {
      instruction();
    }
  }

  void block(int depth) {
    const size_t outside = visible_.size();
    for (int64_t n = random_.range(1, 6); n > 0; --n) statement(depth + 1);
    visible_.resize(outside);
  }

  void repeat(int depth) {
    // Sometimes the count depends on an outer counter, as in causal attention.
    const bool triangular = !counters_.empty() && random_.one_in(4);
    const int64_t most = triangular ? counters_.back().second : random_.range(0, 3);
    Affine count = triangular ? counters_.back().first + 1 : Affine(most + 1);
    counters_.emplace_back(b_.repeat("i", std::move(count)), most);
    block(depth);
    counters_.pop_back();
    b_.end();
  }

  void loop(int depth) {
    const RegisterId r = b_.reg("n");
    const int64_t turns = random_.range(0, 3);
    if (random_.one_in(2)) {
      b_.loop("counted", r, int64_t{0}, turns, random_.range(1, 2));
      block(depth);
    } else {
      b_.emit(RegisterMove{.dst = {r}, .value = turns});
      b_.loop_until_exit("turns", {.min = 0, .expected = turns, .max = {}});
      const size_t outside = visible_.size();
      instruction();
      visible_.resize(outside);
      b_.exit_unless(r);
      block(depth);
      b_.emit(RegisterAlu{.dst = {r}, .a = r, .b = int64_t{1}, .op = RegisterOp::Subtract});
    }
    b_.end();
  }

  void branch(int depth) {
    b_.branch("when", random_.pick_from(registers_), random_.one_in(2));
    block(depth);
    if (random_.one_in(2)) {
      b_.otherwise();
      block(depth);
    }
    b_.end();
  }

  void instruction() {
    using Make = Instruction (Maker::*)();
    static constexpr std::array<Make, 22> kAlways = {&Maker::matmul,        &Maker::transpose,
                                                     &Maker::activation,    &Maker::tensor_tensor,
                                                     &Maker::tensor_scalar, &Maker::stt,
                                                     &Maker::scan,          &Maker::reduce,
                                                     &Maker::copy,          &Maker::copy_predicated,
                                                     &Maker::select,        &Maker::reciprocal,
                                                     &Maker::memset,        &Maker::iota,
                                                     &Maker::affine_select, &Maker::bn_stats,
                                                     &Maker::bn_aggr,       &Maker::max8,
                                                     &Maker::load,          &Maker::store,
                                                     &Maker::dma_transpose, &Maker::gpsimd_call};
    static constexpr std::array<Make, 5> kRegisters = {&Maker::register_move, &Maker::register_alu,
                                                       &Maker::register_load,
                                                       &Maker::register_store, &Maker::nop};
    static constexpr std::array<Make, 3> kCores = {&Maker::core_barrier, &Maker::sendrecv,
                                                   &Maker::collective};
    std::vector<Make> makes(kAlways.begin(), kAlways.end());
    if (options_.run_time_control) makes.insert(makes.end(), kRegisters.begin(), kRegisters.end());
    if (options_.several_cores) makes.insert(makes.end(), kCores.begin(), kCores.end());
    // The choice first: making an instruction may emit others that fill its operands.
    Instruction op = (this->*random_.pick_from(makes))();
    const bool gpsimd = std::holds_alternative<Iota>(op) && random_.one_in(4);
    b_.emit(std::move(op), random_.one_in(3) ? "x" : "",
            gpsimd ? std::optional(Engine::Gpsimd) : std::nullopt);
  }

  // ------------------------------------------------------------ instructions

  Instruction matmul() {
    const int64_t k = random_.pick<int64_t>({32, 64, 128}),
                  m = random_.pick<int64_t>({32, 64, 128});
    const int64_t n = random_.range(1, 48);
    const Dtype dtype = random_.pick({Dtype::BF16, Dtype::F32});
    Matmul mm{.dst = on_chip(Memory::Psum, Dtype::F32, {m, {n}}),
              .stationary = sbuf(dtype, {k, {m}}),
              .moving = sbuf(dtype, {k, {n}})};
    mm.accumulate = random_.pick({Accumulate::FirstWrite, Accumulate::Overwrite, Accumulate::Add});
    return mm;
  }
  Instruction transpose() {
    const int64_t p = random_.pick<int64_t>({32, 64, 128}), f = random_.pick<int64_t>({32, 64});
    return Transpose{.dst = on_chip(Memory::Psum, Dtype::F32, {f, {p}}),
                     .data = sbuf(Dtype::F32, {p, {f}})};
  }
  Instruction activation() {
    const Tile s = shape();
    Activation a{.dst = tile(any_float(), s), .data = tile(any_float(), s)};
    a.op = random_.pick_from(numerics::all_functions());
    if (a.op == Function::Prelu) a.relu_param = number();
    a.scale = random_.one_in(2) ? Operand(1.0f) : Operand(number());
    if (random_.one_in(2)) a.bias = column(Dtype::F32, s.partitions);
    a.reduce_cmd =
        random_.pick({ReduceCmd::Idle, ReduceCmd::Idle, ReduceCmd::Reset, ReduceCmd::ResetReduce});
    if (a.reduce_cmd == ReduceCmd::ResetReduce) a.reduce_res = column(Dtype::F32, s.partitions);
    return a;
  }
  Instruction tensor_tensor() {
    const Tile s = shape();
    if (random_.one_in(4)) {
      // The bits of 2-byte floats, as integers.
      Access a = sbuf(Dtype::BF16, s), b = sbuf(Dtype::BF16, s);
      a.dtype = b.dtype = Dtype::U16;
      return TensorTensor{.dst = sbuf(Dtype::U16, s),
                          .data1 = a,
                          .data2 = b,
                          .op = random_.pick({AluOp::BitwiseAnd, AluOp::BitwiseXor})};
    }
    return TensorTensor{.dst = tile(any_float(), s),
                        .data1 = sbuf(any_float(), s),
                        .data2 = broadcast(any_float(), s),
                        .op = arithmetic()};
  }
  Instruction tensor_scalar() {
    const Tile s = shape();
    TensorScalar t{.dst = tile(any_float(), s), .data = tile(any_float(), s)};
    t.op0 = arithmetic();
    t.operand0 = operand(s.partitions);
    t.reverse0 = random_.one_in(3);
    if (random_.one_in(2)) {
      t.op1 = arithmetic();
      t.operand1 = operand(s.partitions);
      t.reverse1 = random_.one_in(3);
    }
    return t;
  }
  Instruction stt() {
    const Tile s = shape();
    ScalarTensorTensor t{.dst = tile(any_float(), s),
                         .data = sbuf(any_float(), s),
                         .operand1 = sbuf(any_float(), s)};
    t.op0 = arithmetic();
    t.operand0 = operand(s.partitions);
    t.op1 = arithmetic();
    t.reverse1 = random_.one_in(2);
    return t;
  }
  Instruction scan() {
    const Tile s = shape();
    TensorTensorScan t{
        .dst = tile(Dtype::F32, s), .data0 = sbuf(Dtype::F32, s), .data1 = sbuf(Dtype::F32, s)};
    if (random_.one_in(2)) t.initial = column(Dtype::F32, s.partitions);
    t.op0 = random_.pick({AluOp::Multiply, AluOp::Max});
    return t;
  }
  Instruction reduce() {
    const Tile s{random_.pick<int64_t>({32, 128}), {random_.range(1, 4), random_.range(1, 32)}};
    return TensorReduce{.dst = sbuf(Dtype::F32, {s.partitions, {s.counts[0]}}),
                        .data = tile(any_float(), s),
                        .op = random_.pick({AluOp::Add, AluOp::Max, AluOp::Min}),
                        .negate = random_.one_in(3)};
  }
  Instruction copy() {
    const Tile s = shape();
    return TensorCopy{.dst = tile(any_float(), s), .src = tile(any_float(), s)};
  }
  Instruction copy_predicated() {
    const Tile s = shape();
    TensorCopyPredicated t{.dst = sbuf(Dtype::F32, s), .predicate = sbuf(Dtype::U8, s)};
    t.src = random_.one_in(2) ? Operand(number()) : Operand(sbuf(Dtype::F32, s));
    t.reverse_pred = random_.one_in(2);
    return t;
  }
  Instruction select() {
    const Tile s = shape();
    Select t{.dst = sbuf(Dtype::F32, s),
             .predicate = sbuf(Dtype::U8, s),
             .on_true = sbuf(any_float(), s)};
    t.on_false = random_.one_in(2) ? Operand(number()) : Operand(sbuf(Dtype::F32, s));
    return t;
  }
  Instruction reciprocal() {
    const Tile s = shape();
    return Reciprocal{.dst = tile(Dtype::F32, s), .data = tile(Dtype::F32, s)};
  }
  Instruction memset() {
    if (random_.one_in(2))
      return Memset{.dst = sbuf(Dtype::S32, shape()), .value = random_.range(-9, 9)};
    return Memset{.dst = tile(any_float(), shape()), .value = number()};
  }
  Instruction iota() {
    const Tile s = shape();
    Iota t{.dst = sbuf(Dtype::S32, s), .pattern = dims_of(s), .offset = below(100)};
    t.channel_multiplier = random_.range(-2, 2);
    return t;
  }
  Instruction affine_select() {
    const Tile s = shape();
    AffineSelect t{.dst = sbuf(Dtype::F32, s),
                   .on_true_tile = sbuf(Dtype::F32, s),
                   .pattern = dims_of(s),
                   .offset = below(64) - 32};
    t.channel_multiplier = -1;
    t.cmp_op = random_.pick({AluOp::GreaterEqual, AluOp::Equal});
    t.on_false_value = number();
    return t;
  }
  Instruction bn_stats() {
    return BnStats{.dst = sbuf(Dtype::F32, {64, {6}}),
                   .data = tile(any_float(), {64, {random_.range(2, 48)}})};
  }
  Instruction bn_aggr() {
    return BnAggr{.dst = sbuf(Dtype::F32, {64, {2}}),
                  .data = sbuf(Dtype::F32, {64, {3 * random_.range(1, 8)}})};
  }
  Instruction max8() {
    return Max8{.dst = sbuf(Dtype::F32, {128, {8}}),
                .src = tile(Dtype::F32, {128, {random_.range(8, 48)}})};
  }
  Instruction load() {
    const Tile s = shape();
    const Access src = hbm(inputs_, s);
    DmaCopy t{.dst = sbuf(dtype_of(src), s), .src = src};
    if (random_.one_in(4)) {
      t.src_index = rows(s.partitions);
    } else if (random_.one_in(4)) {
      t.dge_mode = DgeMode::Hwdge;
    }
    return t;
  }
  Instruction store() {
    const Tile s = shape();
    const Access dst = hbm(outputs_, s);
    DmaCopy t{.dst = dst, .src = sbuf(dtype_of(dst), s)};
    if (random_.one_in(4)) t.dst_index = rows(s.partitions);
    return t;
  }
  // Row numbers 0, 1, 2, ...: distinct, as a scatter needs them, and inside the tensor from every
  // row at which the access that they steer may begin.
  Access rows(int64_t partitions) {
    const TensorId t = b_.sbuf("rows", Dtype::S32, {partitions, 1});
    b_.emit(Iota{.dst = b_.all(t), .pattern = {{0, 1}}, .channel_multiplier = 1});
    return b_.all(t);
  }
  Instruction dma_transpose() {
    const int64_t p = random_.pick<int64_t>({32, 64, 128}),
                  f = random_.pick<int64_t>({32, 64, 128});
    const TensorId in = inputs_[1];
    return DmaTranspose{.dst = sbuf(Dtype::BF16, {f, {p}}),
                        .src = b_.at(in, {slice(below(kRows - p + 1), p), slice(0, f)})};
  }
  // y = x + a number; y is updated where a part of it stays.
  Instruction gpsimd_call() {
    const Tile s = shape();
    const Access y = sbuf(Dtype::F32, s);
    Access x = hbm({inputs_[0]}, s);
    const int64_t n = y.elements();
    const int32_t program = b_.add_gpsimd(adder(n, random_.one_in(2) ? n : random_.range(1, n)));
    const RegisterOperand number = registers_.empty() || random_.one_in(2)
                                       ? RegisterOperand(random_.range(-9, 9))
                                       : RegisterOperand(random_.pick_from(registers_));
    return make_call(b_.program(), program, {y, std::move(x)}, {number});
  }
  Instruction register_move() {
    return RegisterMove{.dst = {random_.pick_from(registers_)}, .value = random_.range(-100, 100)};
  }
  Instruction register_alu() {
    return RegisterAlu{.dst = {random_.pick_from(registers_)},
                       .a = random_.pick_from(registers_),
                       .b = random_.range(0, 5),
                       .op = random_.pick({RegisterOp::Add, RegisterOp::Xor, RegisterOp::Less})};
  }
  Instruction register_load() {
    return RegisterLoad{.dst = {random_.pick_from(registers_)},
                        .src = b_.at(inputs_[2], {index(below(kRows)), index(below(kColumns))})};
  }
  Instruction register_store() {
    return RegisterStore{.dst = b_.at(outputs_[2], {index(below(kRows)), index(below(kColumns))}),
                         .value = random_.pick_from(registers_)};
  }
  Instruction nop() { return Nop{}; }
  Instruction core_barrier() { return CoreBarrier{}; }
  Instruction sendrecv() {
    const Tile s = shape();
    return SendRecv{.dst = sbuf(Dtype::F32, s),
                    .src = sbuf(Dtype::F32, s),
                    .send_to_rank = 1,
                    .recv_from_rank = 1,
                    .pipe_id = random_.range(0, 3)};
  }
  Instruction collective() {
    return Collective{.dst = b_.all(outputs_[0]),
                      .src = b_.all(inputs_[0]),
                      .kind = random_.pick({CollectiveKind::AllReduce, CollectiveKind::Permute}),
                      .op = random_.pick({AluOp::Add, AluOp::Max}),
                      .group_size = random_.range(0, 4)};
  }

  Random random_;
  const RandomProgramOptions& options_;
  ProgramBuilder b_;
  int left_ = 0;
  std::vector<TensorId> inputs_, outputs_;
  std::vector<RegisterId> registers_;
  std::vector<TensorId> visible_;                     // on-chip tensors in scope
  std::vector<std::pair<Affine, int64_t>> counters_;  // open `repeat`s and their highest value
};

}  // namespace

Program random_program(uint64_t seed, const RandomProgramOptions& options) {
  Program program = Maker(seed, options).run();
  if (options.placement) place_at_random(program, seed);
  return program;
}

}  // namespace trainyard::isa::testing
