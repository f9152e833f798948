// Eigenproblems over the complex numbers and quaternions: what the small matrices of the solvers
// are, and that every level comes out whole and verified.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "backends/field/field_backend.hpp"
#include "solvers/eigen/lower/lanczos_bound.hpp"
#include "tests/support/matrices/real_forms.hpp"

namespace cisolve {
namespace {

using namespace testing;

class Field : public ::testing::TestWithParam<int> {
 protected:
  int d() const { return GetParam(); }
  std::mt19937 engine{7};
};

class FieldOn : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  const std::string& backend_name() const { return std::get<0>(GetParam()); }
  int d() const { return std::get<1>(GetParam()); }
  std::mt19937 engine{7};
};

/// Columns of the real form that a block of vectors has: of every d the first.
HostMatrix block_of(const HostMatrix& real_form, int d) {
  HostMatrix block(real_form.rows(), real_form.cols() / d);
  for (Eigen::Index j = 0; j < block.cols(); ++j) block.col(j) = real_form.col(d * j);
  return block;
}

TEST_P(FieldOn, products_of_vectors_are_those_of_the_real_form) {
  CISOLVE_BACKEND_OR_SKIP(inner, backend_name());
  const auto backend = make_field_backend(inner, d());
  const int n = 37, m = 5, k = 3;
  const HostMatrix x = random_over(d(), n, m, engine), y = random_over(d(), n, k, engine),
                   c = random_over(d(), m, k, engine), b = random_over(d(), k, 2, engine);
  MultiVector wide(*backend, d() * n, m + 2), on_y(*backend, d() * n, k);
  const View x_view = wide.slice(1, m);
  backend->fill(std::nan(""), wide.view());
  backend->upload(block_of(x, d()), x_view);
  backend->upload(block_of(y, d()), on_y.view());

  HostMatrix gram;
  backend->gram(x_view, on_y.view(), gram);
  EXPECT_LE((gram - x.transpose() * y).cwiseAbs().maxCoeff(), 1e-12);

  backend->combine(0.5, x_view, c, -2.0, on_y.view());
  const HostMatrix combined = 0.5 * x * c - 2.0 * y;
  EXPECT_LE((backend->download(on_y.view()) - block_of(combined, d())).cwiseAbs().maxCoeff(),
            1e-12);

  const HostMatrix c2 = random_over(d(), m, 2, engine);
  backend->recombine(x_view, c2, on_y.view(), b);
  const HostMatrix recombined = x * c2 + combined * b;
  EXPECT_LE((backend->download(on_y.slice(0, 2)) - block_of(recombined, d())).cwiseAbs().maxCoeff(),
            1e-11);
}

TEST_P(Field, self_adjoint_matrices_have_their_eigenpairs_with_copies) {
  const int n = 12;
  const HostMatrix u = random_unitary(d(), n, engine);
  EXPECT_LE((u.transpose() * u - HostMatrix::Identity(d() * n, d() * n)).cwiseAbs().maxCoeff(),
            1e-13);
  const std::vector<double> values{-3, -3, -3, -1, 0, 0, 2, 2, 2, 2, 5, 7};
  const HostMatrix a = with_spectrum(d(), u, values);
  const SymmetricEigen pairs = field_eigen(a, d());
  ASSERT_EQ(pairs.values.size(), n);
  HostVector repeated(d() * n);
  for (int j = 0; j < n; ++j) {
    EXPECT_NEAR(pairs.values[j], values[j], 1e-13);
    repeated.segment(d() * j, d()).setConstant(pairs.values[j]);
  }
  const HostMatrix& v = pairs.vectors;
  EXPECT_LE((a * v - v * repeated.asDiagonal()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((v.transpose() * v - HostMatrix::Identity(d() * n, d() * n)).cwiseAbs().maxCoeff(),
            1e-13);
  // In the real form one column of an element determines the others.
  for (int j = 0; j < n; ++j) {
    std::array<double, 4> element{};
    for (int r = 0; r < d(); ++r) element[r] = v(r, d() * j);
    HostMatrix expected(d(), d());
    put_element(expected, 0, 0, element, d());
    EXPECT_LE((v.block(0, d() * j, d(), d()) - expected).cwiseAbs().maxCoeff(), 1e-13);
  }
}

/// A vector uniform on the sphere has less than exp(−needed) of its square along a given line in a
/// part `probability` of all draws, at most, and not in far less.
TEST_P(Field, bound_is_that_of_random_vectors_over_it) {
  const int n = 40, draws = 40'000;
  std::normal_distribution<double> normal;
  for (const double probability : {0.02, 0.2}) {
    int missed = 0;
    for (int draw = 0; draw < draws; ++draw) {
      double along = 0.0, square = 0.0;
      for (int i = 0; i < d() * n; ++i) {
        const double x = normal(engine);
        square += x * x;
        if (i < d()) along += x * x;
      }
      missed += along / square < std::exp(-LanczosBound::needed(square, probability, 1, d()));
    }
    const double part = static_cast<double>(missed) / draws;
    EXPECT_LE(part, probability * 1.1);
    EXPECT_GE(part, probability * 0.6);
  }
}

struct FieldCase {
  std::string name;
  std::vector<double> lowest;
  int states;
};

TEST_P(FieldOn, states_are_right_and_verified_by_every_method) {
  const int n = 70;
  const std::vector<FieldCase> cases{{"pairs", {-4, -4, -3, -3, -3, -2.5}, 3},
                                     {"one", {-4, -3.9}, 1},
                                     {"quartet", {-4, -4, -4, -4, -3.99, -3.99}, 6}};
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  for (const FieldCase& one : cases) {
    std::vector<double> values = one.lowest;
    while (values.size() < n) values.push_back(-1.0 + 10.0 * values.size() / n);
    const HostMatrix a = with_spectrum(d(), random_unitary(d(), n, engine), values);
    const CsrMatrix real = from_dense(a);
    const auto op = operator_on(backend_name(), backend, "csr", real);
    OverField over(*op, d());
    for (const Method& method : methods) {
      SCOPED_TRACE(one.name + ", " + method.name);
      EigenOptions options;
      options.method = method.method;
      options.states = one.states;
      options.verify = Verify::thorough;
      const EigenResult result = lowest_eigenpairs(over, backend, p_space_over(d(), a, 8), options);
      EXPECT_EQ(result.status, SolveStatus::converged);
      EXPECT_TRUE(result.verified);
      for (int j = 0; j < one.states; ++j) EXPECT_NEAR(result.energies[j], values[j], 1e-9);
      const HostMatrix x = backend.download(result.vectors.view());
      for (int j = 0; j < one.states; ++j) {
        EXPECT_LE((a * x.col(j) - values[j] * x.col(j)).norm(), 1e-5);
      }
      HostMatrix gram;
      const auto over_k = make_field_backend(backend, d());
      over_k->gram(result.vectors.view(), result.vectors.view(), gram);
      EXPECT_LE((gram - HostMatrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff(),
                1e-10);
    }
  }
}

/// Kept state, other number of states: nothing is begun anew.
TEST_P(Field, solves_go_on_from_where_another_has_ended) {
  const int n = 60;
  std::vector<double> values;
  for (int j = 0; j < n; ++j) values.push_back(0.1 * j);
  const HostMatrix a = with_spectrum(d(), random_unitary(d(), n, engine), values);
  const CsrMatrix real = from_dense(a);
  const auto backend = make_cpu_backend();
  const auto op = operator_on("cpu", *backend, "csr", real);
  OverField over(*op, d());
  for (const Method& method : methods) {
    SCOPED_TRACE(method.name);
    KeptState kept;
    EigenOptions options;
    options.method = method.method;
    options.states = 2;
    options.verify = Verify::off;
    options.max_iterations = 4;
    options.checkpoint = kept.hook();
    const PSpace p = p_space_over(d(), a, 6);
    const EigenResult first = lowest_eigenpairs(over, *backend, p, options);
    EXPECT_EQ(first.status, SolveStatus::max_iterations);
    options.max_iterations = 200;
    options.checkpoint = {};
    const EigenResult whole = lowest_eigenpairs(over, *backend, p, options);
    options.begin_from = &kept.state();
    const EigenResult rest = lowest_eigenpairs(over, *backend, p, options);
    EXPECT_EQ(rest.status, SolveStatus::converged);
    EXPECT_LE(rest.operator_applications, whole.operator_applications + 8);
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(rest.energies[j], values[j], 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Components, Field, ::testing::Values(1, 2, 4));
INSTANTIATE_TEST_SUITE_P(Backends, FieldOn,
                         ::testing::Combine(::testing::Values("cpu", "checked", "cuda"),
                                            ::testing::Values(1, 2, 4)));

}  // namespace
}  // namespace cisolve
