#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// True if the program was built with libtrexio.
bool has_trexio();
/// By its name, `.trexio`.
bool is_trexio_name(const std::filesystem::path& path);

/// Electrons of each spin over all orbitals of a molecule.
struct TrexioElectrons {
  int orbitals = 0;
  int up = 0, down = 0;
};

/// Adds to an HDF5 file that is there the groups of TREXIO for CI vectors: determinants as bit
/// fields, ⌈orbitals/64⌉ words of alpha, then as many of beta electrons a determinant, and the
/// coefficients of each state, k × n. `labels`: a name of every state. Throws ResourceError, naming
/// `name`, when they cannot be written.
void write_trexio_states(const std::filesystem::path& path, const std::string& name,
                         const TrexioElectrons& electrons,
                         const std::vector<std::int64_t>& determinants,
                         const HostMatrix& coefficients, const std::vector<std::string>& labels);

/// Γ_ijkl = ⟨a†_k a†_l a_j a_i⟩ of one kind, as TREXIO has it.
using TrexioTwoDensity = std::function<double(int i, int j, int k, int l)>;

/// Densities of a state: γ_ij = ⟨a†_j a_i⟩ of each spin, orbitals²; and, where there are any, Γ of
/// all electrons, of two alpha and of two beta ones, of which elements up to 1e-15 are left out.
void write_trexio_densities(const std::filesystem::path& path, const std::string& name,
                            const TrexioElectrons& electrons, const std::array<HostMatrix, 2>& one,
                            const std::array<TrexioTwoDensity, 3>* two);

}  // namespace cisolve
