#pragma once
// Which elements of a PSUM tensor instance have been written, so that a `first_write` matmul knows
// where it overwrites and where it adds. [nki 2.2, neuroncore 4.4 rule 2]
#include <cstdint>
#include <vector>

#include "sim/execute/tile/matmul.h"
#include "sim/execute/tile/view.h"

namespace trainyard::sim {

// A region is a pattern at a byte offset into the tensor. Most programs write whole tiles: they are
// kept as a list of regions. Regions that overlap without being equal turn the map into one byte
// per byte of the tensor.
class PsumMap {
 public:
  // A new instance: nothing is written.
  void clear() {
    regions_.clear();
    dense_ = false;
  }

  // The state of a region, and marks it as written. `written` receives one byte per element where
  // the state is Mixed.
  PsumState visit(const Pattern& pattern, int64_t offset, int64_t tensor_bytes,
                  std::vector<uint8_t>& written);

 private:
  struct Region {
    int64_t begin, end;  // the hull in bytes
    int64_t offset;
    const Pattern* pattern;
  };
  static constexpr size_t kMaxRegions = 64;

  void make_dense(int64_t tensor_bytes);
  PsumState visit_dense(const Pattern& pattern, int64_t offset, std::vector<uint8_t>* written);

  std::vector<Region> regions_;
  bool dense_ = false;
  std::vector<uint8_t> bytes_;
};

}  // namespace trainyard::sim
