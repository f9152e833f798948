// Direct products over ranks, which here are threads: those of one rank.
#include "hamiltonian/direct/direct_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "backends/cuda/entry.hpp"
#include "backends/ranks/device_exchange.hpp"
#include "backends/ranks/rank_backend.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "core/error.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/direct/rows/direct_elements.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/support.hpp"
#include "tests/support/thread_ranks.hpp"

namespace cisolve {
namespace {

using testing::random_block;
using testing::ThreadRanks;

/// The ranks are threads, which all use the first GPU. With as many GPUs as ranks each has its own,
/// and exchanges go by NCCL.
std::unique_ptr<Backend> backend_of_rank(const std::string& name, Communicator& ranks) {
  if (name != "cuda") return make_rank_backend(testing::make_backend(name), ranks);
  if (ranks.size() == 1 || cuda_device_count() < ranks.size()) {
    return make_rank_backend(make_cuda_backend(), ranks);
  }
  auto own = make_cuda_backend(ranks.rank());
  std::string failure;
  auto exchange = make_nccl_exchange(ranks, failure);
  return make_rank_backend(std::move(own), ranks, std::move(exchange));
}

/// A block over rows so, over rows in another order.
HostMatrix renumbered(const HostMatrix& x, const DirectRows& from, const DirectRows& to) {
  HostMatrix y(x.rows(), x.cols());
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    y.col(j) = to.from_space(from.to_space(HostVector(x.col(j))));
  }
  return y;
}

/// A direct operator over the ranks of a backend.
struct ProductOfRanks {
  ProductOfRanks(std::shared_ptr<const DirectTables> of, Backend& on)
      : backend(on), tables(std::move(of)), a(make_direct(tables, on)) {}

  /// αHX + βY, X and Y whole, their own rows parts of wider blocks.
  HostMatrix product(double alpha, const HostMatrix& x, double beta, const HostMatrix& y) const {
    const auto k = static_cast<int>(x.cols());
    MultiVector from(backend, a->columns(), k + 2), to(backend, a->rows(), k + 1);
    upload_own(backend, x, from.slice(1, k));
    upload_own(backend, y, to.slice(1, k));
    a->apply(alpha, from.slice(1, k), beta, to.slice(1, k));
    return download_whole(backend, to.slice(1, k));
  }
  HostMatrix s_squared(const HostMatrix& x) const {
    MultiVector from(backend, a->rows(), 2), to(backend, a->rows(), 1);
    upload_own(backend, x, from.slice(1, 1));
    a->apply_s_squared(from.slice(1, 1), to.view());
    return download_whole(backend, to.view());
  }
  HostMatrix diagonal() const {
    MultiVector d(backend, a->rows(), 1);
    a->diagonal(d.view());
    return download_whole(backend, d.view());
  }
  /// The vector in the order of the layout.
  HostVector in_layout(const HostMatrix& x) const {
    MultiVector from(backend, a->rows(), 1);
    upload_own(backend, x, from.view());
    Buffer<double> c(backend, tables->layout.size());
    a->to_layout(from.view(), c.data());
    HostVector found(tables->layout.size());
    backend.download_bytes(c.data(), found.data(), found.size() * sizeof(double));
    return found;
  }

