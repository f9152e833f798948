// Kramers pairs of determinants: time reversal, the matrix of quaternions and its products, against
// the complex matrix.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <complex>
#include <numeric>
#include <utility>
#include <vector>

#include "core/dense/field_matrix.hpp"
#include "formats/format.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "hamiltonian/spinor/kramers/folded_operator.hpp"
#include "hamiltonian/spinor/kramers/kramers.hpp"
#include "hamiltonian/spinor/kramers/kramers_matrix.hpp"
#include "hamiltonian/spinor/kramers/kramers_operator.hpp"
#include "hamiltonian/spinor_product/spinor_product.hpp"
#include "tests/support/integrals/random_spinors.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using ComplexMatrix = Eigen::MatrixXcd;

/// Electrons and spinors; the space of all determinants, and the complex matrix over it.
struct KramersProblem {
  explicit KramersProblem(SpinorIntegrals given, const CiSpaceOptions& options = {})
      : integrals(std::move(given)),
        space(make_ci_space(diagonal_integrals(integrals), options)),
        h(dense_matrix()) {}

  ComplexMatrix dense_matrix() const {
    const SpinorMatrixBuilder builder(integrals, space.alpha);
    const CsrMatrix a = builder.fill(builder.count());
    ComplexMatrix result = ComplexMatrix::Zero(a.rows, a.columns);
    for (Index i = 0; i < a.rows; ++i) {
      for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
        result(i, a.column_indices[k]) = {a.values[2 * k], a.values[2 * k + 1]};
      }
    }
    return result;
  }
  /// Column K of U is T|K⟩: spinors are turned round one by one, then brought into order by
  /// exchanges of neighbours, a sign each.
  Eigen::MatrixXd reversal() const {
    const StringSpace& strings = space.alpha;
    Eigen::MatrixXd u = Eigen::MatrixXd::Zero(strings.size(), strings.size());
    for (Index k = 0; k < strings.size(); ++k) {
      std::vector<int> turned;
      double sign = 1.0;
      OrbitalString image;
      for (const int p : strings.strings[k]) {
        turned.push_back(p ^ 1);
        image = image.with(p ^ 1);
        if (p % 2 != 0) sign = -sign;
      }
      for (std::size_t i = 0; i < turned.size(); ++i) {
        for (std::size_t j = i + 1; j < turned.size(); ++j) sign *= turned[i] > turned[j] ? -1 : 1;
      }
      u(strings.find(image), k) = sign;
    }
    return u;
  }
  KramersPairs pairs() const { return *KramersPairs::of(space.alpha); }

  SpinorIntegrals integrals;
  CiSpace space;
  ComplexMatrix h;
};

const std::vector<std::pair<int, int>> kramers_sizes{{6, 1}, {6, 3}, {8, 3}, {8, 5}, {10, 5}};

CsrMatrix whole_matrix(const KramersMatrixBuilder& builder) {
  return builder.fill(builder.count());
}

Eigen::VectorXcd random_psi(Index n, unsigned seed) {
  const HostMatrix x = testing::random_block(n, 2, seed);
  return x.col(0) + Complex(0.0, 1.0) * x.col(1);
}

TEST(TimeAverage, OfIntegralsIsThatOfTheMatrix) {
  for (const auto& [spinors, electrons] : {std::pair{6, 2}, {6, 3}, {8, 3}}) {
    const KramersProblem given(random_spinors(spinors, electrons, 21));
    SpinorIntegrals mean = given.integrals;
    time_average(mean);
    const Eigen::MatrixXd u = given.reversal();
    const ComplexMatrix expected = 0.5 * (given.h + u * given.h.conjugate() * u.transpose());
    EXPECT_LT((KramersProblem(mean).h - expected).cwiseAbs().maxCoeff(), 1e-13);
    SpinorIntegrals again = mean;
    time_average(again);
    EXPECT_EQ(KramersProblem(again).h, KramersProblem(mean).h);
  }
}

