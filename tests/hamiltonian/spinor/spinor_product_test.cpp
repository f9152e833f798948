// Products over all determinants of spinors without a matrix, held against the stored one.
#include "hamiltonian/spinor_product/spinor_product.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "core/threads/thread_count.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "hamiltonian/spinor/spinor_matrix.hpp"
#include "solvers/sectors.hpp"
#include "tests/support/integrals/random_spinors.hpp"
#include "tests/support/matrices/field_matrices.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

struct SpinorCase {
  int spinors, electrons, momenta;
  SpinorPanels panels;  ///< no columns: as the program has them
};

class SpinorProduct : public ::testing::TestWithParam<std::tuple<SpinorCase, std::string>> {
 public:
  const SpinorCase& is() const { return std::get<SpinorCase>(GetParam()); }
  SpinorIntegrals integrals() const {
    return random_spinors(is().spinors, is().electrons, 5, is().momenta);
  }
  static CsrMatrix stored(const SpinorIntegrals& in) {
    const CiSpace space = make_ci_space(diagonal_integrals(in), {});
    const SpinorMatrixBuilder builder(in, space.alpha);
    return builder.fill(builder.count());
  }
  std::unique_ptr<LinearOperator> product_of(const SpinorIntegrals& in, Backend& backend) const {
    auto tables = std::make_shared<const SpinorProductTables>(in);
    if (is().panels.columns == 0) return make_spinor_product(std::move(tables), backend);
    return make_spinor_product(std::move(tables), backend, is().panels);
  }
};

/// αHX + βY; X and Y are `spare` columns into wider blocks.
HostMatrix product_between(const LinearOperator& a, Backend& backend, double alpha,
                           const HostMatrix& x, double beta, const HostMatrix& y, int spare) {
  const auto k = static_cast<int>(x.cols());
  MultiVector from(backend, a.columns(), k + spare), to(backend, a.rows(), k + 2 * spare);
  backend.upload(x, from.slice(spare, k));
  backend.upload(y, to.slice(spare, k));
  a.apply(alpha, from.slice(spare, k), beta, to.slice(spare, k));
  return backend.download(to.slice(spare, k));
}

TEST_P(SpinorProduct, IsThatOfTheMatrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, std::get<std::string>(GetParam()));
  const SpinorIntegrals in = integrals();
  const CsrMatrix a = stored(in);
  const auto direct = product_of(in, backend);
  ASSERT_EQ(direct->rows(), 2 * a.rows);
  EXPECT_EQ(direct->components(), 2);
  for (const auto& [k, spare] : std::vector<std::pair<int, int>>{{1, 0}, {1, 1}, {3, 0}, {2, 2}}) {
    SCOPED_TRACE(std::to_string(k) + " vectors, spare " + std::to_string(spare));
    const HostMatrix x = testing::random_block(direct->rows(), k, 3);
    const HostMatrix y = testing::random_block(direct->rows(), k, 4);
    const HostMatrix hx = testing::field_product(a, x);
    const HostMatrix nan = HostMatrix::Constant(x.rows(), k, std::nan(""));
    EXPECT_LE((product_between(*direct, backend, 1.0, x, 0.0, nan, spare) - hx).norm(),
              1e-13 * hx.norm());
    EXPECT_LE(
        (product_between(*direct, backend, -0.5, x, 2.0, y, spare) - (2.0 * y - 0.5 * hx)).norm(),
        1e-13 * (hx.norm() + y.norm()));
  }
}

