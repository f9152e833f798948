#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cisolve {

/// TREXIO files (trex-coe.github.io/trexio), by libtrexio: HDF5, or a folder of text. Like other
/// HDF5 they are read in a child process (docs/adr/0016-hdf5-is-read-in-a-child-process.md).

/// By its name, `.trexio`, or as an HDF5 file with the group `metadata` that TREXIO's have.
bool is_trexio_file(const std::filesystem::path& path);

/// Molecular orbitals of a file, those that its other numbers count from 0.
struct TrexioOrbitals {
  int orbitals = 0;                        ///< mo_num
  std::optional<int> electrons, up, down;  ///< electron_num, _up_num, _dn_num
  std::optional<double> repulsion;         ///< nucleus_repulsion, Hartree
  std::string point_group;                 ///< nucleus_point_group; empty: none
  std::vector<std::string> symmetry;       ///< mo_symmetry; empty: none
  std::vector<double> energies;            ///< mo_energy; empty: none
  /// mo_1e_int_core_hamiltonian, or the sum of its parts (kinetic, potential_n_e, ecp); orbitals².
  std::vector<double> core_hamiltonian;
};

/// An element of mo_2e_int_eri, ⟨pq|rs⟩: p and r of one electron, q and s of the other.
struct TrexioRepulsion {
  std::int32_t p, q, r, s;  ///< from 0, below the number of orbitals
  double value;             ///< finite
};

/// Reads a file: the orbitals, for which `begin` is called, then one by one the elements of
/// mo_2e_int_eri that are in it. Throws InputError where the file is damaged, lacks what a
/// Hamiltonian needs, has more than `most` orbitals, spin orbitals or complex ones, or the program
/// was built without TREXIO.
void read_trexio(const std::filesystem::path& path, int most,
                 const std::function<void(const TrexioOrbitals&)>& begin,
                 const std::function<void(const TrexioRepulsion&)>& add);

/// Reads the determinants of a file over so many orbitals: ⌈orbitals/64⌉ words of alpha, then as
/// many of beta electrons of each, for which `add` is called; bits beyond the orbitals may be set.
/// Throws InputError where the file is damaged, has none or other orbitals, or the program was
/// built without TREXIO.
void read_trexio_determinants(const std::filesystem::path& path, int orbitals,
                              const std::function<void(const std::uint64_t* words)>& add);

}  // namespace cisolve
