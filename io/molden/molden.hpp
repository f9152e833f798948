#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// The orbitals of a Molden file, restricted ones; all else that it has is text that is kept.
struct MoldenOrbitals {
  struct Label {
    std::string symmetry = "A";
    double energy = 0.0;  ///< Hartree
    double occupation = 0.0;
  };
  std::vector<Label> labels;  ///< of every orbital
  HostMatrix coefficients;    ///< functions × orbitals, functions in the file's order
  std::string before, after;  ///< what stands around the section [MO]: atoms and functions
};

/// Reads a file in the format of https://www.theochem.ru.nl/molden/molden_format.html; coefficients
/// that are left out are 0. Throws InputError naming the file, and the line if there is one:
/// without [MO] or with several, on orbitals of two spins, on words that are no numbers.
MoldenOrbitals read_molden(const std::filesystem::path& file);

/// The whole file of them.
std::string molden_text(const MoldenOrbitals& orbitals);

}  // namespace cisolve
