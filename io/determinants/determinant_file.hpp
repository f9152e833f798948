#pragma once

#include <filesystem>
#include <string>

#include "hamiltonian/space/determinant_list.hpp"

namespace cisolve {

/// Where orbital 1 is in a string of a text file. `automatic`: right of bits, as in a binary
/// number; left of the letters 2, a, b and 0.
enum class FirstOrbital { automatic, left, right };

/// How strings are to be read.
struct StringForm {
  int orbitals = 0;  ///< of the Hamiltonian
  FirstOrbital first = FirstOrbital::automatic;
};

/// A list of determinants. Throws InputError, naming file and line or index, where the file is
/// none, breaks off or has strings of another length; numbers of electrons are not looked at.
DeterminantList read_determinants(const std::filesystem::path& path, const StringForm& form);

/// The product of two lists of strings, "ALPHA,BETA" or one file: of an .npz file its arrays
/// `alpha` and `beta`, else the same strings for both spins. Throws InputError as
/// read_determinants.
DeterminantList read_strings(const std::string& paths, const StringForm& form);

}  // namespace cisolve
