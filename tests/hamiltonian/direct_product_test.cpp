#include "hamiltonian/direct/direct_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/threads/thread_count.hpp"
#include "hamiltonian/direct/cpu/same_spin_cpu.hpp"
#include "hamiltonian/direct/direct_cost.hpp"
#include "hamiltonian/direct/rows/direct_elements.hpp"
#include "hamiltonian/direct/tables/target_tiles.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/states/spin.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

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

CsrMatrix stored_matrix(const Integrals& integrals, const CiSpace& space) {
  const CiMatrixBuilder builder(integrals, space);
  return builder.fill(builder.count());
}

/// Blocks over rows as blocks over determinants, and back.
HostMatrix to_space(const DirectRows& rows, const HostMatrix& x) {
  HostMatrix whole;
  for (int j = 0; j < x.cols(); ++j) {
    const HostVector column = rows.to_space(x.col(j));
    whole.conservativeResize(column.size(), x.cols());
    whole.col(j) = column;
  }
  return whole;
}

/// A direct operator and what it is made of.
struct Direct {
  Direct(const Integrals& integrals, const CiSpace& space, Parity only, Backend& on)
      : backend(on),
        tables(std::make_shared<const DirectTables>(integrals, space, only)),
        a(make_direct(tables, on)) {}

  /// αHX + βY, X and Y parts of wider blocks.
  HostMatrix product(double alpha, const HostMatrix& x, double beta, const HostMatrix& y) const {
    const auto k = static_cast<int>(x.cols());
    MultiVector from(backend, a->columns(), k + 2), to(backend, a->rows(), k + 1);
    backend.upload(x, from.slice(1, k));
    backend.upload(y, to.slice(1, k));
    a->apply(alpha, from.slice(1, k), beta, to.slice(1, k));
    return backend.download(to.slice(1, k));
  }
  const DirectRows& rows() const { return tables->rows; }

  Backend& backend;
  std::shared_ptr<const DirectTables> tables;
  std::unique_ptr<DirectOperator> a;
};

bool has_parities(const RandomCase& c) {
  return c.ms2 == 0 && !c.unrestricted;
}

/// Checks what `check(integrals, space, direct)` says on that backend in the space of all irreps
/// and in those of each, of all functions and of those of each parity.
template <class Check>
void in_each_space(const RandomCase& c, Backend& backend, Check check) {
  const Integrals integrals = integrals_of(c);
  for (int g = -1; g < (c.irreps > 1 ? c.irreps : 0); ++g) {
    const CiSpace space =
        make_ci_space(integrals, {{}, g < 0 ? std::nullopt : std::optional<int>(g)});
    for (const Parity parity : {Parity::none, Parity::even, Parity::odd}) {
      if (parity != Parity::none && !has_parities(c)) continue;
      SCOPED_TRACE("irrep " + std::to_string(g) + ", parity " +
                   std::to_string(static_cast<int>(parity)));
      try {
        const Direct direct(integrals, space, parity, backend);
        ASSERT_EQ(direct.a->rows(), direct.rows().size());
        if (parity == Parity::none) {
          ASSERT_EQ(direct.a->rows(), space.size());
        }
        check(integrals, space, direct);
      } catch (const InputError&) {
        EXPECT_EQ(parity, Parity::odd);
        EXPECT_EQ(space.size(), 1);  // one determinant has but an even function
      }
    }
  }
}

class DirectProduct : public ::testing::TestWithParam<std::tuple<RandomCase, std::string>> {};

TEST_P(DirectProduct, IsThatOfTheStoredMatrix) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, backend, [](const Integrals& integrals, const CiSpace& space, const Direct& d) {
    const CsrMatrix stored = stored_matrix(integrals, space);
    const HostMatrix x = random_block(d.a->rows(), 3), y = random_block(d.a->rows(), 3);
    const HostMatrix hx = stored_product(stored, to_space(d.rows(), x));
    const HostMatrix found = to_space(d.rows(), d.product(1.0, x, 0.0, NAN * y));
    EXPECT_LE((found - hx).norm(), 1e-14 * hx.norm());
    const HostMatrix expected = 2.0 * hx - 3.0 * to_space(d.rows(), y);
    EXPECT_LE((to_space(d.rows(), d.product(2.0, x, -3.0, y)) - expected).norm(),
              1e-14 * expected.norm());
  });
}

