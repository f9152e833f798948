// The format of symmetric matrices beside what tests/formats/product_test.cpp asks of every format.
#include "formats/csr_symmetric/csr_symmetric.hpp"

#include <omp.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/array_sink.hpp"
#include "formats/reference.hpp"
#include "io/density_image.hpp"
#include "io/matrix_file.hpp"
#include "tests/support/matrices/matrix_files.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

bool same_bits(const HostMatrix& a, const HostMatrix& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

HostMatrix product(Backend& backend, const LinearOperator& a, const HostMatrix& x,
                   double alpha = 1.0) {
  auto y = on(backend, HostMatrix::Constant(a.rows(), x.cols(), std::nan("")));
  a.apply(alpha, on(backend, x).view(), 0.0, y.view());
  return backend.download(y.view());
}

FormatOptions deterministic() {
  FormatOptions options;
  options.deterministic = true;
  return options;
}

std::unique_ptr<LinearOperator> make(Backend& backend, const CsrMatrix& a,
                                     const FormatOptions& options = {}) {
  return make_operator("csr_symmetric", std::make_shared<const CsrMatrix>(a), backend, options);
}

TEST(CsrSymmetric, ProductsHaveTheSameBitsForOneNumberOfThreads) {
  const CsrMatrix a = ci_like_matrix(1500, 20, 3);
  const auto backend = make_cpu_backend();
  for (const int threads : {1, 2, 5, 16}) {
    const Threads these(threads);
    const auto one = make(*backend, a), other = make(*backend, a);
    for (const int k : {1, 4, 7}) {
      const HostMatrix x = random_block(1500, k, 2);
      const HostMatrix y = product(*backend, *one, x);
      EXPECT_LE((y - reference_product(a, x)).norm(), 1e-14 * y.norm());
      for (int repeat = 0; repeat < 5; ++repeat) {
        EXPECT_TRUE(same_bits(product(*backend, *one, x), y));
      }
      // An operator is cut into parts when it is made; who works them does not matter.
      const Threads fewer(1);
      EXPECT_TRUE(same_bits(product(*backend, *other, x), y));
    }
  }
}

TEST(CsrSymmetric, TheTriangleAndTheWholeMatrixGiveTheSameProduct) {
  const CsrMatrix a = ci_like_matrix(700, 9, 4);
  const auto backend = make_cpu_backend();
  const auto whole = make(*backend, a), triangle = make(*backend, upper_triangle(a, "a"));
  const HostMatrix x = random_block(700, 3, 1);
  EXPECT_TRUE(same_bits(product(*backend, *whole, x), product(*backend, *triangle, x)));
  EXPECT_EQ(triangle->info().nonzeros, a.nonzeros());
  EXPECT_EQ(triangle->info().bytes, 12u * (a.nonzeros() + 700) / 2 + 8 * 701);
  EXPECT_EQ(triangle->info().bytes, whole->info().bytes);
}

TEST(CsrSymmetric, PartsCoverTheRowsAndBuffersStayWithinTheirShareOfMemory) {
  const CsrMatrix upper = upper_triangle(ci_like_matrix(2000, 10, 1), "a");
  for (const int threads : {1, 3, 64}) {
    const SymmetricPartition p = partition_rows(upper, threads);
    EXPECT_EQ(p.parts(), threads);
    EXPECT_EQ(p.width, 8);
    EXPECT_EQ(p.starts.front(), 0);
    EXPECT_EQ(p.starts.back(), 2000);
    EXPECT_TRUE(std::ranges::is_sorted(p.starts));
    for (int i = 0; i < p.parts(); ++i) {
      const Offset held = upper.row_offsets[p.starts[i + 1]] - upper.row_offsets[p.starts[i]];
      EXPECT_NEAR(static_cast<double>(held), static_cast<double>(upper.nonzeros()) / threads, 80.0);
    }
  }
  // A diagonal of a million rows: buffers of 8 vectors would be many times the matrix.
  CsrMatrix diagonal{1'000'000, 1'000'000, {}, {}, {}, Storage::upper};
  for (Index i = 0; i <= diagonal.rows; ++i) diagonal.row_offsets.push_back(i);
  diagonal.column_indices.resize(diagonal.rows);
  diagonal.values.resize(diagonal.rows);
  std::iota(diagonal.column_indices.begin(), diagonal.column_indices.end(), 0);
  const SymmetricPartition few = partition_rows(diagonal, 2);
  EXPECT_EQ(few.parts(), 2);
  EXPECT_EQ(few.width, 4);
  const SymmetricPartition many = partition_rows(diagonal, 64);
  EXPECT_EQ(many.width, 1);
  EXPECT_LT(many.parts(), 64);
  EXPECT_LE(many.scratch_bytes(), 16'000'000u);
}

TEST(CsrSymmetric, FewerVectorsAtOnceGiveTheSameProduct) {
  // A matrix so sparse that the buffers of 16 parts have no room for 8 vectors.
  const Index n = 150'000;
  CsrMatrix upper{n, n, {0}, {}, {}, Storage::upper};
  for (Index i = 0; i < n; ++i) {
    for (const Index j : {i, n - 1 - i}) {
      if (j < i) continue;
      upper.column_indices.push_back(j);
      upper.values.push_back(1.0 + i % 7);
    }
    upper.row_offsets.push_back(static_cast<Offset>(upper.values.size()));
  }
  const Threads sixteen(16);
  ASSERT_LT(partition_rows(upper, 16).width, 8);
  const auto backend = make_cpu_backend();
  const auto a = make(*backend, upper);
  const HostMatrix x = random_block(n, 5, 3), y = product(*backend, *a, x);
  for (Index i = 0; i < n; ++i) {
    const Index other = n - 1 - i;
    const double off = 1.0 + std::min(i, other) % 7;
    for (int j = 0; j < 5; ++j) {
      ASSERT_NEAR(y(i, j), (1.0 + i % 7) * x(i, j) + off * x(other, j), 1e-13);
    }
  }
}

TEST(CsrSymmetric, ScratchIsKnownFromTheRowOffsets) {
  const CsrMatrix upper = upper_triangle(ci_like_matrix(2000, 10, 1), "a");
  CsrMatrix outline = upper;
  outline.column_indices = {};
  outline.values = {};
  const auto scratch = [&](const char* format, BackendKind backend, int vectors,
                           const FormatOptions& options = {}) {
    return find_format(format).scratch(outline, options, backend, vectors);
  };
  constexpr auto cpu = BackendKind::cpu, cuda = BackendKind::cuda;
  const Threads three(3);
  const std::size_t buffers = partition_rows(upper, 3).scratch_bytes();
  EXPECT_GT(buffers, 0u);
  EXPECT_EQ(scratch("csr_symmetric", cpu, 4), buffers);
  EXPECT_EQ(scratch("csr_symmetric", cuda, 4), 0u);
  EXPECT_EQ(scratch("csr_symmetric", cuda, 4, deterministic()), 8 * 8 * 2000u);
  // Pieces of a block are packed, except of one vector.
  for (const char* format : {"csr", "hybrid", "ell", "sell_c_sigma", "csr5"}) {
    EXPECT_EQ(scratch(format, cpu, 13), 0u) << format;
    EXPECT_EQ(scratch(format, cuda, 1), 0u) << format;
    EXPECT_EQ(scratch(format, cuda, 4), 4 * 8 * 2000u) << format;
    EXPECT_EQ(scratch(format, cuda, 13), 8 * 8 * 2000u) << format;
  }
}

TEST(CsrSymmetric, LargestRowSumIsThatOfTheWholeMatrix) {
  const CsrMatrix a = from_dense(HostMatrix{{1, -2, 0}, {-2, 0, 3}, {0, 3, -4}});
  EXPECT_EQ(largest_row_sum(upper_triangle(a, "a")), 7.0);
}

TEST(CsrSymmetric, RefusesWhatIsNotSymmetricAndOthersRefuseTheTriangle) {
  const auto backend = make_cpu_backend();
  const auto refusal = [&](const std::string& format, const CsrMatrix& a) -> std::string {
    try {
      make_operator(format, std::make_shared<const CsrMatrix>(a), *backend);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal("csr_symmetric", from_dense(HostMatrix{{1, 2}, {3, 4}})),
            "format csr_symmetric: not symmetric: row 1, column 2 is 2, but row 2, column 1 is 3; "
            "input.symmetrize takes (A + Aᵀ)/2 in its place");
  EXPECT_NE(refusal("csr_symmetric", from_dense(HostMatrix::Ones(2, 3))).find("2 × 3"),
            std::string::npos);
  const CsrMatrix upper = upper_triangle(ci_like_matrix(30, 3, 1), "a");
  for (const Format& format : formats()) {
    if (format.symmetric || format.cpu == nullptr) continue;
    EXPECT_EQ(refusal(format.name, upper), "format " + format.name +
                                               ": the host matrix is an upper triangle, expected "
                                               "the whole matrix");
  }
  EXPECT_THROW(reference_product(upper, HostMatrix::Ones(30, 1)), InputError);
  EXPECT_THROW(density_image(upper, 10), InputError);
  struct Nothing final : ArraySink {
    void array(const std::string&, ArrayView, const std::vector<std::int64_t>&) override {}
    void scalar(const std::string&, std::int64_t) override {}
  } nothing;
  EXPECT_THROW(dump_arrays(find_format("csr"), upper, {}, nothing), InputError);
  EXPECT_NO_THROW(dump_arrays(find_format("csr_symmetric"), upper, {}, nothing));
}

TEST(Deterministic, IsRefusedToFormatsWhoseSumsHaveNoOrderAndBesideTuning) {
  FormatOptions options = deterministic();
  for (const Format& format : formats()) {
    if (format.name.starts_with("cusparse_") || format.name == "packed_symmetric") {
      EXPECT_THROW(require_deterministic(format, options), InputError) << format.name;
    } else {
      EXPECT_NO_THROW(require_deterministic(format, options)) << format.name;
    }
    EXPECT_NO_THROW(require_deterministic(format, {}));
  }
  options.tune = true;
  EXPECT_THROW(require_deterministic(find_format("csr"), options), InputError);
}

TEST_F(MatrixFileTest, TheUpperTriangleIsReadFromEveryKindOfFile) {
  const CsrMatrix a = ci_like_matrix(60, 5, 2), expected = upper_triangle(a, "a");
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.h5", "a.npz"}) {
    SCOPED_TRACE(name);
    write_matrix(a, folder_ / name);
    const CsrMatrix read = read_matrix(folder_ / name, Storage::upper);
    EXPECT_EQ(read.storage, Storage::upper);
    expect_same(read, expected);
    EXPECT_THROW(write_matrix(expected, folder_ / name), InputError);
  }
  for (const auto write : {write_matrix_market, write_hdf5, write_npz}) {
    EXPECT_THROW(write(expected, folder_ / "triangle"), InputError);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "triangle"));
  }
  // A general banner, and a symmetric one with entries of both triangles.
  for (const std::string& text :
       {general + "2 2 3\n1 2 5\n2 1 5\n2 2 1\n", symmetric + "2 2 2\n1 2 5\n2 2 1\n"}) {
    expect_same(read_matrix(write("b.mtx", text), Storage::upper),
                CsrMatrix{2, 2, {0, 1, 2}, {1, 1}, {5, 1}, Storage::upper});
  }
  EXPECT_THROW(read_matrix(write("c.mtx", general + "2 2 1\n1 2 5\n"), Storage::upper), InputError);
  EXPECT_THROW(read_matrix(write("d.mtx", symmetric + "2 2 2\n1 2 5\n2 1 5\n"), Storage::upper),
               InputError);
}

