#pragma once
// What `watch` looks for while values run: elements that are read before anything wrote them,
// inputs outside the range of an activation function, index tiles that lead outside or name a row
// twice.
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "sim/execute/tile/indirect.h"
#include "sim/values/compile.h"

namespace trainyard::sim {

// A tensor operand with what the instruction does to it.
struct WatchedOperand {
  std::string_view name;
  OperandRef at;
  isa::Role role = isa::Role::Read;
  bool reads_old = false;  // an update that uses the old contents: accumulate
};

class Watch {
 public:
  Watch(const isa::Program& program, const std::vector<Home>& homes);

  // A new instance of a tensor: poisoned with NaN (floats) or 4 (integers). [neuroncore 4.1]
  void new_instance(isa::TensorId root, std::byte* data);
  // Memory of the caller that holds values from the start.
  void bound(isa::TensorId root, bool initialised);

  void before(isa::InstId inst, const std::vector<WatchedOperand>& operands, Lane& lane);
  void after(isa::InstId inst, const std::vector<WatchedOperand>& operands, Lane& lane);
  // The rows of an indexed transfer and whose memory they are in, before it runs.
  struct Rows {
    isa::TensorId root = -1;
    IndexedRows rows;
  };
  void indexed_copy(isa::InstId inst, const Rows& dst, const Rows& src, Lane& lane);

 private:
  // Which bytes of a tensor have been written since it began. Most tensors are soon written all
  // over, and then no byte need be looked at.
  struct Written {
    std::vector<uint8_t> bytes;
    int64_t left = 0;  // not written yet
  };

  void forget(isa::TensorId root);
  void report(Lane& lane, isa::InstId inst, Status status);
  void report_unwritten(Lane& lane, isa::InstId inst, std::string_view operand, isa::TensorId root);
  bool is_written(isa::TensorId root, const Pattern& pattern, int64_t offset) const;
  void mark(isa::TensorId root, const Pattern& pattern, int64_t offset);
  void report_outside(Lane& lane, isa::InstId inst, const IndexedRows& rows);
  void report_twice(Lane& lane, isa::InstId inst, const IndexedRows& dst);

  const isa::Program& program_;
  const std::vector<Home>& homes_;
  std::vector<Written> written_;  // by root
  RangeFinding range_;
  std::map<std::pair<isa::InstId, std::string>, size_t> known_;  // into the lane's events
};

}  // namespace trainyard::sim
