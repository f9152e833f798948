#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/select/expansion.hpp"
#include "hamiltonian/select/selection.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// About so many determinants, of the reference determinant and its single and double excitations
/// (further ones where fewer of these have the irrep, from 0 in ORBSYM's order) those of the lowest
/// ⟨D|Ĥ|D⟩, and all whose energy is that of the last one. Throws as make_ci_space.
std::shared_ptr<const AnySpace> first_list(const Integrals& integrals, std::optional<int> irrep,
                                           std::size_t size);

/// A list that another one has grown to.
struct Growth {
  std::shared_ptr<const AnySpace> space;
  std::size_t added = 0;  ///< determinants
  /// Importance (Candidate) of the least important one added, Hartree; of none the bound.
  double epsilon = 0.0;
  bool complete = false;   ///< nothing that the Hamiltonian leads to is outside
  bool cancelled = false;  ///< and there is no list
};

/// With all determinants that are more important than epsilon; cancelled where `goes_on`, asked
/// often, says no. Throws ResourceError where they do not fit into so many bytes of host memory.
/// Determinants are looked for on the backend.
Growth grown_by_importance(const Expansion& expansion, double epsilon, const Workplace& place,
                           const GoesOn& goes_on = {});

/// To about so many determinants, more than there are, by the most important ones; equally
/// important ones, to rounding, come together. The search begins at `epsilon`, of a former growth.
/// Cancelled and throws as above.
Growth grown_to_size(const Expansion& expansion, std::size_t size, double epsilon,
                     const Workplace& place, const GoesOn& goes_on = {});

/// Coefficients over `from`, rows × states, over a list that has all its determinants; zero for the
/// others.
HostMatrix carried_over(const HostMatrix& coefficients, const ListedSpace& from,
                        const ListedSpace& to);

}  // namespace cisolve