  Backend& backend;
  std::shared_ptr<const DirectTables> tables;
  std::unique_ptr<DirectOperator> a;
};

/// The tables for so many ranks.
using TablesOfRanks = std::function<std::shared_ptr<const DirectTables>(int ranks)>;

/// The row of a function.
std::int64_t row_of(const DirectRows& rows, const DirectRows::Function& f,
                    const DirectLayout& layout) {
  const int y = layout.beta_strings.irrep_of[f.b];
  for (const DirectRows::Kind& kind : rows.kinds()) {
    if (kind.parity == f.parity) {
      return kind.begin[std::size_t{8} * f.a + y] + f.b - layout.beta_strings.begin[y];
    }
  }
  return -1;
}

/// Calls check(tables of ranks) in the space of all irreps and in that of irrep 1, where there is
/// one, of all functions and of those of each parity.
template <class Check>
void in_spaces(const Integrals& integrals, bool irreps, Check check) {
  for (const std::optional<int> irrep : {std::optional<int>(), std::optional<int>(1)}) {
    if (irrep && !irreps) continue;
    const CiSpace space = make_ci_space(integrals, {{}, irrep});
    const bool parities = integrals.ms2 == 0 && !integrals.unrestricted;
    for (const Parity parity : {Parity::none, Parity::even, Parity::odd}) {
      if (parity != Parity::none && !parities) continue;
      SCOPED_TRACE((irrep ? "irrep 1, parity " : "all irreps, parity ") +
                   std::to_string(static_cast<int>(parity)));
      check([&](int ranks) {
        return std::make_shared<const DirectTables>(integrals, space, parity, ranks);
      });
    }
  }
}

class DirectOverRanks : public ::testing::TestWithParam<std::tuple<RandomCase, std::string>> {};

TEST_P(DirectOverRanks, MultiplyAsOneRank) {
  const auto& [c, backend_name] = GetParam();
  CISOLVE_BACKEND_OR_SKIP(one, backend_name);
  const Integrals integrals = integrals_of(c);
  in_spaces(integrals, c.irreps > 1, [&](const TablesOfRanks& of_ranks) {
    const auto tables = of_ranks(1);
    const auto n = static_cast<Index>(tables->rows.size());
    const HostMatrix x = random_block(n, 3, 1), y = random_block(n, 3, 2);
    const ProductOfRanks alone(tables, one);
    // Sectors of each parity and irrep, and two of them together.
    std::vector<HostMatrix> parts, products;
    std::int64_t first = 0;
    for (const DirectRows::Sector& sector : tables->rows.sectors()) {
      parts.push_back(parts.size() % 3 == 2 ? parts.back() : HostMatrix::Zero(n, 1));
      parts.back().middleRows(first, sector.size) = x.col(0).segment(first, sector.size);
      first += sector.size;
      products.push_back(alone.product(1.0, parts.back(), 0.0, parts.back()));
    }
    const HostMatrix product = alone.product(2.0, x, -3.0, y), diagonal = alone.diagonal();
    const HostMatrix spin = integrals.unrestricted ? x : alone.s_squared(x.col(0));
    const HostVector layout = alone.in_layout(x.col(0));
    for (const int count : {1, 2, 3, 7}) {
      if (count > n) continue;
      SCOPED_TRACE(std::to_string(count) + " ranks");
      const auto of_many = of_ranks(count);
      const DirectRows& rows = of_many->rows;
      const auto there = [&](const HostMatrix& v) { return renumbered(v, tables->rows, rows); };
      const auto back = [&](const HostMatrix& v) { return renumbered(v, rows, tables->rows); };
      const auto check = [&, name = backend_name](Communicator& ranks) {
        const auto backend = backend_of_rank(name, ranks);
        const ProductOfRanks shared(of_many, *backend);
        EXPECT_LE((back(shared.product(2.0, there(x), -3.0, there(y))) - product).norm(),
                  1e-13 * product.norm());
        for (std::size_t k = 0; k < parts.size(); ++k) {
          const HostMatrix part = there(parts[k]);
          EXPECT_LE((back(shared.product(1.0, part, 0.0, part)) - products[k]).norm(),
                    1e-13 * products[k].norm());
        }
        const HostVector d = shared.diagonal();
        for (std::int64_t i = 0; i < n; ++i) {
          const DirectRows::Function f = rows.function(i);
          EXPECT_NEAR(d[i], diagonal(row_of(tables->rows, f, tables->layout), 0), 1e-13);
        }
        EXPECT_LE((shared.in_layout(there(x.col(0))) - layout).norm(), 1e-14 * layout.norm());
        if (integrals.unrestricted) return;
        EXPECT_LE((back(shared.s_squared(there(x.col(0)))) - spin).norm(),
                  1e-13 * spin.norm() + 1e-14);
      };
      ThreadRanks(count).run(check);
      ThreadRanks(count, ThreadRanks::Hosts::many).run(check);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Spaces, DirectOverRanks,
                         ::testing::Combine(::testing::Values(RandomCase{4, 4, 0, false, 1},
                                                              RandomCase{6, 6, 0, false, 4},
                                                              RandomCase{6, 5, 3, true, 4},
                                                              RandomCase{6, 4, -2, true, 1},
                                                              RandomCase{4, 1, 1, false, 1},
                                                              RandomCase{7, 6, 0, false, 1},
                                                              RandomCase{7, 7, 1, false, 8}),
                                            ::testing::Values("cpu", "cuda")));

/// Eigenstates of all parities and irreps, each sector on whichever ranks have its rows.
class DirectStates : public ::testing::TestWithParam<std::string> {};

TEST_P(DirectStates, AreThoseOfOneRank) {
  CISOLVE_BACKEND_OR_SKIP(one, GetParam());
  for (const RandomCase& c : {RandomCase{6, 6, 0, false, 2}, RandomCase{6, 5, 1, true, 1}}) {
    const Integrals integrals = integrals_of(c);
    in_spaces(integrals, false, [&](const TablesOfRanks& of_ranks) {
      const auto p_space = [&](const DirectTables& tables) {
        PSpace p;
        const auto pieces = tables.rows.pieces();
        p.sectors = {{}, tables.rows.sector_sizes(), {pieces.begin(), pieces.end()}};
        p.rows = lowest_diagonal_rows(direct_diagonal(integrals, tables.layout, tables.rows), 12);
        p.matrix = principal_submatrix(integrals, tables.layout, tables.rows, p.rows);
        return p;
      };
      const auto tables = of_ranks(1);
      EigenOptions options;
      options.states = 4;
      options.tolerance = 1e-9;
      options.verify = Verify::off;  // what a search comes to is a matter of time
      const EigenResult expected =
          lowest_eigenpairs(*make_direct(tables, one), one, p_space(*tables), options);
      ASSERT_EQ(expected.status, SolveStatus::converged);
      for (const int count : {2, 3, 7}) {
        SCOPED_TRACE(std::to_string(count) + " ranks");
        const auto of_many = of_ranks(count);
        const PSpace p = p_space(*of_many);
        const RowPartition parts = of_many->rows.partition();
        ThreadRanks(count).run([&](Communicator& ranks) {
          const auto backend = backend_of_rank(GetParam(), ranks);
          const auto a = make_direct(of_many, *backend);
          PSpace own = p;
          own.sectors =
              labels_of_rows(p.sectors, parts.first(ranks.rank()), parts.count(ranks.rank()));
          const EigenResult found = lowest_eigenpairs(*a, *backend, own, options);
          EXPECT_EQ(found.status, SolveStatus::converged);
          for (int j = 0; j < options.states; ++j) {
            EXPECT_NEAR(found.energies[j], expected.energies[j], 1e-12);
          }
        });
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, DirectStates, ::testing::Values("cpu", "cuda"));

TEST(DirectShare, IsOfAsManyFlops) {
  const Integrals integrals = random_integrals(9, 8, 0, false, 1);
  const CiSpace space = make_ci_space(integrals, {});
  const DirectTables tables(integrals, space);
  const Index n = tables.layout.alpha_strings.size();
  // Every alpha string costs the same if all of σ is made.
  EXPECT_EQ(share_out(tables, false, {4, 12}, 3).begin, (std::vector<Index>{0, 42, 84, 126}));
  // In the lower triangle higher strings cost more, and the first less than all of G: if all of G
  // were made for every string, the border would be at n/√2.
  const Index border = share_out(tables, true, {4, 12}, 2).begin[1];
  EXPECT_GT(border, n / 2);
  EXPECT_LT(border, 0.71 * n);
  // More ranks than alpha strings: some have none.
  const RowPartition many = share_out(tables, true, {4, 12}, 200);
  EXPECT_EQ(many.ranks(), 200);
  EXPECT_TRUE(std::ranges::is_sorted(many.begin));
  EXPECT_EQ(many.begin.back(), n);
}

TEST(DirectRanks, AreNoMoreThanRows) {
  const Integrals integrals = random_integrals(2, 2, 0, false, 1);
  const CiSpace space = make_ci_space(integrals, {});
  EXPECT_THROW(DirectTables(integrals, space, Parity::odd, 2), InputError);
}

/// Every rank's part of a sector is equal to the others' up to one alpha string.
TEST(DirectRows, ShareEverySectorOut) {
  const Integrals integrals = integrals_of({8, 8, 0, false, 4});
  const CiSpace space = make_ci_space(integrals, {});
  for (const int ranks : {1, 2, 3, 5}) {
    const DirectTables tables(integrals, space, Parity::none, ranks);
    const DirectRows& rows = tables.rows;
    const Sectors sectors{{}, rows.sector_sizes(), {rows.pieces().begin(), rows.pieces().end()}};
    const RowPartition parts = rows.partition();
    for (int p = 0; p < ranks; ++p) {
      EXPECT_NEAR(parts.count(p), static_cast<double>(rows.size()) / ranks, 20.0);
      const Sectors own = labels_of_rows(sectors, parts.first(p), parts.count(p));
      for (Index i = 0; i < parts.count(p); ++i) {
        EXPECT_EQ(own.labels[i], sectors.of(parts.first(p) + i));
      }
    }
    EXPECT_EQ(rows.partition().ranks(), ranks);
    EXPECT_EQ(rows.partition().rows(), rows.size());
    for (int s = 0; s < static_cast<int>(rows.sectors().size()); ++s) {
      const DirectRows::Sector& sector = rows.sectors()[s];
      std::int64_t all = 0;
      for (int p = 0; p < ranks; ++p) {
        const DirectRows::RowRange piece = rows.piece(s, p);
        all += piece.count;
        EXPECT_NEAR(piece.count, static_cast<double>(sector.size) / ranks, 40.0);
        for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
          const DirectRows::Function f = rows.function(row);
          EXPECT_EQ(sectors.of(static_cast<Index>(row)), s);
          EXPECT_EQ(f.parity, sector.parity);
          EXPECT_EQ(row_of(rows, f, tables.layout), row);
        }
      }
      EXPECT_EQ(all, sector.size);
    }
  }
}

}  // namespace
}  // namespace cisolve
