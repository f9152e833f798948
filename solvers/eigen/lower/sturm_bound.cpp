#include "solvers/eigen/lower/sturm_bound.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include "core/infinity.hpp"

namespace cisolve {
namespace {

/// True if `count` Ritz values are below κ, and log p_m(κ)² reaches `needed`.
bool shown(const LanczosMatrix& t, double kappa, std::size_t count, double needed) {
  double pivot = 1.0, log_square = 0.0;
  std::size_t below = 0;
  for (std::size_t j = 0; j < t.alpha.size(); ++j) {
    const double before = j == 0 ? 0.0 : t.beta[j - 1];
    pivot = t.alpha[j] - kappa - before * before / pivot;
    // A pivot of zero stands for one that rounding makes of it.
    if (pivot == 0.0) {
      pivot = -std::numeric_limits<double>::min() -
              std::numeric_limits<double>::epsilon() * (std::abs(kappa) + before);
    }
    if (pivot < 0.0) ++below;
    log_square += t.beta[j] == 0.0 ? infinity : 2.0 * std::log(std::abs(pivot) / t.beta[j]);
  }
  return below == count && log_square >= needed;
}

}  // namespace

bool excludes_others(const LanczosMatrix& t, std::span<const double> known, double width,
                     double end, double needed) {
  double from = -infinity;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!(known[i] - width > from) || !shown(t, known[i] - width, i, needed)) return false;
    from = known[i] + width;
    if (!shown(t, from, i + 1, needed)) return false;
  }
  return end > from && shown(t, end, known.size(), needed);
}

}  // namespace cisolve
