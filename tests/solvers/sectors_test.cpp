// The blocks of a matrix: found by union-find, brought together for the solver.

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "solvers/p_space.hpp"
#include "solvers/sectors.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

Sectors sectors_of(const CsrMatrix& a) {
  return connected_sectors(a.row_offsets, a.column_indices);
}

/// A random matrix in which rows are joined only within the same of `blocks` classes, every class
/// by a chain in random order.
CsrMatrix chained(const std::vector<Index>& class_of_row, unsigned seed) {
  const auto n = static_cast<Index>(class_of_row.size());
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  std::vector<std::vector<Index>> neighbours(n);
  std::vector<Index> last(n, -1);
  for (const Index i : order) {
    neighbours[i].push_back(i);
    Index& previous = last[class_of_row[i]];
    if (previous >= 0) {
      neighbours[i].push_back(previous);
      neighbours[previous].push_back(i);
    }
    previous = i;
  }
  return matrix_of_rows(n, n, [&](Index i) { return neighbours[i]; });
}

CsrMatrix upper_triangle(const CsrMatrix& a) {
  return matrix_of_rows(a.rows, a.columns, [&](Index i) {
    const auto row = a.column_indices.begin();
    std::vector<Index> columns(row + a.row_offsets[i], row + a.row_offsets[i + 1]);
    std::erase_if(columns, [i](Index j) { return j < i; });
    return columns;
  });
}

TEST(Sectors, are_the_blocks_of_the_matrix) {
  std::mt19937 engine(1);
  for (const int classes : {1, 2, 8, 300}) {
    std::vector<Index> class_of_row(5000);
    for (Index& c : class_of_row) c = static_cast<Index>(engine() % classes);
    const CsrMatrix whole = chained(class_of_row, engine());
    const Sectors sectors = sectors_of(whole);
    EXPECT_EQ(sectors_of(upper_triangle(whole)).labels, sectors.labels);
    ASSERT_EQ(sectors.sizes.size(), static_cast<std::size_t>(classes));
    // The labels are the classes, named otherwise, and count up in the order of first rows.
    std::vector<Index> label(classes, -1), size(classes, 0);
    Index next = 0;
    for (std::size_t i = 0; i < class_of_row.size(); ++i) {
      Index& known = label[class_of_row[i]];
      if (known < 0) known = next++;
      ASSERT_EQ(sectors.labels[i], known);
      ++size[known];
    }
    EXPECT_EQ(sectors.sizes, size);
  }
}

TEST(Sectors, of_a_diagonal_matrix_are_its_rows) {
  const Sectors sectors =
      sectors_of(matrix_of_rows(1000, 1000, [](Index i) { return std::vector<Index>{i}; }));
  EXPECT_EQ(sectors.sizes, std::vector<Index>(1000, 1));
  EXPECT_EQ(sectors.labels.back(), 999);
}

TEST(Sectors, are_told_by_labels_or_one_behind_another_by_their_sizes) {
  const Sectors labelled{{0, 0, 1, 0, 2}, {3, 1, 1}}, by_size{{}, {3, 1, 2}};
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(labelled.of(i), labelled.labels[i]);
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(by_size.of(i), (i >= 3) + (i >= 4));
  EXPECT_EQ(Sectors{}.of(5), 0);
}

std::vector<Index> order_of(const SectorOrder& order) {
  return {order.order.begin(), order.order.end()};
}

TEST(SectorOrder, brings_the_rows_of_a_sector_together) {
  const Sectors sectors{{0, 1, 0, 2, 1, 0}, {3, 2, 1}};
  const SectorOrder order = order_by_sector(sectors, 6, 32);
  EXPECT_EQ(order_of(order), (std::vector<Index>{0, 2, 5, 1, 4, 3}));
  EXPECT_EQ(order.begin, (std::vector<Index>{0, 3, 5, 6}));
}

TEST(SectorOrder, lets_the_smallest_share_the_last_group) {
  const Sectors sectors{{0, 1, 1, 2, 3, 3, 3}, {1, 2, 1, 3}};
  const SectorOrder order = order_by_sector(sectors, 7, 3);
  EXPECT_EQ(order_of(order), (std::vector<Index>{1, 2, 4, 5, 6, 0, 3}));
  EXPECT_EQ(order.begin, (std::vector<Index>{0, 2, 5, 7}));
}

