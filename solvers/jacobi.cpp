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

}  // namespace

LinearResult jacobi(const LinearOperator& a, Backend& backend, ConstView b, View x,
                    const LinearOptions& options, const LinearObserver& observer) {
  const Timer timer;
  if (a.rows() != a.columns()) {
    throw InputError("jacobi: the matrix has " + std::to_string(a.rows()) + " rows and " +
                     std::to_string(a.columns()) + " columns; it must be square");
  }
  if (!(options.omega > 0.0 && options.omega < 2.0)) {
    throw InputError("jacobi: omega is " + std::to_string(options.omega) +
                     ", expected between 0 and 2");
  }
  const Index n = a.rows();
  MultiVector diagonal(backend, n, 1), residual(backend, n, 1), best(backend, n, 1);

  // D − σ
  backend.fill(1.0, residual.view());
  a.diagonal(diagonal.view());
  backend.axpby(-options.shift, residual.view(), 1.0, diagonal.view());
  require_divisible(backend.download(diagonal.view()), options.shift);

  double norm_b = 0.0;
  backend.column_norms(b, {&norm_b, 1});
  const double scale = norm_b > 0.0 ? 1.0 / norm_b : 1.0;

  // r = b − Ax + σx; its norm
  const auto compute_residual = [&](ConstView at) {
    backend.copy(b, residual.view());
    a.apply(-1.0, at, 1.0, residual.view());
    if (options.shift != 0.0) backend.axpby(options.shift, at, 1.0, residual.view());
    double norm = 0.0;
    backend.column_norms(residual.view(), {&norm, 1});
    return norm;
  };

  LinearResult result;
  double norm = compute_residual(x);
  double smallest = std::numeric_limits<double>::infinity();
  int since_smallest = 0;
  while (true) {
    if (norm < smallest) {
      smallest = norm;
      since_smallest = 0;
      backend.copy(x, best.view());
    } else {
      ++since_smallest;
    }
    const bool go_on =
        !observer || observer({result.iterations, norm * scale, timer.seconds()});
    if (norm * scale <= options.tolerance) {
      result.status = SolveStatus::converged;
      break;
    }
    if (!std::isfinite(norm) || norm > largest_growth * smallest ||
        (since_smallest >= patience && norm > 1.1 * smallest)) {
      result.status = SolveStatus::diverged;
      break;
    }
    if (since_smallest >= patience) {
      result.status = SolveStatus::stagnated;
      break;
    }
    if (!go_on) {
      result.status = SolveStatus::cancelled;
      break;
    }
    if (options.time_limit > 0.0 && timer.seconds() > options.time_limit) {
      result.status = SolveStatus::time_limit;
      break;
    }
    if (result.iterations >= options.max_iterations) break;
    backend.jacobi_update(options.omega, residual.view(), diagonal.view(), x);
    norm = compute_residual(x);
    ++result.iterations;
  }

  if (std::isfinite(smallest)) backend.copy(best.view(), x);
  result.residual_norm = compute_residual(x);
  result.relative_residual = result.residual_norm * scale;
  result.seconds = timer.seconds();
  return result;
}

}  // namespace cisolve