TEST_P(DirectProduct, OfOneParityIsThatOfAll) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  if (!has_parities(c)) GTEST_SKIP() << "no parities";
  in_each_space(c, backend, [](const Integrals&, const CiSpace&, const Direct& d) {
    for (const DirectRows::Kind& kind : d.rows().kinds()) {
      const HostMatrix x = random_block(d.a->rows(), 1);
      std::int64_t first = 0, size = 0;  // of its sectors, one behind another
      for (const DirectRows::Sector& sector : d.rows().sectors()) {
        if (sector.parity == kind.parity) {
          size += sector.size;
        } else if (size == 0) {
          first += sector.size;
        }
      }
      HostMatrix part = HostMatrix::Zero(x.rows(), 1);
      part.middleRows(first, size) = x.middleRows(first, size);
      const HostMatrix y = random_block(d.a->rows(), 1);
      const HostMatrix whole = d.product(1.0, x, 0.5, y), found = d.product(1.0, part, 0.5, y);
      HostMatrix expected = 0.5 * y;
      expected.middleRows(first, size) = whole.middleRows(first, size);
      EXPECT_LE((found - expected).norm(), 1e-14 * whole.norm());
    }
  });
}

/// Vectors that are zero in some sectors, alone and as columns of one block.
TEST_P(DirectProduct, OfSomeSectorsIsThatOfAll) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, backend, [](const Integrals&, const CiSpace&, const Direct& d) {
    const auto& sectors = d.rows().sectors();
    const auto count = static_cast<int>(sectors.size());
    const HostMatrix x = random_block(d.a->rows(), 1), y = random_block(d.a->rows(), 1);
    const HostMatrix whole = d.product(2.0, x, 0.5, y);
    HostMatrix parts = HostMatrix::Zero(d.a->rows(), 3 * count);
    HostMatrix expected = 0.5 * y.replicate(1, 3 * count);
    const auto take = [&](int j, int s) {
      const auto [first, size] = d.rows().piece(s % count, 0);
      parts.col(j).segment(first, size) = x.col(0).segment(first, size);
      expected.col(j).segment(first, size) = whole.col(0).segment(first, size);
    };
    for (int s = 0; s < count; ++s) {
      take(s, s);  // one alone
      take(count + s, s), take(count + s, s + 1);
      for (int other = 1; other < count; ++other) take(2 * count + s, s + other);  // all but one
    }
    const HostMatrix found = d.product(2.0, parts, 0.5, y.replicate(1, 3 * count));
    for (int j = 0; j < found.cols(); ++j) {
      EXPECT_LE((found.col(j) - expected.col(j)).norm(), 1e-14 * whole.norm()) << j;
    }
  });
}

TEST_P(DirectProduct, SeesWhatIsZero) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, backend, [&](const Integrals&, const CiSpace&, const Direct& d) {
    const auto& sectors = d.rows().sectors();
    MultiVector x(backend, d.a->rows(), 1);
    const auto content = [&](auto fill) {
      HostMatrix host = HostMatrix::Zero(d.a->rows(), 1);
      fill(host);
      backend.upload(host, x.view());
      return content_of(*d.tables, x.view(), backend);
    };
    for (int s = 0; s < static_cast<int>(sectors.size()); ++s) {
      const auto [first, size] = d.rows().piece(s, 0);
      for (const double value : {1e-100, static_cast<double>(NAN)}) {
        const Content found =
            content([at = first + size - 1, value](HostMatrix& host) { host(at, 0) = value; });
        EXPECT_EQ(found.parity, sectors[s].parity);
        ASSERT_EQ(found.parts.size(), 1U);
        const bool alone = d.tables->layout.irreps() == 1;
        EXPECT_EQ(found.parts[0].irrep,
                  alone ? std::nullopt : std::optional<int>(sectors[s].irrep));
      }
    }
    const Content all = content([](HostMatrix& host) { host.setOnes(); });
    ASSERT_EQ(all.parts.size(), 1U);
    EXPECT_EQ(all.parts[0].irrep, std::nullopt);
    if (sectors.size() == 1) return;
    EXPECT_TRUE(content([](HostMatrix&) {}).parts.empty());
  });
}

