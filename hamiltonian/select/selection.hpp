#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
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

/// Bounds of a search: it finds determinants more important than epsilon, Hartree; of more than
/// `wanted` the most important ones; nothing where there are more than `most`, which have no room.
struct CandidateBounds {
  double epsilon;
  std::size_t wanted, most;
};

/// Result of a search for candidates.
struct CandidateSearch {
  std::optional<std::vector<Candidate>> found;  ///< in no order; none: too many, or cancelled
  std::size_t all = 0;                          ///< so many are more important than epsilon
  /// Importance of the wanted-th of more than were wanted, else epsilon.
  double epsilon = 0.0;
  bool cancelled = false;
};

/// Determinants outside the list that are connected to one of it by more than epsilon: heat-bath
/// selection (Holmes, Tubman, Umrigar, J. Chem. Theory Comput. 2016, 12, 3674), its c the largest
/// of the states. For restricted orbitals and M_s = 0 both of a determinant and that with all spins
/// exchanged are as important as the more important of them: a list that holds both of all pairs
/// goes on to. If there are more than are wanted, those that are as important as the last one, to
/// rounding, come with it. Where `goes_on`, asked between portions of the work, says no, the search
/// is cancelled. Parallel, on the backend or, where there are more than have room there, on the
/// host; determinants and importances are the same on both, with any number of threads. Bytes: on
/// the host 40 for each time that one is met, on a GPU 85 for each that may be found and 45 for
/// each that is listed, over more than 64 orbitals 126 and 70.
CandidateSearch important_candidates(const Expansion& expansion, const CandidateBounds& bounds,
                                     const Workplace& place, const GoesOn& goes_on = {});

CandidateSearch important_candidates_cpu(const Expansion& expansion, const CandidateBounds& bounds,
                                         const GoesOn& goes_on);
CISOLVE_CUDA_FUNCTION(important_candidates_cuda,
                      CandidateSearch(const Expansion& expansion, const CandidateBounds& bounds,
                                      Backend& backend, const GoesOn& goes_on));

/// The least importance of what comes with a candidate that is wanted.
inline double as_important_as(double importance) {
  constexpr double rounding = 1e-9;  // relative
  return importance * (1.0 - rounding);
}

}  // namespace cisolve
