#include "solvers/finish.hpp"

#include <algorithm>

namespace cisolve {

void finish(EigenResult& result, CountedOperator& a, Backend& backend, double tolerance,
            View image) {
  const int states = result.vectors.columns();
  a.apply(result.vectors.view(), image);
  HostMatrix minus_theta = HostMatrix::Zero(states, states);
  for (int j = 0; j < states; ++j) minus_theta(j, j) = -result.energies[j];
  backend.combine(1.0, result.vectors.view(), minus_theta, 1.0, image);  // R = AX − XΘ
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
