#include "numerics/functions.h"

#include <array>
#include <cmath>
#include <limits>

namespace trainyard::numerics {
namespace {

constexpr std::array kNames = {
    std::string_view("copy"),
    std::string_view("square"),
    std::string_view("sigmoid"),
    std::string_view("relu"),
    std::string_view("prelu"),
    std::string_view("gelu"),
    std::string_view("gelu_dx"),
    std::string_view("gelu_apprx_tanh"),
    std::string_view("gelu_apprx_sigmoid"),
    std::string_view("gelu_apprx_sigmoid_dx"),
    std::string_view("silu"),
    std::string_view("silu_dx"),
    std::string_view("tanh"),
    std::string_view("softplus"),
    std::string_view("mish"),
    std::string_view("erf"),
    std::string_view("erf_dx"),
    std::string_view("exp"),
    std::string_view("log"),
    std::string_view("sin"),
    std::string_view("arctan"),
    std::string_view("sqrt"),
    std::string_view("rsqrt"),
    std::string_view("reciprocal"),
    std::string_view("sign"),
    std::string_view("abs"),
};
static_assert(kNames.size() == static_cast<size_t>(Function::Abs) + 1);

constexpr auto kAll = [] {
  std::array<Function, kNames.size()> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Function>(i);
  return all;
}();

}  // namespace

std::span<const Function> all_functions() { return kAll; }

std::string_view name(Function f) { return kNames[static_cast<size_t>(f)]; }

std::optional<Function> parse_function(std::string_view text) {
  for (const Function f : kAll) {
    if (name(f) == text) return f;
  }
  return std::nullopt;
}

InputRange valid_range(Function f) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kPi = 0x1.921fb6p1f;
  switch (f) {
    case Function::Log:
      return {0x1p-64f, 0x1p64f, false};
    case Function::Sin:
      return {-kPi, kPi, false};
    case Function::Arctan:
      return {-kPi / 2, kPi / 2, false};
    case Function::Sqrt:
      return {0x1p-116f, 0x1p118f, false};
    case Function::Rsqrt:
      return {0x1p-87f, 0x1p97f, false};
    case Function::Reciprocal:
      return {0x1p-42f, 0x1p42f, true};
    case Function::Copy:
    case Function::Square:
    case Function::Sigmoid:
    case Function::Relu:
    case Function::Prelu:
    case Function::Gelu:
    case Function::GeluDx:
    case Function::GeluApprxTanh:
    case Function::GeluApprxSigmoid:
    case Function::GeluApprxSigmoidDx:
    case Function::Silu:
    case Function::SiluDx:
    case Function::Tanh:
    case Function::Softplus:
    case Function::Mish:
    case Function::Erf:
    case Function::ErfDx:
    case Function::Exp:
    case Function::Sign:
    case Function::Abs:
      break;
  }
  return {-kInfinity, kInfinity, false};
}

bool in_valid_range(Function f, float x) {
  const InputRange range = valid_range(f);
  const float v = range.magnitude ? std::fabs(x) : x;
  return !(v < range.lo) && !(v > range.hi);
}

}  // namespace trainyard::numerics
