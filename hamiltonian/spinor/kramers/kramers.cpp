#include "hamiltonian/spinor/kramers/kramers.hpp"

#include <algorithm>
#include <limits>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

constexpr int partner(int p) {
  return p ^ 1;
}

/// s_p s_q.
constexpr double sign_of_pair(int p, int q) {
  return (p ^ q) % 2 != 0 ? -1.0 : 1.0;
}

/// The largest of some integrals, and their largest difference.
struct Difference {
  double largest = 0.0, difference = 0.0;

  void add(Complex turned, Complex own) {
    largest = std::max(largest, std::abs(own));
    difference = std::max(difference, std::abs(turned - own));
  }
  double relative() const { return difference == 0.0 ? 0.0 : difference / largest; }
};

}  // namespace

double kramers_deviation(const SpinorIntegrals& integrals) {
  const int n = integrals.spinors;
  if (n % 2 != 0) return std::numeric_limits<double>::infinity();
  Difference of_h;
  double largest = 0.0, difference = 0.0;
#pragma omp parallel for reduction(max                                                            \
                                   : largest, difference) if (worth_threads(1.0 * n * n * n * n)) \
    schedule(static)
  for (int p = 0; p < n; ++p) {
    Difference of_g;
    for (int q = 0; q < n; ++q) {
      const double sign = sign_of_pair(p, q);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          of_g.add(sign * integrals.g(partner(p), partner(q), r, s), integrals.g(q, p, r, s));
        }
      }
    }
    largest = std::max(largest, of_g.largest);
    difference = std::max(difference, of_g.difference);
  }
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      of_h.add(sign_of_pair(p, q) * integrals.h(partner(p), partner(q)), integrals.h(q, p));
    }
  }
  return std::max(of_h.relative(), Difference{largest, difference}.relative());
}

void time_average(SpinorIntegrals& integrals) {
  const int n = integrals.spinors;
  const auto mean = [](Complex one, double sign, Complex other) {
    return 0.5 * (one + sign * other);
  };
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      const int a = partner(q), b = partner(p);
      const Complex value = mean(integrals.h(p, q), sign_of_pair(p, q), integrals.h(a, b));
      integrals.h.set(p, q, value);
      integrals.h.set(a, b, sign_of_pair(p, q) * value);
    }
  }
  // A mean taken twice stays the same: no harm is done where one is met again.
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s < n; ++s) {
          const int a = partner(q), b = partner(p), c = partner(s), d = partner(r);
          const double sign = sign_of_pair(p, q) * sign_of_pair(r, s);
          const Complex value = mean(integrals.g(p, q, r, s), sign, integrals.g(a, b, c, d));
          integrals.g.set(p, q, r, s, value);
          integrals.g.set(a, b, c, d, sign * value);
        }
      }
    }
  }
}

}  // namespace cisolve