// ---- Deterministic products on a GPU ------------------------------------------------------------

TEST(CsrSymmetricCuda, DeterministicProductsHaveTheSameBitsOnEveryRun) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const CsrMatrix a = ci_like_matrix(3000, 40, 3);
  const auto one = make(backend, a, deterministic()), other = make(backend, a, deterministic());
  for (const int k : {1, 2, 3, 4, 6, 8, 13}) {
    const HostMatrix x = random_block(3000, k, 2);
    const HostMatrix y = product(backend, *one, x);
    EXPECT_LE((y - reference_product(a, x)).norm(), 1e-15 * y.norm() * 10);
    for (int repeat = 0; repeat < 20; ++repeat) {
      ASSERT_TRUE(same_bits(product(backend, *one, x), y));
      ASSERT_TRUE(same_bits(product(backend, *other, x), y));
    }
  }
}

/// Error bound of the documentation for every element of a deterministic product AX. Each of the m
/// entries of the column above the diagonal and the row's own sum contribute half a quantum: at
/// most 2^-62 BM, or 2^-1023, or 2^-1022 M. The rounding of the products and sums in doubles is
/// added.
HostMatrix fixed_point_bound(const CsrMatrix& a, const HostMatrix& x) {
  const CsrMatrix upper = upper_triangle(a, "a");
  std::vector<double> above(static_cast<std::size_t>(a.rows), 0.0);
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = upper.row_offsets[i]; e < upper.row_offsets[i + 1]; ++e) {
      if (upper.column_indices[e] > i) above[upper.column_indices[e]] += 1.0;
    }
  }
  const double b = largest_row_sum(upper);
  HostMatrix bound = reference_magnitude(a, x);
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    const double m = x.col(j).cwiseAbs().maxCoeff();
    const double half_quantum = std::max({0x1p-62 * (b * m), 0x1p-1023, 0x1p-1022 * m});
    for (Index i = 0; i < a.rows; ++i) {
      const double roundings = 4.0 + static_cast<double>(a.row_length(i));
      bound(i, j) = (above[i] + 1.0) * half_quantum + 0x1p-53 * roundings * bound(i, j);
    }
  }
  return bound;
}

