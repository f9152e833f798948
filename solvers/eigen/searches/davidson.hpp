#pragma once

#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/methods.hpp"
#include "solvers/eigen/steps/subspace.hpp"

namespace cisolve {

/// Davidson's method in one sector. New directions are preconditioned residuals, t = −M⁻¹r; with
/// Olsen's term (Olsen, Jørgensen, Simons, Chem. Phys. Lett. 1990, 169, 463)
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

/// Makes a DavidsonSearch or what derives from it.
template <class Search>
std::unique_ptr<SectorSearch> make_davidson(Backend& backend, Preconditioner m,
                                            const SectorMemory& memory) {
  return std::make_unique<Search>(backend, std::move(m), memory.dimension, memory.basis,
                                  memory.images, memory.olsen);
}

}  // namespace cisolve