TEST_P(DirectProduct, HasRowsThatAreARotationOfDeterminants) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, backend, [](const Integrals&, const CiSpace&, const Direct& d) {
    const HostVector x = random_block(d.a->rows(), 1), whole = d.rows().to_space(x);
    EXPECT_NEAR(whole.norm(), x.norm(), 1e-13 * x.norm());
    EXPECT_LE((d.rows().from_space(whole) - x).norm(), 1e-15 * x.norm());
    Index sum = 0;
    for (const Index size : d.rows().sector_sizes()) sum += size;
    EXPECT_EQ(sum, d.a->rows());
  });
}

TEST_P(DirectProduct, KnowsTheMatrixByItsRules) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, backend, [](const Integrals& integrals, const CiSpace& space, const Direct& d) {
    const CsrMatrix stored = stored_matrix(integrals, space);
    EXPECT_EQ(direct_cost(*d.tables).nonzeros, static_cast<double>(stored.nonzeros()));
    const Index n = d.a->rows();
    std::vector<Index> rows;
    for (Index i = 0; i < n; i += n / 150 + 1) rows.push_back(i);
    HostMatrix units = HostMatrix::Zero(n, std::ssize(rows));
    for (std::size_t i = 0; i < rows.size(); ++i) units(rows[i], i) = 1.0;
    const HostMatrix of_rows = to_space(d.rows(), units);
    const HostMatrix expected = of_rows.transpose() * stored_product(stored, of_rows);
    const HostMatrix found = principal_submatrix(integrals, d.tables->layout, d.rows(), rows);
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_EQ(found, found.transpose());
    MultiVector on_backend(d.backend, n, 1);
    d.a->diagonal(on_backend.view());
    const HostMatrix diagonal = d.backend.download(on_backend.view());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_NEAR(diagonal(rows[i], 0), expected(i, i), 1e-13);
    }
  });
}

TEST_P(DirectProduct, KnowsTheSpin) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  if (c.unrestricted) GTEST_SKIP() << "spins have orbitals of their own";
  in_each_space(c, backend, [](const Integrals&, const CiSpace& space, const Direct& d) {
    const Index n = d.a->rows();
    const auto expect_spin = [&](const HostVector& x) {
      const HostVector expected = d.rows().from_space(
          apply_s_squared(space, make_pair_excitations(space), d.rows().to_space(x)));
      MultiVector from(d.backend, n, 2), to(d.backend, n, 1);
      d.backend.upload(x, from.slice(1, 1));
      d.a->apply_s_squared(from.slice(1, 1), to.view());
      EXPECT_LE((d.backend.download(to.view()) - expected).norm(), 1e-14 * expected.norm() + 1e-15);
    };
    const HostVector x = random_block(n, 1);
    expect_spin(x);
    Index first = 0;  // of a sector, whose functions may be of one parity
    for (const Index size : d.rows().sector_sizes()) {
      HostVector of_sector = HostVector::Zero(n);
      of_sector.segment(first, size) = x.segment(first, size);
      expect_spin(of_sector);
      first += size;
    }
  });
}

TEST_P(DirectProduct, HasSectorsThatDoNotMix) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, backend, [](const Integrals&, const CiSpace&, const Direct& d) {
    Index first = 0;
    for (const Index size : d.rows().sector_sizes()) {
      HostMatrix x = HostMatrix::Zero(d.a->rows(), 1);
      x.middleRows(first, size) = random_block(size, 1);
      HostMatrix y = d.product(1.0, x, 0.0, x);
      y.middleRows(first, size).setZero();
      EXPECT_EQ(y.norm(), 0.0);
      first += size;
    }
  });
}