TEST(CsrSymmetricCuda, FixedPointKeepsItsBoundWhateverTheSizeOfTheNumbers) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  for (const double matrix_scale : {1e-300, 1e-100, 1.0, 1e100}) {
    CsrMatrix a = ci_like_matrix(500, 10, 5);
    for (double& value : a.values) value *= matrix_scale;
    const auto fixed = make(backend, a, deterministic());
    for (const double vector_scale : {1e-200, 1e-5, 1.0, 1e150}) {
      HostMatrix x = vector_scale * random_block(500, 2, 6);
      x.col(1) *= 1e-8;  // each vector has its own quantum
      const HostMatrix error = (product(backend, *fixed, x) - extended_product(a, x)).cwiseAbs();
      EXPECT_TRUE((error.array() <= fixed_point_bound(a, x).array()).all())
          << matrix_scale << " " << vector_scale;
    }
  }
}

TEST(CsrSymmetricCuda, DeterministicProductsWhereRowSumsOverflowAreNaN) {
  const CsrMatrix a = from_dense(HostMatrix{{1e308, 1e308, 0}, {1e308, 0, 0}, {0, 0, 1}});
  ASSERT_TRUE(std::isinf(largest_row_sum(upper_triangle(a, "a"))));
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  for (const double x : {1.0, 1e-300}) {
    EXPECT_TRUE(product(backend, *make(backend, a, deterministic()), HostMatrix::Constant(3, 2, x))
                    .array()
                    .isNaN()
                    .all());
  }
}

TEST(CsrSymmetricCuda, DeterministicProductsOfZeroInfinityAndNaN) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const CsrMatrix a = ci_like_matrix(200, 5, 7);
  const auto fixed = make(backend, a, deterministic());
  EXPECT_EQ(product(backend, *fixed, HostMatrix::Zero(200, 3)),
            HostMatrix(HostMatrix::Zero(200, 3)));
  for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
    HostMatrix x = random_block(200, 3, 1);
    const HostMatrix clean = product(backend, *fixed, x);
    x(17, 1) = odd;
    const HostMatrix y = product(backend, *fixed, x);
    EXPECT_TRUE(same_bits(y.col(0), clean.col(0)));
    EXPECT_TRUE(same_bits(y.col(2), clean.col(2)));
    if (odd == 1e300) {
      EXPECT_TRUE(y.col(1).allFinite());
    } else {
      EXPECT_TRUE(y.col(1).array().isNaN().all());
    }
  }
  CsrMatrix zero = a;
  std::ranges::fill(zero.values, 0.0);
  EXPECT_EQ(product(backend, *make(backend, zero, deterministic()), random_block(200, 2, 1)),
            HostMatrix(HostMatrix::Zero(200, 2)));
}

}  // namespace
}  // namespace cisolve
