#include <algorithm>
#include <cmath>
#include <vector>

#include "core/timer.hpp"
#include "solvers/counted_operator.hpp"
#include "solvers/eigen_problem.hpp"
#include "solvers/finish.hpp"
#include "solvers/orthonormalize.hpp"
#include "solvers/start_vectors.hpp"
#include "solvers/subspace.hpp"

// Outline
//   T ← lowest eigenvectors of A_PP
//   repeat
//     V ← [V T], W ← [W AT], H = VᵀW                         products: columns of T
//     HS = SΘ for the lowest roots; R = WS − VSΘ
//     stop when the wanted residuals are small
//     restart, when V is full, from the Ritz vectors and those of the iteration before
//     t_j ← r_j / (θ_j − diag A), guarded, for the roots not yet small; orthonormalise T to V
//
// Traffic of an iteration beside the products, with m basis vectors and b roots, in vectors of n:
// residuals 2m + 4b, correction 5b, orthonormalisation 6m + 15b, append m + 4b.

namespace cisolve {
namespace {

// A guard vector need only tell which roots are lowest, so it is refined to this residual alone.
constexpr double guard_tolerance = 3e-2;
// Smallest magnitude of θ − d in the correction, in Hartree.
constexpr double smallest_denominator = 1e-2;

class Davidson {
 public:
  Davidson(const LinearOperator& a, Backend& backend, const EigenOptions& options)
      : backend_(backend),
        options_(options),
        rows_(a.rows()),
        block_(block_size(options, rows_)),
        a_(a, backend),
        subspace_(backend, rows_, basis_size(options, rows_), std::min(2 * block_, rows_)),
        orthonormalize_(backend, rows_, block_),
        new_vectors_(backend, rows_, block_),
        images_(backend, rows_, block_),
        residuals_(backend, rows_, block_),
        diagonal_(backend, rows_, 1) {
    a.diagonal(diagonal_.view());
    result_.vectors = MultiVector(backend, rows_, options.states);
  }

  EigenResult solve(const PSpace& p_space, const EigenObserver& observer) {
    start_vectors(backend_, p_space, options_.seed, new_vectors_.view(), images_.view());
    int added = orthonormalize_(subspace_.basis(), new_vectors_, block_);
    while (true) {
      expand(added);
      if (!subspace_.finite()) {
        result_.status = SolveStatus::breakdown;
        break;
      }
      ritz_ = subspace_.ritz(block_);
      compute_residuals();
      ++result_.iterations;
      if (stop(observer)) break;
      find_pending();
      const int wanted = static_cast<int>(pending_.size());
      if (subspace_.limit() < rows_ && subspace_.size() + wanted > subspace_.limit()) {
        restart(wanted);
      }
      previous_ = ritz_.vectors;
      added = correct();
      if (added == 0) {
        result_.status = SolveStatus::stagnated;
        break;
      }
    }
    finish(result_, subspace_.basis(), ritz_, a_, backend_, options_.tolerance,
           images_.packed(states()));
    result_.seconds = timer_.seconds();
    return std::move(result_);
  }

 private:
  int states() const { return options_.states; }
  int roots() const { return static_cast<int>(ritz_.values.size()); }

  void expand(int added) {
    const View t = new_vectors_.packed(added);
    const View at = images_.packed(added);
    a_.apply(t, at);
    subspace_.append(t, at);
  }

  /// R = WS − VSΘ and its column norms.
  void compute_residuals() {
    const View r = residuals_.packed(roots());
    const HostMatrix s_theta = ritz_.vectors * ritz_.values.asDiagonal();
    backend_.combine(1.0, subspace_.images(), ritz_.vectors, 0.0, r);
    backend_.combine(-1.0, subspace_.basis(), s_theta, 1.0, r);
    norms_.resize(roots());
    backend_.column_norms(r, norms_);
  }

