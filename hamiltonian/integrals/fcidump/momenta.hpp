#pragma once

#include <array>
#include <vector>

#include "hamiltonian/integrals/fcidump/fcidump_keys.hpp"
#include "hamiltonian/integrals/fcidump/namelist.hpp"

namespace cisolve {

/// Momenta of a file's orbitals that are numbers: about an axis (SYMLZ), or those of waves on a
/// ring (KSYM, modulo KMOD).
class Momenta {
 public:
  /// Throws InputError where the header gives others than one for each of `norb` orbitals, or says
  /// that they have three (NPROP) and the integrals have real `values`.
  Momenta(const Namelist& list, int norb, IntegralValues values);

  /// True if momenta let (ij|kl) or h_ij, with indices from 1 and 0 for none, differ from 0: m_j +
  /// m_l = m_i + m_k.
  bool conserved(const std::array<int, 4>& index) const;

 private:
  struct Labels {
    std::vector<int> of;  ///< an orbital from 1; of 0 it is 0
    int modulus;          ///< 0: none
  };
  std::vector<Labels> labels_;
};

}  // namespace cisolve
