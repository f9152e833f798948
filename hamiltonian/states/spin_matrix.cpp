#include "hamiltonian/states/spin_matrix.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/space/listed/listed_space.hpp"
#include "hamiltonian/space/slater_condon.hpp"

namespace cisolve {
namespace {

constexpr int most_open_shells = OrbitalString::most_orbitals;

/// C(n, k), n ≤ 64; 0 for k < 0.
std::int64_t binomial(int n, int k) {
  if (k < 0 || k > n) return 0;
  std::array<std::int64_t, most_open_shells + 1> row{1};  // of Pascal's triangle
  for (int i = 1; i <= n; ++i) {
    for (int j = i; j > 0; --j) row[j] += row[j - 1];
  }
  return row[k];
}

/// The states of multiplicity 2S + 1 that the determinants of one set make, which share k singly
/// occupied orbitals out.
std::int64_t states_of_a_set(int k, int twice_s) {
  const int low = (k - twice_s) / 2;
  return k < twice_s ? 0 : binomial(k, low) - binomial(k, low - 1);
}

/// True for one determinant of a set, whose beta electrons are in the first singly occupied
/// orbitals.
bool stands_for_its_set(const OrbitalString& a, const OrbitalString& b) {
  const OrbitalString alone = a & ~b;
  return alone.empty() || (b & ~a) < OrbitalString::of(alone.first());
}

/// A row's entries by ascending column.
using Row = std::vector<std::pair<Index, double>>;

/// The determinants that two strings make by exchanging an alpha and a beta electron; false where
/// one is not in the space.
template <class Space>
bool add_exchanges(const Space& space, const OrbitalString& a, const OrbitalString& b, Row& row) {
  for (const int p : a & ~b) {
    for (const int q : b & ~a) {
      const OrbitalString both = OrbitalString::of(p, q);
      const Index to_a = space.alpha.find(a ^ both), to_b = space.beta.find(b ^ both);
      if (to_a < 0 || to_b < 0) return false;
      const std::int64_t column = space.determinants_of(to_a).find(to_b);
      if (column < 0) return false;
      const int sign = excitation_sign(a, q, p) * excitation_sign(b, p, q);
      row.emplace_back(static_cast<Index>(column), -sign);
    }
  }
  return true;
}

template <class Space>
Array<Offset> row_offsets(const Space& space) {
  Array<Offset> offsets(static_cast<std::size_t>(space.size()) + 1);
  offsets[0] = 0;
#pragma omp parallel for if (worth_threads(space.size())) schedule(static)
  for (Index a = 0; a < space.alpha.size(); ++a) {
    const OrbitalString& of_alpha = space.alpha.strings[a];
    for (const auto& [b, number] : space.determinants_of(a)) {
      const OrbitalString& of_beta = space.beta.strings[b];
      offsets[number + 1] = 1 + (of_alpha & ~of_beta).count() * (of_beta & ~of_alpha).count();
    }
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

/// The rows of S² of an alpha string's determinants.
template <class Space>
void fill_rows(const Space& space, Index a, CsrMatrix& matrix) {
  const double ms = 0.5 * twice_ms(space);
  Row row;
  for (const auto& [b, number] : space.determinants_of(a)) {
    const OrbitalString &of_alpha = space.alpha.strings[a], &of_beta = space.beta.strings[b];
    row.assign(1, {static_cast<Index>(number), ms * (ms + 1) + (of_beta & ~of_alpha).count()});
    if (!add_exchanges(space, of_alpha, of_beta, row)) {
      throw InputError(
          "the determinants are not closed under S^2: exchanging an alpha and a beta electron "
          "leads out of the space, so that its states have no multiplicity to be chosen by; "
          "expected full CI, a restricted active space, or excitations from a closed-shell "
          "reference determinant");
    }
    std::ranges::sort(row);
    Offset e = matrix.row_offsets[number];
    for (const auto& [column, value] : row) {
      matrix.column_indices[e] = column;
      matrix.values[e++] = value;
    }
  }
}

}  // namespace

template <DeterminantSpace Space>
std::vector<std::int64_t> open_shell_counts(const Space& space) {
  std::array<std::int64_t, most_open_shells + 1> sums{};
  std::int64_t* counts = sums.data();
#pragma omp parallel for if (worth_threads(space.size())) schedule(static) \
    reduction(+ : counts[:most_open_shells + 1])
  for (Index a = 0; a < space.alpha.size(); ++a) {
    for (const auto& [b, number] : space.determinants_of(a)) {
      ++counts[(space.alpha.strings[a] ^ space.beta.strings[b]).count()];
    }
  }
  int highest = most_open_shells;
  while (highest > 0 && sums[highest] == 0) --highest;
  return {sums.begin(), sums.begin() + highest + 1};
}

std::int64_t states_of_multiplicity(const std::vector<std::int64_t>& counts, int twice_ms,
                                    int multiplicity) {
  const int twice_s = multiplicity - 1;
  std::int64_t states = 0;
  for (int k = twice_s; k < static_cast<int>(counts.size()); k += 2) {
    const std::int64_t sets = counts[k] / binomial(k, (k - std::abs(twice_ms)) / 2);
    states += sets * states_of_a_set(k, twice_s);
  }
  return states;
}

template <DeterminantSpace Space>
std::vector<std::int64_t> states_of_multiplicity(
    const Space& space, int multiplicity, int groups,
    const std::function<int(Index a, Index b)>& group_of) {
  std::array<std::int64_t, most_open_shells + 1> of_a_set;
  for (int k = 0; k <= most_open_shells; ++k) of_a_set[k] = states_of_a_set(k, multiplicity - 1);
  std::vector<std::vector<std::int64_t>> of_threads(
      omp_get_max_threads(), std::vector<std::int64_t>(static_cast<std::size_t>(groups), 0));
#pragma omp parallel for if (worth_threads(space.size())) schedule(static)
  for (Index a = 0; a < space.alpha.size(); ++a) {
    std::vector<std::int64_t>& mine = of_threads[omp_get_thread_num()];
    const OrbitalString& of_alpha = space.alpha.strings[a];
    for (const auto& [b, number] : space.determinants_of(a)) {
      const OrbitalString& of_beta = space.beta.strings[b];
      if (!stands_for_its_set(of_alpha, of_beta)) continue;
      mine[group_of(a, b)] += of_a_set[(of_alpha ^ of_beta).count()];
    }
  }
  std::vector<std::int64_t> states(groups, 0);
  for (const auto& mine : of_threads) {
    for (int g = 0; g < groups; ++g) states[g] += mine[g];
  }
  return states;
}

std::size_t s_squared_bytes(const std::vector<std::int64_t>& counts, int twice_ms) {
  Offset nonzeros = 0;
  std::int64_t rows = 0;
  for (int k = 0; k < static_cast<int>(counts.size()); ++k) {
    rows += counts[k];
    nonzeros += counts[k] * (1 + (k - twice_ms) / 2 * ((k + twice_ms) / 2));
  }
  return CsrMatrix::bytes(static_cast<Index>(rows), nonzeros);
}

template <DeterminantSpace Space>
CsrMatrix s_squared_matrix(const Space& space) {
  CsrMatrix matrix;
  matrix.rows = matrix.columns = static_cast<Index>(space.size());
  matrix.row_offsets = row_offsets(space);
  matrix.column_indices = Array<Index>(static_cast<std::size_t>(matrix.nonzeros()));
  matrix.values = Array<double>(static_cast<std::size_t>(matrix.nonzeros()));
  FirstException exception;
#pragma omp parallel for if (worth_threads(matrix.nonzeros())) schedule(dynamic, 16)
  for (Index a = 0; a < space.alpha.size(); ++a) {
    exception.guard([&] { fill_rows(space, a, matrix); });
  }
  exception.rethrow();
  return matrix;
}

template std::vector<std::int64_t> open_shell_counts(const CiSpace&);
template std::vector<std::int64_t> open_shell_counts(const ListedSpace&);
template std::vector<std::int64_t> states_of_multiplicity(const CiSpace&, int, int,
                                                          const std::function<int(Index, Index)>&);
template std::vector<std::int64_t> states_of_multiplicity(const ListedSpace&, int, int,
                                                          const std::function<int(Index, Index)>&);
template CsrMatrix s_squared_matrix(const CiSpace&);
template CsrMatrix s_squared_matrix(const ListedSpace&);

}  // namespace cisolve
