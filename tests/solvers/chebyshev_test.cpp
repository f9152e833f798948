// Corrections by polynomials of the matrix, where its diagonal says nothing of it.

#include "solvers/eigen/steps/chebyshev.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <thread>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "spmv/forwarding_operator.hpp"
#include "tests/support/eigenpairs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// The Laplacians of squares of side² points each, one beside the other, the later ones raised.
CsrMatrix squares(int side, const std::vector<double>& raised) {
  const Index points = side * side, n = points * static_cast<Index>(raised.size());
  std::vector<Offset> offsets{0};
  std::vector<Index> columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    const Index x = i % points % side, y = i % points / side;
    const auto add = [&](bool there, Index column, double value) {
      if (!there) return;
      columns.push_back(column);
      values.push_back(value);
    };
    add(y > 0, i - side, -1.0);
    add(x > 0, i - 1, -1.0);
    add(true, i, 4.0 + raised[i / points]);
    add(x + 1 < side, i + 1, -1.0);
    add(y + 1 < side, i + side, -1.0);
    offsets.push_back(static_cast<Offset>(values.size()));
  }
  CsrMatrix a;
  a.rows = a.columns = n;
  a.row_offsets = {offsets.begin(), offsets.end()};
  a.column_indices = {columns.begin(), columns.end()};
  a.values = {values.begin(), values.end()};
  return a;
}

std::vector<double> energies_of_squares(int side, const std::vector<double>& raised, int count) {
  const auto line = [&](int j) { return 2.0 - 2.0 * std::cos(j * std::numbers::pi / (side + 1)); };
  std::vector<double> energies;
  for (const double more : raised) {
    for (int i = 1; i <= side; ++i) {
      for (int j = 1; j <= side; ++j) energies.push_back(line(i) + line(j) + more);
    }
  }
  std::ranges::sort(energies);
  energies.resize(count);
  return energies;
}

/// Options with which corrections are polynomials, not Krylov spaces: the subspace is the whole.
EigenOptions polynomial_options() {
  EigenOptions options = thorough_options();
  options.project = [](View) {};
  return options;
}

class Polynomials : public Eigensolver {
 protected:
  void expect_few_iterations(int side, const std::vector<double>& raised, int most) {
    CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
    const CsrMatrix a = squares(side, raised);
    EigenOptions options = polynomial_options();
    options.states = 6;
    const PSpace p = p_space_with_sectors(a, 20);
    const EigenResult result = solve(backend, a, p, options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_TRUE(result.verified);
    EXPECT_LE(result.iterations, most);
    expect_eigenpairs(a, backend, result, options.residual_tolerance());
    const std::vector<double> exact = energies_of_squares(side, raised, options.states);
    for (int j = 0; j < options.states; ++j) EXPECT_NEAR(result.energies[j], exact[j], 1e-9) << j;
  }
};

TEST_P(Polynomials, brings_the_states_of_a_square_in_few_iterations) {
  expect_few_iterations(50, {0.0}, 40);
}

TEST_P(Polynomials, serves_every_block_of_the_matrix) {
  expect_few_iterations(30, {0.0, 1e-3, 0.5}, 40);
}

/// Davidson's corrections of a square of 50² points, by products that take some milliseconds.
class SlowPolynomials : public ::testing::Test {
 protected:
  EigenResult solve(Backend& backend, EigenOptions options, const EigenObserver& observer = {}) {
    class Slow final : public ForwardingOperator {
     public:
      explicit Slow(LinearOperator& a) : a_(a) {}
      void apply(double alpha, ConstView x, double beta, View y) const override {
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
        ForwardingOperator::apply(alpha, x, beta, y);
      }

     private:
      LinearOperator& inner() const override { return a_; }
      LinearOperator& a_;
    };
    const auto a = operator_on("cpu", backend, "csr", square_);
    Slow slow(*a);
    options.states = 6;
    return lowest_eigenpairs(slow, backend, p_space_with_sectors(square_, 20), options, observer);
  }
  const CsrMatrix square_ = squares(50, {0.0});
  /// Some twenty products come before the first polynomial.
  static constexpr double before = 0.8, polynomial = 60 * 0.015;
};

TEST_F(SlowPolynomials, EndWhereTheObserverSaysSo) {
  const auto backend = make_cpu_backend();
  std::int64_t products = 0;
  const EigenResult result = solve(*backend, polynomial_options(), [&](const EigenIteration& i) {
    if (i.correcting) products = i.operator_applications;
    return !i.correcting;
  });
  EXPECT_EQ(result.status, SolveStatus::cancelled);
  EXPECT_GT(products, 0);
  // One for what the correction had come to, and those of the states' residuals; by columns.
  EXPECT_LE(result.operator_applications, products + 5 * 6);
}

TEST_F(SlowPolynomials, EndAtTheTimeLimit) {
  const auto backend = make_cpu_backend();
  EigenOptions options = polynomial_options();
  options.time_limit = before;
  const EigenResult result = solve(*backend, options);
  EXPECT_EQ(result.status, SolveStatus::time_limit);
  EXPECT_LT(result.seconds, before + polynomial / 2);
}

TEST(PolynomialsWithoutMemory, AreNone) {
  class Full final : public PlainBackend {
   public:
    std::size_t free_memory() const override { return 1 << 10; }
  };
  const CsrMatrix a = squares(30, {0.0});
  EigenOptions options = polynomial_options();
  options.states = 2;
  const auto products = [&](Backend& backend) {
    const auto op = operator_on("cpu", backend, "csr", a);
    const EigenResult result =
        lowest_eigenpairs(*op, backend, p_space_with_sectors(a, 20), options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_NEAR(result.energies[0], energies_of_squares(30, {0.0}, 1)[0], 1e-9);
    return result.iterations;
  };
  Full full;
  PlainBackend roomy;
  EXPECT_GT(products(full), 2 * products(roomy)) << "there were polynomials";
}

/// Iterations before the first that took more products than the block has columns.
int iterations_before_polynomials(const CsrMatrix& a) {
  PlainBackend backend;
  EigenOptions options = polynomial_options();
  options.states = 4;
  const auto op = operator_on("cpu", backend, "csr", a);
  const int block = block_size(options, a.rows);
  std::int64_t products = 0;
  int before = 0;
  bool begun = false;
  lowest_eigenpairs(*op, backend, p_space_with_sectors(a, 20), options,
                    [&](const EigenIteration& iteration) {
                      begun = begun || iteration.operator_applications - products > block;
                      products = iteration.operator_applications;
                      if (!begun) before = iteration.iteration;
                      return !begun;
                    });
  EXPECT_TRUE(begun);
  return before;
}

TEST(PolynomialsOfASquare, BeginEarlyWhereThePSpaceHasOneLevel) {
  CsrMatrix a = squares(30, {0.0});
  EXPECT_GE(iterations_before_polynomials(a), 9);
  // A checkerboard: the lowest diagonal elements are of points that are no neighbours.
  for (Index i = 0; i < a.rows; ++i) {
    if ((i % 30 + i / 30) % 2 == 0) continue;
    for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      if (a.column_indices[k] == i) a.values[k] += 0.5;
    }
  }
  EXPECT_EQ(iterations_before_polynomials(a), 3);
}

INSTANTIATE_TEST_SUITE_P(All, Polynomials,
                         ::testing::Combine(::testing::ValuesIn(backend_names()),
                                            ::testing::Values(methods[0], methods[1])),
                         name_of_method_test);

}  // namespace
}  // namespace cisolve
