#include "numerics/functions/range_reduction.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/check.h"
#include "numerics/functions/coefficients64.h"

namespace trainyard::numerics {
namespace {

__extension__ using uint128 = unsigned __int128;

// 192 bits, highest word first.
struct Wide {
  uint64_t word[3];
};

// 192 bits of 2/pi from `position` on; position 64 is the bit of weight 1/2.
Wide two_over_pi_bits(int position) {
  const size_t first = static_cast<size_t>(position) / 64;
  const int shift = position % 64;
  TY_CHECK(first + 3 < std::size(fp64::kTwoOverPi));
  Wide out;
  for (size_t i = 0; i < 3; ++i) {
    const uint128 two_words =
        uint128{fp64::kTwoOverPi[first + i]} << 64 | fp64::kTwoOverPi[first + i + 1];
    out.word[i] = static_cast<uint64_t>(two_words << shift >> 64);
  }
  return out;
}

// factor * w, without what exceeds 192 bits.
Wide multiply(uint64_t factor, const Wide& w) {
  const uint128 low = uint128{factor} * w.word[2];
  const uint128 middle = uint128{factor} * w.word[1] + (low >> 64);
  const uint64_t high = factor * w.word[0] + static_cast<uint64_t>(middle >> 64);
  return {{high, static_cast<uint64_t>(middle), static_cast<uint64_t>(low)}};
}

Wide negate(const Wide& w) {
  Wide out;
  uint64_t carry = 1;
  for (int i = 2; i >= 0; --i) {
    out.word[i] = ~w.word[i] + carry;
    carry = carry & (out.word[i] == 0 ? 1 : 0);
  }
  return out;
}

struct Sum {
  double hi;
  double lo;
};

Sum two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// w / 2^192 as a sum of two doubles: 32 bits at a time, highest first.
Sum fraction(const Wide& w) {
  Sum total{0, 0};
  double weight = 0x1p-32;
  for (int i = 0; i < 6; ++i, weight *= 0x1p-32) {
    const uint64_t digits = i % 2 ? w.word[i / 2] & 0xFFFFFFFF : w.word[i / 2] >> 32;
    const Sum next = two_sum(total.hi, static_cast<double>(digits) * weight);
    total = {next.hi, total.lo + next.lo};
  }
  return total;
}

Sum times_half_pi(const Sum& v) {
  const double product = v.hi * fp64::kHalfPi1;
  const double lost = std::fma(v.hi, fp64::kHalfPi1, -product);
  return two_sum(product, lost + (v.hi * fp64::kHalfPi2 + v.lo * fp64::kHalfPi1));
}

}  // namespace

// |x| = m 2^e with a whole m. Bits of 2/pi of weight 2^(2-e) and more change x 2/pi by multiples of
// 4 and are left out; the next 192 give two bits of quadrant and 190 of fraction, of which at most
// 53 are spoilt by the bits that follow.
ReducedAngle reduce_large_angle(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const int e = static_cast<int>(bits >> 52 & 0x7FF) - 1075;
  const uint64_t m = (bits & 0x000FFFFFFFFFFFFF) | 0x0010000000000000;
  Wide turn = multiply(m, two_over_pi_bits(64 + e - 2));
  unsigned quadrant = static_cast<unsigned>(turn.word[0] >> 62);
  turn = multiply(4, turn);
  const bool past_half = turn.word[0] >> 63 != 0;
  if (past_half) {
    turn = negate(turn);
    ++quadrant;
  }
  Sum angle = times_half_pi(fraction(turn));
  const bool negative = std::signbit(x);
  if (past_half != negative) angle = {-angle.hi, -angle.lo};
  if (negative) quadrant = 0u - quadrant;
  return {angle.hi, angle.lo, static_cast<int>(quadrant % 4)};
}

}  // namespace trainyard::numerics
