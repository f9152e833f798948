#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hamiltonian/integrals/fcidump/fcidump_lines.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// In which of two orders of a pair of orbitals a file gives each of its entries: (pq|rs) or
/// (qp|rs), h_pq or h_qp.
class GivenOrders {
 public:
  void resize(std::size_t entries) { orders_.resize(entries); }
  /// Entry given by that line; `first_line` gave it first.
  void add(std::size_t entry, bool swapped, std::size_t first_line, std::size_t line) {
    orders_[entry] |= swapped ? 2 : 1;
    if (orders_[entry] == 3 && both_.first == 0) both_ = {first_line, line};
  }
  bool one_alone(std::size_t entry) const { return orders_[entry] == 1 || orders_[entry] == 2; }
  bool swapped_alone(std::size_t entry) const { return orders_[entry] == 2; }
  /// The lines of the first entry that is given in both orders; zeros where there is none.
  std::pair<std::size_t, std::size_t> both() const { return both_; }

 private:
  std::vector<std::uint8_t> orders_;
  std::pair<std::size_t, std::size_t> both_;
};

struct SpinOrbital {
  int orbital;  ///< spatial, 0-based
  Spin spin;
};

/// The integrals read so far. A quantity may be given several times, by any of its permutations,
/// as long as the values agree (are_repeats); else InputError names both lines. Restricted files
/// use alpha for everything.
class FcidumpStore {
 public:
  FcidumpStore(const NamedText& source, int orbitals, bool unrestricted);

  /// (pq|rs); p and q of one spin, r and s of one spin.
  void add_two_electron(SpinOrbital p, SpinOrbital q, SpinOrbital r, SpinOrbital s,
                        const IntegralLine& line);
  /// All lines of a restricted file that follow the byte `begin` of its text, those with four
  /// orbitals taken by all threads at once; `others` get the rest in order, without their numbers.
  /// Returns the largest integral; none where the text holds anything that is not plain: what is no
  /// line `value i j k l`, a quantity given twice, a value that the irreps of the orbitals forbid
  /// and that is above `zero` times the largest integral or 1. The store is of no use then: line by
  /// line it is read as ever, or refused with the number of the line.
  std::optional<double> add_lines(std::size_t begin, int norb, const std::vector<int>& irreps,
                                  double zero, std::vector<IntegralLine>& others);
  /// h_pq; p and q of one spin.
  void add_one_electron(SpinOrbital p, SpinOrbital q, const IntegralLine& line);
  void add_orbital_energy(SpinOrbital p, const IntegralLine& line);
  void add_core_energy(const IntegralLine& line);

  bool has_diagonal(SpinOrbital p) const;
  bool has_core_energy() const { return core_line_ != 0; }
  int orbital_energies() const;  ///< how many were given, of spins() times orbitals
  int spins() const { return unrestricted_ ? 2 : 1; }

  /// True if an h_pp, or an h_pq of two orbitals other than 0, was given.
  bool has_any_diagonal() const;
  bool has_hopping() const;

  /// Throws InputError where the lines contradict that (pq|rs) = (qp|rs) and h_pq = h_qp: where two
  /// of them differ by more than 1e-10 of `largest`, the largest integral, or where the file gives
  /// both orders of some integrals and of others, that are not small, but one.
  void check_symmetry(double largest) const;

  /// Hands over the integrals, the core energy, and the orbital energies where all are known.
  Integrals release();

 private:
  /// Line on which each entry was read first, 0 for none; no file has 2^32 lines.
  using FirstLines = std::vector<std::uint32_t>;
  struct OneElectronSet {
    std::shared_ptr<OneElectron> values;
    std::vector<double> energies;
    FirstLines lines, energy_lines;  ///< by pair; by orbital
    GivenOrders orders;              ///< by pair
  };
  struct TwoElectronSet {
    std::shared_ptr<TwoElectron> values;
    FirstLines lines;  ///< by unique pair of pairs; empty until a line is added alone
    GivenOrders orders;
  };
  /// A line that gives a quantity again, and what the first one gave.
  struct Repeat {
    std::uint32_t first_line = 0;  ///< 0: there is none
    double first = 0.0;
    IntegralLine line;
  };

  bool is_first(std::uint32_t& first_line, double stored, const IntegralLine& line);
  [[noreturn]] void fail(const Repeat& repeat) const;
  void check_exchange(const TwoElectronSet& set) const;
  template <class ForEachValue>
  void check_orders(const GivenOrders& orders, const FirstLines& lines, const char* integral,
                    const ForEachValue& for_each_value) const;

  const NamedText& source_;
  int orbitals_;
  bool unrestricted_;
  std::array<OneElectronSet, 2> one_;
  std::array<TwoElectronSet, 3> two_;  // αα, αβ, ββ: at the sum of both spins
  double core_energy_ = 0.0;
  std::uint32_t core_line_ = 0;
  Repeat farthest_;  ///< the one that differs most, of those that may agree by the largest integral
};

}  // namespace cisolve
