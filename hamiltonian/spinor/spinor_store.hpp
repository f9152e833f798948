#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hamiltonian/integrals/fcidump_lines.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// The lines of a file of complex integrals, one by one. A quantity may be given several times, by
/// any of its permutations: (pq|rs) = (rs|pq) = (qp|sr)* = (sr|qp)*, h_pq = h_qp*. That they agree
/// is known once all lines are, for the largest integral decides (are_repeats). Bytes: 20 n⁴.
class SpinorStore {
 public:
  /// Throws ResourceError where the host has no room.
  SpinorStore(const NamedText& source, int spinors);

  /// Throws InputError on indices that mean nothing.
  void add(const ComplexIntegralLine& line);
  /// Checks that the file, which ends on `last_line` or in words from line `words` on, is whole and
  /// has the symmetry of spinors, and hands over what it held. Throws InputError.
  SpinorIntegrals release(std::size_t last_line, std::size_t words, bool allow_missing_diagonal);

 private:
  /// A line that gives a quantity otherwise than symmetry or an earlier line says.
  struct Conflict {
    std::size_t first_line = 0;  ///< the same line: the quantity is real, and not given so
    Complex expected;
    ComplexIntegralLine line;
    double size = 0.0;  ///< of the difference, by the larger value where that is above 1
  };

  void add_two_electron(const ComplexIntegralLine& line);
  void add_one_electron(const ComplexIntegralLine& line);
  /// An energy, which is real.
  void add_real(std::uint32_t& first_line, double& stored, const ComplexIntegralLine& line);
  void measure(const ComplexIntegralLine& line);
  void compare(std::size_t first_line, Complex expected, const ComplexIntegralLine& line);
  void check_conflict() const;
  void check_diagonal(std::size_t last_line, bool allow_missing);

  const NamedText& source_;
  SpinorIntegrals integrals_;
  // The line on which each quantity was read first, 0 for none; no file has 2^32 lines.
  std::vector<std::uint32_t> two_lines_;  ///< at the lowest place of an integral's permutations
  std::vector<std::uint32_t> one_lines_;  ///< by pair
  std::vector<std::uint32_t> energy_lines_;
  std::vector<double> energies_;  ///< of spinors, which no Hamiltonian has
  std::uint32_t core_line_ = 0;
  bool any_integral_ = false;
  double largest_ = 0.0;  ///< of the integrals of one and two electrons
  Conflict worst_;
};

}  // namespace cisolve
