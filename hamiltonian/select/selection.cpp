#include "hamiltonian/select/selection.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace cisolve {

namespace {

/// Bytes of device memory that important_candidates_cuda takes for so many candidates.
double device_bytes_of_candidates(const Expansion& expansion, double candidates) {
  const double m = expansion.integrals.orbitals, targets = 16.0 * 1.5 * m * m * m * m;
  const double rows = static_cast<double>(expansion.space.size());
  const double of_a_string = m <= OrbitalString64::most_orbitals ? 8.0 : 16.0;
  const double a_candidate = 2.0 * of_a_string + 8.0;
  // A table that is not quite full, and what is found in it, with a copy while it is sorted.
  return device_bytes_of(expansion) + targets + 8.0 * rows +
         1.6 * (a_candidate + 4.0) * (candidates + rows) + (a_candidate + 16.0) * candidates;
}

}  // namespace

CandidateSearch important_candidates(const Expansion& expansion, const CandidateBounds& bounds,
                                     const Workplace& place, const GoesOn& goes_on) {
  if (place.backend.kind() == BackendKind::cpu) {
    return important_candidates_cpu(expansion, bounds, goes_on);
  }
  const double none = device_bytes_of_candidates(expansion, 0.0);
  const double each = device_bytes_of_candidates(expansion, 1.0) - none;
  const double most = std::min(static_cast<double>(bounds.most),
                               (static_cast<double>(place.device_bytes) - none) / each);
  if (most >= 1.0) {
    CandidateBounds there = bounds;
    there.most = static_cast<std::size_t>(most);
    try {
      CandidateSearch made = important_candidates_cuda(expansion, there, place.backend, goes_on);
      if (made.found || made.cancelled || there.most == bounds.most) return made;
    } catch (const ResourceError&) {  // a device that fails says so at its next use
    }
  }
  return important_candidates_cpu(expansion, bounds, goes_on);
}

}  // namespace cisolve
