// Features of a matrix: by hand, against a dense count, at the edges, and with several threads.
#include "formats/matrix/features.hpp"

#include <omp.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/matrix/generate.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// The features from a dense matrix, element by element as their definitions read.
FeatureVector dense_features(const HostMatrix& a) {
  const auto m = static_cast<double>(a.rows()), n = static_cast<double>(a.cols());
  std::vector<double> lengths;
  std::set<Eigen::Index> diagonals;
  double distances = 0, runs = 0;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    std::vector<Eigen::Index> row;
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
      if (a(i, j) == 0.0) continue;
      row.push_back(j);
      diagonals.insert(j - i);
      if (j == 0 || a(i, j - 1) == 0.0) ++runs;
    }
    lengths.push_back(static_cast<double>(row.size()));
    if (!row.empty()) distances += static_cast<double>(row.back() - row.front());
  }
  double nnz = 0, max = 0, squares = 0;
  for (const double l : lengths) nnz += l, max = std::max(max, l);
  for (const double l : lengths) squares += (l - nnz / m) * (l - nnz / m);
  const auto ndiag = static_cast<double>(diagonals.size());
  return {m,
          n,
          nnz,
          nnz / (m * n),
          nnz / m,
          std::sqrt(squares / m),
          squares / m,
          max,
          max - nnz / m,
          distances / m,
          nnz / runs,
          ndiag,
          ndiag * m / nnz,
          m * max / nnz};
}

void expect_near(const FeatureVector& found, const FeatureVector& expected) {
  for (std::size_t f = 0; f < feature_count; ++f) {
    EXPECT_NEAR(found[f], expected[f], 1e-12 * (1.0 + std::abs(expected[f]))) << feature_names[f];
  }
}

HostMatrix random_dense(Index rows, Index columns, double density, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  return HostMatrix::NullaryExpr(rows, columns,
                                 [&] { return uniform(engine) < density ? 1.0 : 0.0; });
}

TEST(Features, OfAnExampleCountedByHand) {
  // Lengths 3 0 4 1, runs 2 0 1 1, distances 3 0 3 0, diagonals −2 … 1 and 3.
  const MatrixFeatures f = features(from_dense(HostMatrix{{1, 1, 0, 1},  //
                                                          {0, 0, 0, 0},
                                                          {1, 1, 1, 1},
                                                          {0, 1, 0, 0}}));
  EXPECT_EQ(f.rows, 4);
  EXPECT_EQ(f.columns, 4);
  EXPECT_EQ(f.nonzeros, 8);
  EXPECT_EQ(f.density, 0.5);
  EXPECT_EQ(f.row_mean, 2.0);
  EXPECT_EQ(f.row_variance, 2.5);
  EXPECT_EQ(f.row_deviation, std::sqrt(2.5));
  EXPECT_EQ(f.row_maximum, 4);
  EXPECT_EQ(f.maximum_over_mean, 2.0);
  EXPECT_EQ(f.row_distance, 1.5);
  EXPECT_EQ(f.run_length, 2.0);
  EXPECT_EQ(f.diagonals, 5);
  EXPECT_EQ(f.diagonal_fill, 2.5);
  EXPECT_EQ(f.ellpack_fill, 2.0);
}

TEST(Features, OfRectangularMatricesCountedByHand) {
  const HostMatrix wide{{0, 1, 1, 0, 1}, {1, 0, 0, 0, 0}};
  EXPECT_EQ(to_vector(features(from_dense(wide))),
            (FeatureVector{2, 5, 4, 0.4, 2, 1, 1, 3, 1, 1.5, 4.0 / 3, 4, 2, 1.5}));
  const HostMatrix tall = wide.transpose();
  EXPECT_EQ(to_vector(features(from_dense(tall))),
            (FeatureVector{5, 2, 4, 0.4, 0.8, 0.4, 4.0 / 25, 1, 0.2, 0, 1, 4, 5, 1.25}));
}

