#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_lines.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// The lines of a file of integrals of fourfold symmetry, one by one. A quantity may be given
/// several times, by any of its permutations: (pq|rs) = (rs|pq) = (qp|sr)* = (sr|qp)*, h_pq =
/// h_qp*. Their agreement is known once all lines are, because the largest integral decides
/// (are_repeats). Bytes: those of the integrals, and n⁴/8.
class SpinorStore {
 public:
  /// Throws ResourceError where the host has no room.
  SpinorStore(const NamedText& source, const FcidumpHeader& header, IntegralValues values);

  /// Throws InputError on indices that mean nothing.
  void add(const ComplexIntegralLine& line);
  /// Smallest size that is no rounding: that share of the largest integral, or of 1 if that is
  /// smaller.
  double above_rounding(double share) const { return share * std::min(1.0, largest_); }
  /// Checks that the file, which ends on `last_line` or in words from line `words` on, is whole and
  /// has fourfold symmetry, and hands over what it held, over the orbitals that NORB counts. Throws
  /// InputError.
  SpinorIntegrals release(std::size_t last_line, std::size_t words, bool allow_missing_diagonal);

 private:
  using Indices = std::array<int, 4>;
  /// A line that gives a quantity otherwise than symmetry or an earlier line says.
  struct Conflict {
    Complex expected;
    ComplexIntegralLine line;
    double size = 0.0;  ///< of the difference, by the larger value where that is above 1
  };

  void add_two_electron(const ComplexIntegralLine& line);
  void add_one_electron(const ComplexIntegralLine& line);
  /// An energy, which is real.
  void add_real(double& stored, const ComplexIntegralLine& line);
  /// Marks the line's quantity as given; whether it is the first line to give it.
  bool is_first(const ComplexIntegralLine& line);
  std::size_t place(const Indices& quantity) const;
  void measure(const ComplexIntegralLine& line);
  void compare(Complex expected, const ComplexIntegralLine& line);
  void check_conflict() const;
  /// Throws InputError where (pq|pq) is given and not (pq|qp), which is no smaller for particles
  /// that repel each other: one in eight permutations is written then, of real orbitals.
  void check_exchange() const;
  /// The first line that gives this quantity, by any of its permutations.
  ComplexIntegralLine first_line_of(const Indices& index) const;
  /// The line as it is written.
  std::string described(const ComplexIntegralLine& line) const;
  std::string number_text(Complex value) const;
  void check_diagonal(std::size_t last_line, bool allow_missing);

  const NamedText& source_;
  const FcidumpHeader& header_;
  IntegralValues values_;
  SpinorIntegrals integrals_;
  std::vector<bool> given_;       ///< by place
  std::vector<double> energies_;  ///< of orbitals, which no Hamiltonian has
  bool any_integral_ = false;
  double largest_ = 0.0;  ///< of the integrals of one and two electrons
  Conflict worst_;
};

}  // namespace cisolve
