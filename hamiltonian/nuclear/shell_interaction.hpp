#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// Kinds of nucleons, in the places of alpha and beta electrons: protons 0, neutrons 1.
enum Nucleon : int { proton = 0, neutron = 1 };
inline constexpr const char* nucleon_names[] = {"proton", "neutron"};

/// An orbit n l j of protons or of neutrons: 2j + 1 states.
struct ShellOrbit {
  Nucleon kind = proton;
  int n = 0, l = 0, twice_j = 1;
};
/// "0d5/2"
std::string orbit_name(const ShellOrbit& orbit);

/// ⟨a|h|b⟩, symmetric; a single-particle energy where a = b.
struct ShellOneBody {
  int a = 0, b = 0;
  double value = 0.0;
};

/// ⟨ab; J|V|cd; J⟩ of normalised, antisymmetric states of two nucleons, symmetric under (ab)↔(cd).
/// Exchange of the nucleons of a state gives the factor −(−1)^(j_a + j_b − J). Protons come first;
/// of one kind a ≤ b and c ≤ d.
struct ShellTwoBody {
  std::array<int, 4> orbits = {};  ///< a, b, c, d
  int j = 0;
  double value = 0.0;
};

/// A Hamiltonian of the nuclear shell model: nucleons in orbits outside a closed core, with scalar
/// one- and two-body terms. Its unit is that of the file, MeV by convention.
struct ShellInteraction {
  std::array<int, 2> core = {};  ///< protons and neutrons
  std::vector<ShellOrbit> orbits;
  std::vector<ShellOneBody> one_body;
  std::vector<ShellTwoBody> two_body;
  /// V is scaled by (A/reference)^power, A the nucleons of core and shell.
  struct MassScaling {
    double reference = 1.0, power = 0.0;
  };
  std::optional<MassScaling> scaling;

  /// Factor of the two-body terms with so many nucleons in the shell. Throws InputError where it is
  /// no positive number.
  double factor(int nucleons) const;
};

/// A state |n l j m⟩ of a nucleon.
struct ShellState {
  int orbit = 0;
  int twice_m = 0;
};
/// The states of one kind, orbit after orbit as the interaction has them, by ascending m: a string
/// of these is a determinant's part.
std::vector<ShellState> shell_states(const ShellInteraction& interaction, Nucleon kind);

/// The interaction over the states |n l j m⟩ of protons (as alpha) and neutrons (as beta), which
/// may differ in number: `orbitals` is that of the larger one, and no string has the others.
/// (pr|qs) is half of the antisymmetric ⟨pq|V|rs⟩ of one kind, ⟨pq|V|rs⟩ of two, over ordered
/// pairs:
///
///     ⟨pq|V|rs⟩ = Σ_J √(1 + δ_ab) C(j_a m_p j_b m_q | JM) √(1 + δ_cd) C(j_c m_r j_d m_s | JM) V_J.
///
/// Source: Suhonen, From Nucleons to Nucleus (2007), section 8.2.
Integrals shell_integrals(const ShellInteraction& interaction, int protons, int neutrons);

}  // namespace cisolve
