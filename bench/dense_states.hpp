#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "solvers/sectors.hpp"
#include "tests/support/support.hpp"

/// Right results, by dense diagonalisation.
namespace cisolve::hard {

struct States {
  std::vector<double> energies;
  HostMatrix vectors;  ///< rows × states
};

/// The lowest states, by dense diagonalisation block by block.
inline States dense_lowest(const CsrMatrix& a, int count) {
  const Sectors sectors = connected_sectors(a.row_offsets, a.column_indices);
  std::vector<std::vector<Index>> rows(sectors.sizes.size());
  for (Index i = 0; i < a.rows; ++i) rows[sectors.labels[i]].push_back(i);
  std::vector<SymmetricEigen> blocks;
  std::vector<std::tuple<double, std::size_t, Eigen::Index>> all;  // energy, block, column
  for (const auto& block : rows) {
    const auto size = static_cast<int>(block.size());
    blocks.push_back(symmetric_eigen(principal_submatrix(a, block), std::min(size, count)));
    const HostVector& values = blocks.back().values;
    for (Eigen::Index j = 0; j < values.size(); ++j) {
      all.emplace_back(values[j], blocks.size() - 1, j);
    }
  }
  std::ranges::sort(all);
  all.resize(std::min<std::size_t>(all.size(), count));
  States found{{}, HostMatrix::Zero(a.rows, static_cast<Eigen::Index>(all.size()))};
  for (const auto& [energy, block, column] : all) {
    const auto j = static_cast<Eigen::Index>(found.energies.size());
    for (std::size_t i = 0; i < rows[block].size(); ++i) {
      found.vectors(rows[block][i], j) =
          blocks[block].vectors(static_cast<Eigen::Index>(i), column);
    }
    found.energies.push_back(energy);
  }
  return found;
}

/// The lowest states of one spin: those of H over the eigenvectors of S².
inline std::vector<double> dense_lowest_of_spin(const CsrMatrix& h, const CsrMatrix& s_squared,
                                                int multiplicity, int count) {
  const SymmetricEigen spins = symmetric_eigen(testing::to_dense(s_squared));
  const double s = 0.5 * (multiplicity - 1);
  std::vector<Eigen::Index> wanted;
  for (Eigen::Index j = 0; j < spins.values.size(); ++j) {
    if (std::abs(spins.values[j] - s * (s + 1)) < 0.5) wanted.push_back(j);
  }
  const HostMatrix v = spins.vectors(Eigen::all, wanted);
  const HostVector values = symmetric_eigen(v.transpose() * testing::to_dense(h) * v).values;
  return {values.data(), values.data() + std::min<Eigen::Index>(values.size(), count)};
}

}  // namespace cisolve::hard
