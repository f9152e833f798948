#include "hamiltonian/direct/direct_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "core/parallel.hpp"
#include "core/thread_count.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/matrix_element.hpp"
#include "tests/support/random_integrals.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

struct Case {
  int orbitals, electrons, ms2;
  bool unrestricted;
  int irreps;  ///< orbitals' irreps are 0 … irreps − 1 in turn
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.electrons << " electrons in " << c.orbitals << " orbitals, 2 M_s = " << c.ms2
       << (c.unrestricted ? ", unrestricted, " : ", ") << c.irreps << " irreps";
}

Integrals integrals_of(const Case& c) {
  std::vector<int> irreps;
  for (int p = 0; c.irreps > 1 && p < c.orbitals; ++p) irreps.push_back((3 * p) % c.irreps);
  return random_integrals(c.orbitals, c.electrons, c.ms2, c.unrestricted, 11, irreps);
}

HostMatrix random_block(Index rows, int columns) {
  std::srand(3);
  return HostMatrix::Random(rows, columns);
}

/// HX from the stored matrix.
HostMatrix stored_product(const CsrMatrix& a, const HostMatrix& x) {
  HostMatrix y = HostMatrix::Zero(a.rows, x.cols());
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      y.row(i) += a.values[k] * x.row(a.column_indices[k]);
    }
  }
  return y;
}

/// αHX + βY of a direct operator, X and Y parts of wider blocks.
HostMatrix direct_product(const LinearOperator& a, Backend& backend, double alpha,
                          const HostMatrix& x, double beta, const HostMatrix& y) {
  const auto k = static_cast<int>(x.cols());
  MultiVector from(backend, a.columns(), k + 2), to(backend, a.rows(), k + 1);
  backend.upload(x, from.slice(1, k));
  backend.upload(y, to.slice(1, k));
  a.apply(alpha, from.slice(1, k), beta, to.slice(1, k));
  return backend.download(to.slice(1, k));
}

CsrMatrix stored_matrix(const Integrals& integrals, const CiSpace& space) {
  const CiMatrixBuilder builder(integrals, space);
  return builder.fill(builder.count());
}

/// Checks what `check(integrals, space, a, backend)` says on that backend, a the direct operator,
/// in the space of all irreps and in those of each.
template <class Check>
void in_each_space(const Case& c, Backend& backend, Check check) {
  const Integrals integrals = integrals_of(c);
  for (int g = -1; g < (c.irreps > 1 ? c.irreps : 0); ++g) {
    SCOPED_TRACE("irrep " + std::to_string(g));
    const CiSpace space =
        make_ci_space(integrals, {{}, g < 0 ? std::nullopt : std::optional<int>(g)});
    const auto a = make_direct(std::make_shared<const DirectTables>(integrals, space), backend);
    ASSERT_EQ(a->rows(), space.size());
    check(integrals, space, *a);
  }
}

class DirectProduct : public ::testing::TestWithParam<std::tuple<Case, std::string>> {};

TEST_P(DirectProduct, IsThatOfTheStoredMatrix) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, backend, [&](const Integrals& integrals, const CiSpace& space, const auto& a) {
    const CsrMatrix stored = stored_matrix(integrals, space);
    const HostMatrix x = random_block(a.rows(), 3), y = random_block(a.rows(), 3);
    const HostMatrix hx = stored_product(stored, x);
    EXPECT_LE((direct_product(a, backend, 1.0, x, 0.0, NAN * y) - hx).norm(), 1e-14 * hx.norm());
    const HostMatrix expected = 2.0 * hx - 3.0 * y;
    EXPECT_LE((direct_product(a, backend, 2.0, x, -3.0, y) - expected).norm(),
              1e-14 * expected.norm());
  });
}

TEST_P(DirectProduct, KnowsTheMatrixByItsRules) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, backend, [&](const Integrals& integrals, const CiSpace& space, const auto& a) {
    const CsrMatrix stored = stored_matrix(integrals, space);
    const std::vector<double> d = ci_diagonal(integrals, space);
    MultiVector on_backend(backend, a.rows(), 1);
    a.diagonal(on_backend.view());
    const HostMatrix found_d = backend.download(on_backend.view());
    std::vector<Index> rows;
    for (Index i = 0; i < a.rows(); ++i) {
      EXPECT_EQ(found_d(i, 0), d[i]);
      if (i % 3 == 0) rows.push_back(i);
    }
    const HostMatrix expected = principal_submatrix(stored, rows);
    const HostMatrix found = principal_submatrix(integrals, space, rows);
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-13);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_NEAR(d[rows[i]], expected(i, i), 1e-13);
    }
  });
}

TEST_P(DirectProduct, HasTheSameBitsWithAnyNumberOfThreads) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  const double before = std::exchange(least_shared_work, 0.0);
  in_each_space(c, backend, [&](const Integrals&, const CiSpace&, const auto& a) {
    const HostMatrix x = random_block(a.rows(), 1);
    std::vector<HostMatrix> found;
    for (const int threads : {1, 2, 5}) {
      const ThreadCount count(threads);
      found.push_back(direct_product(a, backend, 1.0, x, 0.0, x));
    }
    for (const HostMatrix& y : found) {
      EXPECT_EQ(std::memcmp(y.data(), found[0].data(), y.size() * sizeof(double)), 0);
    }
  });
  least_shared_work = before;
}

INSTANTIATE_TEST_SUITE_P(
    Spaces, DirectProduct,
    ::testing::Combine(::testing::Values(Case{4, 4, 0, false, 1}, Case{5, 5, 1, false, 2},
                                         Case{6, 6, 0, false, 4}, Case{6, 5, 3, true, 4},
                                         Case{6, 4, -2, true, 1}, Case{5, 3, 3, false, 4},
                                         Case{4, 1, 1, false, 1}, Case{4, 1, -1, true, 2},
                                         Case{4, 8, 0, false, 1}, Case{7, 7, 1, true, 8},
                                         Case{8, 6, 0, false, 1}, Case{12, 4, 0, false, 2},
                                         Case{9, 5, 1, true, 1}),
                       ::testing::Values("cpu", "cuda")));

}  // namespace
}  // namespace cisolve
