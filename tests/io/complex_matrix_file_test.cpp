// Matrix files whose elements are complex numbers.

#include <bit>
#include <random>
#include <span>

#include "io/npy.hpp"
#include "io/vector_file.hpp"
#include "tests/support/matrices/field_matrices.hpp"
#include "tests/support/matrices/matrix_files.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Rows of random length, square where there are as many columns as rows.
CsrMatrix random_complex(Index rows, Index columns) {
  std::mt19937 engine(4);
  return with_elements(matrix_of_rows(rows, columns,
                                      [&](Index i) {
                                        std::vector<Index> row(i % 7);
                                        for (Index& j : row)
                                          j = static_cast<Index>(engine() % columns);
                                        return row;
                                      }),
                       2);
}

CsrMatrix hermitian() {
  std::mt19937 engine(6);
  return hermitian_part(with_elements(
      symmetric_matrix_of_rows(200,
                               [&](Index i) {
                                 return std::vector<Index>{i, static_cast<Index>(engine() % 200)};
                               }),
      2));
}

class ComplexMatrixFile : public MatrixFileTest {};

class ComplexRoundTrip : public MatrixFileTest,
                         public ::testing::WithParamInterface<const char*> {};

TEST_P(ComplexRoundTrip, EveryShapeComesBackBitForBit) {
  for (const CsrMatrix& a : {random_complex(1, 1), random_complex(3, 90), random_complex(90, 3),
                             random_complex(500, 500), hermitian()}) {
    const fs::path path = folder_ / ("a" + std::string(GetParam()));
    write_matrix(a, path);
    expect_same(read_matrix(path), a);
  }
}

TEST_P(ComplexRoundTrip, QuaternionsAreRefused) {
  const CsrMatrix a = with_elements(random_complex(5, 5), 4);
  EXPECT_THROW(write_matrix(a, folder_ / ("a" + std::string(GetParam()))), InputError);
  EXPECT_TRUE(fs::is_empty(folder_));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ComplexRoundTrip,
                         ::testing::Values(".mtx", ".mtx.gz", ".npz", ".h5"), [](const auto& kind) {
                           std::string name = kind.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

/// Files as NumPy, SciPy and others write them, all of one matrix.
TEST_F(ComplexMatrixFile, DialectsGiveOneMatrix) {
  const CsrMatrix expected{4,
                           4,
                           {0, 2, 5, 6, 8},
                           {0, 1, 0, 1, 3, 2, 1, 3},
                           {2, 0, 1, 2, 1, -2, -3, 0, 0, 4, 5, 0, 0, -4, 1, 0},
                           Storage::full,
                           2};
  for (const char* name :
       {"complex_dense.npy", "complex_dense_column_major_complex64.npy",
        "complex_dense_big_endian.npy", "complex_rows.npz", "complex_columns.npz",
        "complex_coordinates_repeated.npz", "complex_blocks.npz", "complex_diagonals.npz",
        "complex.h5", "complex64_compressed.h5", "complex_hermitian.mtx", "complex_general.mtx",
        "complex_array.mtx", "complex_array_hermitian.mtx"}) {
    const CsrMatrix a = read_matrix(test_data() / "matrix" / "dialects" / name);
    EXPECT_EQ(a.components, 2) << name;
    EXPECT_EQ(a.row_offsets, expected.row_offsets) << name;
    EXPECT_EQ(a.column_indices, expected.column_indices) << name;
    EXPECT_EQ(a.values, expected.values) << name;
  }
}

TEST_F(ComplexMatrixFile, AHermitianOneIsWrittenAsItsLowerTriangle) {
  const CsrMatrix a = hermitian();
  write_matrix(a, folder_ / "a.mtx");
  const std::string text = bytes_of(folder_ / "a.mtx");
  EXPECT_TRUE(text.starts_with("%%MatrixMarket matrix coordinate complex hermitian\n200 200 "));
  EXPECT_EQ(std::ranges::count(text, '\n') - 2, upper_triangle(a, "a").nonzeros());
  CsrMatrix other = a;
  other.values[1] = 1e-300;  // on the diagonal
  write_matrix(other, folder_ / "b.mtx");
  EXPECT_TRUE(bytes_of(folder_ / "b.mtx")
                  .starts_with("%%MatrixMarket matrix coordinate complex general\n200 200 "));
}

TEST_F(ComplexMatrixFile, TheUpperTriangleIsReadAlone) {
  const CsrMatrix a = hermitian();
  const CsrMatrix upper = upper_triangle(a, "a");
  for (const char* name : {"a.mtx", "a.npz", "a.h5"}) {
    write_matrix(a, folder_ / name);
    const CsrMatrix read = read_matrix(folder_ / name, Storage::upper);
    EXPECT_EQ(read.storage, Storage::upper);
    expect_same(read, upper);
  }
}

TEST_F(ComplexMatrixFile, OneWithoutImaginaryPartsStaysComplex) {
  const CsrMatrix a =
      parse("%%MatrixMarket matrix coordinate complex symmetric\n2 2 2\n1 1 1 0\n2 1 3 0\n");
  EXPECT_EQ(a.components, 2);
  EXPECT_EQ(a.values, (Array<double>{1, 0, 3, 0, 3, 0}));
}

TEST_F(ComplexMatrixFile, VectorsAreToBeReal) {
  const std::string entry = " complex general\n2 1";
  write("a.mtx", "%%MatrixMarket matrix array" + entry + "\n1 2\n3 4\n");
  write("b.mtx", "%%MatrixMarket matrix coordinate" + entry + " 1\n1 1 3 4\n");
  write_npy({"<c16", {1}}, std::as_bytes(std::span<const double>(std::vector{1.0, 2.0})),
            folder_ / "c.npy");
  for (const char* name : {"a.mtx", "b.mtx", "c.npy"}) {
    EXPECT_THROW(read_vectors(folder_ / name), InputError) << name;
  }
}

TEST_F(ComplexMatrixFile, VectorsAreReadWithAllNumbersOfAnElementBelowOneAnother) {
  write("a.mtx", "%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 4\n");
  write("b.mtx", "%%MatrixMarket matrix coordinate complex general\n2 1 2\n1 1 1 2\n2 1 3 4\n");
  write_npy(HostMatrix{{1}, {2}, {3}, {4}}, folder_ / "c.npy", "", 2);
  for (const char* name : {"a.mtx", "b.mtx", "c.npy"}) {
    const FieldVectors read = read_field_vectors(folder_ / name);
    EXPECT_EQ(read.components, 2) << name;
    EXPECT_EQ(read.x, (HostMatrix{{1}, {2}, {3}, {4}})) << name;
  }
  const HostMatrix two = HostMatrix{{1, 5}, {2, 6}, {3, 7}, {4, 8}};
  for (const int components : {1, 2, 4}) {
    write_npy(two, folder_ / "k.npy", "", components);
    const FieldVectors read = read_field_vectors(folder_ / "k.npy");
    EXPECT_EQ(read.components, components);
    EXPECT_EQ(read.x, two) << components;
  }
}

}  // namespace
}  // namespace cisolve
