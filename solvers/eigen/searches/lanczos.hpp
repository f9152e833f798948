#pragma once

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/sector_search.hpp"

namespace cisolve {

/// Block Lanczos in one sector, with thick restart (Wu, Simon, SIAM J. Matrix Anal. Appl. 2000, 22,
/// 602) and every vector orthogonalised against the whole basis. With V and Q orthonormal, QᵀV = 0:
///   AV = VH + QB,  H = VᵀAV;  the residual of Ritz pair (θ, Vs) is QBs.
/// The block Q is the next one. No images are kept: half the memory of Davidson's basis.
class LanczosSearch final : public SectorSearch {
 public:
  /// `basis`, `next`: memory of the sector's rows here for V and Q. Q has at most the columns of a
  /// start block.
  LanczosSearch(Backend& backend, Preconditioner preconditioner, Index dimension, View basis,
                View next);

  ConstView basis() const override { return basis_.slice(0, size_); }
  int limit() const override { return basis_.columns; }
  Eigen::Map<const HostVector> values() const override {
    return {ritz_.values.data(), ritz_.values.size()};
  }

  void compute_residuals(int count, View r) override;
  int width(const SectorTask& task) const override;
  void make_room(SectorTask& task, int wanted) override;
  void propose(const SectorTask& task, std::uint64_t seed, double energy, View t) override;
  int accept(const SectorTask& task, View t) override;
  bool append(ConstView t, View at, bool known) override;
  int next() const override { return width_; }
  void next_vector(int i, View x) const override { backend().copy(next_.slice(i, 1), x); }
  void append_next(ConstView x) override;
  bool exact_images() const override { return !dropped_; }
  void vectors(View x) const override;
  void vector_and_image(int j, View x, View y) const override;

 private:
  void clear_basis() override;
  void restart(int kept);
  /// W's columns, the remainders of V's columns from `first` on, go into Q and B.
  void take_remainders(int first, View w);

  int d_;  ///< components; the small matrices are real ones, d rows and columns for one
  View basis_, next_;
  int size_ = 0, width_ = 0;  ///< columns of V and of Q
  bool whole_ = false;        ///< Q is whole: what remainders have beside it is rounding
  bool resumed_ = false;      ///< Q is of an earlier solve's images
  bool dropped_ = false;      ///< a Q was dropped, and with it a part of the images
  HostMatrix projection_;     ///< H
  HostMatrix border_;         ///< B, in the first d·width_ rows
  SymmetricEigen ritz_;
  HostMatrix c_, sum_;
};

}  // namespace cisolve
