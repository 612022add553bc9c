#include "isa/gpsimd/primitives.h"

namespace trainyard::isa::gpsimd {

WindowRole role(const Op& op, size_t i) {
  const size_t count = std::get<WindowWork>(op.attributes).windows.size();
  switch (op.code) {
    case Code::Sort:
      return {true, true};
    case Code::TopK:
      return {i == 0, i > 0};
    case Code::SegmentedScan:
      return {i + 1 < count, i + 1 == count};
    case Code::GatherRows:
    case Code::BinarySearch:
    case Code::GatherSlices:
    case Code::Dot:
      return {i < 2, i == 2};
    case Code::ScatterSlices:
      return {true, i < count / 2};
    case Code::ScatterRows:
      return {true, i == 0};
    case Code::ReduceAxes:
    case Code::ReduceWindow:
      return {i < count / 2, i >= count / 2};
    case Code::Histogram:
      return {true, i == 1};
    default:
      return {};
  }
}

std::optional<KeyOrder> recognise_order(const Function& f) {
  if (f.blocks.size() != 1 || f.blocks[0].ops.size() != 1) return std::nullopt;
  const Block& body = f.blocks[0];
  const Op& op = body.ops[0];
  if (op.in.size() != 2 || op.out.size() != 1 || body.results != op.out) return std::nullopt;
  const bool floats = is_float(f.values[op.in[0]].type);
  const bool less = op.code == (floats ? Code::LtTotal : Code::Lt);
  const bool greater = op.code == (floats ? Code::GtTotal : Code::Gt);
  if (!less && !greater) return std::nullopt;
  for (size_t k = 0; 2 * k + 1 < body.params.size(); ++k) {
    const ValueId a = body.params[2 * k];
    const ValueId b = body.params[2 * k + 1];
    // "b before a" with < is the descending order.
    if (op.in[0] == a && op.in[1] == b) {
      return KeyOrder{static_cast<int>(k), less ? Order::Ascending : Order::Descending};
    }
    if (op.in[0] == b && op.in[1] == a) {
      return KeyOrder{static_cast<int>(k), less ? Order::Descending : Order::Ascending};
    }
  }
  return std::nullopt;
}

}  // namespace trainyard::isa::gpsimd
