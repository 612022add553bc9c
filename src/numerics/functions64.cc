#include "numerics/functions64.h"

#include <array>

namespace trainyard::numerics {
namespace {

constexpr std::array<std::string_view, 15> kNames = {
    "sqrt", "rsqrt", "cbrt", "exp",      "expm1", "log",  "log1p",   "sin",
    "cos",  "tan",   "tanh", "logistic", "erf",   "erfc", "erf_inv",
};
static_assert(kNames.size() == static_cast<size_t>(Math::ErfInv) + 1);

constexpr std::array<std::string_view, 2> kNames2 = {"atan2", "pow"};

constexpr auto kAll = [] {
  std::array<Math, kNames.size()> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Math>(i);
  return all;
}();

constexpr std::array kAll2 = {Math2::Atan2, Math2::Pow};

}  // namespace

std::span<const Math> all_math() { return kAll; }
std::span<const Math2> all_math2() { return kAll2; }

std::string_view name(Math f) { return kNames[static_cast<size_t>(f)]; }
std::string_view name(Math2 f) { return kNames2[static_cast<size_t>(f)]; }

std::optional<Math> parse_math(std::string_view text) {
  for (const Math f : kAll) {
    if (name(f) == text) return f;
  }
  return std::nullopt;
}

std::optional<Math2> parse_math2(std::string_view text) {
  for (const Math2 f : kAll2) {
    if (name(f) == text) return f;
  }
  return std::nullopt;
}

}  // namespace trainyard::numerics
