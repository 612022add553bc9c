// rng_bit_generator by integer operations. Both generators give the bits of XLA's CPU back end, so
// that a program draws the same numbers here and there; DEFAULT is Philox, as it is there.
//
// The state is ui64: a key, then a counter. Block i of the output is the cipher of counter + i.
#include <algorithm>
#include <array>

#include "compiler/passes/expand.h"

namespace trainyard::compiler {
namespace {

constexpr std::string_view kState = "TY-CMP-003";
constexpr int kThreeFryRounds = 20;
constexpr uint64_t kThreeFryParity = 0x1BD11BDA;
constexpr int kPhiloxRounds = 10;
constexpr std::array<uint64_t, 2> kPhiloxMultipliers = {0xD2511F53, 0xCD9E8D57};
constexpr std::array<uint64_t, 2> kPhiloxKeySteps = {0x9E3779B9, 0xBB67AE85};

int64_t product(const Dims& shape) {
  int64_t out = 1;
  for (const int64_t n : shape) out *= n;
  return out;
}

class Generator {
 public:
  Generator(Emit& emit, ValueId state) : emit_(emit), state_(state) {}

  // Four streams of 32-bit numbers, `n` of each, and the state afterwards.
  std::pair<std::array<ValueId, 4>, ValueId> philox(int64_t n) {
    const bool wide = emit_.type(state_).shape[0] == 3;
    const ValueId key = word(0);
    const ValueId low = word(1);
    const ValueId high = wide ? word(2) : key;
    std::array<ValueId, 4> x{};
    const ValueId counted = plus_index(low, {n});
    const ValueId carry = emit_.compare(Direction::Lt, counted, spread(low, {n}));
    const ValueId carried = emit_.plus(spread(high, {n}), emit_.convert(carry, ElementType::U64));
    std::tie(x[0], x[1]) = halves(counted);
    std::tie(x[2], x[3]) = halves(carried);
    auto [k0, k1] = halves(spread(key, {n}));
    for (int round = 0; round < kPhiloxRounds; ++round) {
      if (round > 0) {
        k0 = emit_.plus(k0, emit_.integer(emit_.type(k0), kPhiloxKeySteps[0]));
        k1 = emit_.plus(k1, emit_.integer(emit_.type(k1), kPhiloxKeySteps[1]));
      }
      const auto [low0, high0] = long_product(x[0], kPhiloxMultipliers[0]);
      const auto [low1, high1] = long_product(x[2], kPhiloxMultipliers[1]);
      x = {exclusive_or(exclusive_or(high1, x[1]), k0), low1,
           exclusive_or(exclusive_or(high0, x[3]), k1), low0};
    }
    const ValueId step = emit_.integer(emit_.type(low), static_cast<uint64_t>(n));
    const ValueId next = emit_.plus(low, step);
    std::vector<ValueId> words = {key, next};
    if (wide) {
      const ValueId over = emit_.compare(Direction::Lt, next, low);
      words.push_back(emit_.plus(high, emit_.convert(over, ElementType::U64)));
    }
    return {x, joined(words)};
  }

  // Two streams of 32-bit numbers in `shape`, and the state afterwards.
  std::pair<std::array<ValueId, 2>, ValueId> threefry(const Dims& shape) {
    const auto n = static_cast<uint64_t>(product(shape));
    const ValueId key = word(0);
    const ValueId counter = word(1);
    auto [x0, x1] = halves(emit_.reshape(plus_index(counter, {static_cast<int64_t>(n)}), shape));
    const auto [k0, k1] = halves(spread(key, shape));
    const ValueId k2 =
        exclusive_or(exclusive_or(k0, k1), emit_.integer(emit_.type(k0), kThreeFryParity));
    const std::array keys = {k0, k1, k2};
    constexpr std::array<std::array<uint64_t, 4>, 2> kRotations = {
        {{13, 15, 26, 6}, {17, 29, 16, 24}}};
    x0 = emit_.plus(x0, k0);
    x1 = emit_.plus(x1, k1);
    for (size_t group = 0; group < kThreeFryRounds / 4; ++group) {
      for (const uint64_t rotation : kRotations[group % 2]) {
        x0 = emit_.plus(x0, x1);
        x1 = exclusive_or(rotated(x1, rotation), x0);
      }
      x0 = emit_.plus(x0, keys[(group + 1) % 3]);
      x1 = emit_.plus(emit_.plus(x1, keys[(group + 2) % 3]),
                      emit_.integer(emit_.type(x1), group + 1));
    }
    const ValueId next = emit_.plus(counter, emit_.integer(emit_.type(counter), n));
    return {{x0, x1}, joined({key, next})};
  }

  // A 64-bit number from its halves.
  ValueId wide(ValueId low, ValueId high) {
    const ValueId top = emit_.convert(high, ElementType::U64);
    const ValueId shift = emit_.integer(emit_.type(top), 32);
    return emit_.binary(OpKind::Or, emit_.convert(low, ElementType::U64),
                        emit_.binary(OpKind::ShiftLeft, top, shift));
  }

