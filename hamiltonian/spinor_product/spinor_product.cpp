#include "hamiltonian/spinor_product/spinor_product.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/binomial.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

Index numbered(int spinors, int electrons) {
  const double count = binomial(spinors, electrons);
  if (count > std::numeric_limits<Index>::max() / 2.0) {
    throw ResourceError("there are " + std::to_string(count) + " strings of " +
                        std::to_string(electrons) + " electrons in " + std::to_string(spinors) +
                        " spinors; 1073741823 are numbered at most");
  }
  return static_cast<Index>(count);
}

/// C(p, k), p = 0 … n − 1, k = 0 … width − 1, modulo 2^32.
std::vector<std::uint32_t> binomials(int n, int width) {
  std::vector<std::uint32_t> c(static_cast<std::size_t>(n) * width, 0);
  for (int p = 0; p < n; ++p) {
    c[p * width] = 1;
    for (int k = 1; k < width && p > 0; ++k) {
      c[p * width + k] = c[(p - 1) * width + k - 1] + c[(p - 1) * width + k];
    }
  }
  return c;
}

}  // namespace

SpinorProductTables::SpinorProductTables(const SpinorIntegrals& integrals)
    : spinors_(integrals.spinors),
      electrons_(integrals.electrons),
      determinants_(numbered(spinors_, electrons_)),
      remainders_(numbered(spinors_, electrons_ - 2)),
      binomials_(cisolve::binomials(spinors_, electrons_ + 1)),
      pairs_(integrals, electrons_),
      energies_(static_cast<std::size_t>(spinors_) * spinors_, 0.0) {
  for (const PairOperator::Block& block : pairs_.blocks()) {
    const std::size_t n = block.pairs.size();
    for (std::size_t i = 0; i < n; ++i) {
      const auto [p, q] = block.pairs[i];
      energies_[p * spinors_ + q] = pairs_.elements()[2 * (block.first + i * (n + 1))];
    }
  }
}

std::size_t SpinorProductTables::bytes() const {
  return sizeof(double) * (pairs_.elements().size() + energies_.size());
}

GroupPairs::GroupPairs(const SpinorProductTables& tables, const OrbitalString& common)
    : places(static_cast<std::size_t>(tables.spinors()) * tables.spinors(), -1) {
  const auto& all = tables.pairs().blocks();
  for (std::size_t b = 0; b < all.size(); ++b) {
    Block block{static_cast<int>(b), {}, count};
    for (std::size_t i = 0; i < all[b].pairs.size(); ++i) {
      const auto [p, q] = all[b].pairs[i];
      if (common.has(p) || common.has(q)) continue;
      places[p * tables.spinors() + q] = count++;
      block.chosen.push_back(static_cast<int>(i));
    }
    if (!block.chosen.empty()) blocks.push_back(std::move(block));
  }
}

SpinorPanels spinor_panels(const SpinorProductTables& tables, BackendKind backend) {
  constexpr Index least = 256;              // so that W is read once for many
  constexpr std::size_t on_host = 1 << 25;  // 256 MiB
  if (backend == BackendKind::cpu) return {least, on_host};
  constexpr std::int64_t on_device = std::int64_t{1} << 29;  // 4 GiB
  const std::int64_t pairs = std::int64_t{tables.spinors()} * (tables.spinors() - 1) / 2;
  const std::int64_t columns = std::max<std::int64_t>(least, on_device / (4 * pairs));
  return {static_cast<Index>(std::min<std::int64_t>(tables.remainders(), columns)), 0};
}

std::size_t spinor_scratch(const SpinorProductTables& tables, BackendKind backend) {
  const std::size_t pairs = static_cast<std::size_t>(tables.spinors()) * (tables.spinors() - 1) / 2;
  const std::size_t column = 2 * sizeof(double) * static_cast<std::size_t>(tables.determinants());
  const SpinorPanels sizes = spinor_panels(tables, backend);
  const std::size_t panels = 4 * sizeof(double) * pairs * static_cast<std::size_t>(sizes.columns);
  if (backend == BackendKind::cuda) {
    // The real form of W, and what it is taken from.
    return column + panels + 4 * sizeof(double) * pairs * pairs + tables.bytes();
  }
  const double t = 2.0 * tables.remainders() * tables.empty_pairs();
  return column + panels * static_cast<std::size_t>(omp_get_max_threads()) +
         sizeof(double) * static_cast<std::size_t>(std::min(t, static_cast<double>(sizes.batch)));
}

SpinorProductCost spinor_product_cost(const SpinorProductTables& tables, BackendKind backend) {
  SpinorProductCost cost;
  const Index columns = spinor_panels(tables, backend).columns;
  for (const RemainderGroup& group :
       remainder_groups(tables.spinors(), tables.electrons() - 2, columns)) {
    const GroupPairs pairs(tables, group.common);
    for (const GroupPairs::Block& block : pairs.blocks) {
      cost.flops += 8.0 * group.count * std::pow(static_cast<double>(block.chosen.size()), 2);
    }
  }
  cost.gathers = 2.0 * tables.remainders() * tables.empty_pairs();
  double coupled = 0.0, all = 0.0;
  for (const PairOperator::Block& block : tables.pairs().blocks()) {
    coupled += std::pow(static_cast<double>(block.pairs.size()), 2);
    all += static_cast<double>(block.pairs.size());
  }
  const int n = tables.electrons(), empty = tables.spinors() - n;
  const double in_a_row = n * empty + binomial(n, 2) * binomial(empty, 2);
  cost.nonzeros = tables.determinants() * (1.0 + in_a_row * coupled / (all * all));
  return cost;
}

}  // namespace cisolve
