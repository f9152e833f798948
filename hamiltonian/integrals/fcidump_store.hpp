#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "hamiltonian/integrals/fcidump_lines.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

struct SpinOrbital {
  int orbital;  ///< spatial, 0-based
  Spin spin;
};

/// The integrals read so far. A quantity may be given several times, by any of its permutations,
/// as long as the values agree to 1e-10, absolutely or relatively; else InputError names both
/// lines. Restricted files use alpha for everything.
class FcidumpStore {
 public:
  FcidumpStore(const NamedText& source, int orbitals, bool unrestricted);

  /// (pq|rs); p and q of one spin, r and s of one spin.
  void add_two_electron(SpinOrbital p, SpinOrbital q, SpinOrbital r, SpinOrbital s,
                        const IntegralLine& line);
  /// All lines of a restricted file's text, those with four orbitals taken by all threads at once;
  /// `others` get the rest in order, without their numbers. False where the text holds anything
  /// that is not plain: what is no line `value i j k l`, a quantity given twice, a value above
  /// `zero` that the irreps of the orbitals forbid. The store is of no use then: line by line it is
  /// read as ever, or refused with the number of the line.
  bool add_lines(std::string_view text, int norb, const std::vector<int>& irreps, double zero,
                 std::vector<IntegralLine>& others);
  /// h_pq; p and q of one spin.
  void add_one_electron(SpinOrbital p, SpinOrbital q, const IntegralLine& line);
  void add_orbital_energy(SpinOrbital p, const IntegralLine& line);
  void add_core_energy(const IntegralLine& line);

  bool has_diagonal(SpinOrbital p) const;
  bool has_core_energy() const { return core_line_ != 0; }
  int orbital_energies() const;  ///< how many were given, of spins() times orbitals
  int spins() const { return unrestricted_ ? 2 : 1; }

  /// Hands over the integrals, the core energy, and the orbital energies where all are known.
  Integrals release();

 private:
  /// Line on which each entry was read first, 0 for none; no file has 2^32 lines.
  using FirstLines = std::vector<std::uint32_t>;
  struct OneElectronSet {
    std::shared_ptr<OneElectron> values;
    std::vector<double> energies;
    FirstLines lines, energy_lines;  ///< by pair; by orbital
  };
  struct TwoElectronSet {
    std::shared_ptr<TwoElectron> values;
    FirstLines lines;  ///< by unique pair of pairs; empty until a line is added alone
  };

  bool is_first(std::uint32_t& first_line, double stored, const IntegralLine& line) const;

  const NamedText& source_;
  int orbitals_;
  bool unrestricted_;
  std::array<OneElectronSet, 2> one_;
  std::array<TwoElectronSet, 3> two_;  // αα, αβ, ββ: at the sum of both spins
  double core_energy_ = 0.0;
  std::uint32_t core_line_ = 0;
};

}  // namespace cisolve
