#include "hamiltonian/nuclear/clebsch_gordan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace cisolve {
namespace {

long double factorial(int n) {
  long double product = 1.0L;
  for (int i = 2; i <= n; ++i) product *= i;
  return product;
}

bool is_projection(int twice_m, int twice_j) {
  return std::abs(twice_m) <= twice_j && (twice_j - twice_m) % 2 == 0;
}

}  // namespace

double clebsch_gordan(int twice_j1, int twice_m1, int twice_j2, int twice_m2, int twice_j,
                      int twice_m) {
  const bool allowed = twice_m1 + twice_m2 == twice_m && is_projection(twice_m1, twice_j1) &&
                       is_projection(twice_m2, twice_j2) && is_projection(twice_m, twice_j) &&
                       twice_j >= std::abs(twice_j1 - twice_j2) && twice_j <= twice_j1 + twice_j2 &&
                       (twice_j1 + twice_j2 - twice_j) % 2 == 0;
  if (!allowed) return 0.0;
  const auto half = [](int twice) { return twice / 2; };
  const int without_j = half(twice_j1 + twice_j2 - twice_j);
  const int a = half(twice_j1 - twice_m1), b = half(twice_j2 + twice_m2);
  const int c = half(twice_j - twice_j2 + twice_m1), d = half(twice_j - twice_j1 - twice_m2);
  long double sum = 0.0L;
  for (int k = std::max({0, -c, -d}); k <= std::min({without_j, a, b}); ++k) {
    const long double term = factorial(k) * factorial(without_j - k) * factorial(a - k) *
                             factorial(b - k) * factorial(c + k) * factorial(d + k);
    sum += (k % 2 == 0 ? 1.0L : -1.0L) / term;
  }
  const long double triangle = factorial(without_j) *
                               factorial(half(twice_j1 - twice_j2 + twice_j)) *
                               factorial(half(twice_j2 - twice_j1 + twice_j)) /
                               factorial(half(twice_j1 + twice_j2 + twice_j) + 1);
  const long double projections = factorial(half(twice_j1 + twice_m1)) * factorial(a) *
                                  factorial(b) * factorial(half(twice_j2 - twice_m2)) *
                                  factorial(half(twice_j + twice_m)) *
                                  factorial(half(twice_j - twice_m));
  return static_cast<double>(std::sqrt((twice_j + 1) * triangle * projections) * sum);
}

}  // namespace cisolve