 private:
  ValueId word(int64_t i) { return emit_.reshape(emit_.slice(state_, 0, i, i + 1), {}); }
  ValueId spread(ValueId scalar, const Dims& shape) { return emit_.broadcast(scalar, shape, {}); }
  ValueId plus_index(ValueId scalar, const Dims& shape) {
    return emit_.plus(spread(scalar, shape), emit_.iota(ElementType::U64, shape, 0));
  }
  ValueId joined(const std::vector<ValueId>& words) {
    std::vector<ValueId> parts;
    for (const ValueId w : words) parts.push_back(emit_.reshape(w, {1}));
    return emit_.concatenate(parts, 0);
  }
  ValueId exclusive_or(ValueId a, ValueId b) { return emit_.binary(OpKind::Xor, a, b); }
  std::pair<ValueId, ValueId> halves(ValueId a) {
    const ValueId shift = emit_.integer(emit_.type(a), 32);
    const ValueId high = emit_.binary(OpKind::ShiftRightLogical, a, shift);
    return {emit_.convert(a, ElementType::U32), emit_.convert(high, ElementType::U32)};
  }
  std::pair<ValueId, ValueId> long_product(ValueId a, uint64_t factor) {
    const ValueId full = emit_.convert(a, ElementType::U64);
    return halves(emit_.times(full, emit_.integer(emit_.type(full), factor)));
  }
  ValueId rotated(ValueId a, uint64_t by) {
    const TensorType type = emit_.type(a);
    return emit_.binary(OpKind::Or, emit_.binary(OpKind::ShiftLeft, a, emit_.integer(type, by)),
                        emit_.binary(OpKind::ShiftRightLogical, a, emit_.integer(type, 32 - by)));
  }

  Emit& emit_;
  ValueId state_;
};

// One number of each stream in turn: [a0, b0, a1, b1, ...] along `dim`, cut to `size`.
ValueId interleaved(Emit& emit, std::span<const ValueId> streams, int64_t dim, int64_t size) {
  const Dims shape = emit.type(streams[0]).shape;
  const auto at = static_cast<size_t>(dim);
  Dims one = shape;
  one.insert(one.begin() + dim + 1, 1);
  std::vector<ValueId> parts;
  for (const ValueId s : streams) parts.push_back(emit.reshape(s, one));
  Dims flat = shape;
  flat[at] *= static_cast<int64_t>(streams.size());
  const ValueId all = emit.reshape(emit.concatenate(parts, dim + 1), flat);
  return flat[at] == size ? all : emit.slice(all, dim, 0, size);
}

// 32-bit numbers of ThreeFry pair up along the first even dimension, else along the largest.
int64_t pairing_dim(const Dims& shape) {
  const auto even = std::ranges::find_if(shape, [](int64_t n) { return n % 2 == 0; });
  const auto at = even != shape.end() ? even : std::ranges::max_element(shape);
  return at - shape.begin();
}

std::pair<ValueId, ValueId> threefry_bits(Emit& emit, ValueId state, Dims shape, bool wide) {
  Generator generator(emit, state);
  if (wide) {
    const auto [x, next] = generator.threefry(shape);
    return {generator.wide(x[0], x[1]), next};
  }
  const int64_t dim = pairing_dim(shape);
  const int64_t size = shape[static_cast<size_t>(dim)];
  shape[static_cast<size_t>(dim)] = (size + 1) / 2;
  const auto [x, next] = generator.threefry(shape);
  return {interleaved(emit, x, dim, size), next};
}

std::pair<ValueId, ValueId> philox_bits(Emit& emit, ValueId state, const Dims& shape, bool wide) {
  Generator generator(emit, state);
  const int64_t count = product(shape);
  const int64_t per_block = wide ? 2 : 4;
  const auto [x, next] = generator.philox((count + per_block - 1) / per_block);
  if (!wide) return {emit.reshape(interleaved(emit, x, 0, count), shape), next};
  const std::array pairs = {generator.wide(x[0], x[1]), generator.wide(x[2], x[3])};
  return {emit.reshape(interleaved(emit, pairs, 0, count), shape), next};
}

ElementType unsigned_of(int width) {
  switch (width) {
    case 8:
      return ElementType::U8;
    case 16:
      return ElementType::U16;
    case 32:
      return ElementType::U32;
    default:
      return ElementType::U64;
  }
}

}  // namespace

Expanded expand_random_bits(Emit& emit, const Op& op, const std::vector<ValueId>& in,
                            const TensorType& bits) {
  using Algorithm = RngBitGeneratorAttributes::Algorithm;
  const bool threefry =
      std::get<RngBitGeneratorAttributes>(op.attributes).algorithm == Algorithm::ThreeFry;
  const TensorType& state = emit.type(in[0]);
  const int width = bit_width(bits.element);
  const bool state_fits = state.element == ElementType::U64 &&
                          (state.shape[0] == 2 || (state.shape[0] == 3 && !threefry));
  if (!state_fits || width < 8) {
    return error(kState,
                 "rng_bit_generator makes {} from the state {}; use a state of 2 ui64 "
                 "(Philox: 2 or 3) and a type of 8 to 64 bits",
                 str(bits), str(state));
  }
  if (product(bits.shape) == 0) {
    return std::vector{in[0], emit.constant(bits, 0)};
  }
  const Dims shape = bits.shape.empty() ? Dims{1} : bits.shape;
  auto [numbers, next] = threefry ? threefry_bits(emit, in[0], shape, width == 64)
                                  : philox_bits(emit, in[0], shape, width == 64);
  numbers = emit.reshape(emit.convert(numbers, unsigned_of(width)), bits.shape);
  if (emit.type(numbers).element != bits.element) numbers = emit.bitcast(numbers, bits.element);
  return std::vector{next, numbers};
}

}  // namespace trainyard::compiler
