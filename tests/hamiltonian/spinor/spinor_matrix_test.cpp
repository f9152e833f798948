// The complex CI matrix over spinors: against second quantisation, and against energies of other
// programs.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>
#include <map>
#include <numeric>
#include <vector>

#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "hamiltonian/spinor/spinor_fcidump.hpp"
#include "hamiltonian/spinor/spinor_matrix.hpp"
#include "tests/support/determinants/second_quantisation.hpp"
#include "tests/support/integrals/random_spinors.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

using ComplexMatrix = Eigen::MatrixXcd;

CiSpace spinor_space(const SpinorIntegrals& spinors, const CiSpaceOptions& options = {}) {
  return make_ci_space(diagonal_integrals(spinors), options);
}

CsrMatrix spinor_matrix(const SpinorIntegrals& spinors, const StringSpace& strings,
                        Storage storage = Storage::full) {
  const SpinorMatrixBuilder builder(spinors, strings, storage);
  return builder.fill(builder.count());
}

ComplexMatrix dense(const CsrMatrix& a) {
  ComplexMatrix result = ComplexMatrix::Zero(a.rows, a.columns);
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      result(i, a.column_indices[k]) = {a.values[2 * k], a.values[2 * k + 1]};
    }
  }
  return result;
}

/// E_core + Σ h_pq a†_p a_q + ½ Σ (pq|rs) a†_p a†_r a_s a_q over the strings, determinant by
/// determinant.
ComplexMatrix by_second_quantisation(const SpinorIntegrals& in, const StringSpace& strings) {
  std::map<SpinOrbitals, Eigen::Index> numbers;
  for (Index i = 0; i < strings.size(); ++i) numbers.emplace(strings.strings[i], i);
  ComplexMatrix result = ComplexMatrix::Zero(strings.size(), strings.size());
  const int n = in.spinors;
  for (const auto& [determinant, column] : numbers) {
    std::map<SpinOrbitals, Complex> images{{determinant, in.core_energy}};
    for (int pq = 0; pq < n * n; ++pq) {
      const int p = pq / n, q = pq % n;
      add_image(images, determinant, in.h(p, q), {{q, false}, {p, true}});
      for (int rs = 0; rs < n * n; ++rs) {
        const int r = rs / n, s = rs % n;
        add_image(images, determinant, 0.5 * in.g(p, q, r, s),
                  {{q, false}, {s, false}, {r, true}, {p, true}});
      }
    }
    for (const auto& [image, value] : images) {
      if (const auto row = numbers.find(image); row != numbers.end()) {
        result(row->second, column) = value;
      }
    }
  }
  return result;
}

void expect_as_second_quantisation(const SpinorIntegrals& spinors, const StringSpace& strings) {
  const ComplexMatrix error =
      dense(spinor_matrix(spinors, strings)) - by_second_quantisation(spinors, strings);
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 1e-13)
      << spinors.electrons << " electrons in " << spinors.spinors << " spinors";
}

TEST(SpinorMatrix, IsThatOfSecondQuantisation) {
  for (const auto& [spinors, electrons] :
       std::vector<std::pair<int, int>>{{1, 1}, {5, 1}, {6, 2}, {6, 3}, {7, 4}, {5, 4}, {5, 5}}) {
    const SpinorIntegrals in = random_spinors(spinors, electrons, 3);
    const CiSpace space = spinor_space(in);
    ASSERT_EQ(space.size(), space.alpha.size());
    expect_as_second_quantisation(in, space.alpha);
  }
}

