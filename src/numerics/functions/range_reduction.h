#pragma once
// Large angles for sin, cos and tan. In numerics/functions, for its kernels only.

namespace trainyard::numerics {

// x = (quadrant + 4 k) pi/2 + (hi + lo) with |hi + lo| <= pi/4, to 2^-70 of itself.
struct ReducedAngle {
  double hi;
  double lo;
  int quadrant;  // 0..3
};

// For finite |x| >= 2^30. Whole numbers only, so the same bits everywhere.
ReducedAngle reduce_large_angle(double x);

}  // namespace trainyard::numerics
