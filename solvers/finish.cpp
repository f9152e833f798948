#include "solvers/finish.hpp"

#include <algorithm>
#include <limits>

namespace cisolve {

void finish(EigenResult& result, ConstView basis, const SymmetricEigen& ritz, CountedOperator& a,
            Backend& backend, double tolerance, View image) {
  const View x = result.vectors.view();
  const int states = x.columns;
  if (ritz.values.size() < states) {
    result.energies.assign(states, std::numeric_limits<double>::quiet_NaN());
    backend.fill(std::numeric_limits<double>::quiet_NaN(), x);
  } else {
    result.energies.assign(ritz.values.data(), ritz.values.data() + states);
    // After a breakdown the pairs are those of the iteration before, in a smaller basis.
    const HostMatrix lowest = ritz.vectors.leftCols(states);
    backend.combine(1.0, basis.slice(0, static_cast<int>(lowest.rows())), lowest, 0.0, x);
  }

  a.apply(x, image);
  HostMatrix minus_theta = HostMatrix::Zero(states, states);
  for (int j = 0; j < states; ++j) minus_theta(j, j) = -result.energies[j];
  backend.combine(1.0, x, minus_theta, 1.0, image);  // R = AX − XΘ
  result.residual_norms.resize(states);
  backend.column_norms(image, result.residual_norms);

  result.converged.clear();
  for (const double norm : result.residual_norms) result.converged.push_back(norm <= tolerance);
  const bool all = std::ranges::all_of(result.converged, [](bool c) { return c; });
  if (result.status == SolveStatus::converged && !all) result.status = SolveStatus::stagnated;
  result.operator_applications = a.applications();
  result.product_seconds = a.seconds();
}

}  // namespace cisolve
