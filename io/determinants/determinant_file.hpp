#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/space/listed/determinant_list.hpp"

namespace cisolve {

/// Side of orbital 1 in a string of a text file. `automatic`: right of bits, as in a binary number;
/// left of the letters 2, a, b and 0.
enum class FirstOrbital { automatic, left, right };

/// Rules for reading strings.
struct StringForm {
  int orbitals = 0;  ///< of the Hamiltonian, 1 to OrbitalString::most_orbitals
  FirstOrbital first = FirstOrbital::automatic;
  bool general = false;  ///< spin orbitals, all of whose electrons are in alpha strings
};

/// A list, and what its reader says of it to the user, a sentence each.
struct ReadList {
  DeterminantList list;
  std::vector<std::string> notes;
};

/// A list of determinants from a file or folder of one of the formats in list_format.hpp. Throws
/// InputError, naming file and line or index, where it is none, breaks off, is empty, has strings
/// of another length or orbitals beyond the Hamiltonian's; numbers of electrons and repetitions are
/// not looked at.
ReadList read_determinants(const std::filesystem::path& path, const StringForm& form);

/// The product of two lists of strings, "ALPHA,BETA" or one file: where that has arrays `alpha` and
/// `beta`, those, else the same strings for both spins. Throws InputError as read_determinants.
ReadList read_strings(const std::string& paths, const StringForm& form);

/// The files that "ALPHA,BETA" or "FILE" names, none of an empty text. Throws InputError where a
/// name is empty or there are more than two.
std::vector<std::filesystem::path> string_files(const std::string& paths);

/// True if write_determinants knows the ending of that name.
bool is_determinants_output(const std::filesystem::path& path);

/// Every text file of determinants that is written begins so.
inline constexpr const char* determinants_heading = "# Determinants";
/// Attribute `format` of the HDF5 ones.
inline constexpr const char* determinants_format = "determinants";

/// Writes a list over so many orbitals to `path` itself, as the ending of `name` says: .txt
/// (coefficient, then 2, a, b and 0, orbital 1 first), .npz and .h5 (`alpha`, `beta`,
/// `coefficients`, `norb`), or .bin, the strings of a product that are the same for both spins, of
/// 16 big-endian bytes each. `coefficients`: of each determinant, or none. `rotation`:
/// the orbitals as columns over those of the Hamiltonian, which .npz and .h5 have too, or empty.
/// Throws InputError where
/// .bin cannot hold the list, ResourceError, naming `name`, where it cannot be written.
void write_determinants(const std::filesystem::path& path, const std::string& name,
                        const DeterminantList& list, const std::vector<double>& coefficients,
                        int orbitals, const HostMatrix& rotation = {});

}  // namespace cisolve
