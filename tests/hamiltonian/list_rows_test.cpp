// Rows of the matrix over a list of determinants: some of them, those of a part, its diagonal, and
// all of them made on a GPU, against the matrix that the host fills.

#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "app/input/fingerprint.hpp"
#include "backends/ranks/rank_backend.hpp"
#include "formats/matrix/row_components_cuda.hpp"
#include "hamiltonian/basis/space_basis.hpp"
#include "hamiltonian/matrix/cuda/list_rows_cuda.hpp"
#include "hamiltonian/matrix/list_matrix.hpp"
#include "hamiltonian/space/listed/configuration_order.hpp"
#include "solvers/sectors.hpp"
#include "tests/support/determinants/listed_spaces.hpp"
#include "tests/support/determinants/row_sources.hpp"
#include "tests/support/support.hpp"
#include "tests/support/thread_ranks.hpp"

namespace cisolve {
namespace {

using testing::downloaded;
using testing::expect_rows;
using testing::RowsCase;
using testing::same_bits;

/// About two thirds of a space's determinants, the first among them.
ListedSpace drawn_from(const CiSpace& space) {
  std::mt19937 engine(11);
  std::vector<Determinant> list;
  for (std::int64_t row = 0; row < space.size(); ++row) {
    if (row == 0 || engine() % 3 != 0) list.push_back(space.determinant(row));
  }
  std::ranges::shuffle(list, engine);
  return testing::listed_space(space.alpha.orbitals, list, space.reference());
}

class ListRows : public ::testing::TestWithParam<RowsCase> {
 protected:
  Integrals integrals_ = GetParam().integrals();
  ListedSpace space_ = drawn_from(make_ci_space(integrals_, GetParam().options));
  ListMatrixBuilder builder_{integrals_, space_};
  CsrMatrix matrix_ = builder_.fill(builder_.count());
};

std::vector<RowsCase> list_cases() {
  std::vector<RowsCase> cases = testing::rows_cases();
  cases.push_back({"more_orbitals_than_a_word",
                   [] { return random_integrals(70, 2, 0, false, 5); },
                   {1, std::optional<int>()}});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Spaces, ListRows, ::testing::ValuesIn(list_cases()),
                         [](const auto& test) { return test.param.name; });

std::vector<Index> from_to(Index first, Index last) {
  std::vector<Index> rows(static_cast<std::size_t>(last - first));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

TEST_P(ListRows, SomeAreThoseOfTheMatrixInAnyOrder) {
  std::mt19937 engine(7);
  std::vector<Index> wanted;
  for (int k = 0; k < 300; ++k) wanted.push_back(static_cast<Index>(engine() % matrix_.rows));
  wanted.insert(wanted.end(), {matrix_.rows - 1, 0, 0});
  expect_rows(builder_.some_rows(wanted), matrix_, wanted);
  EXPECT_EQ(builder_.some_rows({}).rows, 0);
}

TEST_P(ListRows, OfAPartAreThoseOfTheMatrix) {
  const Index first = matrix_.rows / 3, last = matrix_.rows - matrix_.rows / 4;
  const CsrMatrix part = builder_.fill(builder_.count({}, first, last), first);
  expect_rows(part, matrix_, from_to(first, last));
}

TEST_P(ListRows, TheDiagonalIsThatOfTheMatrix) {
  const std::vector<double> found = builder_.diagonal(), expected = diagonal(matrix_);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_TRUE(same_bits(found.data(), expected.data(), found.size()));
}

TEST_P(ListRows, MadeOnTheDeviceAreThoseOfTheMatrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  for (const Offset block_entries : {Offset{1} << 26, matrix_.nonzeros() / 5 + 1}) {
    const auto source = make_list_rows_cuda(integrals_, space_, backend, block_entries, {});
    ASSERT_EQ(source->row_offsets(), matrix_.row_offsets);
    for (int pass = 0; pass < 2; ++pass) {
      expect_rows(downloaded(*source, backend, 32, block_entries), matrix_,
                  from_to(0, matrix_.rows));
    }
    const std::vector<Index> wanted{matrix_.rows - 1, 0, matrix_.rows / 2, 0};
    expect_rows(source->some_rows(wanted), matrix_, wanted);
    EXPECT_EQ(source->some_rows({}).rows, 0);
    EXPECT_EQ(source->diagonal(), diagonal(matrix_));
    const Sectors expected = connected_sectors(matrix_.row_offsets, matrix_.column_indices);
    EXPECT_EQ(sectors_of_roots(component_roots(*source, backend)).labels, expected.labels);
  }
}

TEST_P(ListRows, OfRanksAreTogetherThoseOfTheMatrix) {
  if (!cuda_unavailable_reason().empty()) GTEST_SKIP() << cuda_unavailable_reason();
  const int count = std::min<Index>(3, matrix_.rows);
  testing::ThreadRanks(count).run([&](Communicator& ranks) {
    const auto backend = make_rank_backend(make_cuda_backend(), ranks);
    const auto source =
        make_list_rows_cuda(integrals_, space_, *backend, matrix_.nonzeros() / 7 + 1, {});
    const Index first = source->first_row();
    ASSERT_EQ(ranks.total(source->rows()), matrix_.rows);
    expect_rows(downloaded(*source, *backend, 32, matrix_.nonzeros() / 7 + 1), matrix_,
                from_to(first, first + source->rows()));
    const std::vector<double> all = diagonal(matrix_), found = source->diagonal();
    EXPECT_TRUE(same_bits(found.data(), all.data() + first, found.size()));
  });
}

std::vector<Index> inverse_of(const std::vector<Index>& order) {
  std::vector<Index> places(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) places[order[k]] = static_cast<Index>(k);
  return places;
}

/// Determinants of one configuration come together, each once.
TEST_P(ListRows, ByConfigurationAreAllRows) {
  const std::vector<Index> order = rows_by_configuration(space_);
  std::vector<Index> sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, from_to(0, matrix_.rows));
  std::set<std::pair<OrbitalString, OrbitalString>> done;
  std::pair<OrbitalString, OrbitalString> last;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto [a, b] = space_.determinant(order[k]);
    const std::pair configuration{a & b, a | b};
    if (k == 0 || configuration != last) {
      EXPECT_TRUE(done.insert(configuration).second);
    }
    last = configuration;
  }
}

/// Vectors over rows in another order go to the space's and back.
TEST_P(ListRows, OfAnotherOrderAreTurnedByTheBasis) {
  const AnySpace space(space_);
  const std::vector<Index> order = rows_by_configuration(space_);
  const SpaceBasis basis(space, {{0, matrix_.rows}}, order);
  HostMatrix of_space(matrix_.rows, 2);
  for (Index row = 0; row < matrix_.rows; ++row) of_space.row(row) << row, -2.0 * row;
  const HostMatrix x = to_rows(basis.callers(), basis.rows(), of_space);
  for (Index k = 0; k < matrix_.rows; ++k) EXPECT_EQ(x(k, 1), -2.0 * order[k]);
  EXPECT_EQ(from_rows(basis.callers(), x), of_space);
  EXPECT_EQ(from_rows(basis.checkpoints(), x), of_space);
  EXPECT_EQ(SpaceBasis(space, {{0, matrix_.rows}}).callers(), nullptr);
}

/// Rows in another order are those of the matrix with rows and columns in that order.
TEST_P(ListRows, OfAnotherOrderAreThoseOfTheMatrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const std::vector<Index> order = rows_by_configuration(space_), places = inverse_of(order);
  const auto source =
      make_list_rows_cuda(integrals_, space_, backend, matrix_.nonzeros() / 5 + 1, order);
  const CsrMatrix found = downloaded(*source, backend, 32, matrix_.nonzeros() / 5 + 1);
  ASSERT_EQ(found.nonzeros(), matrix_.nonzeros());
  for (Index k = 0; k < found.rows; ++k) {
    std::map<Index, double> row;
    for (Offset e = matrix_.row_offsets[order[k]]; e < matrix_.row_offsets[order[k] + 1]; ++e) {
      row[places[matrix_.column_indices[e]]] = matrix_.values[e];
    }
    ASSERT_EQ(found.row_length(k), static_cast<Offset>(row.size()));
    Offset e = found.row_offsets[k];
    for (const auto& [column, value] : row) {
      ASSERT_EQ(found.column_indices[e], column);
      ASSERT_TRUE(same_bits(&found.values[e++], &value, 1));
    }
  }
  EXPECT_EQ(difference(fingerprint(*source, backend, order), fingerprint(matrix_)), "");
}

/// A row of more entries than a thread block has shared memory for.
TEST(LongListRows, AreSortedToo) {
  const Integrals integrals = random_integrals(70, 2, 0, false, 5);
  std::vector<Determinant> list;
  for (int p = 0; p < 70; ++p) {
    for (int q = 0; q < 70; ++q) list.push_back({OrbitalString::of(p), OrbitalString::of(q)});
  }
  const ListedSpace space = testing::listed_space(70, list, list.front());
  const ListMatrixBuilder builder(integrals, space);
  const CsrMatrix matrix = builder.fill(builder.count());
  ASSERT_GT(matrix.row_length(0), 4000);
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const auto source = make_list_rows_cuda(integrals, space, backend, row_block_entries, {});
  expect_rows(downloaded(*source, backend, 32, row_block_entries), matrix, from_to(0, matrix.rows));
}

}  // namespace
}  // namespace cisolve