TEST(TimeAverage, LeavesIntegralsOfKramersPairs) {
  SpinorIntegrals in = random_kramers_spinors(8, 3, 22);
  EXPECT_LT(kramers_deviation(in), 1e-15);
  const ComplexMatrix before = KramersProblem(in).h;
  time_average(in);
  EXPECT_EQ(KramersProblem(in).h, before);
}

TEST(KramersPairsOfDeterminants, AreThoseOfTimeReversal) {
  for (const auto& [spinors, electrons] : kramers_sizes) {
    const KramersProblem problem(random_spinors(spinors, electrons, 23));
    const KramersPairs pairs = problem.pairs();
    const Eigen::MatrixXd u = problem.reversal();
    EXPECT_EQ(u * u, -Eigen::MatrixXd::Identity(u.rows(), u.cols()));
    ASSERT_EQ(2 * pairs.size(), problem.space.alpha.size());
    std::vector<bool> seen(u.rows());
    for (Index pair = 0; pair < pairs.size(); ++pair) {
      const Index first = pairs.first(pair);
      Eigen::Index second = 0;
      u.col(first).cwiseAbs().maxCoeff(&second);
      EXPECT_EQ(pairs.sign(pair), u(second, first));
      EXPECT_LT(first, second);
      EXPECT_TRUE(pair == 0 || pairs.first(pair - 1) < first);
      EXPECT_FALSE(pairs.place(first).reversed);
      const auto place = pairs.place(static_cast<Index>(second));
      EXPECT_TRUE(place.reversed && place.pair == pair);
      seen[first] = seen[second] = true;
    }
    EXPECT_EQ(std::ranges::count(seen, true), u.rows());
  }
}

TEST(KramersPairsOfDeterminants, FoldStatesAndTheirReversals) {
  const KramersProblem problem(random_spinors(8, 3, 24));
  const KramersPairs pairs = problem.pairs();
  const Eigen::VectorXcd psi = random_psi(problem.space.alpha.size(), 1);
  const auto parts = [](const Eigen::VectorXcd& x) {
    return reinterpret_cast<const double*>(x.data());
  };
  std::vector<double> v(4 * static_cast<std::size_t>(pairs.size()));
  pairs.fold(parts(psi), 1, v.data(), 1);
  Eigen::VectorXcd same(psi.size()), reversed(psi.size());
  pairs.unfold(v.data(), 1, reinterpret_cast<double*>(same.data()),
               reinterpret_cast<double*>(reversed.data()), 1);
  EXPECT_EQ(same, psi);
  EXPECT_EQ(reversed, Eigen::VectorXcd(problem.reversal() * psi.conjugate()));
  EXPECT_LT(std::abs(psi.dot(reversed)), 1e-12);
}

TEST(KramersPairsOfDeterminants, NeedOddElectronsAndAClosedSpace) {
  EXPECT_FALSE(KramersPairs::of(KramersProblem(random_spinors(6, 2, 25)).space.alpha));
  EXPECT_FALSE(KramersPairs::of(KramersProblem(random_spinors(7, 3, 25)).space.alpha));
  CiSpaceOptions singles;
  singles.max_excitation = 1;
  EXPECT_FALSE(KramersPairs::of(KramersProblem(random_spinors(8, 3, 25), singles).space.alpha));
  CiSpaceOptions open;
  open.ras = {OrbitalString::of(0, 1, 2), OrbitalString::of(6, 7), 1, 1};
  EXPECT_FALSE(KramersPairs::of(KramersProblem(random_spinors(8, 3, 25), open).space.alpha));
  open.ras = {OrbitalString::of(0, 1), OrbitalString::of(6, 7), 1, 1};
  const KramersProblem closed(random_spinors(8, 3, 25), open);
  const auto pairs = KramersPairs::of(closed.space.alpha);
  ASSERT_TRUE(pairs);
  EXPECT_EQ(2 * pairs->size(), closed.space.alpha.size());
  EXPECT_LT(closed.space.alpha.size(), 56);
}

