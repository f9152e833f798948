// Rows of a CI matrix: some of them, its diagonal, and all of them made on a GPU, against the
// matrix that the host fills.

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "app/input/fingerprint.hpp"
#include "backends/ranks/rank_backend.hpp"
#include "core/forest.hpp"
#include "formats/matrix/row_components_cuda.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/matrix/cuda/ci_rows_cuda.hpp"
#include "solvers/sectors.hpp"
#include "tests/support/determinants/row_sources.hpp"
#include "tests/support/support.hpp"
#include "tests/support/thread_ranks.hpp"

namespace cisolve {
namespace {

using testing::downloaded;
using testing::expect_rows;
using testing::RowsCase;
using testing::same_bits;

class CiRows : public ::testing::TestWithParam<RowsCase> {
 protected:
  Integrals integrals_ = GetParam().integrals();
  CiSpace space_ = make_ci_space(integrals_, GetParam().options);
  CiMatrixBuilder builder_{integrals_, space_};
  CsrMatrix matrix_ = builder_.fill(builder_.count());
};

INSTANTIATE_TEST_SUITE_P(Spaces, CiRows, ::testing::ValuesIn(testing::rows_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(CiRows, SomeAreThoseOfTheMatrixInAnyOrder) {
  std::mt19937 engine(7);
  std::vector<Index> wanted;
  for (int k = 0; k < 300; ++k) wanted.push_back(static_cast<Index>(engine() % matrix_.rows));
  wanted.insert(wanted.end(), {matrix_.rows - 1, 0, 0});
  expect_rows(builder_.some_rows(wanted), matrix_, wanted);
  EXPECT_EQ(builder_.some_rows({}).rows, 0);
}

TEST_P(CiRows, TheDiagonalIsThatOfTheMatrix) {
  const std::vector<double> found = builder_.diagonal(), expected = diagonal(matrix_);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_TRUE(same_bits(found.data(), expected.data(), found.size()));
  const Index first = matrix_.rows / 3, last = matrix_.rows - matrix_.rows / 4;
  const std::vector<double> part = builder_.diagonal(first, last);
  ASSERT_EQ(part.size(), static_cast<std::size_t>(last - first));
  EXPECT_TRUE(same_bits(part.data(), expected.data() + first, part.size()));
}

TEST(CiRowsOfATriangle, BeginAtTheDiagonal) {
  const Integrals integrals = load("n2_sto3g");
  const CiSpace space = make_ci_space(integrals, {2, {}});
  const CiMatrixBuilder builder(integrals, space, Storage::upper);
  const std::vector<Index> wanted{30, 2, 11};
  const CsrMatrix rows = builder.some_rows(wanted);
  EXPECT_EQ(rows.storage, Storage::upper);
  expect_rows(rows, builder.fill(builder.count()), wanted);
}

TEST_P(CiRows, MadeOnTheDeviceAreThoseOfTheMatrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  std::vector<Index> all(static_cast<std::size_t>(matrix_.rows));
  std::iota(all.begin(), all.end(), 0);
  for (const Offset block_entries : {Offset{1} << 26, matrix_.nonzeros() / 5 + 1, Offset{1}}) {
    const auto source = make_ci_rows_cuda(integrals_, space_, backend, block_entries);
    ASSERT_EQ(source->row_offsets(), matrix_.row_offsets);
    EXPECT_GT(source->device_bytes(), space_.alpha.strings.size() * sizeof(OrbitalString64));
    // A window a block takes many launches where rows are many.
    const Index window = block_entries == 1 ? std::max(matrix_.rows / 40, 7) : 32;
    for (int pass = 0; pass < 2; ++pass) {
      expect_rows(downloaded(*source, backend, window, block_entries), matrix_, all);
    }
  }
}

TEST_P(CiRows, OfTheDeviceHaveTheSectorsAndTheFingerprintOfTheMatrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const auto source = make_ci_rows_cuda(integrals_, space_, backend, matrix_.nonzeros() / 3 + 1);
  const Sectors expected = connected_sectors(matrix_.row_offsets, matrix_.column_indices);
  const Sectors found = sectors_of_roots(component_roots(*source, backend));
  EXPECT_EQ(found.labels, expected.labels);
  EXPECT_EQ(found.sizes, expected.sizes);
  EXPECT_EQ(difference(fingerprint(*source, backend), fingerprint(matrix_)), "");
}

TEST_P(CiRows, OfTheDeviceComeFromTheHostWhereTheyAreFew) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const auto source = make_ci_rows_cuda(integrals_, space_, backend, row_block_entries);
  const std::vector<Index> wanted{matrix_.rows - 1, 0};
  expect_rows(source->some_rows(wanted), matrix_, wanted);
  EXPECT_EQ(source->diagonal(), diagonal(matrix_));
}

/// Every rank's rows on a device of its own or one that all share, one behind another, are the
/// matrix, and what ranks find out about theirs is together what one finds out about all.
TEST_P(CiRows, OfRanksAreTogetherThoseOfTheMatrix) {
  if (!cuda_unavailable_reason().empty()) GTEST_SKIP() << cuda_unavailable_reason();
  const int count = std::min<Index>(3, matrix_.rows);
  std::vector<Fingerprint> parts(count);
  std::vector<std::vector<Index>> roots(count);
  testing::ThreadRanks(count).run([&](Communicator& ranks) {
    const auto backend = make_rank_backend(make_cuda_backend(), ranks);
    const auto source = make_ci_rows_cuda(integrals_, space_, *backend, matrix_.nonzeros() / 7 + 1);
    const Index first = source->first_row();
    ASSERT_EQ(first, ranks.sum_before(source->rows()));
    ASSERT_EQ(ranks.total(source->rows()), matrix_.rows);
    std::vector<Index> own(static_cast<std::size_t>(source->rows()));
    std::iota(own.begin(), own.end(), first);
    expect_rows(downloaded(*source, *backend, 32, matrix_.nonzeros() / 7 + 1), matrix_, own);
    const std::vector<Index> last{source->rows() - 1};
    expect_rows(source->some_rows(last), matrix_, std::vector{first + last[0]});
    const std::vector<double> all = diagonal(matrix_), found = source->diagonal();
    EXPECT_TRUE(same_bits(found.data(), all.data() + first, found.size()));
    parts[ranks.rank()] = fingerprint(*source, *backend);
    roots[ranks.rank()] = component_roots(*source, *backend);
  });
  Fingerprint sum{matrix_.rows, 0, 0, 0.0, 0.0};
  Forest forest(matrix_.rows);
  for (int r = 0; r < count; ++r) {
    sum.nonzeros += parts[r].nonzeros;
    sum.row_lengths += parts[r].row_lengths;
    sum.elements += parts[r].elements;
    sum.magnitude += parts[r].magnitude;
    for (Index i = 0; i < matrix_.rows; ++i) forest.unite(i, roots[r][i]);
  }
  EXPECT_EQ(difference(sum, fingerprint(matrix_)), "");
  const Sectors expected = connected_sectors(matrix_.row_offsets, matrix_.column_indices);
  EXPECT_EQ(sectors_of_roots(forest.roots()).labels, expected.labels);
}

}  // namespace
}  // namespace cisolve
