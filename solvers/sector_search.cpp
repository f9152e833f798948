#include "solvers/sector_search.hpp"

#include <algorithm>

#include "solvers/orthonormalize.hpp"
#include "solvers/start_vectors.hpp"

namespace cisolve {
namespace {

// Smallest magnitudes of the preconditioner's denominators, in Hartree.
constexpr double smallest_denominator = 1e-2;
constexpr double smallest_denominator_of_random = 1e-1;

}  // namespace

int SectorSearch::start(std::uint64_t seed, double energy, int first, int given, View t) {
  const int levels_left = std::max(0, static_cast<int>(levels().size()) - first);
  const int known = std::min(t.columns - given, levels_left);
  if (known > 0) preconditioner_.eigenvectors(first, t.slice(given, known));
  const int made = given + known;
  if (made < t.columns) make_random(seed, energy, t.slice(made, t.columns - made));
  return orthonormalize(backend_, space_.basis(), t);
}

void SectorSearch::compute_residuals(View r) {
  norms_.resize(r.columns);
  if (r.columns == 0) return;
  space_.residuals(r);
  backend_.column_norms(r, norms_);
}

int SectorSearch::correct(std::span<const int> targets, double highest_shift, ConstView r, View t) {
  HostMatrix selection = HostMatrix::Zero(r.columns, t.columns);
  theta_.resize(t.columns);
  for (int j = 0; j < t.columns; ++j) {
    selection(targets[j], j) = 1.0;
    theta_[j] = std::min(space_.values()[targets[j]], highest_shift);
  }
  backend_.combine(1.0, r, selection, 0.0, t);
  preconditioner_.apply(theta_, smallest_denominator, t);
  const int added = orthonormalize(backend_, space_.basis(), t);
  if (added > 0) return added;
  backend_.combine(1.0, r, selection, 0.0, t);
  return orthonormalize(backend_, space_.basis(), t);
}

int SectorSearch::random(std::uint64_t seed, double energy, View t) {
  make_random(seed, energy, t);
  return orthonormalize(backend_, space_.basis(), t);
}

void SectorSearch::make_random(std::uint64_t seed, double energy, View t) {
  random_vectors(backend_, seed, t);
  theta_.assign(t.columns, energy);
  for (int pass = 0; pass < 2; ++pass) {
    preconditioner_.apply(theta_, smallest_denominator_of_random, t);
  }
}

}  // namespace cisolve