/// The matrix that quaternions multiply real numbers by.
HostMatrix real_form(const CsrMatrix& q) {
  std::vector<Index> all(static_cast<std::size_t>(q.rows));
  std::iota(all.begin(), all.end(), 0);
  return principal_submatrix(q, all);
}

TEST(KramersMatrix, HasEveryLevelOfTheComplexMatrixOnce) {
  for (const auto& [spinors, electrons] : kramers_sizes) {
    const KramersProblem problem(random_kramers_spinors(spinors, electrons, 26));
    const KramersPairs pairs = problem.pairs();
    const KramersMatrixBuilder builder(problem.integrals, problem.space.alpha, pairs);
    const CsrMatrix a = whole_matrix(builder);
    validate(a, "the matrix");
    EXPECT_EQ(a.components, 2);
    EXPECT_EQ(a.columns, 2 * a.rows);
    const CsrMatrix q = quaternion_rows(a);
    validate(q, "the quaternions");
    EXPECT_TRUE(is_exactly_symmetric(q));
    const SymmetricEigen found = field_eigen(real_form(q), 4);
    const Eigen::VectorXd expected =
        Eigen::SelfAdjointEigenSolver<ComplexMatrix>(problem.h).eigenvalues();
    ASSERT_EQ(2 * found.values.size(), expected.size());
    for (Eigen::Index i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found.values[i / 2], expected[i], 1e-11) << i;
    }
  }
}

