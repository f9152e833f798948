// Elements of H over all determinants of spinors, as solvers need them.
#include <algorithm>

#include "core/dense/field_matrix.hpp"
#include "core/forest.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/spinor_product/spinor_product.hpp"

namespace cisolve {
namespace {

/// −1 to the number of electrons below p in I and below q in J.
double sign_of(const OrbitalString& i, int p, const OrbitalString& j, int q) {
  return i.below(p).odd() == j.below(q).odd() ? 1.0 : -1.0;
}

Complex off_diagonal(const SpinorIntegrals& in, const OrbitalString& i, const OrbitalString& j) {
  const OrbitalString to = i & ~j, from = j & ~i;
  if (to.count() > 2) return {};
  const int p = to.first(), r = from.first();
  if (to.count() == 1) {
    Complex value = in.h(p, r);
    for (const int k : i& j) value += in.g(p, r, k, k) - in.g(p, k, k, r);
    return sign_of(i, p, j, r) * value;
  }
  const int q = to.rest().first(), s = from.rest().first();
  return sign_of(i, p, j, r) * sign_of(i, q, j, s) * (in.g(p, r, q, s) - in.g(p, s, q, r));
}

}  // namespace

double SpinorProductTables::energy(Index determinant) const {
  double energy = pairs_.core_energy();
  const OrbitalString s = numbers().string(determinant, electrons_, spinors_);
  for (const int q : s) {
    for (const int p : s.below(q)) energy += energies_[p * spinors_ + q];
  }
  return energy;
}

Array<double> SpinorProductTables::diagonal() const {
  Array<double> diagonal(static_cast<std::size_t>(determinants_));
#pragma omp parallel for if (worth_threads(10.0 * determinants_)) schedule(static)
  for (Index i = 0; i < determinants_; ++i) diagonal[i] = energy(i);
  return diagonal;
}

HostMatrix spinor_submatrix(const SpinorIntegrals& integrals, const SpinorProductTables& tables,
                            std::span<const Index> rows) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  std::vector<OrbitalString> strings;
  for (const Index row : rows) {
    strings.push_back(tables.numbers().string(row, tables.electrons(), tables.spinors()));
  }
  HostMatrix block(2 * n, 2 * n);
#pragma omp parallel for if (worth_threads(n * n)) schedule(dynamic, 16)
  for (Eigen::Index i = 0; i < n; ++i) {
    put_element(block, i, i, {tables.energy(rows[i])}, 2);
    for (Eigen::Index j = 0; j < i; ++j) {
      const Complex value = off_diagonal(integrals, strings[i], strings[j]);
      put_element(block, i, j, {value.real(), value.imag()}, 2);
      put_element(block, j, i, {value.real(), -value.imag()}, 2);
    }
  }
  return block;
}

std::vector<Index> spinor_roots(const SpinorProductTables& tables) {
  const int n = tables.spinors();
  const auto& blocks = tables.pairs().blocks();
  std::vector<int> block_of(static_cast<std::size_t>(n) * n, -1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const auto& [p, q] : blocks[b].pairs) block_of[p * n + q] = static_cast<int>(b);
  }
  Forest forest(tables.determinants());
  const StringNumbers numbers = tables.numbers();
  FirstException exception;
#pragma omp parallel if (worth_threads(5.0 * tables.remainders() * tables.empty_pairs()))
  exception.guard([&] {
    std::vector<Index> first(blocks.size());
    std::vector<std::pair<int, std::uint32_t>> lower;
    lower.reserve(n);
#pragma omp for schedule(dynamic, 64)
    for (Index k = 0; k < tables.remainders(); ++k) {
      if (forest.whole()) continue;
      std::ranges::fill(first, -1);
      lower.clear();
      numbers.for_each_empty(numbers.string(k, tables.electrons() - 2, n), n,
                             [&](int q, std::uint32_t low, std::uint32_t high, bool) {
                               for (const auto& [p, low_of_p] : lower) {
                                 const auto row = static_cast<Index>(low_of_p + high);
                                 Index& root = first[block_of[p * n + q]];
                                 if (root < 0) root = row;
                                 forest.unite(root, row);
                               }
                               lower.emplace_back(q, low);
                             });
    }
  });
  exception.rethrow();
  return forest.roots();
}

}  // namespace cisolve
