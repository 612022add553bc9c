#pragma once
// Rows of the fidelity table: a published figure, and how to measure ours in a program.
//
// They stand as comments in front of the program that represents the published kernel:
//
//   # id: V-MM-6
//   # what: fp32 4096 x 8192 x 8192 on trn2, two loads before each matmul
//   # source: nki-tutorials
//   # measure: total
//   # published: 39.89 ms
//   # band: 3 %
//   # note: one line
//
// `measure` begins a row; `id`, `what`, `source` and `target` hold from where they stand on.
// `repeat: t=4 o=4` gives named repeats another count, so that one program serves a sweep; `case:`
// names the point of the sweep.
// `calibrates: dma.gap` names a constant that was read off this very figure.
// `not_modelled: why` begins a row without a measure.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace trainyard::tools {

// A number in the unit in which it was published.
struct Quantity {
  double value = 0;
  std::string unit;  // "ms", "GB", "%", "FLOP/B", or empty

  friend bool operator==(const Quantity&, const Quantity&) = default;
};

// How much one `unit` is of the unit that measures give: seconds, bytes, or the unit itself. 0 for
// a unit that is not known.
double scale_of(std::string_view unit);
bool is_time(std::string_view unit);

struct FidelityRow {
  std::string id, what, source, target;
  std::string measure;
  std::string not_modelled;  // why; then there is no measure
  Quantity published;
  double band = 0;  // percent
  std::map<std::string, int64_t> repeats;
  std::string variant;     // the point of a sweep, in words
  std::string calibrates;  // the constant that this figure helped to set
  std::string note;
  SourcePlace place;
};

// The rows of one file, in order. TY-FID-001 for a header line that cannot be read, or a row that
// lacks something.
Result<std::vector<FidelityRow>> read_fidelity_rows(std::string_view text, const std::string& file);

}  // namespace trainyard::tools
