#pragma once
// Operands that are a number or a [P,1] tile, compiled.
#include <optional>

#include "sim/execute/tile/context.h"
#include "sim/values/compile.h"

namespace trainyard::sim {

inline float number_of(const isa::Operand& operand) {
  if (const float* f = std::get_if<float>(&operand)) return *f;
  if (const int64_t* i = std::get_if<int64_t>(&operand)) return static_cast<float>(*i);
  return 0;
}

class ColumnRef {
 public:
  ColumnRef(const Compiler& compiler, const isa::Operand& operand) : number_(number_of(operand)) {
    if (const auto* tile = std::get_if<isa::Access>(&operand)) tile_ = compiler.operand(*tile);
    if (const auto* whole = std::get_if<int64_t>(&operand)) integer_ = *whole;
  }

  bool is_tile() const { return tile_.has_value(); }
  Column column(const Lane& lane) const {
    return tile_ ? Column{0, tile_->view(lane)} : Column{number_, {}};
  }
  IntegerColumn integers(const Lane& lane) const {
    return tile_ ? IntegerColumn{0, tile_->view(lane)} : IntegerColumn{integer_, {}};
  }
  std::optional<OperandRef>& tile() { return tile_; }

 private:
  float number_ = 0;
  int64_t integer_ = 0;
  std::optional<OperandRef> tile_;
};

}  // namespace trainyard::sim
