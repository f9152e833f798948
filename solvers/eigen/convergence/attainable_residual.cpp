#include "solvers/eigen/convergence/attainable_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/eigen/methods.hpp"

namespace cisolve {

AttainableResidual::AttainableResidual(Workspace& work)
    : work_(work),
      rounding_(traits_of(work.options.method).rounding * std::numeric_limits<double>::epsilon()) {
  const auto [lowest, highest] = work.backend.extremes(work.diagonal.view());
  lowest_ = lowest;
  of_any_ = of_diagonal_ = rounding_ * std::max(std::abs(lowest), std::abs(highest));
}

void AttainableResidual::update(const Roots& roots, double tolerance, View x) {
  double largest = 0.0;
  for (int s = 0; s < work_.sectors(); ++s) {
    const int wanted = roots.wanted(s);
    if (wanted == 0) continue;
    const auto values = work_.search(s).values();
    largest = std::max({largest, std::abs(values[0]), std::abs(values[wanted - 1])});
  }
  of_values_ = rounding_ * largest;
  // Vectors made without corrections, which divide by the diagonal, all contain its largest
  // elements.
  if (traits_of(work_.options.method).corrects && tolerance < of_any_ &&
      roots.smallest_norm() <= of_any_) {
    of_diagonal_ = of_wanted(roots, x);
  }
}

double AttainableResidual::of_wanted(const Roots& roots, View x) {
  constexpr double least = 1e-3;  // in units of the scale
  Backend& backend = work_.backend;
  const View root = work_.new_vectors.narrowed(1);  // of the inverse: what is divided by it twice
  backend.shifted_power(1.0, work_.diagonal.view(), lowest_, least, Power::inverse_root, root);
  double largest = 0.0;
  std::vector<double> norms;
  for (int s = 0; s < work_.sectors(); ++s) {
    const int wanted = roots.wanted(s);
    if (wanted == 0) continue;
    const View x_s = work_.part(x, s).slice(0, wanted);
    const View y_s = work_.part(work_.new_images.narrowed(wanted), s);
    work_.search(s).vectors(x_s);
    backend.jacobi_update(1.0, x_s, work_.part(root, s), 0.0, y_s);
    backend.jacobi_update(1.0, y_s, work_.part(root, s), 0.0, x_s);
    norms.resize(wanted);
    backend.column_norms(x_s, norms);
    largest = std::max(largest, *std::ranges::max_element(norms));
  }
  return std::min(of_any_, rounding_ * (largest + std::abs(lowest_)));
}

}  // namespace cisolve
