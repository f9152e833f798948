#include "hamiltonian/spinor_product/spinor_pair_density.hpp"

#include <algorithm>
#include <cstdint>

#include "core/memory.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/spinor_product/fewer_electrons.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t columns_at_once = 512;  // strings K whose pairs are multiplied together
constexpr Eigen::Index rows_at_once = 64;      // of M, of one thread

/// Columns of D, D_pr,K = ± x_K+p+r, all with one more sign.
void take(const FewerElectrons& fewer, std::int64_t first, std::span<const double> x,
          SpinorPairDensity& d) {
  for_each_index(d.cols(), worth_threads(1.0 * d.size()),
                 [&](Eigen::Index k) { fewer.take(first + k, x, d.col(k)); });
}

/// M := M + D*_bra D_ketᵀ; of one vector, `left` being `right`, what is right of the diagonal
/// blocks and in them.
void add_products(const SpinorPairDensity& left, const SpinorPairDensity& right,
                  SpinorPairDensity& m) {
  const bool one = &left == &right;
  const Eigen::Index pairs = m.rows();
  FirstException exception;
#pragma omp parallel for if (worth_threads(1.0 * pairs * right.size())) schedule(dynamic, 1)
  for (Eigen::Index begin = 0; begin < pairs; begin += rows_at_once) {
    exception.guard([&] {
      const Eigen::Index rows = std::min(rows_at_once, pairs - begin), from = one ? begin : 0;
      m.block(begin, from, rows, pairs - from).noalias() +=
          left.middleRows(begin, rows).conjugate() * right.bottomRows(pairs - from).transpose();
    });
  }
  exception.rethrow();
}

}  // namespace

SpinorPairDensity spinor_pair_density(const StringSpace& space, std::span<const double> bra,
                                      std::span<const double> ket) {
  const Eigen::Index pairs = Eigen::Index{space.orbitals} * (space.orbitals - 1) / 2;
  const bool one = bra.data() == ket.data();
  const auto rows = static_cast<double>(pairs);
  require_host_memory(
      sizeof(std::complex<double>) * rows * (rows + columns_at_once * (one ? 1 : 2)),
      "two-particle density over pairs of spinors");
  const FewerElectrons fewer(space, 2);
  SpinorPairDensity m = SpinorPairDensity::Zero(pairs, pairs), right, left;
  for (std::int64_t first = 0; first < fewer.count(); first += columns_at_once) {
    const std::int64_t count = std::min(columns_at_once, fewer.count() - first);
    right.resize(pairs, count);
    take(fewer, first, ket, right);
    if (!one) {
      left.resize(pairs, count);
      take(fewer, first, bra, left);
    }
    add_products(one ? right : left, right, m);
  }
  if (one) m.triangularView<Eigen::StrictlyLower>() = m.adjoint();
  return m;
}

void over_all_spinors(const SpinorPairDensity& pairs, int spinors,
                      std::span<std::complex<double>> all) {
  const auto n = static_cast<std::size_t>(spinors);
  std::ranges::fill(all, 0.0);
  const auto at = [&](std::size_t p, std::size_t q, std::size_t r,
                      std::size_t s) -> std::complex<double>& {
    return all[((p * n + q) * n + r) * n + s];
  };
  for (std::size_t r = 1, row = 0; r < n; ++r) {
    for (std::size_t p = 0; p < r; ++p, ++row) {
      for (std::size_t s = 1, column = 0; s < n; ++s) {
        for (std::size_t q = 0; q < s; ++q, ++column) {
          const std::complex<double> value = pairs(row, column);
          at(p, q, r, s) = at(r, s, p, q) = value;
          at(p, s, r, q) = at(r, q, p, s) = -value;
        }
      }
    }
  }
}

}  // namespace cisolve
