#include "app/select/list_block.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/solve/facts.hpp"

namespace cisolve {
namespace {

/// Corrections as what products are wanted for, beside a solve over all determinants.
class Corrections final : public Purpose {
 public:
  Corrections(Index rows, int states, const MemoryPlan& of_all)
      : rows_(rows), states_(states), of_all_(of_all) {}
  int columns(bool) const override { return states_; }
  MemoryNeed memory(bool) const override {
    MemoryNeed need;
    need.vectors.others = of_all_.basis_bytes() + of_all_.vectors().others +
                          sizeof(double) * static_cast<std::size_t>(rows_) * (6 * states_ + 4);
    return need;
  }

 private:
  Index rows_;
  int states_;
  const MemoryPlan& of_all_;
};

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

/// What stands for the determinants `numbers` in the rows of one sector: ones and numbers there
/// turned back.
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

/// The same with the elements in the order of an operator's rows.
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
  HeldBlock(const RunContext& context, const Model& model, const ListedStates& states,
            const MemoryPlan& of_all)
      : config_(context.config),
        context_{config_, context.backend, context.log, context.begun},
        facts_(facts_of(context)),
        model_(model.over(states.list, Storage::full, context.log)) {
    Corrections purpose(model_->rows(), static_cast<int>(states.coefficients.cols()), of_all);
    prepared_ = Preparation(context_, facts_).prepare(*model_, purpose);
    block.matrix = prepared_.a;
  }
  const Basis& basis() const { return *prepared_.basis; }

  InnerBlock block;

 private:
  RunConfig config_;
  RunContext context_;
  RunFacts facts_;
  std::unique_ptr<Model> model_;
  Prepared prepared_;
};

}  // namespace

std::shared_ptr<const InnerBlock> list_block(const RunContext& context, const Model& model,
                                             const ListedStates& states, const Prepared& all,
                                             const Sectors& sectors) {
  const auto held = std::make_shared<HeldBlock>(context, model, states, all.plan);
  const Basis& list = held->basis();
  InnerBlock& block = held->block;
  block.states = to_rows(list.callers(), list.rows(), states.coefficients);
  block.energies = states.energies;
  for (const Index sector : sectors_of_states(*all.basis, sectors, states)) {
    block.parts.push_back(in_order(list, part_of(*all.basis, sectors, sector, states.numbers)));
  }
  return {held, &block};
}

}  // namespace cisolve
