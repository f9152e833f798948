#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "formats/matrix/csr_matrix.hpp"
#include "hamiltonian/space/determinant_space.hpp"

/// S² as a matrix over the determinants, and what follows from the numbers of their singly occupied
/// orbitals, for restricted orbitals (both spins have the same ones).
namespace cisolve {

/// 2 M_s.
template <DeterminantSpace Space>
int twice_ms(const Space& space) {
  return space.alpha.electrons - space.beta.electrons;
}

/// Number of determinants with k singly occupied orbitals, by k; the last number is not zero.
/// O(determinants), parallel.
template <DeterminantSpace Space>
std::vector<std::int64_t> open_shell_counts(const Space& space);

/// States of multiplicity 2S + 1 in a space that is closed under S²: determinants of k singly
/// occupied orbitals come in sets of C(k, k/2 − |M_s|), the ways to share these out, from which
///   C(k, k/2 − S) − C(k, k/2 − S − 1)
/// states are made.
std::int64_t states_of_multiplicity(const std::vector<std::int64_t>& open_shell_counts,
                                    int twice_ms, int multiplicity);

/// States of that multiplicity by group: determinants of alpha string a and beta string b belong to
/// group_of(a, b), below `groups`, those with the same singly and doubly occupied orbitals to the
/// same one. Parallel.
template <DeterminantSpace Space>
std::vector<std::int64_t> states_of_multiplicity(
    const Space& space, int multiplicity, int groups,
    const std::function<int(Index a, Index b)>& group_of);

/// Bytes of the matrix below.
std::size_t s_squared_bytes(const std::vector<std::int64_t>& open_shell_counts, int twice_ms);

/// ⟨I|S²|J⟩, symmetric and held whole: on the diagonal M_s (M_s + 1) and the orbitals that hold a
/// beta electron alone; −1 times both strings' signs where an alpha electron of J's and a beta
/// electron, each alone in its orbital, change places. Integers. Throws InputError where an image
/// of a determinant is outside the space, which is then not closed under S². Parallel, the same
/// bits on every run.
template <DeterminantSpace Space>
CsrMatrix s_squared_matrix(const Space& space);

}  // namespace cisolve
