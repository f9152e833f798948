#include "hamiltonian/spin.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace cisolve {
namespace {

/// The beta-string excitations that start in [begin, end).
std::span<const StringExcitation> starting_in(std::span<const StringExcitation> list, Index begin,
                                              Index end) {
  const auto position = [&](Index wanted) {
    return std::ranges::lower_bound(list, wanted, {}, &StringExcitation::from);
  };
  return {position(begin), position(end)};
}

/// An alpha and a beta electron change places: from → to in alpha with to → from in beta, and back.
void exchange(const CiSpace& space, const StringExcitation& of_alpha,
              std::span<const StringExcitation> of_beta, const double* x, double* y) {
  const Index a = of_alpha.from, b = of_alpha.to;
  const std::int64_t row_a = space.row_begin[a] - space.beta_begin[a];
  const std::int64_t row_b = space.row_begin[b] - space.beta_begin[b];
  for (const StringExcitation& e : starting_in(of_beta, space.beta_begin[b], space.beta_end[b])) {
    if (e.to < space.beta_begin[a] || e.to >= space.beta_end[a]) continue;
    const double sign = of_alpha.sign * e.sign;
    y[row_b + e.from] -= sign * x[row_a + e.to];
    y[row_a + e.to] -= sign * x[row_b + e.from];
  }
}

}  // namespace

HostVector apply_s_squared(const CiSpace& space, const SpinPairExcitations& excitations,
                           const HostVector& x) {
  const double ms = 0.5 * (space.alpha.electrons - space.beta.electrons);
  HostVector y(x.size());
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (Index a = 0; a < space.alpha.size(); ++a) {
      for (Index b = space.beta_begin[a]; b < space.beta_end[a]; ++b) {
        const std::int64_t row = space.row(a, b);
        const int beta_only = std::popcount(space.beta.strings[b] & ~space.alpha.strings[a]);
        y[row] = (ms * (ms + 1) + beta_only) * x[row];
      }
    }
    // Of one pair every alpha string is in one excitation at most: no two threads write to one row.
    for (int q = 0; q < space.alpha.orbitals; ++q) {
      for (int p = 0; p < q; ++p) {
        const auto of_alpha = excitations[alpha]->of(p, q);
        const auto of_beta = excitations[beta]->of(p, q);
#pragma omp for schedule(dynamic, 16)
        for (std::size_t k = 0; k < of_alpha.size(); ++k) {
          exchange(space, of_alpha[k], of_beta, x.data(), y.data());
        }
      }
    }
  }
  return y;
}

std::optional<int> multiplicity(double s_squared, int ms2) {
  constexpr double tolerance = 1e-3;
  if (!(s_squared > -tolerance)) return std::nullopt;  // NaN too
  const double twice_s = std::sqrt(1.0 + 4.0 * std::max(s_squared, 0.0)) - 1.0;
  const auto nearest = static_cast<int>(std::lround(twice_s));
  const double s = 0.5 * nearest;
  const bool possible = nearest >= std::abs(ms2) && (nearest - ms2) % 2 == 0;
  if (!possible || std::abs(s_squared - s * (s + 1)) > tolerance) return std::nullopt;
  return nearest + 1;
}

}  // namespace cisolve
