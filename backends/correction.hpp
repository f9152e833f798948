#pragma once

#include "core/host_device.hpp"

namespace cisolve {

/// θ − d held away from zero: at least `guard` in magnitude, its sign kept (a zero counts as
/// positive). Without the guard a decoupled determinant, whose diagonal element is an eigenvalue,
/// divides by zero.
CISOLVE_HOST_DEVICE inline double guarded_difference(double theta, double d, double guard) {
  const double difference = theta - d;
  if (difference >= 0.0) return difference < guard ? guard : difference;
  return difference > -guard ? -guard : difference;
}

}  // namespace cisolve
