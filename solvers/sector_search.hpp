#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "solvers/preconditioner.hpp"
#include "solvers/subspace.hpp"

namespace cisolve {

/// Davidson's method in one sector: its basis, and which of its Ritz pairs are worked on.
class SectorSearch {
 public:
  /// `basis`, `images`: memory of the sector's rows, as many columns as the basis may have.
  SectorSearch(Backend& backend, Preconditioner preconditioner, View basis, View images)
      : backend_(backend),
        preconditioner_(std::move(preconditioner)),
        space_(backend, basis, images) {}

  Subspace& space() { return space_; }
  const Subspace& space() const { return space_; }
  /// The whole sector is in the basis: its Ritz values are its eigenvalues.
  bool exhausted() const { return space_.size() == space_.rows(); }
  const HostVector& levels() const { return preconditioner_.levels(); }

  /// T := eigenvectors of A_PP from number `first` on behind the first `given` columns, which stay,
  /// then, where P has fewer, random vectors as `random` makes them; orthonormal and orthogonal to
  /// the basis; their number.
  int start(std::uint64_t seed, double energy, int first, int given, View t);

  /// Norms of the residuals of the first R.columns pairs, the residuals in R.
  void compute_residuals(View r);
  double norm(int j) const { return norms_[j]; }
  int tracked() const { return static_cast<int>(norms_.size()); }

  /// T := new directions −M⁻¹r, orthonormal to the basis, from the residuals R of the pairs
  /// `targets`, as many as T has columns; R as computed last. The shift of M is the pair's Ritz
  /// value, at most `highest_shift`. Their number. Where all corrections lie in the basis
  /// the residuals themselves, orthogonal to it, are taken.
  int correct(std::span<const int> targets, double highest_shift, ConstView r, View t);

  /// T := random vectors of the sector, orthonormal to the basis, in which energies near `energy`
  /// were raised by two applications of the preconditioner; their number.
  int random(std::uint64_t seed, double energy, View t);

 private:
  void make_random(std::uint64_t seed, double energy, View t);

  Backend& backend_;
  Preconditioner preconditioner_;
  Subspace space_;
  std::vector<double> norms_;
  std::vector<double> theta_;
};

}  // namespace cisolve
