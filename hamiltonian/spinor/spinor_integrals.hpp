#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/array.hpp"

namespace cisolve {

using Complex = std::complex<double>;

/// Most spinors of a Hamiltonian: determinants have strings of as many.
inline constexpr int most_spinors = 128;

/// One-electron integrals h_pq over n spinors in Hartree, exactly Hermitian: h_qp = h_pq*.
/// Stored whole, n × n.
class HermitianOneElectron {
 public:
  HermitianOneElectron() = default;
  explicit HermitianOneElectron(int spinors)
      : spinors_(spinors), values_(static_cast<std::size_t>(spinors) * spinors) {}
  Complex operator()(int p, int q) const { return values_[p * spinors_ + q]; }
  /// h_pq and h_qp; of h_pp the real part.
  void set(int p, int q, Complex value) {
    values_[p * spinors_ + q] = p == q ? value.real() : value;
    if (p != q) values_[q * spinors_ + p] = std::conj(value);
  }

 private:
  int spinors_ = 0;
  std::vector<Complex> values_;
};

/// Two-electron integrals (pq|rs) = ∫ p*(1) q(1) r*(2) s(2) / r₁₂ over n spinors in chemists'
/// notation, in Hartree, with exactly the fourfold symmetry (pq|rs) = (rs|pq) = (qp|sr)* =
/// (sr|qp)*. Stored whole: 16 n⁴ bytes of host memory, 268 MB for 64 spinors, 4.3 GB for 128.
class FourfoldTwoElectron {
 public:
  FourfoldTwoElectron() = default;
  /// All 0. Throws ResourceError where the host has no room for them.
  explicit FourfoldTwoElectron(int spinors);
  Complex operator()(int p, int q, int r, int s) const {
    const double* const value = values_.data() + 2 * place(p, q, r, s);
    return {value[0], value[1]};
  }
  /// The integral and its permutations; of one that its symmetry makes real, as (pq|qp) is, the
  /// real part.
  void set(int p, int q, int r, int s, Complex value);

 private:
  void put(std::size_t place, Complex value) {
    values_[2 * place] = value.real();
    values_[2 * place + 1] = value.imag();
  }
  std::size_t place(int p, int q, int r, int s) const {
    return ((static_cast<std::size_t>(p) * spinors_ + q) * spinors_ + r) * spinors_ + s;
  }

  std::size_t spinors_ = 0;
  Array<double> values_;  ///< re, im side by side
};

/// A CI Hamiltonian over orthonormal spinors (0-based), two-component ones or general spin orbitals
/// with complex integrals: one kind of electron, at most one in each spinor.
struct SpinorIntegrals {
  SpinorIntegrals() = default;
  /// All integrals 0. Throws ResourceError as FourfoldTwoElectron does.
  explicit SpinorIntegrals(int number) : spinors(number), h(number), g(number) {}

  int spinors = 0;
  int spinors_of_orbital = 1;  ///< one behind another, that each of a file's orbitals became
  int electrons = 0;
  double core_energy = 0.0;  ///< Hartree
  HermitianOneElectron h;
  FourfoldTwoElectron g;

  /// Keys of the header that the program does not use, as written.
  std::vector<std::pair<std::string, std::string>> other_keys;
  /// Warnings of the reader for the user, one sentence each.
  std::vector<std::string> warnings;
};

}  // namespace cisolve
