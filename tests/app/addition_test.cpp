// A model, a basis and a way that the program does not have, added from outside: a ring of spins.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "app/input/elements/loaded_matrix.hpp"
#include "app/model/model.hpp"
#include "app/solve/eigen/eigen.hpp"
#include "app/ways/stored/host_way.hpp"
#include "core/dense/dense.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

/// H = Σ_i S_i · S_i+1 of spins 1/2 in a ring, over configurations with as many up as down, bit i
/// for spin i up; ascending.
class Ring {
 public:
  explicit Ring(int sites) : sites_(sites) {
    for (unsigned c = 0; c < 1u << sites; ++c) {
      if (2 * std::popcount(c) == sites) configurations_.push_back(c);
    }
  }

  Index size() const { return static_cast<Index>(configurations_.size()); }
  Index find(unsigned c) const {
    return static_cast<Index>(std::ranges::lower_bound(configurations_, c) -
                              configurations_.begin());
  }
  /// The configuration with all spins turned round.
  Index turned(Index i) const { return find(~configurations_[i] & ((1u << sites_) - 1)); }
  /// Calls visit(j, H_ij) for the terms of row i.
  template <class Visit>
  void for_each_term(Index i, Visit visit) const {
    const unsigned c = configurations_[i];
    for (int s = 0; s < sites_; ++s) {
      const unsigned pair = 1u << s | 1u << (s + 1) % sites_;
      const bool parallel = (c & pair) == 0 || (c & pair) == pair;
      visit(i, parallel ? 0.25 : -0.25);
      if (!parallel) visit(find(c ^ pair), 0.5);
    }
  }
  HostMatrix dense() const {
    HostMatrix h = HostMatrix::Zero(size(), size());
    for (Index i = 0; i < size(); ++i) for_each_term(i, [&](Index j, double v) { h(i, j) += v; });
    return h;
  }

 private:
  int sites_;
  std::vector<unsigned> configurations_;
};

/// Functions (|c⟩ + |c turned round⟩)/√2; callers have configurations.
class EvenFunctions final : public Basis, private RowOrder {
 public:
  explicit EvenFunctions(const Ring& ring) : Basis({{0, ring.size() / 2}}), ring_(ring) {
    for (Index i = 0; i < ring.size(); ++i) {
      if (i < ring.turned(i)) first_.push_back(i);
    }
  }

  const RowOrder* callers() const override { return this; }
  Index configuration(Index row) const { return first_[row]; }
  Index row_of(Index configuration) const {
    const Index c = std::min(configuration, ring_.turned(configuration));
    return static_cast<Index>(std::ranges::lower_bound(first_, c) - first_.begin());
  }

 private:
  std::int64_t size() const override { return ring_.size(); }
  void from_rows(const double* x, std::int64_t stride, double* ordered,
                 std::int64_t ordered_stride) const override {
    for (Index c = 0; c < ring_.size(); ++c) {
      ordered[c * ordered_stride] = x[row_of(c) * stride] / std::numbers::sqrt2;
    }
  }
  void to_rows(const double* ordered, std::int64_t ordered_stride, double* x,
               std::int64_t stride) const override {
    for (Index r = 0; r < rows(); ++r) {
      const Index c = first_[r];
      const double both = ordered[c * ordered_stride] + ordered[ring_.turned(c) * ordered_stride];
      x[r * stride] = both / std::numbers::sqrt2;
    }
  }

  const Ring& ring_;
  std::vector<Index> first_;  ///< the lower configuration of each row
};

/// Products made of the terms.
class TermsOperator final : public LinearOperator {
 public:
  TermsOperator(const Ring& ring, const EvenFunctions& basis) : ring_(ring), basis_(basis) {}

  Index rows() const override { return basis_.rows(); }
  Index columns() const override { return rows(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    for (Index r = 0; r < rows(); ++r) {
      for (int k = 0; k < x.columns; ++k) {
        double sum = 0.0;
        ring_.for_each_term(basis_.configuration(r), [&](Index j, double v) {
          sum += v * x.data[basis_.row_of(j) * x.stride + k];
        });
        double& to = y.data[r * y.stride + k];
        to = alpha * sum + (beta == 0.0 ? 0.0 : beta * to);
      }
    }
  }
  void diagonal(View d) const override {
    for (Index r = 0; r < rows(); ++r) d.data[r * d.stride] = element(r, r);
  }
  OperatorInfo info() const override {
    OperatorInfo info;
    info.format = "terms";
    info.stored = false;
    return info;
  }
  double element(Index r, Index s) const {
    double sum = 0.0;
    ring_.for_each_term(basis_.configuration(r), [&](Index j, double v) {
      if (basis_.row_of(j) == s) sum += v;
    });
    return sum;
  }

 private:
  const Ring& ring_;
  const EvenFunctions& basis_;
};

class TermsHeld final : public HeldMatrix {
 public:
  TermsHeld(const WayRequest& request, const Ring& ring)
      : backend_(request.backend),
        basis_(std::make_shared<const EvenFunctions>(ring)),
        operator_(std::make_shared<TermsOperator>(ring, *basis_)) {
    plan = request.plan_of(*this, false);
  }

