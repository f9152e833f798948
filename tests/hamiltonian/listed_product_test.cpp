// Products over all pairs of listed strings without a matrix, held against the stored one.
#include "hamiltonian/listed/listed_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "core/threads/thread_count.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/any_space.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

/// Random strings of that spin, in any order; one string if the spin has no electrons.
std::vector<OrbitalString> random_strings(int orbitals, int electrons, std::size_t count,
                                          unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<int> all(static_cast<std::size_t>(orbitals));
  std::vector<OrbitalString> strings;
  // Most of them near to each other, as those of samples are.
  for (int tries = 0; tries < 4000 && strings.size() < count; ++tries) {
    OrbitalString s;
    for (int p = 0; p < electrons; ++p) s = s.with(p);
    for (int moves = static_cast<int>(engine() % 4); moves > 0; --moves) {
      const int from = static_cast<int>(engine() % orbitals);
      const int to = static_cast<int>(engine() % orbitals);
      if (s.has(from) && !s.has(to)) s = s.without(from).with(to);
    }
    if (std::ranges::find(strings, s) == strings.end()) strings.push_back(s);
  }
  std::shuffle(strings.begin(), strings.end(), engine);
  return strings;
}

AnySpace random_product(const Integrals& integrals, std::optional<int> irrep) {
  const auto [up, down] = electron_numbers(integrals);
  const int n = integrals.orbitals;
  return make_listed_space(
      integrals, {random_strings(n, up, 60, 1), random_strings(n, down, 45, 2), true}, irrep);
}

CsrMatrix stored_over(const Integrals& integrals, const CiSpace& space) {
  const CiMatrixBuilder builder(integrals, space);
  return builder.fill(builder.count());
}

/// αHX + βY; X and Y are `spare` columns into wider blocks.
HostMatrix product(const LinearOperator& a, Backend& backend, double alpha, const HostMatrix& x,
                   double beta, const HostMatrix& y, int spare) {
  const auto k = static_cast<int>(x.cols());
  MultiVector from(backend, a.columns(), k + spare), to(backend, a.rows(), k + 2 * spare);
  backend.upload(x, from.slice(spare, k));
  backend.upload(y, to.slice(spare, k));
  a.apply(alpha, from.slice(spare, k), beta, to.slice(spare, k));
  return backend.download(to.slice(spare, k));
}

using Parameter = std::tuple<RandomCase, std::string>;

class ListedProduct : public ::testing::TestWithParam<Parameter> {
 public:
  /// test(integrals, space, tables) of the full space, of lists, and where there are irreps of
  /// lists of one irrep.
  template <class Test>
  void in_each_space(Test test) {
    const Integrals integrals = integrals_of(std::get<RandomCase>(GetParam()));
    std::vector<AnySpace> spaces;
    if (integrals.orbitals <= 8) spaces.emplace_back(make_ci_space(integrals, {}));
    spaces.push_back(random_product(integrals, {}));
    if (std::get<RandomCase>(GetParam()).irreps > 1) {
      for (const int irrep : {0, 1}) spaces.push_back(random_product(integrals, irrep));
    }
    for (const AnySpace& any : spaces) {
      const CiSpace& space = *any.of_ranges();
      SCOPED_TRACE(std::to_string(space.size()) + " determinants");
      test(integrals, space, std::make_shared<const ListedTables>(integrals, space));
    }
  }
};

TEST_P(ListedProduct, IsThatOfTheMatrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, std::get<std::string>(GetParam()));
  in_each_space([&](const Integrals& integrals, const CiSpace& space, const auto& tables) {
    const CsrMatrix stored = stored_over(integrals, space);
    const auto a = make_listed(tables, backend);
    ASSERT_EQ(a->rows(), stored.rows);
    for (const int k : {1, 2, 3, 4, 19}) {
      for (const int spare : {0, 1}) {
        SCOPED_TRACE(std::to_string(k) + " vectors, spare " + std::to_string(spare));
        const HostMatrix x = testing::random_block(stored.rows, k, 3);
        const HostMatrix y = testing::random_block(stored.rows, k, 4);
        const HostMatrix hx = reference_product(stored, x);
        const HostMatrix nan = HostMatrix::Constant(stored.rows, k, std::nan(""));
        EXPECT_LE((product(*a, backend, 1.0, x, 0.0, nan, spare) - hx).norm(), 1e-13 * hx.norm());
        EXPECT_LE((product(*a, backend, -0.5, x, 2.0, y, spare) - (2.0 * y - 0.5 * hx)).norm(),
                  1e-13 * (hx.norm() + y.norm()));
      }
    }
  });
}

TEST_P(ListedProduct, KnowsTheDiagonalAndTheNonzeros) {
  CISOLVE_BACKEND_OR_SKIP(backend, std::get<std::string>(GetParam()));
  in_each_space([&](const Integrals& integrals, const CiSpace& space, const auto& tables) {
    const CsrMatrix stored = stored_over(integrals, space);
    const auto expected = diagonal(stored);
    MultiVector found(backend, stored.rows, 1);
    make_listed(tables, backend)->diagonal(found.view());
    const HostMatrix host = backend.download(found.view());
    for (Index i = 0; i < stored.rows; ++i) EXPECT_NEAR(host(i, 0), expected[i], 1e-12);
    EXPECT_EQ(listed_cost(*tables).nonzeros, static_cast<double>(stored.nonzeros()));
  });
}

TEST_P(ListedProduct, KeepsLabels) {
  in_each_space([](const Integrals& integrals, const CiSpace& space, const auto& tables) {
    const CsrMatrix stored = stored_over(integrals, space);
    std::vector<int> labels;
    for (Index a = 0; a < space.alpha.size(); ++a) {
      for (const auto& [b, row] : space.determinants_of(a)) {
        labels.push_back(tables->label_of(a, b));
      }
    }
    for (Index i = 0; i < stored.rows; ++i) {
      for (Offset k = stored.row_offsets[i]; k < stored.row_offsets[i + 1]; ++k) {
        ASSERT_EQ(labels[stored.column_indices[k]], labels[i]);
      }
    }
  });
}

TEST_P(ListedProduct, HasTheSameBitsWithAnyNumberOfThreads) {
  CISOLVE_BACKEND_OR_SKIP(backend, std::get<std::string>(GetParam()));
  in_each_space([&](const Integrals&, const CiSpace& space, const auto& tables) {
    const auto a = make_listed(tables, backend);
    const HostMatrix x = testing::random_block(static_cast<Index>(space.size()), 2, 5);
    std::vector<HostMatrix> found;
    for (const int threads : {1, 2, 3}) {
      const ThreadCount count(threads);
      found.push_back(product(*a, backend, 1.0, x, 0.0, x, 0));
    }
    for (const HostMatrix& y : found) {
      EXPECT_EQ(std::memcmp(y.data(), found[0].data(), y.size() * sizeof(double)), 0);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, ListedProduct,
                         ::testing::Combine(::testing::Values(RandomCase{7, 6, 0, false, 1},
                                                              RandomCase{8, 7, 1, false, 4},
                                                              RandomCase{8, 6, 2, true, 2},
                                                              RandomCase{7, 4, 4, false,
                                                                         2},  // no beta electrons
                                                              RandomCase{12, 10, 0, false, 8},
                                                              RandomCase{70, 5, 1, false, 2}),
                                            ::testing::Values("cpu", "cuda")),
                         [](const ::testing::TestParamInfo<Parameter>& of) {
                           return std::get<std::string>(of.param) + "_" + std::to_string(of.index);
                         });

}  // namespace
}  // namespace cisolve
