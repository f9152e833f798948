#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hamiltonian/select/expansion.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// A determinant that is not listed, and why it may be: the largest |⟨D|Ĥ|i⟩ c_ij| of the listed i
/// and states j, Hartree.
struct Candidate {
  Determinant determinant;
  double importance;
};

/// True if work is to go on; empty: it is.
using GoesOn = std::function<bool()>;

/// Result of a search for candidates.
struct CandidateSearch {
  std::optional<std::vector<Candidate>> found;  ///< none: too many, or cancelled
  bool cancelled = false;
};

/// Determinants outside the list that are connected to one of it by more than epsilon: heat-bath
/// selection (Holmes, Tubman, Umrigar, J. Chem. Theory Comput. 2016, 12, 3674), its c the largest
/// of the states. For restricted orbitals and M_s = 0 both of a determinant and that with all spins
/// exchanged are as important as the more important of them: a list that holds both of all pairs
/// goes on to. None where there are more than `most`: so many have no room; nor where
/// `goes_on`, asked between portions of the work, says no: that search is cancelled. Parallel;
/// determinants and their order depend on no number of threads. Bytes: 40 for each time that one is
/// met.
CandidateSearch important_candidates(const Expansion& expansion, double epsilon, std::size_t most,
                                     const GoesOn& goes_on = {});

}  // namespace cisolve
