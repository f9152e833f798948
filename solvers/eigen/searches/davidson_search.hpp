#pragma once

#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/searches/sector_search.hpp"
#include "solvers/eigen/steps/subspace.hpp"

namespace cisolve {

/// Davidson's method in one sector, and LOBPCG, which is the same over a smaller basis. New
/// directions are preconditioned residuals, t = −M⁻¹r; with Olsen's term (Olsen, Jørgensen, Simons,
/// Chem. Phys. Lett. 1990, 169, 463)
///   t = −M⁻¹r + εM⁻¹x,  ε = xᵀM⁻¹r / xᵀM⁻¹x, so that xᵀt = 0.
class DavidsonSearch : public SectorSearch {
 public:
  /// `basis`, `images`: memory of the sector's rows here, as many columns as V may have; `olsen`:
  /// memory for two vectors, or none.
  DavidsonSearch(Backend& backend, Preconditioner preconditioner, Index dimension, View basis,
                 View images, View olsen)
      : SectorSearch(backend, std::move(preconditioner), dimension),
        space_(backend, basis, images),
        olsen_(olsen) {}

  ConstView basis() const override { return space_.basis(); }
  int limit() const override { return space_.limit(); }
  Eigen::Map<const HostVector> values() const override { return space_.values(); }

  void compute_residuals(int count, View r) override;
  int width(const SectorTask& task) const override;
  void make_room(SectorTask& task, int wanted) override;
  void propose(const SectorTask& task, std::uint64_t seed, double energy, View t) override;
  void propose_residuals(const SectorTask& task, View t) override;
  /// Takes the residuals themselves, orthogonal to V, if all corrections lie in V.
  int accept(const SectorTask& task, View t) override;
  bool append(ConstView t, View at, bool known) override;
  HostMatrix earlier() const override { return space_.earlier(tracked()); }
  void take_earlier(const HostMatrix& c) override;
  void vectors(View x) const override { space_.vectors(x); }
  void vector_and_image(int j, View x, View y) const override { space_.vector_and_image(j, x, y); }

 protected:
  void clear_basis() override { space_.clear(); }
  Subspace& space() { return space_; }
  virtual Denominator denominator() const { return Denominator::difference; }

 private:
  void add_olsen_term(const SectorTask& task, View t);

  Subspace space_;
  View olsen_;
  View residuals_;  ///< of the first pairs
  std::vector<double> theta_;
  HostMatrix product_;
};

/// LOBPCG in one sector (Knyazev, SIAM J. Sci. Comput. 2001, 23, 517), over an orthonormal basis of
/// [X W P] (Hetmaniuk, Lehoucq 2006): before new directions W join, V is cut to the Ritz vectors X
/// and P, what is left of those of the iteration before once X is taken out. Its preconditioner is
/// definite: of −M⁻¹r nothing need be gained where M is not, and V, which forgets, would be given
/// the same again.
class LobpcgSearch final : public DavidsonSearch {
 public:
  using DavidsonSearch::DavidsonSearch;
  void make_room(SectorTask& task, int wanted) override;

 private:
  Denominator denominator() const override { return Denominator::definite; }
};

}  // namespace cisolve
