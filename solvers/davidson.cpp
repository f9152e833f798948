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
// residuals 2m + 4b, correction 3b, orthonormalisation 6m + 15b, append m + 4b.

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
        diagonal_(backend, rows_, 1),
        norms_(block_),
        ritz_{HostVector::Constant(block_, std::nan("")), HostMatrix::Identity(block_, block_)} {
    a.diagonal(diagonal_.view());
  }

  EigenResult solve(const PSpace& p_space, const EigenObserver& observer) {
    p_space_vectors(backend_, p_space, options_.seed, new_vectors_.view());
    int added = orthonormalize_(subspace_.basis(), new_vectors_, block_);
    EigenResult result;
    while (true) {
      expand(added);
      if (!subspace_.finite()) {
        result.status = SolveStatus::breakdown;
        break;
      }
      ritz_ = subspace_.ritz(block_);
      compute_residuals();
      ++result.iterations;
      if (stop(observer, result)) break;
      if (subspace_.size() + block_ > subspace_.limit()) restart();
      previous_ = ritz_.vectors;
      added = correct();
      if (added == 0) {
        result.status = SolveStatus::breakdown;
        break;
      }
    }
    return finished(result);
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

  bool stop(const EigenObserver& observer, EigenResult& result) {
    const int small =
        static_cast<int>(std::count_if(norms_.begin(), norms_.begin() + std::min(states(), roots()),
                                       [this](double norm) { return norm <= options_.tolerance; }));
    const bool finite = std::ranges::all_of(norms_, [](double x) { return std::isfinite(x); });
    const int shown = std::min(states(), roots());
    const bool go_on =
        !observer || observer({result.iterations,
                               subspace_.size(),
                               {ritz_.values.data(), static_cast<std::size_t>(shown)},
                               {norms_.data(), static_cast<std::size_t>(shown)},
                               small,
                               a_.applications(),
                               timer_.seconds()});
    if (!finite) {
      result.status = SolveStatus::breakdown;
    } else if (small == states()) {
      result.status = SolveStatus::converged;
    } else if (!go_on) {
      result.status = SolveStatus::cancelled;
    } else if (options_.time_limit > 0.0 && timer_.seconds() > options_.time_limit) {
      result.status = SolveStatus::time_limit;
    } else if (result.iterations >= options_.max_iterations) {
      result.status = SolveStatus::max_iterations;
    } else {
      return false;
    }
    return true;
  }

  /// Thick restart that keeps the Ritz vectors and, made orthogonal to them, those of the iteration
  /// before (GD+k; Stathopoulos, McCombs, SIAM J. Sci. Comput. 2007, 29, 2162).
  void restart() {
    const int m = subspace_.size();
    HostMatrix c = ritz_.vectors;
    if (2 * block_ + block_ <= subspace_.limit()) {
      HostMatrix before = HostMatrix::Zero(m, previous_.cols());
      before.topRows(previous_.rows()) = previous_;
      for (Eigen::Index j = 0; j < before.cols(); ++j) {
        HostVector v = before.col(j);
        for (int pass = 0; pass < 2; ++pass) v -= c * (c.transpose() * v);
        if (v.norm() < 1e-6) continue;
        c.conservativeResize(m, c.cols() + 1);
        c.col(c.cols() - 1) = v.normalized();
      }
    }
    subspace_.restart(c);
    ritz_.vectors = HostMatrix::Identity(subspace_.size(), roots());
  }

  /// New directions for the roots not yet small, orthonormal to V; their number.
  int correct() {
    int count = 0;
    for (int j = 0; j < roots(); ++j) {
      if (norms_[j] > (j < states() ? options_.tolerance : guard_tolerance)) ++count;
    }
    const int room = std::min<int>(subspace_.limit(), rows_) - subspace_.size();
    count = std::min(count, room);
    if (count == 0) return 0;
    int packed = 0;
    for (int j = 0; packed < count; ++j) {
      if (norms_[j] <= (j < states() ? options_.tolerance : guard_tolerance)) continue;
      const double theta[] = {ritz_.values[j]};
      backend_.diagonal_correction(residuals_.packed(roots()).slice(j, 1), theta, diagonal_.view(),
                                   smallest_denominator,
                                   new_vectors_.packed(count).slice(packed++, 1));
    }
    const int added = orthonormalize_(subspace_.basis(), new_vectors_, count);
    if (added > 0) return added;
    // Every correction lies in the basis already: go on in a random direction.
    random_vectors(backend_, options_.seed + subspace_.size(), new_vectors_.packed(1));
    return orthonormalize_(subspace_.basis(), new_vectors_, 1);
  }

  EigenResult finished(EigenResult& result) {
    result.vectors = MultiVector(backend_, rows_, states());
    // After a breakdown the Ritz pairs are those of the iteration before, in a smaller basis.
    const HostMatrix lowest = ritz_.vectors.leftCols(states());
    const ConstView basis = subspace_.basis().slice(0, static_cast<int>(lowest.rows()));
    backend_.combine(1.0, basis, lowest, 0.0, result.vectors.view());
    result.energies.assign(ritz_.values.data(), ritz_.values.data() + states());
    finish(result, a_, backend_, options_.tolerance, images_.packed(states()));
    result.seconds = timer_.seconds();
    return std::move(result);
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
  SymmetricEigen ritz_;
  HostMatrix previous_;  ///< Ritz coefficients of the iteration before
};

}  // namespace

EigenResult davidson(const LinearOperator& a, Backend& backend, const PSpace& p_space,
                     const EigenOptions& options, const EigenObserver& observer) {
  return Davidson(a, backend, options).solve(p_space, observer);
}

}  // namespace cisolve
