// Generated matrices: their patterns, their symmetry, and that a seed means one matrix.
#include "formats/matrix/generate.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "app/input/generated_input.hpp"
#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/cusparse_sell/cusparse_sell.hpp"
#include "formats/matrix/features.hpp"
#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/integrals/random_integrals.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "tests/support/matrices/to_csr.hpp"

namespace cisolve {
namespace {

bool same(const CsrMatrix& a, const CsrMatrix& b) {
  return a.rows == b.rows && a.columns == b.columns && a.row_offsets == b.row_offsets &&
         a.column_indices == b.column_indices && a.values == b.values;
}

Offset entries_left_of(const CsrMatrix& a, Index column) {
  Offset count = 0;
  for (const Index j : a.column_indices) count += j < column;
  return count;
}

std::string complaint(const std::string& name) {
  try {
    make_generated_input(name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Generate, CiHasThePapersDensitiesInEachRegion) {
  CiPattern pattern;
  pattern.rows = 4096;
  const CsrMatrix a = generate_ci(pattern, 1, false);
  validate(a, "ci");
  const auto n = static_cast<double>(a.rows);
  const double reference = static_cast<double>(entries_left_of(a, 410));
  const double expansion = static_cast<double>(a.nonzeros()) - reference;
  // Binomial counts: within five standard deviations, and the diagonal besides.
  EXPECT_NEAR(reference, 0.2 * 410 * n, 5 * std::sqrt(0.2 * 410 * n) + 410);
  EXPECT_NEAR(expansion, 0.01 * (n - 410) * n, 5 * std::sqrt(0.01 * n * n) + n);
}

TEST(Generate, EveryKindIsSymmetricOnRequestAndHasItsDiagonal) {
  CiPattern pattern;
  pattern.rows = 500;
  for (const CsrMatrix& a :
       {generate_ci(pattern, 3, true), generate_banded(500, 7, 3, true),
        generate_random(500, 20, 3, true), generate_power_law(500, 20, 2.3, 3, true),
        generate_stencil(8, 3, true, 3, true), generate_blocks(500, 7, 3, 3, true),
        generate_diagonals(500, 9, 0.5, 3, true), generate_runs(500, 20, 6, 100, 3, true),
        generate_arrow(500, 5, 2, 3, true), generate_hubs(500, 5, 4, 100, 3, true),
        generate_recursive(9, 8, 0.3, 3, true)}) {
    validate(a, "symmetric");
    EXPECT_TRUE(is_exactly_symmetric(a));
    for (const double d : diagonal(a)) EXPECT_GE(d, 1.0);
  }
  EXPECT_FALSE(is_exactly_symmetric(generate_random(500, 20, 3, false)));
}

TEST(Generate, BandedFillsTheBandAndNothingElse) {
  for (const bool symmetric : {false, true}) {
    const CsrMatrix a = generate_banded(50, 3, 1, symmetric);
    validate(a, "banded");
    EXPECT_EQ(a.nonzeros(), 50 * 7 - 2 * (1 + 2 + 3));
    for (Index i = 0; i < a.rows; ++i) {
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        EXPECT_LE(std::abs(a.column_indices[e] - i), 3);
      }
    }
  }
  EXPECT_EQ(generate_banded(5, 2'000'000'000, 1, false).nonzeros(), 25);
}

TEST(Generate, PowerLawHasItsMeanAndLongRows) {
  const CsrMatrix a = generate_power_law(20000, 16, 2.5, 1, false);
  validate(a, "power law");
  // The lengths' variance is infinite: their mean over 20,000 rows is loose.
  EXPECT_NEAR(static_cast<double>(a.nonzeros()) / a.rows, 17.0, 2.0);
  Offset longest = 0;
  for (Index i = 0; i < a.rows; ++i) longest = std::max(longest, a.row_length(i));
  EXPECT_GT(longest, 500);
}

TEST(Generate, StencilsHaveTheNeighboursOfAGrid) {
  const auto nonzeros = [](Index side, int dimensions, bool box) {
    const CsrMatrix a = generate_stencil(side, dimensions, box, 1, false);
    validate(a, "stencil");
    return a.nonzeros();
  };
  EXPECT_EQ(nonzeros(9, 1, false), 9 + 2 * 8);
  EXPECT_EQ(nonzeros(9, 2, false), 81 + 4 * 9 * 8);
  EXPECT_EQ(nonzeros(9, 3, false), 729 + 6 * 81 * 8);
  EXPECT_EQ(nonzeros(9, 2, true), 25 * 25);       // (3·9 − 2)²
  EXPECT_EQ(nonzeros(9, 3, true), 25 * 25 * 25);  // (3·9 − 2)³
}

TEST(Generate, BlocksAreDense) {
  const CsrMatrix a = generate_blocks(600, 6, 3, 1, false);
  validate(a, "blocks");
  for (Index i = 0; i < a.rows; ++i) {
    EXPECT_EQ(a.row_length(i) % 6, 0);
    EXPECT_EQ(a.row_length(i), a.row_length(i / 6 * 6));
  }
  EXPECT_NEAR(static_cast<double>(a.nonzeros()) / 600, 3 * 6, 3);
  EXPECT_EQ(generate_blocks(10, 4, 1, 1, false).nonzeros(), 16 + 16 + 4);
}

TEST(Generate, DiagonalsAreFew) {
  const CsrMatrix a = generate_diagonals(1000, 7, 1.0, 2, false);
  validate(a, "diagonals");
  std::set<Index> seen;
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      seen.insert(a.column_indices[e] - i);
    }
  }
  EXPECT_EQ(seen.size(), 8u);  // and the main one
}

TEST(Generate, RunsAreConsecutiveAndNearTheDiagonal) {
  const CsrMatrix a = generate_runs(2000, 24, 8, 200, 1, false);
  validate(a, "runs");
  EXPECT_NEAR(static_cast<double>(a.nonzeros()) / a.rows, 24, 4);
  const MatrixFeatures f = features(a);
  EXPECT_GT(f.run_length, 5.0);
  for (Index i = 0; i < a.rows; ++i) {
    EXPECT_LE(std::abs(a.column_indices[a.row_offsets[i]] - i), 200);
    EXPECT_LE(std::abs(a.column_indices[a.row_offsets[i + 1] - 1] - i), 200);
  }
}

TEST(Generate, AnArrowHasDenseRowsColumnsAndABand) {
  const CsrMatrix a = generate_arrow(100, 3, 1, 1, false);
  validate(a, "arrow");
  EXPECT_EQ(a.row_length(2), 100);
  EXPECT_EQ(a.row_length(3), 3 + 2);
  EXPECT_EQ(a.row_length(50), 3 + 3);
}

TEST(Generate, HubsAreFewAndLong) {
  const CsrMatrix a = generate_hubs(4000, 6, 5, 800, 1, false);
  validate(a, "hubs");
  int longer = 0;
  for (Index i = 0; i < a.rows; ++i) longer += a.row_length(i) > 400;
  EXPECT_GE(longer, 3);  // of five drawn, some may be the same
  EXPECT_LE(longer, 5);
  EXPECT_NEAR(static_cast<double>(a.nonzeros()), 4000 * 7.0 + longer * 800.0, 2000);
}

TEST(Generate, ARecursiveGraphHasItsElementsWhereItsQuartersSay) {
  const CsrMatrix a = generate_recursive(10, 4, 0.3, 1, false);
  validate(a, "recursive");
  Offset upper = 0, upper_left = 0;
  for (Index i = 0; i < 512; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      ++upper;
      upper_left += a.column_indices[e] < 512;
    }
  }
  // 0.7 of what is drawn, then 0.79 of that; the diagonal, always there, and elements drawn twice
  // even it out.
  EXPECT_GT(2 * upper, 3 * (a.nonzeros() - upper));
  EXPECT_GT(2 * upper_left, 3 * (upper - upper_left));
}

TEST(Generate, ASeedIsOneMatrixForAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const CsrMatrix one = generate_random(1000, 15, 9, true);
  omp_set_num_threads(3);
  const CsrMatrix three = generate_random(1000, 15, 9, true);
  omp_set_num_threads(threads);
  EXPECT_TRUE(same(one, three));
  EXPECT_FALSE(same(one, generate_random(1000, 15, 10, true)));
}

TEST(Generate, DensityOneIsADenseMatrixAndZeroADiagonalOne) {
  EXPECT_EQ(generate_random(20, 20, 1, false).nonzeros(), 400);
  EXPECT_EQ(generate_random(20, 20, 1, true).nonzeros(), 400);
  EXPECT_EQ(generate_random(20, 0, 1, false).nonzeros(), 20);
}

TEST(Generate, HubbardDimerHasItsExactLowestEnergy) {
  HubbardRing ring;
  ring.sites = 2;
  const Integrals integrals = hubbard_integrals(ring);
  const CiSpace space = make_ci_space(integrals, {});
  const CiMatrixBuilder builder(integrals, space);
  const CsrMatrix a = builder.fill(builder.count());
  ASSERT_EQ(a.rows, 4);
  HostMatrix dense = HostMatrix::Zero(4, 4);
  for (Index i = 0; i < 4; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      dense(i, a.column_indices[e]) = a.values[e];
    }
  }
  EXPECT_NEAR(symmetric_eigen(dense).values[0], 2.0 - std::sqrt(8.0),
              1e-12);  // U/2 − √(U²/4 + 4t²)
}

TEST(Generate, RandomMoleculeWithoutSymmetryConnectsEveryPairThatSlaterCondonDoes) {
  const Integrals integrals = random_integrals({6, 6, 1, 3});
  const CiSpace space = make_ci_space(integrals, {});
  const CiMatrixBuilder builder(integrals, space);
  const Array<Offset> offsets = builder.count();
  // 3 + 3 electrons in 6 orbitals: 1 + 2·9 singles + 2·9 doubles of one spin + 9·9 of both.
  EXPECT_EQ(space.size(), 400);
  EXPECT_EQ(offsets.back(), 400 * (1 + 18 + 18 + 81));
}

TEST(Generate, IrrepsOfARandomMoleculeAreSymmetriesOfItsIntegrals) {
  const Integrals integrals = random_integrals({8, 8, 4, 1});
  const auto& irrep = integrals.orbital_irreps[alpha];
  ASSERT_EQ(irrep.size(), 8u);
  int kept = 0, dropped = 0;
  for (int p = 0; p < 8; ++p) {
    for (int q = 0; q <= p; ++q) {
      const bool allowed = irrep[p] == irrep[q];
      EXPECT_EQ((*integrals.one_electron[alpha])(p, q) != 0.0, allowed);
      ++(allowed ? kept : dropped);
      EXPECT_EQ((*integrals.alpha_beta)(p, q, p, q), (*integrals.alpha_beta)(q, p, q, p));
      EXPECT_EQ((*integrals.alpha_beta)(p, p, p, q) != 0.0, allowed);
    }
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(dropped, 0);
}

TEST(Generate, NamesSayWhatToMake) {
  const CsrMatrix a = make_generated_input("generate:banded,rows=9,bandwidth=1,seed=4").matrix;
  EXPECT_TRUE(same(a, generate_banded(9, 1, 4, false)));
  const auto model = make_generated_input("generate:hubbard,sites=6,U=2.5,electrons=4").integrals;
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->orbitals, 6);
  EXPECT_EQ(model->electrons, 4);
  EXPECT_EQ((*model->alpha_beta)(1, 1, 1, 1), 2.5);
}

TEST(Generate, NamesThatMeanNothingAreRefused) {
  EXPECT_EQ(complaint("generate:dense"),
            "generate:dense: there is no kind \"dense\"; there are: ci, banded, random, power_law, "
            "stencil, blocks, diagonals, runs, arrow, hubs, recursive, hubbard, molecule");
  EXPECT_NE(complaint("generate:ci,rows=0").find("rows: found \"0\", expected integer (1 to"),
            std::string::npos);
  EXPECT_NE(complaint("generate:ci,rows").find("expected key=value"), std::string::npos);
  EXPECT_NE(complaint("generate:ci,rows=5,rows=6").find("given twice"), std::string::npos);
  EXPECT_NE(complaint("generate:banded,per_row=6")
                .find("the keys of banded are rows, seed, "
                      "symmetric, bandwidth"),
            std::string::npos);
  EXPECT_NE(complaint("generate:molecule,irreps=3").find("expected 1, 2, 4 or 8"),
            std::string::npos);
  EXPECT_NE(complaint("generate:random,rows=5,per_row=6").find("per_row: found \"6\""),
            std::string::npos);
}

TEST(CusparseSell, LaysEntriesOfASliceOutByColumnAndPadsToItsLongestRow) {
  CsrMatrix a{3, 4, {0, 2, 2, 3}, {1, 3, 0}, {5.0, 6.0, 7.0}};
  const CusparseSellMatrix sell = to_cusparse_sell(a);
  EXPECT_EQ(sell.slice_offsets, (Array<Offset>{0, 64}));
  EXPECT_EQ(sell.column_indices[0], 1);
  EXPECT_EQ(sell.column_indices[1], -1);
  EXPECT_EQ(sell.column_indices[2], 0);
  EXPECT_EQ(sell.column_indices[32], 3);
  EXPECT_EQ(sell.values[32], 6.0);
  EXPECT_EQ(sell.bytes(), 64u * 12 + 2 * 4);
}

TEST(CusparseSell, ComesBackBitForBit) {
  for (const Index rows : {1, 31, 32, 33, 257}) {
    const CsrMatrix a = generate_random(rows, std::min(rows, 9), 5, false);
    EXPECT_TRUE(same(a, testing::to_csr(to_cusparse_sell(a)))) << rows;
  }
}

}  // namespace
}  // namespace cisolve
