#pragma once
// Numbers as people write them: 2T tokens, 14 days, 1M dollars.
#include <string>
#include <string_view>

#include "base/status.h"

namespace trainyard::tools {

// "2T", "300B", "1.5M", "250k", "2e12". TY-PLAN-004 with `example` if it is no positive number.
Result<double> parse_count(std::string_view key, std::string_view text,
                           std::string_view example = "2T, 300B, 1.5M or 2e12");
// "14d", "36h", "90m" as hours; a plain number is days. TY-PLAN-004.
Result<double> parse_hours(std::string_view key, std::string_view text);

struct Range {
  int64_t low = 1, high = 1;
};
// "8", "1..256". TY-PLAN-004.
Result<Range> parse_range(std::string_view key, std::string_view text);

// Checks for options that take whole numbers: what is wrong with one below 1, or below 0. The
// parser lets a negative number wrap round into an unsigned one.
std::string from_one(const std::string& text);
std::string from_zero(const std::string& text);

// "1.94 M", "610 k", "12.3"
std::string short_count(double value);

}  // namespace trainyard::tools
