#include "solvers/eigen/sector_search.hpp"

#include <cmath>

#include "solvers/eigen/steps/orthonormalize.hpp"

namespace cisolve {

void SectorSearch::propose_start(std::uint64_t seed, double energy, int first, int given, View t) {
  const int levels_left = std::max(0, static_cast<int>(levels().size()) - first);
  const int known = std::min(t.columns - given, levels_left);
  if (known > 0) preconditioner_.eigenvectors(first, t.slice(given, known));
  const int made = given + known;
  if (made < t.columns) make_random(seed, energy, t.slice(made, t.columns - made));
}

void SectorSearch::add_random_part(std::uint64_t seed, double energy, double eta, View r, View t) {
  make_random(seed, energy, r);
  std::vector<double> scale(static_cast<std::size_t>(t.columns));
  backend_.column_norms(r, scale);
  for (double& s : scale) s = s > 0.0 ? eta / s : 0.0;
  backend_.scale_columns(scale, r);
  backend_.axpby(1.0, r, 1.0, t);
}

int SectorSearch::accept_start(View t) {
  return orthonormalize(backend_, basis(), t);
}

void SectorSearch::make_random(std::uint64_t seed, double energy, View t) {
  constexpr double smallest_denominator = 1e-1;  // in units of the scale
  backend_.fill_random(seed, 0, t);
  if (!smooths_ || !std::isfinite(energy)) return;
  theta_.assign(t.columns, energy);
  for (int pass = 0; pass < 2; ++pass) {
    preconditioner_.apply(theta_, Denominator::difference, smallest_denominator, t);
  }
}

}  // namespace cisolve
