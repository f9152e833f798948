#include "hamiltonian/spinor/kramers.hpp"

#include <algorithm>
#include <limits>

#include "core/parallel.hpp"

namespace cisolve {
namespace {

constexpr int partner(int p) {
  return p ^ 1;
}

/// s_p s_q.
constexpr double sign_of_pair(int p, int q) {
  return (p ^ q) % 2 != 0 ? -1.0 : 1.0;
}

/// Of some integrals, the largest, and the largest difference.
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

}  // namespace cisolve