TEST(Features, OfThreeEntriesInTheMostColumnsTakeLittleMemory) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const CsrMatrix a{3, most, {0, 1, 3, 3}, {0, 0, most - 1}, {1.0, 1.0, 1.0}};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit less = before;
  less.rlim_cur = pages * 4096 + 1'000'000'000;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &less), 0);
  EXPECT_EQ(features(a).diagonals, 3);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
}

TEST(Features, NamesStandInTheOrderOfTheVector) {
  EXPECT_EQ(feature_names, (std::array<const char*, 14>{
                               "m", "n", "nnz", "density", "mean", "sd", "var", "max", "maxavg",
                               "distavg", "clusteravg", "ndiag", "diagfill", "fill"}));
}

TEST(Features, OfRandomMatricesAreThoseOfADenseCount) {
  unsigned seed = 1;
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{1, 1}, {1, 70}, {70, 1}, {90, 90}, {40, 300}, {700, 30}}) {
    for (const double density : {0.02, 0.3, 0.9, 1.0}) {
      const HostMatrix dense = random_dense(rows, columns, density, seed++);
      if (dense.sum() == 0.0) continue;
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      expect_near(to_vector(features(from_dense(dense))), dense_features(dense));
    }
  }
}

TEST(Features, AreTheSameBitsForAnyNumberOfThreads) {
  const CsrMatrix a = generate_random(5000, 15, 9, false);
  const auto with_threads = [&](int count) {
    const Threads threads(count);
    return to_vector(features(a));
  };
  const FeatureVector one = with_threads(1);
  EXPECT_GT(one[6], 0.0) << "rows of several lengths";
  for (const int threads : {2, 3, 8}) EXPECT_EQ(with_threads(threads), one);
}

TEST(Features, OfAMatrixWithoutNonzerosAreItsShapeAndZeros) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{0, 0}, {0, 3}, {3, 0}, {3, 5}}) {
    FeatureVector expected{};
    expected[0] = rows;
    expected[1] = columns;
    EXPECT_EQ(to_vector(features(from_dense(HostMatrix::Zero(rows, columns)))), expected);
  }
  EXPECT_EQ(to_vector(features(CsrMatrix{})), FeatureVector{});
}

TEST(Features, AStoredZeroIsANonzero) {
  CsrMatrix a = from_dense(HostMatrix{{1, 2}, {3, 4}});
  const FeatureVector before = to_vector(features(a));
  a.values[1] = 0.0;
  EXPECT_EQ(to_vector(features(a)), before);
}

TEST(Features, DiagonalsReachBothCornersOfALargeMatrix) {
  constexpr Index m = 1'000'003, n = 300'000'000;
  CsrMatrix a{m, n, Array<Offset>(m + 1), {n - 1, 0}, {1.0, 1.0}};
  std::ranges::fill(a.row_offsets, 1);
  a.row_offsets.front() = 0;
  a.row_offsets.back() = 2;
  EXPECT_EQ(features(a).diagonals, 2);
}

TEST(Features, AnUpperTriangleIsRefused) {
  const CsrMatrix whole = ci_like_matrix(30, 4, 1);
  const CsrMatrix upper = upper_triangle(whole, "m");
  EXPECT_EQ(features(whole).nonzeros, whole.nonzeros());
  try {
    features(upper);
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("features: the host matrix is an upper triangle"),
              std::string::npos)
        << error.what();
  }
}

TEST(Features, LogarithmsLeaveZeroAlone) {
  FeatureVector values{};
  values[0] = 1000.0;
  values[3] = 0.01;
  values[13] = 1.0;
  const FeatureVector logs = logarithms(values);
  EXPECT_DOUBLE_EQ(logs[0], 3.0);
  EXPECT_DOUBLE_EQ(logs[3], -2.0);
  for (const std::size_t f : {1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}) EXPECT_EQ(logs[f], 0.0);
}

}  // namespace
}  // namespace cisolve
