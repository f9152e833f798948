// Contents of matrix files that are read, and those that are written.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <string>

#include "tests/support/matrices/matrix_files.hpp"

namespace cisolve {
namespace {

/// [[1.5, 0, −2], [0, 0, 0], [0.1, 3, 4]]
const CsrMatrix example{3, 3, {0, 2, 2, 5}, {0, 2, 0, 1, 2}, {1.5, -2, 0.1, 3, 4}};

TEST_F(MatrixFileTest, FilesOfOtherProgramsWithUnsortedRowsAreSorted) {
  expect_same(read_matrix(test_data() / "matrix" / "scipy_unsorted.npz"), example);
  expect_same(read_matrix(test_data() / "matrix" / "h5py_unsorted.h5"), example);
}

TEST_F(MatrixFileTest, CommentsBlankLinesAndBlanksMayStandAnywhere) {
  expect_same(
      parse("%%MatrixMarket  MATRIX Coordinate\tREAL General \n% a\n\n%\n \t\n 3 3  5 \n"
            "% b\n3 3 4\n\n  3\t2   3  \n% 9 9 9\n 1 1 1.5\n1 3 -2\n   % c\n3 1 0.1\n\n% d"),
      example);
}

TEST_F(MatrixFileTest, LinesMayEndInCarriageReturns) {
  expect_same(parse("%%MatrixMarket matrix coordinate real general\r\n%\r\n\r\n3 3 5\r\n1 1 1.5\r\n"
                    "1 3 -2\r\n\r\n3 1 .1\r\n3 2 3.\r\n3 3 4\r\n"),
              example);
}

TEST_F(MatrixFileTest, TheLastLineNeedsNoEnd) {
  expect_same(parse(general + "3 3 5\n3 3 4\n3 2 3\n1 1 1.5\n1 3 -2\n3 1 0.1"), example);
}

TEST_F(MatrixFileTest, FortranExponentsAndPlusSignsAreTaken) {
  expect_same(parse(general + "3 3 5\n1 1 1.5D0\n1 3 -0.2d+01\n3 1 +1.D-1\n3 2 +3E0\n3 3 400e-2\n"),
              example);
}

TEST_F(MatrixFileTest, NumbersBelowTheSmallestDoubleCountAsTheNearest) {
  const CsrMatrix a = parse(general + "1 4 4\n1 1 1e-400\n1 2 -1e-400\n1 3 4e-324\n1 4 1D-310\n");
  EXPECT_EQ(a.values, (Array<double>{0.0, -0.0, 5e-324, 1e-310}));
}

TEST_F(MatrixFileTest, IntegersAreTakenUpToTheLastExactOne) {
  const CsrMatrix a = parse(
      "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 -7\n2 2 9007199254740992\n");
  expect_same(a, {2, 2, {0, 1, 3}, {1, 0, 1}, {-7, -7, 9007199254740992.0}});
}

TEST_F(MatrixFileTest, ASymmetricFileMayHoldEitherTriangle) {
  const CsrMatrix expected{3, 3, {0, 2, 3, 5}, {0, 2, 1, 0, 2}, {1, 2, 3, 2, 4}};
  expect_same(parse(symmetric + "3 3 4\n1 1 1\n3 1 2\n2 2 3\n3 3 4\n"), expected);
  expect_same(parse(symmetric + "3 3 4\n1 1 1\n1 3 2\n2 2 3\n3 3 4\n"), expected);
}

TEST_F(MatrixFileTest, AMatrixWithoutEntriesIsTaken) {
  expect_same(parse(general + "2 3 0\n"), {2, 3, {0, 0, 0}, {}, {}});
  expect_same(parse(general + "2 3 0"), {2, 3, {0, 0, 0}, {}, {}});
}

TEST_F(MatrixFileTest, AnyNumberOfThreadsReadsTheSame) {
  std::string shuffled = symmetric + "800 800 800\n";
  for (int i = 0; i < 800; ++i) {  // 7 is coprime to 800: every row once, far apart
    const int row = i * 7 % 800 + 1;
    shuffled += std::to_string(row) + " " + std::to_string((row + 1) / 2) + " " +
                std::to_string(row * 0.1) + "\n" + (i % 11 == 0 ? "% note\n\n" : "");
  }
  const fs::path path = write("shuffled.mtx", shuffled);
  omp_set_num_threads(1);
  const CsrMatrix expected = read_matrix(path);
  EXPECT_EQ(expected.nonzeros(), 1599);
  for (const int threads : {2, 3, 7}) {
    omp_set_num_threads(threads);
    expect_same(read_matrix(path), expected);
  }
}

TEST_F(MatrixFileTest, TinyFilesMayHaveFewerLinesThanThereAreThreads) {
  for (const int threads : {1, 2, 3, 7, 40}) {
    omp_set_num_threads(threads);
    expect_same(parse(general + "1 1 1\n1 1 2.5"), {1, 1, {0, 1}, {0}, {2.5}});
    expect_same(parse(general + "3 3 5\n1 1 1.5\n1 3 -2\n3 1 .1\n3 2 3\n3 3 4\n"), example);
  }
}

TEST_F(MatrixFileTest, APlainFileMayBeCompressedAndTheOtherWayRound) {
  write_matrix(example, folder_ / "a.mtx.gz");
  write_matrix(example, folder_ / "b.mtx");
  fs::rename(folder_ / "a.mtx.gz", folder_ / "c.mtx");
  fs::rename(folder_ / "b.mtx", folder_ / "d.mtx.gz");
  EXPECT_EQ(bytes_of(folder_ / "c.mtx").substr(0, 2), "\x1f\x8b");
  expect_same(read_matrix(folder_ / "c.mtx"), example);
  expect_same(read_matrix(folder_ / "d.mtx.gz"), example);
}

TEST_F(MatrixFileTest, CapitalsInAnExtensionChangeNothing) {
  write_matrix(example, folder_ / "P.MTX.GZ");
  EXPECT_EQ(bytes_of(folder_ / "P.MTX.GZ").substr(0, 2), "\x1f\x8b");
  expect_same(read_matrix(folder_ / "P.MTX.GZ"), example);
}

TEST_F(MatrixFileTest, OnlyAnExactlySymmetricMatrixIsWrittenAsItsLowerTriangle) {
  const CsrMatrix a{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 0.1, 0.1, 3}};
  write_matrix(a, folder_ / "a.mtx");
  EXPECT_EQ(bytes_of(folder_ / "a.mtx"), symmetric + "2 2 3\n1 1 1\n2 1 0.1\n2 2 3\n");
  CsrMatrix b = a;
  b.values[1] = std::nextafter(0.1, 1.0);
  write_matrix(b, folder_ / "b.mtx");
  EXPECT_EQ(bytes_of(folder_ / "b.mtx"),
            general + "2 2 4\n1 1 1\n1 2 0.10000000000000002\n2 1 0.1\n2 2 3\n");
}

}  // namespace
}  // namespace cisolve
