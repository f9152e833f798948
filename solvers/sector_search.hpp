#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "solvers/preconditioner.hpp"

namespace cisolve {

/// What a sector does next: corrects these of its Ritz pairs, or takes a random vector.
struct SectorTask {
  std::vector<int> targets;  ///< ascending
  bool random = false;

  bool idle() const { return targets.empty() && !random; }
};

/// The energies that new directions are made for, in Hartree.
struct SectorShift {
  double energy = 0.0;  ///< the highest wanted one: what a random vector is smoothed with
  double most = 0.0;    ///< the shift of a correction is its pair's Ritz value, at most this
};

/// One sector: an orthonormal basis V of a part of it, the Ritz pairs A V s ≈ θ V s, and how V
/// grows. Methods differ in that alone.
class SectorSearch {
 public:
  SectorSearch(Backend& backend, Preconditioner preconditioner)
      : backend_(backend), preconditioner_(std::move(preconditioner)) {}
  SectorSearch(const SectorSearch&) = delete;
  SectorSearch& operator=(const SectorSearch&) = delete;
  virtual ~SectorSearch() = default;

  /// V, n × size.
  virtual ConstView basis() const = 0;
  virtual int limit() const = 0;  ///< most vectors V may have
  /// Θ, ascending, `size()` of them, as long as V stays.
  virtual Eigen::Map<const HostVector> values() const = 0;
  int size() const { return basis().columns; }
  Index rows() const { return basis().rows; }
  /// Vectors that V can still take.
  int room() const { return std::min<int>(limit(), rows()) - size(); }
  /// The whole sector, or all of it that states are sought in, is in V: the Ritz values are its
  /// eigenvalues.
  bool exhausted() const { return spanned_ || size() == rows(); }
  /// A random vector orthogonal to V came to nothing.
  void set_exhausted() { spanned_ = true; }

  /// Norms of the residuals of the first `count` pairs; R is memory for the residuals, of the
  /// sector's rows and as many columns, left alone until the next proposal. Lanczos needs none.
  virtual void compute_residuals(int count, View r) = 0;
  double norm(int j) const { return norms_[j]; }
  int tracked() const { return static_cast<int>(norms_.size()); }

  /// The eigenvalues of A_PP, ascending.
  const HostVector& levels() const { return preconditioner_.levels(); }
  /// T := eigenvectors of A_PP from number `first` on.
  void level_vectors(int first, View t) { preconditioner_.eigenvectors(first, t); }
  /// T := eigenvectors of A_PP from number `first` on, behind the first `given` columns, which
  /// stay; then, where P has fewer, random vectors smoothed with `energy`.
  void propose_start(std::uint64_t seed, double energy, int first, int given, View t);
  /// T made orthonormal, and orthogonal to V; their number.
  int accept_start(View t);

  /// Columns that a proposal for the task has.
  virtual int width(const SectorTask& task) const = 0;
  /// Restarts V where the task has no room in it, keeping the `wanted` lowest pairs and more;
  /// `searching`: a random vector is, or was, added to find what lies low.
  virtual void make_room(SectorTask& task, int wanted, bool searching) = 0;
  /// T := new directions, `width` columns, not yet orthogonal to V.
  virtual void propose(const SectorTask& task, std::uint64_t seed, const SectorShift& shift,
                       View t) = 0;
  /// T made orthonormal, and orthogonal to V; their number. `projected`: T is not as proposed any
  /// more.
  virtual int accept(const SectorTask& task, View t, bool projected) = 0;
  /// V ← [V T] and its Ritz pairs; AT may be overwritten. `known`: T are vectors of an earlier
  /// solve, not a proposal. False where AT holds NaN or infinity.
  virtual bool append(ConstView t, View at, bool known) = 0;
  /// Pairs that stay when a random vector begins to search, of so many that are wanted.
  virtual int kept_by_search(int wanted) const = 0;

  /// X := VS of the first X.columns pairs.
  virtual void vectors(View x) const = 0;
  /// x := V s_j, y := its image Ax; n × 1.
  virtual void vector_and_image(int j, View x, View y) const = 0;
  /// V := none.
  void clear() {
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
  /// preconditioner.
  void make_random(std::uint64_t seed, double energy, View t);

 private:
  Backend& backend_;
  Preconditioner preconditioner_;
  std::vector<double> norms_, theta_;
  bool spanned_ = false;
};

}  // namespace cisolve