TEST(SpinorMatrix, IsThatOfSecondQuantisationBeyondTheFirstWordOfAString) {
  SpinorIntegrals in(67);
  in.electrons = 2;
  const SpinorIntegrals few = random_spinors(5, 2, 4);
  const auto at = [](int p) { return p < 2 ? p : 62 + p; };  // 0, 1, 64, 65, 66
  for (int p = 0; p < 5; ++p) {
    for (int q = 0; q < 5; ++q) {
      in.h.set(at(p), at(q), few.h(p, q));
      for (int r = 0; r < 5; ++r) {
        for (int s = 0; s < 5; ++s) in.g.set(at(p), at(q), at(r), at(s), few.g(p, q, r, s));
      }
    }
  }
  const CiSpace space = spinor_space(in);
  ASSERT_EQ(space.size(), 67 * 66 / 2);
  const ComplexMatrix all = dense(spinor_matrix(in, space.alpha));
  std::vector<Eigen::Index> rows;
  for (int q = 0; q < 5; ++q) {
    for (int p = 0; p < q; ++p) rows.push_back(space.alpha.find(OrbitalString::of(at(p), at(q))));
  }
  const ComplexMatrix block = all(rows, rows);
  const ComplexMatrix expected = dense(spinor_matrix(few, spinor_space(few).alpha));
  const ComplexMatrix shift =
      few.core_energy * ComplexMatrix::Identity(expected.rows(), expected.cols());
  EXPECT_LT((block + shift - expected).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(SpinorMatrix, OverExcitationsRangesAndListsIsAPartOfThat) {
  const SpinorIntegrals in = random_spinors(8, 4, 5);
  CiSpaceOptions doubles;
  doubles.max_excitation = 2;
  const CiSpace cisd = spinor_space(in, doubles);
  EXPECT_EQ(cisd.size(), 1 + 4 * 4 + 6 * 6);
  expect_as_second_quantisation(in, cisd.alpha);
  CiSpaceOptions ranges;
  ranges.ras = {OrbitalString::of(0, 1), OrbitalString::of(6, 7), 1, 1};
  expect_as_second_quantisation(in, spinor_space(in, ranges).alpha);
  const std::vector<OrbitalString> listed{
      OrbitalString::of(3, 4, 5, 7), OrbitalString::of(0, 1, 2, 3), OrbitalString::of(0, 1, 5, 7)};
  const AnySpace list =
      make_listed_space(diagonal_integrals(in), listed, std::vector<OrbitalString>(listed.size()));
  ASSERT_EQ(list.size(), 3);
  EXPECT_EQ(list.determinant(0)[alpha], list.alpha().strings[0]);
  expect_as_second_quantisation(in, list.alpha());
}

TEST(SpinorMatrix, IsExactlyHermitianAndHoldsNoZero) {
  const SpinorIntegrals in = random_spinors(10, 4, 6, 3);
  const CiSpace space = spinor_space(in);
  const CsrMatrix a = spinor_matrix(in, space.alpha);
  EXPECT_EQ(a.components, 2);
  EXPECT_LT(a.nonzeros(), Offset{a.rows} * a.rows / 3 + a.rows);
  const ComplexMatrix all = dense(a);
  EXPECT_EQ(all, ComplexMatrix(all.adjoint()));
  for (Index i = 0; i < a.rows; ++i) {
    EXPECT_EQ(all(i, i).imag(), 0.0);
    for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      EXPECT_TRUE(a.values[2 * k] != 0.0 || a.values[2 * k + 1] != 0.0);
      EXPECT_FALSE(a.values[2 * k + 1] == 0.0 && std::signbit(a.values[2 * k + 1]));
      const Index before = k > a.row_offsets[i] ? a.column_indices[k - 1] : -1;
      EXPECT_LT(before, a.column_indices[k]);
    }
  }
}

TEST(SpinorMatrix, HasTheSameElementsInParts) {
  const SpinorIntegrals in = random_spinors(9, 4, 7, 2);
  const CiSpace space = spinor_space(in);
  const SpinorMatrixBuilder builder(in, space.alpha);
  const ComplexMatrix all = dense(builder.fill(builder.count()));
  EXPECT_EQ(dense(builder.fill(builder.count({}, 20, 50), 20)), all.middleRows(20, 30));
  const std::vector<Index> wanted{7, 100, 7, 0};
  EXPECT_EQ(dense(builder.some_rows(wanted)), all(wanted, Eigen::all));
  const std::vector<double> energies = builder.diagonal(5, 9);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(energies[k], all(5 + k, 5 + k).real());
    EXPECT_NEAR(energies[k], determinant_energy(diagonal_integrals(in), space.determinant(5 + k)),
                1e-13);
  }
  const CsrMatrix half = spinor_matrix(in, space.alpha, Storage::upper);
  EXPECT_EQ(half.storage, Storage::upper);
  EXPECT_EQ(dense(half), ComplexMatrix(all.triangularView<Eigen::Upper>()));
}

TEST(SpinorMatrix, TakesTheMemoryForeseen) {
  const SpinorIntegrals in = random_spinors(16, 6, 8);
  const CiSpace space = spinor_space(in);
  const SpinorMatrixBuilder builder(in, space.alpha);
  const double bytes = SpinorMatrixBuilder::bytes_for(space.alpha);
  EXPECT_LE(static_cast<double>(builder.table_bytes()), bytes);
  EXPECT_GE(static_cast<double>(builder.table_bytes()), bytes / 8);
}

TEST(SpinorMatrix, CountsAllEntriesForAWatch) {
  const SpinorIntegrals in = random_spinors(9, 4, 7);
  const CiSpace space = spinor_space(in);
  const SpinorMatrixBuilder builder(in, space.alpha);
  CountedRows told;
  const auto offsets =
      builder.count({[&](const CountedRows& counted) { told = counted; }, 0.0}, 0, builder.size());
  EXPECT_EQ(told.rows, builder.size());
  EXPECT_EQ(told.entries, offsets.back());
}

}  // namespace
}  // namespace cisolve
