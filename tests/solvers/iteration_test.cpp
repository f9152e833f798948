// The dense work of an iteration: it allocates nothing once it is warm, and a basis that grows and
// restarts stays what it says it is.

#include <atomic>
#include <cmath>
#include <numeric>

#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/steps/preconditioner.hpp"
#include "solvers/eigen/steps/subspace.hpp"
#include "spmv/forwarding_operator.hpp"
#include "tests/support/support.hpp"

namespace {
std::atomic<long> allocations = 0;
}

// Every allocation of the program, Eigen's and the backend's too, comes by here. The sanitizers
// have replaced these functions themselves.
#ifdef __SANITIZE_ADDRESS__
constexpr bool counted = false;
#else
constexpr bool counted = true;
extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t bytes);
extern "C" void* malloc(std::size_t bytes) noexcept {
  ++allocations;
  return __libc_malloc(bytes);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
#endif

namespace cisolve {
namespace {

using namespace cisolve::testing;

class Iteration : public ::testing::TestWithParam<std::string> {};

/// A symmetric matrix with a spread diagonal.
HostMatrix hamiltonian(int n) {
  HostMatrix a = 0.01 * random_block(n, n, 1);
  a = (a + a.transpose()).eval();
  for (int i = 0; i < n; ++i) a(i, i) += 0.1 * i;
  return a;
}

double distance_from_orthonormal(Backend& backend, ConstView v) {
  HostMatrix gram;
  backend.gram(v, v, gram);
  return (gram - HostMatrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff();
}

/// Davidson's method without its decisions, for k pairs.
struct Loop {
  static constexpr int n = 400, k = 4, limit = 18, p = 20;
  Backend& backend;
  HostMatrix matrix = hamiltonian(n);
  MultiVector a = on(backend, matrix), d = on(backend, matrix.diagonal());
  MultiVector v{backend, n, limit}, w{backend, n, limit};
  MultiVector t{backend, n, k}, at{backend, n, k}, r{backend, n, k};
  Preconditioner preconditioner{backend,      first_rows(), matrix.topLeftCorner(p, p),
                                first_rows(), d.view(),     k};
  Subspace space{backend, v.view(), w.view()};
  std::vector<double> norms = std::vector<double>(k), theta = std::vector<double>(k);
  int added = 0, restarts = 0;

  explicit Loop(Backend& b) : backend(b) {
    preconditioner.eigenvectors(0, t.view());
    added = space.orthonormalize(t.view());
  }
  static std::vector<Index> first_rows() {
    std::vector<Index> rows(p);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }

  void iterate() {
    backend.combine(a.view(), t.slice(0, added), at.slice(0, added));
    ASSERT_TRUE(space.append(t.slice(0, added), at.slice(0, added)));
    space.residuals(r.view(), norms);
    for (int j = 0; j < k; ++j) theta[j] = space.values()[j];
    if (space.room() < k) {
      space.restart(6, 4);
      ++restarts;
    }
    backend.copy(r.view(), t.view());
    preconditioner.apply(theta, Denominator::difference, 1e-2, t.view());
    added = space.orthonormalize(t.view());
  }
};

TEST_P(Iteration, allocates_nothing_once_warm) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  if (!counted || GetParam() == "cuda") GTEST_SKIP() << "allocations are not counted here";
  Loop loop(backend);
  while (loop.restarts < 2) loop.iterate();
  const long before = allocations;
  for (int i = 0; i < 10; ++i) loop.iterate();
  EXPECT_LT(allocations - before, 10);  // OpenMP's runtime has some of its own where threads lag
  EXPECT_GE(loop.restarts, 4);
  EXPECT_GT(before, 0);  // they are counted
}

/// Davidson and LOBPCG, restarts included, until the search for lower roots begins.
TEST_P(Iteration, of_a_whole_solve_allocates_nothing_once_warm) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  if (!counted || GetParam() != "cpu") GTEST_SKIP() << "allocations are not counted here";
  const CsrMatrix matrix = ci_like_matrix(3000, 6, 21);
  // An operator of unknown cost: corrections then stay as they are.
  class Unknown final : public ForwardingOperator {
   public:
    explicit Unknown(LinearOperator& a) : a_(a) {}
    OperatorInfo info() const override {
      OperatorInfo info;
      info.stored = false;
      return info;
    }

   private:
    LinearOperator& inner() const override { return a_; }
    LinearOperator& a_;
  };
  const auto known = operator_on(GetParam(), backend, "csr", matrix);
  Unknown a(*known);
  PSpace p{lowest_diagonal_rows(diagonal(matrix), 20), {}};
  p.matrix = principal_submatrix(matrix, p.rows);
  for (const EigenMethod method : {EigenMethod::davidson, EigenMethod::lobpcg}) {
    EigenOptions options;
    options.method = method;
    options.states = 3;
    options.tolerance = 1e-10;
    options.verify = Verify::off;
    constexpr int warm = 16;
    long at_warm = 0, last = 0;
    int iterations = 0, restarts = 0, basis = 0;
    lowest_eigenpairs(a, backend, p, options, [&](const EigenIteration& i) {
      iterations = i.iteration;
      restarts += i.basis < basis ? 1 : 0;
      basis = i.basis;
      if (iterations == warm) at_warm = allocations;
      last = allocations;
      return true;
    });
    EXPECT_GT(iterations, warm + 4);
    EXPECT_LT(last - at_warm, iterations - warm) << static_cast<int>(method);
    if (method == EigenMethod::davidson) {
      EXPECT_GT(restarts, 1);
    }
  }
}

TEST_P(Iteration, converges_to_eigenpairs_with_an_orthonormal_basis) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  Loop loop(backend);
  const SymmetricEigen exact = symmetric_eigen(loop.matrix, Loop::k);
  for (int i = 0; i < 25; ++i) {
    loop.iterate();
    EXPECT_LE(distance_from_orthonormal(backend, loop.space.basis()), 1e-12) << i;
  }
  MultiVector x(backend, Loop::n, Loop::k);
  loop.space.vectors(x.view());
  const HostMatrix vectors = backend.download(x.view());
  for (int j = 0; j < Loop::k; ++j) {
    EXPECT_NEAR(loop.theta[j], exact.values[j], 1e-12);
    EXPECT_NEAR(std::abs(vectors.col(j).dot(exact.vectors.col(j))), 1.0, 1e-10);
    EXPECT_LE(loop.norms[j], 1e-8);
  }
}

TEST_P(Iteration, residuals_are_those_of_the_ritz_vectors) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  Loop loop(backend);
  for (int i = 0; i < 6; ++i) loop.iterate();
  MultiVector x(backend, Loop::n, 3), r(backend, Loop::n, 3);
  std::vector<double> norms(3);
  loop.space.vectors(x.view());
  loop.space.residuals(r.view(), norms);
  const HostMatrix vectors = backend.download(x.view());
  const HostMatrix expected =
      loop.matrix * vectors - vectors * loop.space.values().head(3).asDiagonal();
  EXPECT_LE((backend.download(r.view()) - expected).cwiseAbs().maxCoeff(), 1e-12);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(norms[j], expected.col(j).norm(), 1e-12);
}