TEST_P(DirectProduct, HasTheSameBitsWithAnyNumberOfThreads) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  in_each_space(c, backend, [](const Integrals&, const CiSpace&, const Direct& d) {
    const HostMatrix x = random_block(d.a->rows(), 1);
    std::vector<HostMatrix> found;
    for (const int threads : {1, 2, 3}) {
      const ThreadCount count(threads);
      found.push_back(d.product(1.0, x, 0.0, x));
    }
    for (const HostMatrix& y : found) {
      EXPECT_EQ(std::memcmp(y.data(), found[0].data(), y.size() * sizeof(double)), 0);
    }
  });
}

TEST(DirectCost, KnowsThatAMatrixOfFewIntegralsIsSparse) {
  // A Hubbard ring, of which every element is a hop or on the diagonal.
  constexpr int sites = 8;
  Integrals ring = random_integrals(sites, sites, 0, false, 1);
  auto hops = std::make_shared<OneElectron>(sites);
  auto repulsion = std::make_shared<TwoElectron>(sites);
  for (int p = 0; p < sites; ++p) {
    hops->set(p, (p + 1) % sites, -1.0);
    repulsion->row(pair_index(p, p))[pair_index(p, p)] = 4.0;
  }
  ring.one_electron = {hops, hops};
  ring.alpha_alpha = ring.beta_beta = ring.alpha_beta = repulsion;
  const CiSpace space = make_ci_space(ring, {});
  EXPECT_EQ(direct_cost(DirectTables(ring, space)).nonzeros,
            static_cast<double>(stored_matrix(ring, space).nonzeros()));
}

/// A GPU that cannot hold σ of all beta strings at once takes sections.
TEST_P(DirectProduct, IsMadeInSections) {
  const auto& [c, backend_name] = GetParam();
  if (backend_name == "cpu") GTEST_SKIP() << "a CPU has no sections";
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name);
  const Index before = std::exchange(most_section_targets, 6);
  in_each_space(c, backend, [](const Integrals& integrals, const CiSpace& space, const Direct& d) {
    const CsrMatrix stored = stored_matrix(integrals, space);
    const HostMatrix x = random_block(d.a->rows(), 1);
    const HostMatrix hx = stored_product(stored, to_space(d.rows(), x));
    EXPECT_LE((to_space(d.rows(), d.product(1.0, x, 0.0, x)) - hx).norm(), 1e-14 * hx.norm());
  });
  most_section_targets = before;
}

INSTANTIATE_TEST_SUITE_P(
    Spaces, DirectProduct,
    ::testing::Combine(
        ::testing::Values(RandomCase{4, 4, 0, false, 1}, RandomCase{5, 5, 1, false, 2},
                          RandomCase{6, 6, 0, false, 4}, RandomCase{6, 5, 3, true, 4},
                          RandomCase{6, 4, -2, true, 1}, RandomCase{5, 3, 3, false, 4},
                          RandomCase{4, 1, 1, false, 1}, RandomCase{4, 1, -1, true, 2},
                          RandomCase{4, 8, 0, false, 1}, RandomCase{7, 7, 1, true, 8},
                          RandomCase{8, 6, 0, false, 1}, RandomCase{12, 4, 0, false, 2},
                          RandomCase{9, 5, 1, true, 1}, RandomCase{35, 2, 2, false, 1},
                          RandomCase{8, 6, 0, false, 8}, RandomCase{9, 8, 0, false, 4}),
        ::testing::Values("cpu", "cuda")));

TEST(DirectScratch, IsFreedOnceWhereThereIsNoMemoryForMore) {
  Scratch scratch;
  EXPECT_NE(scratch.of(1000), nullptr);
  EXPECT_THROW(scratch.of(Eigen::Index{1} << 62), std::bad_alloc);
  EXPECT_NE(scratch.of(10), nullptr);
}

}  // namespace
}  // namespace cisolve