  bool stop(const EigenObserver& observer) {
    const auto shown = static_cast<std::size_t>(std::min(states(), roots()));
    const std::span<const double> norms(norms_.data(), shown);
    const int small = static_cast<int>(
        std::ranges::count_if(norms, [this](double norm) { return norm <= options_.tolerance; }));
    const bool go_on = !observer || observer({result_.iterations,
                                              subspace_.size(),
                                              {ritz_.values.data(), shown},
                                              norms,
                                              small,
                                              a_.applications(),
                                              timer_.seconds()});
    if (small == states()) {
      result_.status = SolveStatus::converged;
    } else if (!go_on) {
      result_.status = SolveStatus::cancelled;
    } else if (options_.time_limit > 0.0 && timer_.seconds() > options_.time_limit) {
      result_.status = SolveStatus::time_limit;
    } else if (result_.iterations >= options_.max_iterations) {
      result_.status = SolveStatus::max_iterations;
    } else {
      return false;
    }
    return true;
  }

  /// The roots that want a correction.
  void find_pending() {
    pending_.clear();
    for (int j = 0; j < roots(); ++j) {
      if (norms_[j] > (j < states() ? options_.tolerance : guard_tolerance)) pending_.push_back(j);
    }
  }

  /// Thick restart that keeps the Ritz vectors and, made orthogonal to them, as many of those of
  /// the iteration before as leave room for `wanted` corrections (GD+k; Stathopoulos, McCombs, SIAM
  /// J. Sci. Comput. 2007, 29, 2162).
  void restart(int wanted) {
    const int m = subspace_.size();
    const Eigen::Index room = std::min<Eigen::Index>(subspace_.limit() - wanted, 2 * block_);
    HostMatrix c = ritz_.vectors;
    for (Eigen::Index j = 0; j < previous_.cols() && c.cols() < room; ++j) {
      HostVector v = HostVector::Zero(m);
      v.head(previous_.rows()) = previous_.col(j);
      for (int pass = 0; pass < 2; ++pass) v -= c * (c.transpose() * v);
      if (v.norm() < 1e-6) continue;
      c.conservativeResize(m, c.cols() + 1);
      c.col(c.cols() - 1) = v.normalized();
    }
    subspace_.restart(c);
    ritz_.vectors = HostMatrix::Identity(subspace_.size(), roots());
  }

  /// New directions for the pending roots, orthonormal to V; their number.
  int correct() {
    const int room = subspace_.limit() - subspace_.size();
    const int count = std::min(static_cast<int>(pending_.size()), room);
    gather_residuals(count);
    std::vector<double> theta;
    theta.reserve(count);
    for (int p = 0; p < count; ++p) theta.push_back(ritz_.values[pending_[p]]);
    backend_.diagonal_correction(new_vectors_.packed(count), theta, diagonal_.view(),
                                 smallest_denominator, new_vectors_.packed(count));
    const int added = orthonormalize_(subspace_.basis(), new_vectors_, count);
    if (added > 0) return added;
    // Every correction lies in V already; the residuals, orthogonal to V, do not.
    gather_residuals(count);
    return orthonormalize_(subspace_.basis(), new_vectors_, count);
  }

  /// T ← the residuals of the first `count` pending roots.
  void gather_residuals(int count) {
    const View t = new_vectors_.packed(count);
    for (int p = 0; p < count; ++p) {
      backend_.copy(residuals_.packed(roots()).slice(pending_[p], 1), t.slice(p, 1));
    }
  }

  Timer timer_;
  Backend& backend_;
  const EigenOptions& options_;
  Index rows_;
  int block_;
  CountedOperator a_;
  Subspace subspace_;
  Orthonormalizer orthonormalize_;
  MultiVector new_vectors_, images_, residuals_, diagonal_;
  std::vector<double> norms_;
  std::vector<int> pending_;
  SymmetricEigen ritz_;
  HostMatrix previous_;  ///< Ritz coefficients of the iteration before
  EigenResult result_;
};

}  // namespace

EigenResult davidson(const LinearOperator& a, Backend& backend, const PSpace& p_space,
                     const EigenOptions& options, const EigenObserver& observer) {
  require_valid(a, options);
  return Davidson(a, backend, options).solve(p_space, observer);
}

}  // namespace cisolve