TEST_P(Iteration, orthonormalizes_what_nearly_lies_in_the_basis) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  constexpr int n = 3000, m = 12;
  auto v = on(backend, random_block(n, m, 1));
  ASSERT_EQ(orthonormalize(backend, v.slice(0, 0), v.view()), m);
  const HostMatrix basis = backend.download(v.view());
  for (const double left : {1.0, 1e-3, 1e-6}) {
    // Long and short columns, each but for a part of `left` in the basis.
    HostMatrix t = basis * random_block(m, 4, 2);
    t = t * t.colwise().norm().cwiseInverse().asDiagonal() + left * random_block(n, 4, 3);
    t.col(1) *= 1e30;
    t.col(2) *= 1e-30;
    auto block = on(backend, t);
    EXPECT_EQ(orthonormalize(backend, v.view(), block.view()), 4) << left;
    EXPECT_LE(distance_from_orthonormal(backend, block.view()), 1e-13) << left;
    HostMatrix overlap;
    backend.gram(v.view(), block.view(), overlap);
    EXPECT_LE(overlap.cwiseAbs().maxCoeff(), 1e-13) << left;
  }
}

TEST_P(Iteration, drops_directions_that_are_not_new) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  constexpr int n = 3000, m = 5;
  auto v = on(backend, random_block(n, m, 1));
  ASSERT_EQ(orthonormalize(backend, v.slice(0, 0), v.view()), m);
  HostMatrix t(n, 6);
  t.leftCols(3) = random_block(n, 3, 2);
  t.col(2) = 3.0 * t.col(0) - 1e-9 * t.col(2);                    // depends on another
  t.col(3) = backend.download(v.view()) * random_block(m, 1, 3);  // lies in V
  t.col(4).setZero();
  t.col(5).setConstant(std::nan(""));
  auto block = on(backend, t);
  EXPECT_EQ(orthonormalize(backend, v.view(), block.view()), 2);
  EXPECT_LE(distance_from_orthonormal(backend, block.slice(0, 2)), 1e-13);
  auto nothing = on(backend, HostMatrix::Zero(n, 2));
  EXPECT_EQ(orthonormalize(backend, v.view(), nothing.view()), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Iteration, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

TEST(SymmetricEigensolver, agrees_with_lapack_on_either_side_of_its_change) {
  SymmetricEigensolver solver(70);
  for (const int n : {1, 2, 24, 64, 65, 70, 3}) {
    const HostMatrix a = hamiltonian(n);
    solver.solve(a);
    const SymmetricEigen expected = symmetric_eigen(a);
    EXPECT_LE((solver.values() - expected.values).cwiseAbs().maxCoeff(), 1e-12) << n;
    const HostMatrix s = solver.vectors();
    EXPECT_LE((a * s - s * solver.values().asDiagonal()).norm(), 1e-12) << n;
    EXPECT_LE((s.transpose() * s - HostMatrix::Identity(n, n)).norm(), 1e-12) << n;
  }
  EXPECT_THROW(solver.solve(HostMatrix::Constant(2, 2, std::nan(""))), std::runtime_error);
}

}  // namespace
}  // namespace cisolve
