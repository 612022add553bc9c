#pragma once
// bn_stats, bn_aggr and max8. [nki 2.3, 2.4] Sums are fp32: of bn_stats in the lanes of lanes.h, of
// bn_aggr tuple after tuple.
#include "sim/execute/tile/context.h"

namespace trainyard::sim {

// dst = (count, mean, sum of squared distances from the mean) of the elements 0, 2, 4, ..., then of
// 1, 3, 5, ...: mean = sum / count, then the distances are squared and added. No elements: zeros.
void bn_stats(const View& dst, const View& data, ExecContext& context);

// dst = (mean, variance) of the tuples (c, m, v) in data: n = sum c, mean = sum(c * m) / n,
// variance = (sum v + sum(c * (m - mean) * (m - mean))) / n.
void bn_aggr(const View& dst, const View& data, ExecContext& context);

// dst = the eight largest of each row, descending. A NaN is larger than everything where NaN
// propagates, else it is smaller.
void max8(const View& dst, const View& src, ExecContext& context);

}  // namespace trainyard::sim