TEST(KramersMatrix, HasEigenvectorsThatUnfoldToThoseOfTheComplexMatrix) {
  const KramersProblem problem(random_kramers_spinors(8, 5, 27));
  const KramersPairs pairs = problem.pairs();
  const KramersMatrixBuilder builder(problem.integrals, problem.space.alpha, pairs);
  const CsrMatrix q = quaternion_rows(whole_matrix(builder));
  const SymmetricEigen found = field_eigen(real_form(q), 4);
  const Eigen::Index n = problem.h.rows();
  ComplexMatrix states(n, n);
  Eigen::VectorXcd energies(n);
  for (Index k = 0; k < q.rows; ++k) {
    const HostVector v = found.vectors.col(4 * k);
    pairs.unfold(v.data(), 1, reinterpret_cast<double*>(states.col(2 * k).data()),
                 reinterpret_cast<double*>(states.col(2 * k + 1).data()), 1);
    energies[2 * k] = energies[2 * k + 1] = found.values[k];
  }
  EXPECT_LT((states.adjoint() * states - ComplexMatrix::Identity(n, n)).cwiseAbs().maxCoeff(),
            1e-12);
  EXPECT_LT((problem.h * states - states * energies.asDiagonal()).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(KramersMatrix, HasTheSameElementsInParts) {
  const KramersProblem problem(random_kramers_spinors(8, 3, 28));
  const KramersPairs pairs = problem.pairs();
  const KramersMatrixBuilder builder(problem.integrals, problem.space.alpha, pairs);
  const CsrMatrix a = whole_matrix(builder);
  const auto expect_rows = [&](const CsrMatrix& part, const std::vector<Index>& rows) {
    const CsrMatrix expected = selected_rows(a, rows);
    EXPECT_TRUE(std::ranges::equal(part.row_offsets, expected.row_offsets));
    EXPECT_TRUE(std::ranges::equal(part.column_indices, expected.column_indices));
    EXPECT_TRUE(std::ranges::equal(part.values, expected.values));
  };
  expect_rows(builder.fill(builder.count({}, 5, 9), 5), {5, 6, 7, 8});
  expect_rows(builder.some_rows(std::vector<Index>{7, 20, 7, 0}), {7, 20, 7, 0});
  EXPECT_EQ(builder.diagonal(), diagonal_of_pairs(a));
  EXPECT_EQ(builder.diagonal(), diagonal(quaternion_rows(a)));
}

/// Y := αQX + βY in every format that holds complex numbers, blocks wider than what is multiplied
/// at once among them.
TEST(KramersOperator, MultipliesWithTheQuaternions) {
  const KramersProblem problem(random_kramers_spinors(8, 3, 29));
  const KramersPairs pairs = problem.pairs();
  const KramersMatrixBuilder builder(problem.integrals, problem.space.alpha, pairs);
  const CsrMatrix a = whole_matrix(builder);
  const CsrMatrix q = quaternion_rows(a);
  const HostMatrix dense = real_form(q);
  int tested = 0;
  for (const std::string& name : testing::backend_names()) {
    const auto backend = testing::make_backend(name);
    if (!backend) continue;  // no such device
    for (const Format& format : formats()) {
      if (format.components < 2 || format.symmetric) continue;  // of square ones
      if (!unavailable_reason(format, backend->kind()).empty()) continue;
      for (const int width : {1, 3, 9}) {
        const KramersOperator op(testing::operator_on(name, *backend, format.name, a),
                                 diagonal_of_pairs(a), *backend, width);
        ASSERT_EQ(op.rows(), dense.rows());
        ASSERT_EQ(op.columns(), dense.rows());
        for (const int k : {1, 2, 6}) {
          const HostMatrix x = testing::random_block(op.rows(), k, 1),
                           y = testing::random_block(op.rows(), k, 2);
          const MultiVector from = testing::on(*backend, x);
          MultiVector to = testing::on(*backend, y);
          op.apply(1.5, from.view(), -0.5, to.view());
          const HostMatrix expected = 1.5 * dense * x - 0.5 * y;
          EXPECT_LT((backend->download(to.view()) - expected).cwiseAbs().maxCoeff(), 1e-12)
              << format.name << ", " << k << " on " << name;
        }
        MultiVector d(*backend, op.rows(), 1);
        op.diagonal(d.view());
        EXPECT_EQ(HostVector(backend->download(d.view())), HostVector(dense.diagonal()));
        ++tested;
      }
    }
  }
  EXPECT_GT(tested, 30);
}

/// Y := αQX + βY by products with the complex matrix over all determinants, and without it.
TEST(FoldedOperator, MultipliesWithTheQuaternions) {
  const KramersProblem problem(random_kramers_spinors(8, 3, 30));
  const KramersPairs pairs = problem.pairs();
  const KramersMatrixBuilder builder(problem.integrals, problem.space.alpha, pairs);
  const CsrMatrix q = quaternion_rows(whole_matrix(builder));
  const HostMatrix dense = real_form(q);
  const auto tables = std::make_shared<const SpinorProductTables>(problem.integrals);
  for (const std::string name : {"cpu", "cuda"}) {
    const auto backend = testing::make_backend(name);
    if (!backend) continue;  // no such device
    const FoldedOperator op(make_spinor_product(tables, *backend), pairs, *backend);
    ASSERT_EQ(op.rows(), dense.rows());
    EXPECT_EQ(op.components(), 4);
    for (const int k : {1, 3}) {
      const HostMatrix x = testing::random_block(op.rows(), k, 1),
                       y = testing::random_block(op.rows(), k, 2);
      const MultiVector from = testing::on(*backend, x);
      MultiVector to = testing::on(*backend, y);
      op.apply(1.5, from.view(), -0.5, to.view());
      const HostMatrix expected = 1.5 * dense * x - 0.5 * y;
      EXPECT_LT((backend->download(to.view()) - expected).cwiseAbs().maxCoeff(), 1e-12)
          << k << " on " << name;
    }
    MultiVector d(*backend, op.rows(), 1);
    op.diagonal(d.view());
    EXPECT_LT((backend->download(d.view()) - dense.diagonal()).cwiseAbs().maxCoeff(), 1e-13);
  }
}

}  // namespace
}  // namespace cisolve
