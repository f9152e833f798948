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
// One start vector reaches one vector of a degenerate level, and none of a block of the matrix that
// it has no weight in. So where several states are wanted a sweep follows: V is cut to the states
// found, and a random vector orthogonal to them starts anew. Whatever it brings below the highest
// of them takes its place; the solve ends with a sweep that brings nothing.
//
// Traffic of a step beside the product: 4j + 4 vectors of n.

namespace cisolve {
namespace {

// A sweep is over when the first pair beyond the states wanted has this residual: it stands for the
// lowest level that is left.
constexpr double sweep_tolerance = 1e-3;
// Levels that differ by less count as the same between sweeps, in Hartree.
constexpr double same_energy = 1e-9;

class Lanczos {
 public:
  Lanczos(const LinearOperator& a, Backend& backend, const EigenOptions& options)
      : backend_(backend),
        options_(options),
        rows_(a.rows()),
        limit_(std::min<int>(std::max(basis_size(options, rows_), options.states + 4), rows_)),
        a_(a, backend),
        basis_(backend, rows_, limit_),
        vector_(backend, rows_, 1),
        image_(backend, rows_, 1),
        scratch_(backend, rows_, std::max(limit_ - 1, options.states)),
        projection_(HostMatrix::Zero(limit_, limit_)) {
    result_.vectors = MultiVector(backend, rows_, options.states);
  }

  EigenResult solve(const PSpace& p_space, const EigenObserver& observer) {
    start(p_space);
    while (true) {
      step();
      ++result_.iterations;
      if (!projection_.allFinite() || !std::isfinite(beta_)) {
        result_.status = SolveStatus::breakdown;
        break;
      }
      ritz_ = symmetric_eigen(projection_.topLeftCorner(size_, size_));
      estimate_residuals();
      if (stop(observer)) break;
      if (sweep_due_) {
        restart(states());
        random_vector();
        sweep_due_ = false;
      } else {
        if (size_ == limit_) restart(std::min(states() + limit_ / 3, limit_ - 1));
        next_vector();
      }
    }
    finish(result_, basis_.slice(0, size_), ritz_, a_, backend_, options_.tolerance,
           scratch_.packed(states()));
    result_.seconds = timer_.seconds();
    return std::move(result_);
  }

 private:
  int states() const { return options_.states; }
  int found() const { return std::min(states(), size_); }

  /// Whether the pairs found are the answer. They are when one state is wanted, or when V spans the
  /// whole space; else a sweep must have confirmed them, and `sweep_due_` asks for the next one.
  bool confirmed() {
    if (states() == 1 || size_ == rows_) return true;
    const HostVector lowest = ritz_.values.head(states());
    const bool same =
        swept_.size() == lowest.size() && (lowest - swept_).cwiseAbs().maxCoeff() <= same_energy;
    if (same) {
      return size_ > states() &&
             beta_ * std::abs(ritz_.vectors(size_ - 1, states())) <= sweep_tolerance;
    }
    swept_ = lowest;
    sweep_due_ = true;
    return false;
  }

  /// The sum of the start vectors, in which every state wanted has weight.
  void start(const PSpace& p_space) {
    MultiVector lowest(backend_, rows_, states());
    start_vectors(backend_, p_space, options_.seed, lowest.view(), scratch_.packed(states()));
    backend_.combine(1.0, lowest.view(), HostMatrix::Ones(states(), 1), 0.0, vector_.view());
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

  bool stop(const EigenObserver& observer) {
    const int small = static_cast<int>(
        std::ranges::count_if(norms_, [this](double norm) { return norm <= options_.tolerance; }));
    if (observer && !observer({result_.iterations,
                               size_,
                               {ritz_.values.data(), static_cast<std::size_t>(found())},
                               norms_,
                               small,
                               a_.applications(),
                               0,
                               timer_.seconds()})) {
      cancelled_ = true;
    }
    if (size_ < states()) return false;  // too few vectors for an answer of any kind
    if (small == states() && confirmed()) {
      result_.status = SolveStatus::converged;
    } else if (cancelled_) {
      result_.status = SolveStatus::cancelled;
    } else if (options_.time_limit > 0.0 && timer_.seconds() > options_.time_limit) {
      result_.status = SolveStatus::time_limit;
    } else if (result_.iterations >= options_.max_iterations) {
      result_.status = SolveStatus::max_iterations;
    } else if (size_ == rows_) {
      result_.status = SolveStatus::stagnated;
    } else {
      return false;
    }
    return true;
  }

  /// V ← VS and T ← Θ of the `kept` lowest pairs.
  void restart(int kept) {
    const View lowest = scratch_.packed(kept);
    backend_.combine(1.0, basis_.slice(0, size_), ritz_.vectors.leftCols(kept), 0.0, lowest);
    backend_.copy(lowest, basis_.slice(0, kept));
    projection_.setZero();
    projection_.topLeftCorner(kept, kept) = ritz_.values.head(kept).asDiagonal();
    size_ = kept;
  }

  /// The next basis vector: the direction `step` left or, where V spans an invariant space (β = 0),
  /// a random one. The border of T comes from the next product.
  void next_vector() {
    const double scale = std::max(1.0, projection_.cwiseAbs().maxCoeff());
    if (beta_ <= 1e-13 * scale) return random_vector();
    std::swap(vector_, image_);
    orthogonalize(vector_.view());
    normalize(vector_.view());
  }

  void random_vector() {
    random_vectors(backend_, options_.seed + 1 + static_cast<std::uint64_t>(result_.iterations),
                   vector_.view());
    for (int pass = 0; pass < 2; ++pass) {
      orthogonalize(vector_.view());
      normalize(vector_.view());
    }
  }

  Timer timer_;
  Backend& backend_;
  const EigenOptions& options_;
  Index rows_;
  int limit_;
  CountedOperator a_;
  MultiVector basis_, vector_, image_, scratch_;
  HostMatrix projection_;  ///< T
  SymmetricEigen ritz_;
  std::vector<double> norms_;
  HostVector swept_;  ///< energies when the last sweep began
  bool sweep_due_ = false;
  bool cancelled_ = false;
  double beta_ = 0.0;
  int size_ = 0;
  EigenResult result_;
};

}  // namespace

EigenResult lanczos(const LinearOperator& a, Backend& backend, const PSpace& p_space,
                    const EigenOptions& options, const EigenObserver& observer) {
  require_valid(a, options);
  return Lanczos(a, backend, options).solve(p_space, observer);
}

}  // namespace cisolve
