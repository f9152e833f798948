#include "app/states/spin_adaptation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "backends/ranks/agree.hpp"
#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {
namespace {

constexpr double level_width = 1e-7;  // in units of the scale

// Far above what converged vectors leave between states of equal spin (the square of their error);
// what stays coupled below it changes <S^2> by its square.
constexpr double coupling = 1e-6;

/// States first … first + count − 1.
struct Level {
  int first, count;
};

std::vector<Level> levels(const std::vector<double>& energies, double scale) {
  std::vector<Level> list;
  for (int i = 0; i < static_cast<int>(energies.size()); ++i) {
    if (i > 0 && energies[i] - energies[i - 1] <= level_width * scale) {
      ++list.back().count;
    } else {
      list.push_back({i, 1});
    }
  }
  return list;
}

/// XᵀS²X, one state at a time.
HostMatrix s_squared_matrix(ConstView x, Backend& backend, const SpinSquare& s_squared) {
  HostMatrix matrix(x.columns, x.columns), column;
  MultiVector image(backend, x.rows, 1);
  for (int j = 0; j < x.columns; ++j) {
    s_squared(x.slice(j, 1), image.view());
    backend.gram(x, image.view(), column);
    matrix.col(j) = column;
  }
  return matrix;
}

/// The states that S² couples to a given one, directly or by others; ascending.
std::vector<int> coupled_to(int first, const HostMatrix& s_squared) {
  std::vector<int> group{first};
  for (std::size_t k = 0; k < group.size(); ++k) {
    for (int j = 0; j < s_squared.cols(); ++j) {
      const bool known = std::ranges::find(group, j) != group.end();
      if (!known && std::abs(s_squared(group[k], j)) > coupling) group.push_back(j);
    }
  }
  std::ranges::sort(group);
  return group;
}

/// The orthogonal U for which UᵀS²U is diagonal, the identity for states that are not coupled.
HostMatrix spin_rotation(const HostMatrix& s_squared, Communicator& ranks) {
  const auto n = s_squared.cols();
  HostMatrix rotation = HostMatrix::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    const std::vector<int> group = coupled_to(i, s_squared);
    if (group.size() > 1 && group.front() == i) {
      SymmetricEigen pairs = symmetric_eigen(s_squared(group, group));
      agree(ranks, pairs);
      rotation(group, group) = pairs.vectors;
    }
  }
  return rotation;
}

/// ΘU's diagonal, θ_j = Σ_i U_ij² θ_i, ascending, with the columns of U in that order.
HostVector sort_by_energy(HostMatrix& rotation, const HostVector& energies) {
  const HostVector rotated = rotation.cwiseAbs2().transpose() * energies;
  std::vector<int> order(rotated.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int j) { return rotated[j]; });
  rotation = HostMatrix(rotation(Eigen::all, order));
  return rotated(order);
}

/// The sectors of the rotated states: that of the states each is made of, −1 where they differ.
std::vector<int> rotated_sectors(const HostMatrix& rotation, std::span<const int> sectors) {
  std::vector<int> rotated(sectors.size());
  for (Eigen::Index j = 0; j < rotation.cols(); ++j) {
    Eigen::Index largest = 0;
    rotation.col(j).cwiseAbs().maxCoeff(&largest);
    rotated[j] = sectors[largest];
    for (Eigen::Index i = 0; i < rotation.rows(); ++i) {
      if (std::abs(rotation(i, j)) > 1e-6 && sectors[i] != rotated[j]) rotated[j] = -1;
    }
  }
  return rotated;
}

void rotate_level(Level level, HostMatrix rotation, EigenResult& result, const LinearOperator& a,
                  Backend& backend, double tolerance, bool by_energy) {
  const auto [first, count] = level;
  const HostVector energies =
      sort_by_energy(rotation, HostVector::Map(result.energies.data() + first, count));
  const View x = result.vectors.slice(first, count);
  MultiVector rotated(backend, x.rows, count), residual(backend, x.rows, count);
  backend.combine(1.0, x, rotation, 0.0, rotated.view());
  a.apply(1.0, rotated.view(), 0.0, residual.view());
  backend.combine(-1.0, rotated.view(), HostMatrix(energies.asDiagonal()), 1.0, residual.view());
  std::vector<double> norms(count);
  backend.column_norms(residual.view(), norms);
  result.operator_applications += count;

  const auto old_norms = result.residual_norms.begin() + first;
  const double allowed = std::max(tolerance, *std::max_element(old_norms, old_norms + count));
  if (!(*std::ranges::max_element(norms) <= allowed)) return;
  backend.copy(rotated.view(), x);
  std::ranges::copy(norms, old_norms);
  const auto marks = result.converged.begin() + first;
  const bool converged = std::all_of(marks, marks + count, [](bool mark) { return mark; });
  if (!result.sectors.empty()) {
    const std::span<int> sectors = std::span(result.sectors).subspan(first, count);
    std::ranges::copy(rotated_sectors(rotation, sectors), sectors.begin());
  }
  for (int j = 0; j < count; ++j) {
    result.energies[first + j] = energies[j];
    result.converged[first + j] = converged && (by_energy || norms[j] <= tolerance);
  }
}

}  // namespace

void adapt_spin(EigenResult& result, const LinearOperator& a, Backend& backend,
                const SpinSquare& s_squared, double tolerance, bool by_energy) {
  for (const Level& level : levels(result.energies, result.scale)) {
    if (level.count == 1) continue;
    const HostMatrix rotation = spin_rotation(
        s_squared_matrix(result.vectors.slice(level.first, level.count), backend, s_squared),
        backend.communicator());
    if (!rotation.isIdentity(0.0)) {
      rotate_level(level, rotation, result, a, backend, tolerance, by_energy);
    }
  }
}

}  // namespace cisolve