TEST_P(SpinorProduct, KnowsItsElements) {
  CISOLVE_BACKEND_OR_SKIP(backend, std::get<std::string>(GetParam()));
  const SpinorIntegrals in = integrals();
  const CsrMatrix a = stored(in);
  const auto direct = product_of(in, backend);
  MultiVector found(backend, direct->rows(), 1);
  direct->diagonal(found.view());
  const HostMatrix host = backend.download(found.view());
  const std::vector<double> expected = diagonal(a);
  for (Index i = 0; i < direct->rows(); ++i) EXPECT_NEAR(host(i, 0), expected[i / 2], 1e-12);
  std::vector<Index> some;
  for (Index i = 0; i < a.rows; i += 1 + a.rows / 40) some.push_back(i);
  const SpinorProductTables tables(in);
  const HostMatrix block = spinor_submatrix(in, tables, some);
  EXPECT_LT((block - principal_submatrix(a, some)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(block, HostMatrix(block.transpose()));
}

TEST_P(SpinorProduct, HasTheBlocksOfTheMatrix) {
  const SpinorIntegrals in = integrals();
  const CsrMatrix a = stored(in);
  const Sectors expected = connected_sectors(a.row_offsets, a.column_indices);
  const SpinorProductTables tables(in);
  const Sectors found = sectors_of_roots(spinor_roots(tables));
  EXPECT_EQ(found.sizes, expected.sizes);
  EXPECT_EQ(found.labels, expected.labels);
  const double nonzeros = spinor_product_cost(tables, BackendKind::cpu).nonzeros;
  EXPECT_NEAR(nonzeros / static_cast<double>(a.nonzeros()), 1.0, 0.35);
}

TEST_P(SpinorProduct, HasTheSameBitsOnAnyNumberOfThreads) {
  CISOLVE_BACKEND_OR_SKIP(backend, std::get<std::string>(GetParam()));
  const SpinorIntegrals in = integrals();
  const auto direct = product_of(in, backend);
  const HostMatrix x = testing::random_block(direct->rows(), 2, 7);
  const HostMatrix y = HostMatrix::Zero(x.rows(), 2);
  const HostMatrix of_all = product_between(*direct, backend, 1.0, x, 0.0, y, 0);
  for (const int threads : {1, 3}) {
    const ThreadCount limited(threads);
    const HostMatrix found = product_between(*direct, backend, 1.0, x, 0.0, y, 0);
    EXPECT_EQ(std::memcmp(found.data(), of_all.data(), sizeof(double) * found.size()), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SpinorProduct,
    ::testing::Combine(::testing::Values(SpinorCase{2, 2, 1, {}}, SpinorCase{6, 2, 1, {}},
                                         SpinorCase{7, 3, 2, {}}, SpinorCase{9, 4, 3, {1, 0}},
                                         SpinorCase{9, 6, 1, {10, 40}}, SpinorCase{5, 5, 1, {}},
                                         SpinorCase{11, 6, 2, {17, 1000}},
                                         SpinorCase{12, 6, 4, {100, 5000}},
                                         SpinorCase{13, 6, 1, {}}),
                       ::testing::Values("cpu", "cuda")));

/// 8 electrons in 32 spinors, as docs/adr/0038 has them.
TEST(SpinorProductCost, LeavesOutPairsWithCommonElectrons) {
  SpinorIntegrals in = random_spinors(6, 2, 8);
  SpinorIntegrals large(32);
  large.electrons = 8;
  for (int p = 0; p < 32; ++p) {
    for (int q = 0; q <= p; ++q) {
      large.h.set(p, q, in.h(p % 6, q % 6));
      for (int r = 0; r < 32; ++r) {
        for (int s = 0; s < 32; ++s) large.g.set(p, q, r, s, in.g(p % 6, q % 6, r % 6, s % 6));
      }
    }
  }
  const SpinorProductTables tables(large);
  const double pairs = 32.0 * 31.0 / 2.0, all = 8.0 * 906192.0 * pairs * pairs;
  ASSERT_EQ(tables.remainders(), 906192);
  ASSERT_EQ(tables.pairs().blocks().size(), 1u);
  EXPECT_NEAR(spinor_product_cost(tables, BackendKind::cpu).flops / all, 0.62, 0.005);
  EXPECT_NEAR(spinor_product_cost(tables, BackendKind::cuda).flops / all, 0.79, 0.005);
}

TEST(SpinorProductTables, ReachTheLastSpinor) {
  const SpinorIntegrals few = random_spinors(5, 3, 4);
  SpinorIntegrals in(70);
  in.electrons = 3;
  for (int p = 0; p < 5; ++p) {
    for (int q = 0; q < 5; ++q) in.h.set(65 + p, 65 + q, few.h(p, q));
  }
  const SpinorProductTables tables(in);
  ASSERT_EQ(tables.determinants(), 70 * 69 * 68 / 6);
  const StringNumbers numbers = tables.numbers();
  OrbitalString s = OrbitalString::lowest(3);
  for (Index i = 0; i < tables.determinants(); ++i) {
    ASSERT_EQ(numbers.string(i, 3, 70), s);
    if (i + 1 < tables.determinants()) s = s.next();
  }
  EXPECT_EQ(s, OrbitalString::of(67, 68, 69));
}

}  // namespace
}  // namespace cisolve
