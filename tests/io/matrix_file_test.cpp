#include "io/matrix_file.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/npy.hpp"
#include "tests/support/matrices/matrix_files.hpp"

namespace cisolve {
namespace {

const fs::path matrices = test_data();

// ---- Matrices -----------------------------------------------------------------------------------

/// Finite doubles of every kind: all signs and exponents, subnormal numbers, −0.
double any_double(std::mt19937_64& random) {
  for (;;) {
    const double value = std::bit_cast<double>(random());
    if (random() % 50 == 0) return random() % 2 == 0 ? -0.0 : 5e-324;
    if (std::isfinite(value)) return value;
  }
}

/// `fill(i, j)` says whether an entry is stored there.
CsrMatrix make_matrix(Index rows, Index columns, const std::function<bool(Index, Index)>& fill) {
  std::mt19937_64 random(7);
  CsrMatrix a{rows, columns, {0}, {}, {}};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      if (!fill(i, j)) continue;
      a.column_indices.push_back(j);
      a.values.push_back(any_double(random));
    }
    a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

/// One entry in `sparsity`, at random; the same pattern above and below the diagonal.
bool random_pattern(Index i, Index j, unsigned sparsity) {
  const auto low = static_cast<std::uint64_t>(std::min(i, j));
  const auto high = static_cast<std::uint64_t>(std::max(i, j));
  return (low * 0x9e3779b97f4a7c15u ^ (high + 1) * 0xc2b2ae3d27d4eb4fu) % 1009 % sparsity == 0;
}

/// a with its upper triangle replaced by the mirror image of the lower one.
CsrMatrix symmetrised(CsrMatrix a) {
  std::vector<Offset> next(a.row_offsets.begin(), a.row_offsets.end() - 1);
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const Index j = a.column_indices[p];
      if (j > i) continue;
      while (a.column_indices[next[j]] != i) ++next[j];
      a.values[next[j]] = a.values[p];
    }
  }
  return a;
}

struct Shape {
  std::string name;
  CsrMatrix matrix;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"single", make_matrix(1, 1, [](Index, Index) { return true; })},
      {"single_without_entry", make_matrix(1, 1, [](Index, Index) { return false; })},
      {"wide", make_matrix(3, 700, [](Index i, Index j) { return (i + j) % 3 == 0; })},
      {"tall", make_matrix(700, 3, [](Index i, Index j) { return (i + j) % 3 == 0; })},
      {"empty_rows", make_matrix(50, 50, [](Index i, Index j) { return i % 4 == 1 && j % 7 < 3; })},
      {"dense_row", make_matrix(600, 600, [](Index i, Index j) { return i == 300 || i == j; })},
      {"random",
       make_matrix(1000, 1000, [](Index i, Index j) { return random_pattern(i, j, 50); })},
      {"symmetric", symmetrised(make_matrix(1000, 1000, [](Index i, Index j) {
         return random_pattern(i, j, 50) || i == 0 || j == 0;
       }))}};
  return all;
}

// ---- Round trips --------------------------------------------------------------------------------

class RoundTrip : public MatrixFileTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(RoundTrip, EveryShapeComesBackBitForBit) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const fs::path path = folder_ / (shape.name + GetParam());
    write_matrix(shape.matrix, path);
    expect_same(read_matrix(path), shape.matrix);
  }
}

