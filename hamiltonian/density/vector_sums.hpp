#pragma once

#include <memory>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/density/densities.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// S² and densities of vectors over the determinants of a space, on the host, with what they share.
/// Vectors have an element for each determinant, in the space's order. Every run gives the same
/// bits.
class VectorSums {
 public:
  virtual ~VectorSums() = default;
  /// S² x within the space, of restricted orbitals; xᵀS²x is exact all the same.
  virtual HostVector apply_s_squared(const HostVector& x) const = 0;
  virtual OneDensities one_densities(const HostVector& bra, const HostVector& ket) const = 0;
  virtual Densities densities(const HostVector& bra, const HostVector& ket) const = 0;
};

/// Over any space, which must outlive it.
std::unique_ptr<const VectorSums> make_vector_sums(const AnySpace& space);

/// Bytes that it takes.
double vector_sums_bytes(const AnySpace& space);

}  // namespace cisolve
