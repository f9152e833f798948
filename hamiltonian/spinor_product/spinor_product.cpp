#include "hamiltonian/spinor_product/spinor_product.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/binomial.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

Index numbered(int spinors, int electrons) {
  const double count = binomial(spinors, electrons);
  if (count > most_numbered_strings) {
    throw ResourceError("there are " + std::to_string(count) + " strings of " +
                        std::to_string(electrons) + " electrons in " + std::to_string(spinors) +
                        " spinors; 1073741823 are numbered at most");
  }
  return static_cast<Index>(count);
}

}  // namespace

SpinorProductTables::SpinorProductTables(const SpinorIntegrals& integrals)
    : spinors_(integrals.spinors),
      electrons_(integrals.electrons),
      determinants_(numbered(spinors_, electrons_)),
      remainders_(numbered(spinors_, electrons_ - 2)),
      binomials_(binomials_below(spinors_, electrons_ + 1)),
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

SpinorPanels spinor_panels(BackendKind backend) {
  // Columns enough that W is read once for many, and a GPU has something to do.
  if (backend == BackendKind::cpu) return {256, std::size_t{1} << 25};
  return {16384, std::size_t{1} << 29};
}

std::size_t spinor_scratch(const SpinorProductTables& tables, BackendKind backend) {
  const double pairs = 0.5 * tables.spinors() * (tables.spinors() - 1);
  const auto [most, batch] = spinor_panels(backend);
  const double panel = 2.0 * pairs * std::min(most, tables.remainders());
  const double column = 2.0 * tables.determinants();
  double doubles = column;
  if (backend == BackendKind::cuda) {
    const double t = 2.0 * pairs * tables.remainders();
    doubles += panel + std::min(t, std::max(panel, static_cast<double>(batch))) +
               4.0 * pairs * pairs;  // the real form of W
    const auto groups = remainder_groups(tables.spinors(), tables.electrons() - 2, most);
    // Numbers of groups, and places of pairs in each.
    doubles += 0.5 * tables.remainders() + 1.0 * std::ssize(groups) * pairs;
  } else {
    const double t = 2.0 * tables.empty_pairs() * tables.remainders();
    doubles += 2.0 * panel * omp_get_max_threads() + std::min(t, static_cast<double>(batch));
  }
  return sizeof(double) * static_cast<std::size_t>(doubles);
}

SpinorProductCost spinor_product_cost(const SpinorProductTables& tables, BackendKind backend) {
  SpinorProductCost cost;
  const Index columns = spinor_panels(backend).columns;
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