TEST_P(RoundTrip, AFullDiskIsAResourceErrorAndLeavesNothing) {
  const CsrMatrix& a = shapes().back().matrix;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{20'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_matrix(a, folder_ / ("a" + std::string(GetParam()))), ResourceError);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_P(RoundTrip, AnUnwritableTargetIsAnInputError) {
  const CsrMatrix& a = shapes().front().matrix;
  EXPECT_THROW(write_matrix(a, folder_ / "none" / ("a" + std::string(GetParam()))), InputError);
}

TEST_P(RoundTrip, AFileCutAnywhereIsAnError) {
  const fs::path path = folder_ / ("a" + std::string(GetParam()));
  write_matrix(shapes()[6].matrix, path);
  const std::string bytes = bytes_of(path);
  for (const double part : {0.0, 0.01, 0.3, 0.5, 0.9, 0.99}) {
    const auto size = static_cast<std::size_t>(part * static_cast<double>(bytes.size()));
    EXPECT_NE(error_of(write("cut" + std::string(GetParam()), bytes.substr(0, size))), "no error")
        << size << " of " << bytes.size() << " bytes";
  }
}

TEST_P(RoundTrip, AMissingFileIsNamed) {
  const std::string name = "none" + std::string(GetParam());
  EXPECT_NE(error_of(folder_ / name).find(name), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RoundTrip,
                         ::testing::Values(".mtx", ".mtx.gz", ".h5", ".hdf5", ".npz"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// ---- What is refused ----------------------------------------------------------------------------

/// A fragment of the message for every file of data/malformed/matrix.
const std::map<std::string, std::string>& malformed() {
  static const std::map<std::string, std::string> fragments{
      {"banner_of_four_words.mtx", ":1: banner of 4 words, expected 5"},
      {"column_not_whole.mtx", ":3: column '1.5', expected a whole number from 1 to 3"},
      {"column_outside.mtx", ":6: column '4', expected a whole number from 1 to 3"},
      {"complex_array_diagonal.mtx",
       ":5: found '1 1', expected a real number on the diagonal of a Hermitian matrix"},
      {"complex_array_one_number.mtx", ":4: found '1', expected two numbers"},
      {"complex_array_symmetric.mtx",
       ":4: found '1 1', expected a real number: 'complex symmetric' is read where it is "
       "Hermitian"},
      {"complex_array_three_numbers.mtx", ":3: found '1 0 0', expected two numbers"},
      {"complex_diagonal.mtx", ": not Hermitian: row 2, column 2 is 1+1i, expected a real number"},
      {"complex_infinite.mtx", ":4: value 'inf', expected a finite number"},
      {"complex_rectangular.mtx", ":2: hermitian, but 3 rows and 4 columns"},
      {"complex_skew_symmetric.mtx", ":1: 'skew-symmetric' in the banner is not supported"},
      {"complex_symmetric.mtx",
       ": 'complex symmetric' is read where it is Hermitian, too: not Hermitian: row 1, column 2 "
       "is 1+2i, but row 2, column 1 is 1+2i"},
      {"complex_three_fields.mtx", ":4: 3 fields, expected 4: row column real imaginary"},
      {"complex_word.mtx", ":4: value 'i', expected a finite number"},
      {"cut_in_a_line.mtx",
       ":5: 2 fields, expected 3: row column value; here the file ends: 2 of 4"},
      {"cut_short.mtx", ": file cut short: 3 of 4 entries"},
      {"duplicate.mtx", ": row 2, column 3 is given twice"},
      {"duplicate_across_the_diagonal.mtx", ": row 2, column 3 is given twice"},
      {"empty.mtx", ":1: no Matrix Market banner"},
      {"entries_beyond_any_file.mtx", ": file cut short: 1 of 4000000000000000000 entries"},
      {"four_fields.mtx", ":3: 4 fields, expected 3"},
      {"hermitian.mtx", ":1: 'hermitian' in the banner is not supported"},
      {"integer_fraction.mtx", ":3: value '1.5', expected a whole number within"},
      {"integer_too_large.mtx", ":3: value '9007199254740993', expected a whole number within"},
      {"no_banner.mtx", ":1: no Matrix Market banner"},
      {"no_size_line.mtx", ":3: found no size line"},
      {"row_outside.mtx", ":4: row '4', expected a whole number from 1 to 3"},
      {"row_zero.mtx", ":4: row '0', expected a whole number from 1 to 3"},
      {"size_line_negative.mtx", ":2: bad size line '3 3 -1', expected: rows columns entries"},
      {"size_line_of_two_numbers.mtx", ":2: bad size line '3 3'"},
      {"size_line_of_words.mtx", ":2: bad size line 'three 3 1'"},
      {"skew_symmetric.mtx", ":1: 'skew-symmetric' in the banner is not supported"},
      {"surplus_entry.mtx", ":5: more entries than the 2 announced"},
      {"symmetric_rectangular.mtx", ":2: symmetric, but 3 rows and 4 columns"},
      {"too_many_columns.mtx", ":2: 2147483648 columns, expected 1 to 2^31 - 1"},
      {"too_many_rows.mtx", ":2: 2147483648 rows, expected 1 to 2^31 - 1"},
      {"two_faults.mtx", ":4: value 'oops', expected a finite number"},
      {"two_fields.mtx", ":4: 2 fields, expected 3"},
      {"two_fields_in_the_middle.mtx", ":4: 2 fields, expected 3"},
      {"value_infinite.mtx", ":4: value '-inf', expected a finite number"},
      {"value_nan.mtx", ":3: value 'nan', expected a finite number"},
      {"value_too_large.mtx", ":4: value '1e999', expected a finite number"},
      {"value_word.mtx", ":4: value '1.0x', expected a finite number"},
      {"vector.mtx", ":1: 'vector' in the banner is not supported"},
      {"zero_columns.mtx", ":3: 0 columns, expected 1 to 2^31 - 1"},
      {"zero_rows.mtx", ":2: 0 rows, expected 1 to 2^31 - 1"},
      {"column_beyond_32_bits.h5", ": row 3, column 2147483648 lies outside the 3 × 3 matrix"},
      {"cut_short.h5", ": not readable as HDF5 (HDF5: truncated file"},
      {"dense_array.h5", ": attribute 'rows' is missing"},
      {"format_csc.h5", ": format 'csc', expected 'csr'"},
      {"no_hdf5.h5", ": not readable as HDF5 (HDF5: file signature not found)"},
      {"offsets_descend.h5", ": row offsets descend after row 2: 4, then 2"},
      {"offsets_too_few.h5", ": 3 row offsets, expected rows + 1 = 4"},
      {"rows_beyond_32_bits.h5", ": 2147483648 rows, expected 1 to 2^31 - 1"},
      {"values_of_integers.h5", ": dataset 'values' is of another type, expected floating-point"},
      {"values_of_pairs.h5", ": dataset 'values' is of another type, expected floating-point"},
      {"values_too_few.h5", ": 5 column indices, but 4 values"},
      {"version_2.h5", ": version 2, expected 1"},
      {"cut_short.npz", ": not readable as .npz (zip: Not a zip archive)"},
      {"dense_array.npz", ": format.npy: is missing"},
      {"npz_blocks_indptr.npz", ": indptr does not share 5 blocks out among 2 rows of them"},
      {"npz_blocks_outside.npz", ": column 3 of blocks lies outside the 2 columns of them"},
      {"npz_blocks_shape.npz", ": blocks of 2 x 2 do not fill a matrix of 5 x 4"},
      {"npz_diagonals_column_major.npz", ": data.npy: column-major, expected row-major: save"},
      {"npz_diagonals_twice.npz", ": diagonal -1 is there twice"},
      {"npz_diagonals_offsets.npz", ": 4 offsets of 5 diagonals"},
      {"npz_format.npz", ": sparse format 'lil', expected 'csr', 'csc', 'coo', 'bsr' or 'dia'"},
      {"values_of_words.npz", ": data.npy: type '<U1', expected real numbers, such as '<f8', or "},
      {"no_zip.npz", ": not readable as .npz (zip: Not a zip archive)"}};
  return fragments;
}

TEST_F(MatrixFileTest, EveryMalformedFileIsRefusedByNameLineAndReason) {
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    for (const auto& [name, fragment] : malformed()) {
      const fs::path path = matrices / "malformed" / "matrix" / name;
      const std::string message = error_of(path);
      EXPECT_TRUE(message.starts_with(path.string() + fragment)) << message;
    }
  }
}

/// Files as NumPy, SciPy and others write them, all of one matrix.
TEST_F(MatrixFileTest, DialectsGiveOneMatrix) {
  const HostMatrix expected{{2, 1, 0, 0}, {1, -3, 0, 4}, {0, 0, 5, 0}, {0, 4, 0, 1}};
  for (const char* name :
       {"dense.npy", "dense_column_major_float32.npy", "dense_integers.npy", "dense_big_endian.npy",
        "dense_big_endian_integers.npy", "columns.npz", "coordinates_repeated.npz", "blocks.npz",
        "blocks_repeated.npz", "diagonals.npz", "integers.npz", "float32_compressed.npz",
        "array.mtx", "array_symmetric.mtx"}) {
    const CsrMatrix a = read_matrix(matrices / "matrix" / "dialects" / name);
    EXPECT_EQ(cisolve::testing::to_dense(a), expected) << name;
    EXPECT_EQ(a.nonzeros(), 8) << name;
  }
  const CsrMatrix pattern = read_matrix(matrices / "matrix" / "dialects" / "pattern.mtx");
  EXPECT_EQ(cisolve::testing::to_dense(pattern), (HostMatrix{{1, 0, 1}, {0, 0, 1}, {1, 1, 0}}));
  for (const char* name :
       {"columns_rectangular.npz", "blocks_rectangular.npz", "diagonals_rectangular.npz"}) {
    const CsrMatrix wide = read_matrix(matrices / "matrix" / "dialects" / name);
    EXPECT_EQ(cisolve::testing::to_dense(wide), (HostMatrix{{1, 0, 2}, {0, 3, 0}})) << name;
    EXPECT_EQ(wide.nonzeros(), 3) << name;
  }
}

TEST_F(MatrixFileTest, DenseFilesThatAreNoMatrixAreRefused) {
  write_npy({"<f8", {3}}, std::as_bytes(std::span<const double>(std::vector{1.0, 2.0, 3.0})),
            folder_ / "vector.npy");
  EXPECT_NE(error_of(folder_ / "vector.npy").find("1 dimensions, expected a matrix"),
            std::string::npos);
  EXPECT_NE(error_of(write("text.npy", "1 2")).find("expected a .npy array"), std::string::npos);
  write_npy({"<U2", {1, 1}}, std::as_bytes(std::span<const double>(std::vector{1.0})),
            folder_ / "words.npy");
  EXPECT_NE(error_of(folder_ / "words.npy").find("type <U2, expected real numbers"),
            std::string::npos);
  EXPECT_NE(error_of(write("short.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n"))
                .find("found 2 values, expected 3"),
            std::string::npos);
  EXPECT_FALSE(is_matrix_output("a.npy"));
}

TEST_F(MatrixFileTest, NoMalformedFileIsLeftUntested) {
  for (const auto& entry : fs::directory_iterator(matrices / "malformed" / "matrix")) {
    EXPECT_TRUE(malformed().contains(entry.path().filename().string())) << entry.path();
  }
}

TEST_F(MatrixFileTest, TheFirstFaultOfALongFileIsReportedWhateverTheThreads) {
  std::string text = general + "% note\n5000 5000 5000\n";
  for (int i = 1; i <= 5000; ++i) {
    const std::string value = i == 4000 || i == 4990 ? "x" : "1";
    text += std::to_string(i) + (i == 4995 ? " 0 " : " 1 ") + value + "\n";
  }
  for (const int threads : {1, 2, 3, 7}) {
    omp_set_num_threads(threads);
    EXPECT_NE(error_of(write("a.mtx", text)).find("a.mtx:4003: value 'x'"), std::string::npos);
  }
}

TEST_F(MatrixFileTest, UnknownExtensionsAreRefusedWithTheKnownOnes) {
  EXPECT_NE(error_of("a.txt").find(".mtx, .mtx.gz, .h5, .hdf5 or .npz"), std::string::npos);
  EXPECT_THROW(write_matrix(shapes().front().matrix, folder_ / "a.csv"), InputError);
  EXPECT_FALSE(is_matrix_file("a.gz"));
  EXPECT_FALSE(is_matrix_file("mtx"));
  for (const char* name : {"a.mtx", "a.MTX", "a.mtx.gz", "a.b.h5", "a.hdf5", "x/a.npz"}) {
    EXPECT_TRUE(is_matrix_file(name)) << name;
  }
}

TEST_F(MatrixFileTest, BinaryFilesAreValidatedOnLoad) {
  CsrMatrix a{3, 3, {0, 2, 2, 4}, {0, 2, 1, 1}, {1, 2, 3, 4}};
  for (const char* name : {"a.h5", "a.npz"}) {
    write_matrix(a, folder_ / name);
    EXPECT_NE(error_of(folder_ / name).find("row 3, column 2 is given twice"), std::string::npos);
  }
  a.column_indices[3] = 3;
  for (const char* name : {"b.h5", "b.npz"}) {
    write_matrix(a, folder_ / name);
    EXPECT_NE(error_of(folder_ / name).find("row 3, column 4 lies outside"), std::string::npos);
  }
  a.column_indices[3] = 2;
  a.values[0] = std::numeric_limits<double>::quiet_NaN();
  for (const char* name : {"c.h5", "c.npz"}) {
    write_matrix(a, folder_ / name);
    EXPECT_NE(error_of(folder_ / name).find("row 1, column 1 is nan"), std::string::npos);
  }
}

TEST_F(MatrixFileTest, AFlippedBitInAnNpzIsFoundByItsChecksum) {
  write_matrix(shapes()[6].matrix, folder_ / "a.npz");
  std::string bytes = bytes_of(folder_ / "a.npz");
  bytes[bytes.size() * 9 / 10] = static_cast<char>(bytes[bytes.size() * 9 / 10] ^ 1);
  EXPECT_NE(error_of(write("b.npz", bytes)).find("data.npy: damaged"), std::string::npos);
}

}  // namespace
}  // namespace cisolve
