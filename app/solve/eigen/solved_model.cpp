#include "app/solve/eigen/solved_model.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "core/dense/field.hpp"

namespace cisolve {
namespace {

/// Each element twice, so many in all.
template <class T>
void double_elements(std::vector<T>& elements, int count) {
  std::vector<T> made;
  for (int i = 0; i < count; ++i) made.push_back(elements[i / 2]);
  elements = std::move(made);
}

/// v := v − u (u†v) / (u†u), of vectors of quaternions, n × 4.
void remove_part(const HostMatrix& u, HostMatrix& v) {
  const HostMatrix products = u.transpose() * v;  // of components
  std::array<double, 4> c{};
  for (int p = 0; p < 4; ++p) {
    for (int q = 0; q < 4; ++q) c[p ^ q] += conjugate_sign(p) * unit_sign(p, q) * products(p, q);
  }
  HostMatrix right(4, 4);  // multiplication with c
  for (int p = 0; p < 4; ++p) {
    for (int q = 0; q < 4; ++q) right(p, p ^ q) = unit_sign(p, q) * c[q] / u.squaredNorm();
  }
  v -= u * right;
}

}  // namespace

SolvedModel::SolvedModel(Model& whole, const RunConfig& config)
    : whole_(whole),
      states_(config.solver.states),
      config_(config),
      pairs_(whole.over_kramers_pairs(config)) {
  if (pairs_) config_.solver.states = (states_ + 1) / 2;
}

HostMatrix SolvedModel::start(HostMatrix of_whole) const {
  constexpr double least_part = 0.1;  // of a vector's length; less is its error
  if (!pairs_) return of_whole;
  std::vector<HostMatrix> taken;
  for (Eigen::Index j = 0; j < of_whole.cols(); ++j) {
    HostMatrix v(of_whole.rows() / 4, 4);
    pairs_->pairs().fold(of_whole.data() + j, of_whole.cols(), v.data(), 1);
    const double length = v.norm();
    for (const HostMatrix& u : taken) remove_part(u, v);
    if (v.norm() > least_part * length) taken.push_back(std::move(v));
  }
  HostMatrix start(of_whole.rows(), static_cast<Eigen::Index>(taken.size()));
  for (std::size_t j = 0; j < taken.size(); ++j) {
    start.col(static_cast<Eigen::Index>(j)) = taken[j].reshaped<Eigen::RowMajor>();
  }
  return start;
}

EigenObserver SolvedModel::over_states(EigenObserver observer) const {
  if (!pairs_) return observer;
  return [observer = std::move(observer), states = states_](EigenIteration iteration) {
    std::vector<double> energies(iteration.energies.begin(), iteration.energies.end());
    std::vector<double> norms(iteration.residual_norms.begin(), iteration.residual_norms.end());
    double_elements(energies, std::min(states, 2 * static_cast<int>(energies.size())));
    double_elements(norms, std::min(states, 2 * static_cast<int>(norms.size())));
    iteration.energies = energies;
    iteration.residual_norms = norms;
    iteration.converged = std::min(states, 2 * iteration.converged);
    return observer(iteration);
  };
}

void SolvedModel::unfold(EigenOutcome& outcome, Backend& backend) const {
  outcome.components = whole_.components();
  if (!pairs_) return;
  EigenResult& result = outcome.result;
  double_elements(result.energies, states_);
  double_elements(result.residual_norms, states_);
  double_elements(result.converged, states_);
  double_elements(result.energy_changes, states_);
  double_elements(result.sectors, states_);
  const Index rows = result.vectors.rows();
  MultiVector vectors(backend, rows, states_);
  HostMatrix both(rows, 2);
  for (int j = 0; j < states_; j += 2) {
    const HostMatrix v = backend.download(result.vectors.slice(j / 2, 1));
    pairs_->pairs().unfold(v.data(), 1, both.data(), both.data() + 1, 2);
    const int columns = std::min(2, states_ - j);
    backend.upload(both.leftCols(columns), vectors.slice(j, columns));
  }
  result.vectors = std::move(vectors);
}

std::unique_ptr<StateReader> SolvedModel::reader(HeldMatrix& held, Backend& backend) const {
  if (auto of_model = whole_.reader(backend, held.basis()->callers())) return of_model;
  return held.reader();
}

}  // namespace cisolve
