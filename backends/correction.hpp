#pragma once

#include <cmath>

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

/// Denominator of a residual in the diagonal correction.
enum class Denominator {
  difference,  ///< θ − d: −M⁻¹r with M = D − θ, indefinite where θ lies above some of D
  definite,    ///< −|θ − d|: −|M|⁻¹r, a direction of descent whatever θ is
};

/// The denominator, at least `guard` in magnitude.
CISOLVE_HOST_DEVICE inline double guarded(Denominator kind, double theta, double d, double guard) {
  const double difference = guarded_difference(theta, d, guard);
  return kind == Denominator::definite && difference > 0.0 ? -difference : difference;
}

/// Powers of a positive number.
enum class Power { one, inverse_root };

/// m or 1 / √m.
CISOLVE_HOST_DEVICE inline double power(Power p, double m) {
  return p == Power::inverse_root ? 1.0 / std::sqrt(m) : m;
}

/// max(d − shift, least)^p; NaN where d is.
CISOLVE_HOST_DEVICE inline double shifted_power(double d, double shift, double least, Power p) {
  const double m = d - shift;
  return power(p, m < least ? least : m);
}

}  // namespace cisolve
