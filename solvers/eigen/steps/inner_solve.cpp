#include "solvers/eigen/steps/inner_solve.hpp"

#include <algorithm>

namespace cisolve {
namespace {

// Corrections need not be exact: those in the rows outside are not.
constexpr double reduction = 0.1;  ///< of the residual
constexpr int most_steps = 30;

}  // namespace

InnerSolve::InnerSolve(Backend& backend, const InnerBlock& block, const InnerBlock::Part& part,
                       int columns)
    : backend_(backend),
      block_(block),
      rows_(Buffer<Index>::from_host(backend, part.rows)),
      one_over_factors_(backend, block.matrix->rows(), 1),
      states_(backend, block.matrix->rows(), static_cast<int>(block.states.cols())),
      diagonal_(backend, block.matrix->rows(), 1),
      residuals_(backend, block.matrix->rows(), columns),
      solutions_(backend, block.matrix->rows(), columns),
      directions_(backend, block.matrix->rows(), columns),
      images_(backend, block.matrix->rows(), columns),
      preconditioned_(backend, block.matrix->rows(), columns) {
  std::vector<Index> elements;
  for (std::size_t d = 0; d < part.rows.size(); ++d) {
    if (part.factors[d] != 0.0) elements.push_back(static_cast<Index>(d));
  }
  const auto row = [&](Index d) { return part.rows[d]; };
  std::ranges::sort(elements, {}, row);
  elements.erase(std::ranges::unique(elements, {}, row).begin(), elements.end());
  std::vector<Index> own_rows;
  HostMatrix factors(static_cast<Eigen::Index>(elements.size()), 1);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    own_rows.push_back(part.rows[elements[i]]);
    factors(static_cast<Eigen::Index>(i), 0) = part.factors[elements[i]];
  }
  own_rows_ = Buffer<Index>::from_host(backend, own_rows);
  elements_ = Buffer<Index>::from_host(backend, elements);
  factors_ = MultiVector(backend, static_cast<Index>(elements.size()), 1);
  backend.upload(factors, factors_.view());
  backend.upload(
      Eigen::Map<const HostVector>(part.factors.data(), part.factors.size()).cwiseInverse(),
      one_over_factors_.view());
  backend.upload(block.states, states_.view());
  block.matrix->diagonal(diagonal_.view());
}

void InnerSolve::solve(std::span<const double> theta, double guard, ConstView r) {
  const View residuals = residuals_.narrowed(r.columns), solutions = solutions_.narrowed(r.columns);
  backend_.gather_rows(rows_, r, solutions);
  backend_.jacobi_update(1.0, solutions, one_over_factors_.view(), 0.0, residuals);
  HostMatrix along;
  backend_.gram(states_.view(), residuals, along);
  backend_.combine(-1.0, states_.view(), along, 1.0, residuals);
  conjugate_gradients(theta, guard, residuals, solutions);
  for (Eigen::Index j = 0; j < along.cols(); ++j) {
    for (Eigen::Index i = 0; i < along.rows(); ++i) {
      along(i, j) /= guarded(Denominator::definite, theta[j], block_.energies[i], guard);
    }
  }
  backend_.combine(1.0, states_.view(), along, 1.0, solutions);
}

void InnerSolve::put(View t) {
  const auto own = static_cast<Index>(own_rows_.size());
  const auto narrow = [&](MultiVector& v) { return v.narrowed(t.columns).row_range(0, own); };
  const View gathered = narrow(images_), divided = narrow(preconditioned_);
  backend_.gather_rows(elements_, solutions_.narrowed(t.columns), gathered);
  backend_.jacobi_update(1.0, gathered, factors_.view(), 0.0, divided);
  backend_.scatter_rows(own_rows_, divided, t);
}

void InnerSolve::project(View v) {
  backend_.gram(states_.view(), v, overlaps_);
  backend_.combine(-1.0, states_.view(), overlaps_, 1.0, v);
}

void InnerSolve::precondition(std::span<const double> theta, double guard, ConstView r, View z) {
  backend_.diagonal_correction(r, theta, diagonal_.view(), Denominator::definite, guard, z);
  project(z);
}

void InnerSolve::conjugate_gradients(std::span<const double> theta, double guard, View r, View t) {
  const int k = r.columns;
  const View p = directions_.narrowed(k), q = images_.narrowed(k), z = preconditioned_.narrowed(k);
  std::vector<double> rz(k), rz_before, pq(k), first(k), norms(k), alpha(k), beta(k), zeros(k);
  backend_.column_norms(r, first);
  precondition(theta, guard, r, z);
  backend_.column_dots(r, z, rz);
  backend_.copy(z, p);
  backend_.fill(0.0, t);
  for (int step = 0; step < most_steps; ++step) {
    block_.matrix->apply(-1.0, p, 0.0, q);
    applications_ += k;
    backend_.add_columns(theta, p, zeros, p, q);
    project(q);
    backend_.column_dots(p, q, pq);
    for (int j = 0; j < k; ++j) {
      // Both are negative where θ − A_SS is; else the column stays, or is what its diagonal gives.
      const bool definite = pq[j] < 0.0 && rz[j] < 0.0;
      alpha[j] = definite ? rz[j] / pq[j] : (step == 0 ? 1.0 : 0.0);
      if (!definite) rz[j] = 0.0;
    }
    backend_.add_columns(alpha, p, zeros, p, t);
    for (double& a : alpha) a = -a;
    backend_.add_columns(alpha, q, zeros, q, r);
    backend_.column_norms(r, norms);
    bool small = true;
    for (int j = 0; j < k; ++j) {
      small = small && (rz[j] == 0.0 || norms[j] <= reduction * first[j]);
    }
    if (small) return;
    precondition(theta, guard, r, z);
    rz_before = rz;
    backend_.column_dots(r, z, rz);
    for (int j = 0; j < k; ++j) {
      if (rz_before[j] == 0.0) rz[j] = 0.0;
      beta[j] = rz[j] != 0.0 ? rz[j] / rz_before[j] : 0.0;
    }
    backend_.scale_columns(beta, p);
    backend_.axpby(1.0, z, 1.0, p);
  }
}

}  // namespace cisolve