  std::shared_ptr<const Basis> basis() override { return basis_; }
  std::optional<Offset> nonzeros() override { return std::nullopt; }
  std::string size_text() override { return std::to_string(basis_->rows()) + " even functions"; }
  MemoryNeed memory(const MemoryNeed& solver, int) override { return solver; }
  Array<double> diagonal() override {
    Array<double> d(static_cast<std::size_t>(basis_->rows()));
    for (Index r = 0; r < basis_->rows(); ++r) d[r] = operator_->element(r, r);
    return d;
  }
  HostMatrix principal_submatrix(const std::vector<Index>& rows) override {
    const auto n = static_cast<Eigen::Index>(rows.size());
    return HostMatrix::NullaryExpr(
        n, n, [&](Eigen::Index i, Eigen::Index j) { return operator_->element(rows[i], rows[j]); });
  }
  Sectors sectors(const CsrMatrix*) override { return {}; }
  Fingerprint fingerprint() override { return cisolve::fingerprint(*operator_, backend_); }
  MadeOperator make(int, bool) override { return {operator_, operator_.get()}; }
  std::unique_ptr<StateReader> reader() override { return make_row_reader(nullptr, backend_); }

 private:
  Backend& backend_;
  std::shared_ptr<const EvenFunctions> basis_;
  std::shared_ptr<TermsOperator> operator_;
};

class RingModel final : public Model {
 public:
  RingModel(const Ring& ring, bool stored)
      : ring_(ring),
        stored_(stored),
        elements_(std::make_shared<const CsrMatrix>(testing::from_dense(ring.dense())),
                  "the ring") {}

  std::string name() const override { return "the ring"; }
  std::string kind() const override { return "ring"; }
  Units units() const override { return Units::none; }
  Index rows() override { return stored_ ? ring_.size() : ring_.size() / 2; }
  std::vector<Way> ways() override {
    if (stored_) return {host_way(elements_, nullptr)};
    return {{false,
             [this](WayRequest& request) { return std::make_unique<TermsHeld>(request, ring_); }}};
  }
  Elements* elements() override { return stored_ ? &elements_ : nullptr; }

 private:
  const Ring& ring_;
  bool stored_;
  LoadedMatrix elements_;
};

class Addition : public ::testing::TestWithParam<bool> {};

TEST_P(Addition, OfAModelABasisAndAWayNeedsNoFileOfTheProgram) {
  const Ring ring(10);
  RunConfig config;
  config.task = Task::eigen;
  config.solver.states = 2;
  const auto backend = testing::make_backend("cpu");
  const EigenOutcome outcome = solve_eigenproblem(
      RunContext{config, *backend, {}},
      [&](Storage) { return std::make_unique<RingModel>(ring, GetParam()); }, {});
  ASSERT_EQ(outcome.result.status, SolveStatus::converged);
  EXPECT_TRUE(outcome.result.verified);
  EXPECT_EQ(outcome.facts.matrix.format, GetParam() ? "csr" : "terms");

  // States are in the caller's order, whatever the rows were.
  const HostMatrix h = ring.dense(), x = outcome.vectors(*backend);
  ASSERT_EQ(x.rows(), ring.size());
  HostMatrix even = h;  // the even part of H, the odd functions far above
  for (Index i = 0; i < ring.size(); ++i) {
    for (Index j = 0; j < ring.size(); ++j) {
      even(i, j) = 0.5 * (h(i, j) + h(i, ring.turned(j))) + (i == j                ? 50.0
                                                             : i == ring.turned(j) ? -50.0
                                                                                   : 0.0);
    }
  }
  const SymmetricEigen exact = symmetric_eigen(GetParam() ? h : even);
  for (int j = 0; j < 2; ++j) {
    const double energy = outcome.result.energies[j];
    EXPECT_NEAR(energy, exact.values[j], 1e-9);
    EXPECT_LT((h * x.col(j) - energy * x.col(j)).norm(), 1e-5);
    EXPECT_NEAR(x.col(j).norm(), 1.0, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(StoredAndNot, Addition, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "Stored" : "ByTerms"; });

}  // namespace
}  // namespace cisolve
