#include "tools/quantities.h"

#include <charconv>
#include <cmath>

namespace trainyard::tools {
namespace {

Status bad(std::string_view key, std::string_view text, std::string_view example) {
  return error("TY-PLAN-004", "--{} {}: write for example {}", key, text, example);
}

// The number at the start, and what follows it.
bool split(std::string_view text, double& number, std::string_view& rest) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || !std::isfinite(number)) return false;
  rest = text.substr(static_cast<size_t>(parsed.ptr - text.data()));
  return true;
}

}  // namespace

Result<double> parse_count(std::string_view key, std::string_view text, std::string_view example) {
  double number = 0;
  std::string_view rest;
  if (!split(text, number, rest) || number <= 0) return bad(key, text, example);
  double scale = 1;
  if (rest == "k" || rest == "K") scale = 1e3;
  if (rest == "M" || rest == "m") scale = 1e6;
  if (rest == "B" || rest == "b" || rest == "G") scale = 1e9;
  if (rest == "T" || rest == "t") scale = 1e12;
  if (scale == 1 && !rest.empty()) return bad(key, text, example);
  if (number * scale > 1e24) return bad(key, text, fmt::format("{}; at most 1e24", example));
  return number * scale;
}

Result<double> parse_hours(std::string_view key, std::string_view text) {
  double number = 0;
  std::string_view rest;
  if (!split(text, number, rest) || number <= 0 || number > 1e7)
    return bad(key, text, "14d or 36h");
  if (rest == "d" || rest.empty()) return 24 * number;
  if (rest == "h") return number;
  if (rest == "m") return number / 60;
  return bad(key, text, "14d or 36h");
}

Result<Range> parse_range(std::string_view key, std::string_view text) {
  Range range;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.low);
  range.high = range.low;
  const std::string_view rest(first.ptr, static_cast<size_t>(end - first.ptr));
  bool good = first.ec == std::errc();
  if (good && rest.starts_with("..")) {
    const auto second = std::from_chars(first.ptr + 2, end, range.high);
    good = second.ec == std::errc() && second.ptr == end;
  } else if (!rest.empty()) {
    good = false;
  }
  if (!good || range.low < 1 || range.high < range.low) return bad(key, text, "8 or 1..256");
  return range;
}

std::string from_one(const std::string& text) {
  const bool zero = !text.empty() && text.find_first_not_of('0') == std::string::npos;
  return text.starts_with("-") || zero ? fmt::format("{}: take a number from 1 on", text) : "";
}

std::string from_zero(const std::string& text) {
  return text.starts_with("-") ? fmt::format("{}: take a number from 0 on", text) : "";
}

std::string short_count(double value) {
  const double size = std::abs(value);
  if (size >= 1e12) return fmt::format("{:.2f} T", value / 1e12);
  if (size >= 1e9) return fmt::format("{:.2f} B", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.2f} M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.0f} k", value / 1e3);
  if (size >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace trainyard::tools
