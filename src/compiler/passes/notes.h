#pragma once
// What passes find out about an operation and the lowering uses: entries of Op::extra.
#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// On a while: how often its body runs.
inline constexpr std::string_view kTripsNote = "trainyard.trips";
// On dynamic_update_slice and scatter: the operand that is dead afterwards, so that the result may
// lie in its tensor.
inline constexpr std::string_view kInPlaceNote = "trainyard.in_place";
// On reduce_window: the dimension along which it is a running sum (or product, maximum, ...).
inline constexpr std::string_view kCumulativeNote = "trainyard.cumulative";
// Beside it: 1 when the run goes from the end to the start.
inline constexpr std::string_view kReverseNote = "trainyard.reverse";

std::optional<int64_t> note(const Op& op, std::string_view name);
void set_note(Op& op, std::string_view name, int64_t value);
void clear_note(Op& op, std::string_view name);

inline std::optional<int64_t> trip_count(const Op& op) { return note(op, kTripsNote); }

}  // namespace trainyard::compiler
