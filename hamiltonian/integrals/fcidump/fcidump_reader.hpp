#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_lines.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_store.hpp"

namespace cisolve {

/// Takes the lines of a file, one by one, into a store by spatial orbital and spin.
class FcidumpReader {
 public:
  FcidumpReader(const NamedText& source, const FcidumpHeader& header)
      : source_(source),
        header_(header),
        store_(source, header.orbitals, header.layout != FcidumpLayout::restricted),
        warnings_(header.warnings) {}

  void add(const IntegralLine& line);
  /// All lines behind the header, of a restricted file; false where they are not plain, and the
  /// reader then of no further use (FcidumpStore::add_lines).
  bool add_all();
  /// Conflict with UHF=.TRUE.: the line with the largest value of those that spin makes vanish, if
  /// that is not zero.
  std::optional<IntegralLine> spin_conflict() const;
  /// Checks that the file, which ends on `last_line` or in words from line `words` on, is whole,
  /// and hands over what it held.
  Integrals finish(std::size_t last_line, std::size_t words, bool allow_missing_diagonal);

 private:
  void add_two_electron(const IntegralLine& line);
  void add_one_electron(const IntegralLine& line);
  void add_zero_line(const IntegralLine& line);
  void require_section(int electrons, const IntegralLine& line) const;
  bool has_equal_spins(SpinOrbital p, SpinOrbital q, const IntegralLine& line);
  void check_symmetry(const IntegralLine& line);
  double zero(double share) const { return share * std::min(1.0, largest_); }
  SpinOrbital spin_orbital(int index, Spin section_spin) const;
  std::string file_label(SpinOrbital p) const;
  void check_diagonal(std::size_t last_line, bool allow_missing);
  std::array<std::vector<int>, 2> orbital_irreps();

  const NamedText& source_;
  const FcidumpHeader& header_;
  FcidumpStore store_;
  std::size_t section_ = 0;  // of an IUHF=1 file
  double largest_ = 0.0;     // of the integrals of one and two electrons
  bool any_integral_ = false;
  IntegralLine symmetry_conflict_, spin_conflict_;  // the largest; value 0 where there is none
  std::vector<std::string> warnings_;
};

}  // namespace cisolve
