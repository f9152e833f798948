#pragma once

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/mixed.hpp"
#include "formats/packed/packed.hpp"
#include "hamiltonian/integrals/random_integrals.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "tests/support/support.hpp"

namespace cisolve::testing {

/// Matrices of all the kinds that the packed format tells apart.

inline constexpr Packing packings[] = {Packing::none, Packing::coded_near, Packing::coded_far,
                                       Packing::plain_near};

/// `count` entries a row in random columns; a_ij is ± one of `magnitudes` numbers.
inline CsrMatrix repeating_matrix(Index rows, Index columns, int count, int magnitudes,
                                  unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<Index> any(0, columns - 1);
  CsrMatrix a = matrix_of_rows(rows, columns, [&](Index) {
    std::vector<Index> row(count);
    for (Index& j : row) j = any(engine);
    return row;
  });
  for (double& value : a.values) {
    const std::uint64_t drawn = engine();
    value = mixed_uniform(drawn % magnitudes) * (drawn & 0x10000 ? 1.0 : -1.0);
  }
  return a;
}

/// `width` entries a row next to the diagonal, all different.
inline CsrMatrix band_of_distinct(Index rows, Index width) {
  return matrix_of_rows(rows, rows, [&](Index i) {
    std::vector<Index> row;
    for (Index j = i; j < std::min(i + width, rows); ++j) row.push_back(j);
    return row;
  });
}

/// Elements that all differ, in columns so far apart that no packing pays.
inline CsrMatrix distinct_and_far_apart() {
  return repeating_matrix(300, 400000, 3, 1 << 30, 5);
}

inline CsrMatrix fci_matrix(int orbitals, int electrons, int irreps) {
  const Integrals integrals = random_integrals({orbitals, electrons, irreps, 1});
  const CiSpace space = make_ci_space(integrals, {});
  const CiMatrixBuilder builder(integrals, space);
  return builder.fill(builder.count());
}

/// Signed and unsigned zeros, the smallest and the largest numbers, infinity.
inline double extreme_value(Offset number) {
  using Limits = std::numeric_limits<double>;
  constexpr double values[] = {
      0.0,           -0.0,          Limits::denorm_min(), -Limits::denorm_min(),
      Limits::max(), Limits::min(), Limits::infinity(),   -Limits::infinity(),
      1.0,           -1.0};
  return values[number % 10];
}

inline CsrMatrix extremes() {
  CsrMatrix a = repeating_matrix(200, 70000, 30, 5, 4);
  for (Offset e = 0; e < a.nonzeros(); ++e) a.values[e] = extreme_value(e);
  return a;
}

struct Case {
  std::string name;
  CsrMatrix matrix;
};

inline const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::mt19937 engine(9);
    std::vector<Case> list;
    list.push_back({"fci", fci_matrix(6, 6, 2)});
    list.push_back({"random", repeating_matrix(300, 300, 20, 1 << 30, 1)});
    list.push_back({"banded", band_of_distinct(333, 40)});
    list.push_back({"extremes", extremes()});
    list.push_back({"far_columns", repeating_matrix(65, 2000000, 50, 7, 2)});
    list.push_back({"more_magnitudes_than_codes", repeating_matrix(700, 5000, 400, 60000, 3)});
    list.push_back({"no_entries", CsrMatrix{40, 3, Array<Offset>(41, 0), {}, {}}});
    list.push_back({"one_entry", CsrMatrix{1, 1, {0, 1}, {0}, {2.0}}});
    CsrMatrix uneven = matrix_of_rows(100, 9000, [&](Index i) {
      std::vector<Index> row(i % 3 == 0 ? 0 : i == 50 ? 4000 : 20 + i % 7);
      for (Index& j : row) j = static_cast<Index>(engine() % 9000);
      return row;
    });
    for (double& value : uneven.values) value = value < 0 ? -0.25 : 0.5;
    list.push_back({"uneven_and_empty_rows", std::move(uneven)});
    return list;
  }();
  return all;
}

}  // namespace cisolve::testing
