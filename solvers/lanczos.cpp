#include <algorithm>
#include <cmath>
#include <vector>

#include "core/dense.hpp"
#include "core/timer.hpp"
#include "solvers/counted_operator.hpp"
#include "solvers/eigen_problem.hpp"
#include "solvers/finish.hpp"
#include "solvers/start_vectors.hpp"

// Outline, with V = [v_1 … v_j] orthonormal and T = VᵀAV:
//   w ← A v_j;  w ← w − V(Vᵀw) twice, the coefficients are column j of T;  v_j+1 ← w / β, β = ‖w‖
//   TS = SΘ; the residual of Ritz pair i is β |s_ji|; stop when those wanted are small
//   when V is full: V ← VS of the lowest pairs, v_l+1 ← w / β;  T ← Θ bordered by β s_ji
//
// Traffic of a step beside the product: 4j + 4 vectors of n.

namespace cisolve {
namespace {

class Lanczos {
 public:
  Lanczos(const LinearOperator& a, Backend& backend, const EigenOptions& options)
      : backend_(backend),
        options_(options),
        rows_(a.rows()),
        limit_(std::min<int>(std::max(basis_size(options, rows_), options.states + 2), rows_)),
        a_(a, backend),
        basis_(backend, rows_, limit_),
        vector_(backend, rows_, 1),
        image_(backend, rows_, 1),
        projection_(HostMatrix::Zero(limit_, limit_)),
        ritz_{HostVector::Constant(options.states, std::nan("")),
              HostMatrix::Identity(options.states, options.states)} {}

  EigenResult solve(const PSpace& p_space, const EigenObserver& observer) {
    start(p_space);
    EigenResult result;
    while (true) {
      step();
      ++result.iterations;
      if (!projection_.allFinite() || !std::isfinite(beta_)) {
        result.status = SolveStatus::breakdown;
        break;
      }
      ritz_ = symmetric_eigen(projection_.topLeftCorner(size_, size_));
      estimate_residuals();
      if (stop(observer, result)) break;
      if (size_ == limit_) restart();
      next_vector(result.iterations);
    }
    return finished(result);
  }

 private:
  int states() const { return options_.states; }
  int found() const { return std::min(states(), size_); }

  /// The sum of the lowest eigenvectors of A_PP, with a random part of length 10⁻³ so that no
  /// eigenvector is orthogonal to it.
  void start(const PSpace& p_space) {
    MultiVector lowest(backend_, rows_, states());
    p_space_vectors(backend_, p_space, options_.seed, lowest.view());
    random_vectors(backend_, options_.seed, vector_.view());
    normalize(vector_.view());
    backend_.combine(1.0, lowest.view(), HostMatrix::Ones(states(), 1), 1e-3, vector_.view());
    normalize(vector_.view());
  }

  double normalize(View v) {
    double norm = 0.0;
    backend_.column_norms(v, {&norm, 1});
    const double inverse = norm > 0.0 ? 1.0 / norm : 0.0;
    backend_.scale_columns({&inverse, 1}, v);
    return norm;
  }

  /// w ← w − V(Vᵀw), twice; the coefficients.
  HostMatrix orthogonalize(View w) {
    const ConstView v = basis_.slice(0, size_);
    HostMatrix sum = HostMatrix::Zero(size_, 1), c;
    for (int pass = 0; pass < 2; ++pass) {
      backend_.gram(v, w, c);
      backend_.combine(-1.0, v, c, 1.0, w);
      sum += c;
    }
    return sum;
  }

  /// Takes `vector_` into the basis and its product into T; leaves the next direction in `image_`.
  void step() {
    backend_.copy(vector_.view(), basis_.slice(size_, 1));
    ++size_;
    a_.apply(vector_.view(), image_.view());
    const HostMatrix column = orthogonalize(image_.view());
    projection_.block(0, size_ - 1, size_, 1) = column;
    projection_.block(size_ - 1, 0, 1, size_) = column.transpose();
    beta_ = normalize(image_.view());
  }

  void estimate_residuals() {
    norms_.resize(found());
    for (int i = 0; i < found(); ++i) norms_[i] = beta_ * std::abs(ritz_.vectors(size_ - 1, i));
  }

  bool stop(const EigenObserver& observer, EigenResult& result) {
    const int small = static_cast<int>(
        std::ranges::count_if(norms_, [this](double norm) { return norm <= options_.tolerance; }));
    const bool go_on =
        !observer || observer({result.iterations,
                               size_,
                               {ritz_.values.data(), static_cast<std::size_t>(found())},
                               norms_,
                               small,
                               a_.applications(),
                               timer_.seconds()});
    if (small == states()) {
      result.status = SolveStatus::converged;
    } else if (size_ < states()) {
      return false;  // too few vectors for an answer of any kind
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

  void restart() {
    const int kept = std::max(states(), std::min(states() + limit_ / 3, limit_ - 1));
    MultiVector lowest(backend_, rows_, kept);
    backend_.combine(1.0, basis_.slice(0, size_), ritz_.vectors.leftCols(kept), 0.0, lowest.view());
    backend_.copy(lowest.view(), basis_.slice(0, kept));
    projection_.setZero();
    projection_.topLeftCorner(kept, kept) = ritz_.values.head(kept).asDiagonal();
    size_ = kept;
  }

  /// The next basis vector: the direction `step` left or, where V spans an invariant space (β = 0),
  /// a random one. The border of T comes from the next product.
  void next_vector(int iteration) {
    const double scale = std::max(1.0, projection_.cwiseAbs().maxCoeff());
    if (beta_ > 1e-13 * scale) {
      std::swap(vector_, image_);
      orthogonalize(vector_.view());
    } else {
      random_vectors(backend_, options_.seed + static_cast<std::uint64_t>(iteration),
                     vector_.view());
      orthogonalize(vector_.view());
      normalize(vector_.view());
      orthogonalize(vector_.view());
    }
    normalize(vector_.view());
  }

  EigenResult finished(EigenResult& result) {
    result.vectors = MultiVector(backend_, rows_, states());
    // After a breakdown the Ritz pairs are those of the step before, in a smaller basis.
    const HostMatrix lowest = ritz_.vectors.leftCols(states());
    const ConstView basis = basis_.slice(0, static_cast<int>(lowest.rows()));
    backend_.combine(1.0, basis, lowest, 0.0, result.vectors.view());
    result.energies.assign(ritz_.values.data(), ritz_.values.data() + states());
    MultiVector image(backend_, rows_, states());
    finish(result, a_, backend_, options_.tolerance, image.view());
    result.seconds = timer_.seconds();
    return std::move(result);
  }

  Timer timer_;
  Backend& backend_;
  const EigenOptions& options_;
  Index rows_;
  int limit_;
  CountedOperator a_;
  MultiVector basis_, vector_, image_;
  HostMatrix projection_;  ///< T
  SymmetricEigen ritz_;
  std::vector<double> norms_;
  double beta_ = 0.0;
  int size_ = 0;
};

}  // namespace

EigenResult lanczos(const LinearOperator& a, Backend& backend, const PSpace& p_space,
                    const EigenOptions& options, const EigenObserver& observer) {
  return Lanczos(a, backend, options).solve(p_space, observer);
}

}  // namespace cisolve
