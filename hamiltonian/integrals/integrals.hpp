#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/host_device.hpp"
#include "hamiltonian/integrals/irreps.hpp"

namespace cisolve {

/// Alpha or beta: 0 or 1, an index into the spin-resolved arrays below.
enum Spin : int { alpha = 0, beta = 1 };

/// Integrals of a file that symmetry forbids count as zero up to this, times the largest integral
/// where that is below 1.
inline constexpr double symmetry_zero = 1e-8;
/// Bound for integrals that spin forbids.
inline constexpr double spin_zero = 1e-10;
/// True if a file gives a quantity the same twice: to 1e-10 of the larger one, or of `largest`, the
/// largest of its kind, or of 1, whichever of these two is smaller.
bool are_repeats(double a, double b, double largest = 1.0);

/// One-electron integrals h_pq of one spin, symmetric, in Hartree; stored whole, norb × norb.
class OneElectron {
 public:
  OneElectron() = default;
  explicit OneElectron(int orbitals)
      : orbitals_(orbitals), values_(static_cast<std::size_t>(orbitals) * orbitals, 0.0) {}
  double operator()(int p, int q) const { return values_[p * orbitals_ + q]; }
  void set(int p, int q, double value) {
    values_[p * orbitals_ + q] = value;
    values_[q * orbitals_ + p] = value;
  }
  int orbitals() const { return orbitals_; }

 private:
  int orbitals_ = 0;
  std::vector<double> values_;
};

/// The number of the orbital pair (p, q), p and q in any order: p(p+1)/2 + q with p ≥ q.
CISOLVE_HOST_DEVICE inline int pair_index(int p, int q) {
  return p >= q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
}

/// Numbers of the pairs (p, q) of orbitals: in any order (pair_index), or p n + q of n orbitals
/// where the order counts.
class OrbitalPairs {
 public:
  OrbitalPairs() = default;
  static OrbitalPairs ordered(int orbitals) {
    OrbitalPairs pairs;
    pairs.ordered_ = orbitals;
    return pairs;
  }
  CISOLVE_HOST_DEVICE int operator()(int p, int q) const {
    return ordered_ > 0 ? p * ordered_ + q : pair_index(p, q);
  }

 private:
  int ordered_ = 0;  ///< orbitals; 0: pairs are in any order
};

/// Two-electron integrals (pq|rs) in chemists' notation, in Hartree; stored as the whole pairs ×
/// pairs matrix, so that a row serves all (rs) of one (pq). (pq| of the first spin, |rs) of the
/// second: symmetric in p↔q and r↔s, and under (pq)↔(rs) when both spins are the same.
///
/// Integrals of `ordered` pairs have only (pq|rs) = (qp|sr), the symmetry of real matrix elements
/// over orbitals that are complex functions: matrices over lists are made of these
/// (ListMatrixBuilder), nothing else reads them.
class TwoElectron {
 public:
  TwoElectron() = default;
  explicit TwoElectron(int orbitals);
  static TwoElectron ordered(int orbitals);
  double operator()(int p, int q, int r, int s) const { return row(pair(p, q))[pair(r, s)]; }
  /// Row or column of a pair.
  int pair(int p, int q) const { return numbers_(p, q); }
  const OrbitalPairs& numbers() const { return numbers_; }
  /// All (rs) of one (pq), by `pair`.
  const double* row(int pair) const { return values_.data() + std::size_t(pair) * pairs_; }
  double* row(int pair) { return values_.data() + std::size_t(pair) * pairs_; }
  int pairs() const { return pairs_; }

 private:
  void allocate(int pairs);

  OrbitalPairs numbers_;
  int pairs_ = 0;
  Array<double> values_;
};

/// Everything a CI Hamiltonian is made of: real integrals over orthonormal spatial orbitals
/// (0-based), with what the file said of electrons and symmetry.
///
/// Restricted orbitals share one set: one_electron[beta] is one_electron[alpha], and all three
/// two-electron sets are the same object. Unrestricted ones (`unrestricted`) hold each its own.
/// General spin orbitals (`general`, and `unrestricted`, for the two spins have no orbitals in
/// common) mix alpha and beta: every electron is of one kind and counts as alpha, ms2 = electrons,
/// and the sets are the same object as where no electron reads them.
struct Integrals {
  int orbitals = 0;   ///< spatial, or general spin orbitals
  int electrons = 0;  ///< 0 when the file does not say
  int ms2 = 0;        ///< 2 M_s = alpha − beta electrons
  double core_energy = 0.0;
  bool unrestricted = false;
  bool general = false;

  /// Irrep of each orbital and spin, from 0 in the file's ORBSYM order (irrep_product); empty when
  /// the file has no usable symmetry.
  std::array<std::vector<int>, 2> orbital_irreps;
  /// They are numbered as PySCF does (D2h: Ag, B1g, B2g, B3g, Au …), else as Molpro (Ag, B3u, B2u
  /// …).
  bool irreps_as_pyscf = false;
  /// Orbital energies of each spin where the file has them for every orbital; else empty.
  std::array<std::vector<double>, 2> orbital_energies;

  std::array<std::shared_ptr<const OneElectron>, 2> one_electron;  ///< by spin
  /// (αα|αα), (αα|ββ), (ββ|ββ).
  std::shared_ptr<const TwoElectron> alpha_alpha, alpha_beta, beta_beta;

  /// Keys of the header that the program does not use, as written: `ISYM`, `OCC`, `PNTGRP` …
  std::vector<std::pair<std::string, std::string>> other_keys;
  /// Warnings of the reader for the user, one sentence each.
  std::vector<std::string> warnings;
};

/// Name in messages of orbitals that are not restricted.
std::string kind_of_orbitals(const Integrals& integrals);

}  // namespace cisolve