TEST(SectorOrder, leaves_a_single_sector_as_it_is) {
  EXPECT_TRUE(order_by_sector({}, 9, 32).order.empty());
  EXPECT_EQ(order_by_sector({}, 9, 32).begin, (std::vector<Index>{0, 9}));
}

TEST(SectorOrder, leaves_sectors_one_behind_another_as_they_are) {
  const SectorOrder order = order_by_sector({{}, {3, 1, 2}}, 6, 3);
  EXPECT_TRUE(order.order.empty());
  EXPECT_EQ(order.begin, (std::vector<Index>{0, 3, 4, 6}));
  // More than are told apart: as if they had labels.
  const SectorOrder few = order_by_sector({{}, {1, 3, 2}}, 6, 2);
  const SectorOrder labelled = order_by_sector({{0, 1, 1, 1, 2, 2}, {1, 3, 2}}, 6, 2);
  EXPECT_EQ(order_of(few), (std::vector<Index>{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(order_of(few), order_of(labelled));
  EXPECT_EQ(few.begin, (std::vector<Index>{0, 3, 6}));
  // Labels that say so.
  EXPECT_TRUE(order_by_sector({{0, 0, 0, 1, 2, 2}, {3, 1, 2}}, 6, 3).order.empty());
}

TEST(Sectors, of_some_of_the_rows_have_their_labels) {
  const Sectors one_behind_another{{}, {3, 1, 2}}, mixed{{0, 1, 0, 2, 2, 0}, {3, 1, 2}};
  for (Index first = 0; first <= 6; ++first) {
    for (Index rows = 0; first + rows <= 6; ++rows) {
      for (const Sectors* all : {&one_behind_another, &mixed}) {
        const Sectors some = labels_of_rows(*all, first, rows);
        EXPECT_EQ(some.sizes, all->sizes);
        ASSERT_EQ(std::ssize(some.labels), rows);
        for (Index i = 0; i < rows; ++i) EXPECT_EQ(some.labels[i], all->of(first + i));
      }
    }
  }
}

TEST(SectorOrder, knows_the_place_and_the_group_of_every_row) {
  std::mt19937 engine(2);
  Sectors sectors{std::vector<Index>(999), std::vector<Index>(7, 0)};
  for (Index& label : sectors.labels) ++sectors.sizes[label = static_cast<Index>(engine() % 7)];
  for (const int threads : {1, 2, 5}) {
    const Threads these(threads);
    const SectorOrder order = order_by_sector(sectors, 999, 32);
    ASSERT_EQ(order.groups(), 7);
    for (Index i = 0; i < 999; ++i) {
      const Index place = order.place_of(i);
      ASSERT_EQ(order.order[place], i);
      ASSERT_EQ(order.group_of_place(place), sectors.labels[i]);
      if (place > order.begin[sectors.labels[i]]) {
        ASSERT_LT(order.order[place - 1], i);
      }
    }
  }
  const SectorOrder sorted = order_by_sector({{}, {3, 0, 2}}, 5, 32);
  EXPECT_EQ(sorted.place_of(3), 3);
  EXPECT_EQ(sorted.group_of_place(2), 0);
  EXPECT_EQ(sorted.group_of_place(3), 2);
}

TEST(LowestDiagonalRows, are_those_of_a_sorted_diagonal_with_ties_by_row) {
  std::mt19937 engine(3);
  for (const int distinct : {1, 3, 40, 100000}) {
    std::vector<double> diagonal(5000);
    for (double& d : diagonal) d = 1e-3 * (engine() % distinct);
    for (const bool descending : {false, true}) {
      if (descending) std::ranges::sort(diagonal, std::greater());
      std::vector<Index> order(diagonal.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, {}, [&](Index i) { return diagonal[i]; });
      for (const int size : {1, 10, 700, 2600, 5000, 6000}) {
        const std::size_t most = std::min<std::size_t>(2 * size, 5000);
        std::size_t count = std::min(size, 5000);
        const double last = diagonal[order[count - 1]];
        while (count < most && diagonal[order[count]] - last <= 1e-8) ++count;
        std::vector<Index> expected(order.begin(), order.begin() + count);
        std::ranges::sort(expected);
        for (const int threads : {1, 3, 8}) {
          const Threads these(threads);
          ASSERT_EQ(lowest_diagonal_rows(diagonal, size), expected) << distinct << ", " << size;
        }
      }
    }
  }
  EXPECT_TRUE(lowest_diagonal_rows({}, 10).empty());
}

TEST(PSpaceRows, are_fewer_where_diagonalising_them_would_take_longer_than_what_they_save) {
  std::vector<double> diagonal(20000);
  std::iota(diagonal.begin(), diagonal.end(), 0.0);
  const auto size = [&](const Sectors& sectors, Offset nonzeros, int asked,
                        BackendKind backend = BackendKind::cpu) {
    return p_space_rows(diagonal, sectors, nonzeros, 4, asked, backend).size();
  };
  EXPECT_EQ(size({}, 10'000'000'000, 0), 1500u);
  EXPECT_LT(size({}, 1'000'000, 0), 300u);
  EXPECT_GE(size({}, 10'000, 0), 50u);
  diagonal.resize(400);
  EXPECT_LT(size({}, 10'000, 0), 200u) << "of a small matrix too";
  diagonal.resize(20000);
  std::iota(diagonal.begin(), diagonal.end(), 0.0);
  EXPECT_EQ(size({}, 1'000'000, 1500), 1500u) << "asked for";
  // The work in eight sectors is an eighth of an eighth.
  Sectors eight{std::vector<Index>(20000), std::vector<Index>(8, 2500)};
  for (int i = 0; i < 20000; ++i) eight.labels[i] = i % 8;
  EXPECT_EQ(size(eight, 40'000'000, 0), 1500u);
  EXPECT_LT(size({}, 40'000'000, 0), 600u);
  // A GPU is through with 10⁸ nonzeros in no time, and 10¹² take it a while.
  EXPECT_LT(size({}, 100'000'000, 0, BackendKind::cuda), 600u);
  EXPECT_EQ(size({}, 1'000'000'000'000, 0, BackendKind::cuda), 1500u);
}

TEST(PSpaceRows, are_few_where_the_diagonal_does_not_tell_rows_apart) {
  std::vector<double> diagonal(20000, 4.0);
  const auto size = [&](int asked) {
    return p_space_rows(diagonal, {}, 100'000'000'000, 4, asked, BackendKind::cpu).size();
  };
  EXPECT_EQ(size(0), 20u) << "ten, and as many again of the same shell";
  EXPECT_EQ(size(1500), 3000u) << "asked for";
  diagonal[77] = 3.0;
  EXPECT_EQ(size(0), 1u) << "the shell above is too large";
  std::fill_n(diagonal.begin(), 1400, 3.0);
  EXPECT_EQ(size(0), 1400u);
  diagonal.assign(1000, 4.0);
  EXPECT_EQ(size(0), 1000u) << "the whole matrix is no choice";
}

TEST(PSpaceRows, end_before_a_shell_whose_diagonalisation_would_take_too_long) {
  // Diagonal of a Hubbard ring: 70 rows without a double occupancy, 1,120 with one.
  std::vector<double> diagonal(4900, 8.0);
  std::fill_n(diagonal.begin() + 100, 1120, 4.0);
  std::fill_n(diagonal.begin() + 2000, 70, 0.0);
  std::vector<Index> lowest(70);
  std::iota(lowest.begin(), lowest.end(), 2000);
  EXPECT_EQ(p_space_rows(diagonal, {}, 50'000, 4, 0, BackendKind::cpu), lowest);
  EXPECT_EQ(p_space_rows(diagonal, {}, 50'000, 4, 100, BackendKind::cpu).size(), 200u);
  EXPECT_EQ(p_space_rows(diagonal, {}, 10'000'000'000, 4, 0, BackendKind::cpu).size(), 1190u);
}

TEST(PSpaceRows, are_fewer_of_elements_that_are_not_real) {
  std::vector<double> diagonal(20000);
  std::iota(diagonal.begin(), diagonal.end(), 0.0);
  const auto size = [&](Offset nonzeros, int components) {
    return p_space_rows(diagonal, {}, nonzeros, 4, 0, BackendKind::cpu, components).size();
  };
  for (const int d : {1, 2, 4}) {
    EXPECT_EQ(size(1'000'000'000'000, d), 1500u / d);
    EXPECT_EQ(largest_p_space(0, 20000, d), 1500 / d);
    EXPECT_EQ(largest_p_space(40, 20000, d), 40);
  }
  EXPECT_LT(size(10'000'000, 2), size(10'000'000, 1));
  EXPECT_LT(size(10'000'000, 4), size(10'000'000, 2));
}

}  // namespace
}  // namespace cisolve
