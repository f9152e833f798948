#include "solvers/jacobi.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "core/timer.hpp"

namespace cisolve {
namespace {

constexpr double largest_growth = 1e4;
constexpr int patience = 50;

void require_divisible(const HostMatrix& diagonal, double shift) {
  for (Eigen::Index i = 0; i < diagonal.rows(); ++i) {
    if (diagonal(i, 0) == 0.0 || !std::isfinite(diagonal(i, 0))) {
      throw InputError("jacobi: row " + std::to_string(i + 1) + " has the diagonal element " +
                       std::to_string(diagonal(i, 0)) + " after the shift by " +
                       std::to_string(shift) + "; the method divides by it");
    }
  }
}

class Jacobi {
 public:
  Jacobi(const LinearOperator& a, Backend& backend, ConstView b, const LinearOptions& options)
      : a_(a),
        backend_(backend),
        b_(b),
        options_(options),
        diagonal_(backend, a.rows(), 1),
        residual_(backend, a.rows(), 1),
        best_(backend, a.rows(), 1) {
    // D − σ
    backend_.fill(1.0, residual_.view());
    a_.diagonal(diagonal_.view());
    backend_.axpby(-options_.shift, residual_.view(), 1.0, diagonal_.view());
    require_divisible(backend_.download(diagonal_.view()), options_.shift);
    const double norm_b = norm(b_);
    scale_ = norm_b > 0.0 ? 1.0 / norm_b : 1.0;
  }

  LinearResult solve(View x, const LinearObserver& observer) {
    LinearResult result;
    double residual = compute_residual(x);
    while (true) {
      keep_best(x, residual);
      if (stop(residual, observer, result)) break;
      backend_.jacobi_update(options_.omega, residual_.view(), diagonal_.view(), x);
      residual = compute_residual(x);
      ++result.iterations;
    }
    if (std::isfinite(smallest_)) backend_.copy(best_.view(), x);
    result.residual_norm = compute_residual(x);
    result.relative_residual = result.residual_norm * scale_;
    result.seconds = timer_.seconds();
    return result;
  }

 private:
  double norm(ConstView v) {
    double value = 0.0;
    backend_.column_norms(v, {&value, 1});
    return value;
  }

  /// r = b − Ax + σx; its norm.
  double compute_residual(ConstView x) {
    backend_.copy(b_, residual_.view());
    a_.apply(-1.0, x, 1.0, residual_.view());
    if (options_.shift != 0.0) backend_.axpby(options_.shift, x, 1.0, residual_.view());
    return norm(residual_.view());
  }

  void keep_best(ConstView x, double residual) {
    ++since_smallest_;
    if (!(residual < smallest_)) return;
    smallest_ = residual;
    since_smallest_ = 0;
    backend_.copy(x, best_.view());
  }

  bool stop(double residual, const LinearObserver& observer, LinearResult& result) {
    const bool go_on =
        !observer || observer({result.iterations, residual * scale_, timer_.seconds()});
    const bool stuck = since_smallest_ >= patience;
    if (residual * scale_ <= options_.tolerance) {
      result.status = SolveStatus::converged;
    } else if (!std::isfinite(residual) || residual > largest_growth * smallest_ ||
               (stuck && residual > 1.1 * smallest_)) {
      result.status = SolveStatus::diverged;
    } else if (stuck) {
      result.status = SolveStatus::stagnated;
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

  Timer timer_;
  const LinearOperator& a_;
  Backend& backend_;
  ConstView b_;
  const LinearOptions& options_;
  MultiVector diagonal_, residual_, best_;
  double scale_ = 1.0;
  double smallest_ = std::numeric_limits<double>::infinity();
  int since_smallest_ = 0;
};

}  // namespace

LinearResult jacobi(const LinearOperator& a, Backend& backend, ConstView b, View x,
                    const LinearOptions& options, const LinearObserver& observer) {
  if (a.rows() != a.columns()) {
    throw InputError("jacobi: the matrix has " + std::to_string(a.rows()) + " rows and " +
                     std::to_string(a.columns()) + " columns; it must be square");
  }
  if (!(options.omega > 0.0 && options.omega < 2.0)) {
    throw InputError("jacobi: omega is " + std::to_string(options.omega) +
                     ", expected between 0 and 2");
  }
  return Jacobi(a, backend, b, options).solve(x, observer);
}

}  // namespace cisolve
