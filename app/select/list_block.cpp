#include "app/select/list_block.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/solve/facts.hpp"
#include "core/memory.hpp"

namespace cisolve {
namespace {

/// Corrections in some sectors as what products are wanted for, beside a solve over all
/// determinants, whose vectors are not there yet. Each sector's have vectors of their own
/// (InnerSolve).
class Corrections final : public Purpose {
 public:
  Corrections(std::size_t rows, std::size_t states, std::size_t sectors, int columns,
              std::size_t of_all)
      : vectors_(sectors * (states + 3 + 5 * columns) * rows * sizeof(double) + of_all),
        columns_(columns) {}
  int columns(bool) const override { return columns_; }
  MemoryNeed memory(bool) const override {
    MemoryNeed need;
    need.vectors.others = vectors_;
    return need;
  }

 private:
  std::size_t vectors_;
  int columns_;
};

/// Bytes that the solve over all determinants has still to take; of a limited memory those of its
/// operator count, too.
std::size_t bytes_of_all(const Prepared& all, const RunConfig& config) {
  const std::size_t vectors = all.plan.basis_bytes() + all.plan.vectors().others;
  return vectors + (config.backend.memory_limit.count > 0 ? all.a->info().bytes : 0);
}

/// Elements of a vector over rows that are a function of row and sector.
template <class F>
HostMatrix over_rows(Index rows, const F& element) {
  HostMatrix x(rows, 1);
#pragma omp parallel for
  for (Index row = 0; row < rows; ++row) x(row, 0) = element(row);
  return x;
}

/// The sectors in which these states have a part.
std::vector<Index> sectors_of_states(const Basis& all, const Sectors& sectors,
                                     const ListedStates& states) {
  std::vector<double> weights(std::max<std::size_t>(1, sectors.sizes.size()));
  for (Eigen::Index j = 0; j < states.coefficients.cols(); ++j) {
    HostMatrix ordered = HostMatrix::Zero(all.callers_size(), 1);
    for (std::size_t i = 0; i < states.numbers.size(); ++i) {
      ordered(states.numbers[i], 0) = states.coefficients(static_cast<Eigen::Index>(i), j);
    }
    const HostMatrix x = to_rows(all.callers(), all.rows(), std::move(ordered));
    for (Index row = 0; row < all.rows(); ++row) {
      if (x(row, 0) != 0.0) weights[sectors.of(row)] += x(row, 0) * x(row, 0);
    }
  }
  constexpr double least = 1e-3;
  std::vector<Index> found;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (weights[s] > least) found.push_back(static_cast<Index>(s));
  }
  return found;
}

/// The isometry between the determinants `numbers` and the rows of one sector, from ones and row
/// numbers there that are turned back.
InnerBlock::Part part_of(const Basis& all, const Sectors& sectors, Index sector,
                         const std::vector<std::int64_t>& numbers) {
  const auto turned_back = [&](const auto& element) {
    return from_rows(all.callers(), over_rows(all.rows(), [&](Index row) {
                       return sectors.of(row) == sector ? element(row) : 0.0;
                     }));
  };
  InnerBlock::Part part;
  const HostMatrix ones = turned_back([](Index) { return 1.0; });
  for (const std::int64_t number : numbers) part.factors.push_back(ones(number, 0));
  const HostMatrix counted = turned_back([](Index row) { return row + 1.0; });
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double f = part.factors[i];
    part.rows.push_back(f == 0.0 ? 0
                                 : static_cast<Index>(std::lround(counted(numbers[i], 0) / f)) - 1);
  }
  return part;
}

/// The block with its elements in the order of an operator's rows.
InnerBlock::Part in_order(const Basis& list, const InnerBlock::Part& part) {
  InnerBlock::Part ordered;
  const auto n = static_cast<Eigen::Index>(part.rows.size());
  HostMatrix both(n, 2);
  for (Eigen::Index i = 0; i < n; ++i)
    both.row(i) << static_cast<double>(part.rows[i]), part.factors[i];
  both = to_rows(list.callers(), list.rows(), std::move(both));
  for (Eigen::Index i = 0; i < n; ++i) {
    ordered.rows.push_back(static_cast<Index>(both(i, 0)));
    ordered.factors.push_back(both(i, 1));
  }
  return ordered;
}

/// A block with what its operator needs.
class HeldBlock {
 public:
  HeldBlock(const RunContext& context, std::unique_ptr<Model> list, Purpose& purpose)
      : config_(context.config),
        context_{config_, context.backend, context.log, context.begun},
        facts_(facts_of(context)),
        model_(std::move(list)),
        prepared_(Preparation(context_, facts_).prepare(*model_, purpose)) {
    block.matrix = prepared_.a;
  }
  const Basis& basis() const { return *prepared_.basis; }

 private:
  RunConfig config_;
  RunContext context_;
  RunFacts facts_;
  std::unique_ptr<Model> model_;
  Prepared prepared_;

 public:
  InnerBlock block;  ///< goes before what its operator is made of
};

}  // namespace

std::shared_ptr<const InnerBlock> list_block(const RunContext& context, const Model& model,
                                             const ListedStates& states, const Prepared& all,
                                             const Sectors& sectors, int columns) {
  const Basis& basis = *all.basis;
  require_host_memory(sizeof(double) * (static_cast<double>(basis.callers_size()) + basis.rows()),
                      "rows of selected determinants");
  const std::vector<Index> wanted = sectors_of_states(basis, sectors, states);
  Corrections purpose(states.numbers.size(), states.energies.size(), wanted.size(), columns,
                      bytes_of_all(all, context.config));
  const auto held = std::make_shared<HeldBlock>(
      context, model.over(states.list, Storage::full, context.log), purpose);
  InnerBlock& block = held->block;
  const Basis& list = held->basis();
  block.states = to_rows(list.callers(), list.rows(), states.coefficients);
  block.energies = states.energies;
  for (const Index sector : wanted) {
    block.parts.push_back(in_order(list, part_of(basis, sectors, sector, states.numbers)));
  }
  return {held, &block};
}

}  // namespace cisolve
