#pragma once

#include <cstddef>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/listed/listed_space.hpp"

namespace cisolve {

class Backend;

/// States in a list of determinants, as selection and correction see them. Its references must
/// outlive it.
struct Expansion {
  const Integrals& integrals;
  const ListedSpace& space;
  const HostMatrix& coefficients;  ///< rows of the space × states
  std::vector<double> energies;    ///< of each state, Hartree, core energy included

  int states() const { return static_cast<int>(coefficients.cols()); }
  /// True if a determinant and that with all spins exchanged are alike.
  bool has_flips() const {
    return !integrals.unrestricted && space.alpha.electrons == space.beta.electrons;
  }
};

/// Place of searches and corrections, and the bytes that these may use of the host's memory and of
/// the device's own.
struct Workplace {
  Backend& backend;
  std::size_t host_bytes, device_bytes;
};

/// Largest magnitude of the integrals that elements between determinants are sums of, Hartree.
double largest_integral(const Integrals& integrals);
/// Bytes of integrals, strings and their numbers in device memory (ExpansionOnDevice).
double device_bytes_of(const Expansion& expansion);

}  // namespace cisolve
