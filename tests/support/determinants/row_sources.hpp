#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "formats/matrix/row_source.hpp"
#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/integrals/random_integrals.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "tests/support/integrals/data_integrals.hpp"
#include "tests/support/integrals/random_integrals.hpp"

// Spaces whose matrices are made row by row, and what their rows must be.

namespace cisolve::testing {

struct RowsCase {
  std::string name;
  Integrals (*integrals)();
  CiSpaceOptions options;
};

/// Whole spaces and parts of them, spins alike and not, elements that vanish, lists shorter and
/// longer than a warp, electrons of one spin alone, the orbital of the highest bit.
inline std::vector<RowsCase> rows_cases() {
  const std::optional<int> all;
  return {
      {"n2", [] { return load("n2_sto3g"); }, {all, all}},
      {"n2_of_an_irrep", [] { return load("n2_sto3g"); }, {all, 0}},
      {"water_cisd", [] { return load("h2o_631g_frozen_core"); }, {2, all}},
      {"ammonia_cisdt", [] { return load("nh3_sto3g"); }, {3, all}},
      {"lih_cisdt_of_an_irrep", [] { return load("lih_ccpvdz"); }, {3, 2}},
      {"oxygen_unrestricted", [] { return load("o2_sto3g_uhf"); }, {all, all}},
      {"unrestricted_of_an_irrep",
       [] {
         return random_integrals(6, 5, 1, true, 2, {0, 1, 2, 3, 1, 0});
       },
       {3, 1}},
      {"more_beta_electrons", [] { return random_integrals(7, 5, -3, true, 4); }, {2, all}},
      {"one_alpha_electron", [] { return random_integrals(5, 1, 1, false, 3); }, {all, all}},
      {"one_beta_electron", [] { return random_integrals(5, 1, -1, true, 3); }, {all, all}},
      {"one_determinant", [] { return random_integrals(3, 6, 0, false, 3); }, {all, all}},
      {"hubbard",
       [] {
         return hubbard_integrals({6, 1.0, 4.0, 0});
       },
       {all, all}},
      {"random_molecule",
       [] {
         return random_integrals(RandomMolecule{8, 7, 4, 5});
       },
       {all, 1}},
      {"all_orbitals", [] { return random_integrals(64, 2, 0, false, 5); }, {1, all}},
  };
}

inline bool same_bits(const double* x, const double* y, std::size_t count) {
  return count == 0 || std::memcmp(x, y, count * sizeof(double)) == 0;
}

/// Row i of `found` is row wanted[i] of `matrix`, bit for bit.
inline void expect_rows(const CsrMatrix& found, const CsrMatrix& matrix,
                        std::span<const Index> wanted) {
  ASSERT_EQ(found.rows, static_cast<Index>(wanted.size()));
  EXPECT_EQ(found.columns, matrix.columns);
  for (Index i = 0; i < found.rows; ++i) {
    const Offset from = matrix.row_offsets[wanted[i]], length = matrix.row_length(wanted[i]);
    ASSERT_EQ(found.row_length(i), length) << "row " << wanted[i];
    const Offset begin = found.row_offsets[i];
    ASSERT_TRUE(std::equal(found.column_indices.begin() + begin,
                           found.column_indices.begin() + begin + length,
                           matrix.column_indices.begin() + from))
        << "columns of row " << wanted[i];
    ASSERT_TRUE(same_bits(found.values.data() + begin, matrix.values.data() + from,
                          static_cast<std::size_t>(length)))
        << "values of row " << wanted[i];
  }
}

/// All blocks brought together; they are of whole windows, and no larger than asked.
inline CsrMatrix downloaded(RowSource& source, Backend& backend, Index window,
                            Offset block_entries) {
  CsrMatrix a;
  a.rows = source.rows();
  a.columns = source.columns();
  a.row_offsets = source.row_offsets();
  a.column_indices.resize(static_cast<std::size_t>(source.nonzeros()));
  a.values.resize(a.column_indices.size());
  Index next = 0;
  source.for_each_block(window, [&](const DeviceRows& block) {
    EXPECT_EQ(block.first, next);
    next += block.count;
    EXPECT_TRUE(next == a.rows || block.count % window == 0);
    const Offset begin = a.row_offsets[block.first], entries = a.row_offsets[next] - begin;
    EXPECT_TRUE(entries <= block_entries || block.count <= window);
    std::vector<Offset> offsets(static_cast<std::size_t>(block.count) + 1);
    backend.download_bytes(block.row_offsets, offsets.data(), offsets.size() * sizeof(Offset));
    for (Index i = 0; i <= block.count; ++i) {
      ASSERT_EQ(offsets[i] - offsets[0], a.row_offsets[block.first + i] - begin);
    }
    backend.download_bytes(block.column_indices, a.column_indices.data() + begin,
                           static_cast<std::size_t>(entries) * sizeof(Index));
    backend.download_bytes(block.values, a.values.data() + begin,
                           static_cast<std::size_t>(entries) * sizeof(double));
  });
  EXPECT_EQ(next, a.rows);
  return a;
}

}  // namespace cisolve::testing
