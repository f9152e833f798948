#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/select/selection.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// Value of the attribute `format` of the file of a selection.
inline constexpr char selection_format[] = "cisolve-selection";

/// State of a selection that can go on: its lists so far, the last one and the states over it.
struct SelectionState {
  std::vector<SelectionStep> steps;
  std::shared_ptr<const AnySpace> space;  ///< over active orbitals
  HostMatrix coefficients;                ///< rows of the space × states
  HostMatrix rotation;    ///< of all orbitals to natural ones, that the space is over; or empty
  bool complete = false;  ///< the Hamiltonian leads from the list to no other determinant
};

/// Identity of a selection.
struct SelectionOf {
  const Integrals& integrals;  ///< over active orbitals
  int irrep = -1;              ///< −1: all
  int file_orbitals = 0;       ///< of the Hamiltonian
};

/// Writes it as HDF5 (docs/file-formats.md has the layout); the file appears whole. Throws
/// ResourceError where it cannot be written.
void write_selection(const std::filesystem::path& path, const SelectionOf& of,
                     const SelectionState& state);

/// Throws InputError, naming the file, where it is none, damaged, or of other integrals, electrons,
/// irrep or number of states.
SelectionState read_selection(const std::filesystem::path& path, const SelectionOf& of, int states);

}  // namespace cisolve
