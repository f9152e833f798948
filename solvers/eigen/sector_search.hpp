#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/steps/preconditioner.hpp"

namespace cisolve {

/// Next task of a sector: corrections of these Ritz pairs, or one vector that follows from none of
/// them.
struct SectorTask {
  std::vector<int> targets;  ///< ascending
  bool random = false;       ///< a random vector
  bool given = false;        ///< one that a search for lower states has brought

  bool one_vector() const { return random || given; }
  bool idle() const { return targets.empty() && !one_vector(); }
};

/// One sector, or what this rank has of its rows: an orthonormal basis V of a part of it, the Ritz
/// pairs A V s ≈ θ V s, and how V grows. Methods differ in that alone.
class SectorSearch {
 public:
  /// `dimension`: of the part of the sector that states are sought in; else its rows on all ranks.
  SectorSearch(Backend& backend, Preconditioner preconditioner, Index dimension)
      : backend_(backend), preconditioner_(std::move(preconditioner)), dimension_(dimension) {}
  SectorSearch(const SectorSearch&) = delete;
  SectorSearch& operator=(const SectorSearch&) = delete;
  virtual ~SectorSearch() = default;

  /// V, n × size, of n rows here.
  virtual ConstView basis() const = 0;
  virtual int limit() const = 0;  ///< most vectors V may have
  /// Θ, ascending, `size()` of them, as long as V stays.
  virtual Eigen::Map<const HostVector> values() const = 0;
  int size() const { return basis().columns; }
  Index dimension() const { return dimension_; }
  /// Vectors that V can still take.
  int room() const { return std::min<int>(limit(), dimension()) - size(); }
  /// The whole sector, or all of it that states are sought in, is in V: the Ritz values are its
  /// eigenvalues.
  bool exhausted() const { return spanned_ || size() == dimension(); }
  /// Notes that nothing was left of a random vector. If levels lie far apart, smoothing is the
  /// cause: the next ones are taken as they are drawn. The sector is exhausted if that happens to
  /// one of those.
  void nothing_left_of_random() {
    spanned_ = !smooths_;
    smooths_ = false;
  }

  /// Norms of the residuals of the first `count` pairs; R is memory for the residuals, of the
  /// sector's rows and as many columns, left alone until the next proposal. Lanczos needs none.
  virtual void compute_residuals(int count, View r) = 0;
  double norm(int j) const { return norms_[j]; }
  int tracked() const { return static_cast<int>(norms_.size()); }

  /// The eigenvalues of A_PP, ascending.
  const HostVector& levels() const { return preconditioner_.levels(); }
  /// T := eigenvectors of A_PP from number `first` on.
  void level_vectors(int first, View t) { preconditioner_.eigenvectors(first, t); }
  /// Products with an inner block so far.
  std::int64_t inner_applications() const { return preconditioner_.inner_applications(); }
  /// Preconditioner::divide.
  void divide(ConstView diagonal, ConstView levels, ConstView r, View t) {
    preconditioner_.divide(diagonal, levels, r, t);
  }
  /// T := eigenvectors of A_PP from number `first` on, behind the first `given` columns, which
  /// stay; then, where P has fewer, random vectors smoothed with `energy`.
  void propose_start(std::uint64_t seed, double energy, int first, int given, View t);
  /// T += ηR, R random vectors smoothed with `energy`, of length one; R is memory as large as T.
  void add_random_part(std::uint64_t seed, double energy, double eta, View r, View t);
  /// T made orthonormal, and orthogonal to V; their number.
  int accept_start(View t);

  /// Columns that a proposal for the task has.
  virtual int width(const SectorTask& task) const = 0;
  /// Restarts V where the task has no room in it, keeping the `wanted` lowest pairs and more.
  virtual void make_room(SectorTask& task, int wanted) = 0;
  /// T := new directions, `width` columns, not yet orthogonal to V; a random one smoothed with
  /// `energy`.
  virtual void propose(const SectorTask& task, std::uint64_t seed, double energy, View t) = 0;
  /// T := the residuals of the task's targets, not preconditioned.
  virtual void propose_residuals(const SectorTask&, View) {}
  /// T, as proposed, made orthonormal, and orthogonal to V; their number.
  virtual int accept(const SectorTask& task, View t) = 0;
  /// V ← [V T] and its Ritz pairs; AT may be overwritten. `known`: T are vectors of an earlier
  /// solve, not a proposal. False where AT holds NaN or infinity.
  virtual bool append(ConstView t, View at, bool known) = 0;
  /// Vectors of the next block, where one is kept beside V.
  virtual int next() const { return 0; }
  /// x := the i-th of them.
  virtual void next_vector(int /*i*/, View /*x*/) const {}
  /// One of an earlier solve; they come before the vectors of V.
  virtual void append_next(ConstView /*x*/) {}
  /// Ritz vectors of the iteration before, which the next restart may keep, as coefficients of
  /// those of now: size × their number, none where the method keeps none.
  virtual HostMatrix earlier() const { return HostMatrix(size(), 0); }
  /// Coefficients of an earlier solve's, whose pairs V has, the highest first; a row for each pair.
  virtual void take_earlier(const HostMatrix& /*c*/) {}
  /// The images of vector_and_image are those of the vectors.
  virtual bool exact_images() const { return true; }

  /// X := VS of the first X.columns pairs.
  virtual void vectors(View x) const = 0;
  /// x := V s_j, y := its image Ax; n × 1.
  virtual void vector_and_image(int j, View x, View y) const = 0;
  /// V := none.
  void clear() {
    smooths_ = true;
    spanned_ = false;
    norms_.clear();
    clear_basis();
  }

 protected:
  Backend& backend() const { return backend_; }
  Preconditioner& preconditioner() { return preconditioner_; }
  std::vector<double>& norms() { return norms_; }
  virtual void clear_basis() = 0;
  /// T := random vectors in which energies near `energy` were raised by two applications of the
  /// preconditioner, unless too little of one was left by that, or no energy is known.
  void make_random(std::uint64_t seed, double energy, View t);

 private:
  Backend& backend_;
  Preconditioner preconditioner_;
  Index dimension_;
  std::vector<double> norms_, theta_;
  bool smooths_ = true, spanned_ = false;
};

}  // namespace cisolve
