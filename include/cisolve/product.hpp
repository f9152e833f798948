#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cisolve/hamiltonian.hpp"
#include "cisolve/machine.hpp"

namespace cisolve {

/// A matrix converted to its format and kept on its device, for many products. For full CI products
/// can also be made from the integrals, without a matrix ("operator" of Machine::more, as for
/// eigensolvers). Vectors are over the determinants.
class Product {
 public:
  /// `columns`: usual width of the blocks. Throws InputError and ResourceError.
  explicit Product(const Hamiltonian& hamiltonian, const Machine& machine = {}, int columns = 1,
                   const Listener& listener = {});
  /// Leaves the other without a matrix: it may be destroyed or assigned to, and not be used.
  Product(Product&&) noexcept;
  Product& operator=(Product&&) noexcept;  ///< likewise
  ~Product();

  /// Rows of Y: components · rows of the matrix.
  std::int64_t rows() const;
  /// Entries of the matrix; 0 of a caller's product.
  std::int64_t nonzeros() const;
  std::string format() const;  ///< "csr", "packed" …
  std::int64_t bytes() const;  ///< stored for the matrix
  int device() const;          ///< number of the CUDA device that it is on; −1: the CPU
  /// Notes for the user, a sentence each.
  const std::vector<std::string>& notes() const;

  /// Y := AX in host memory; X and Y are rows × k, row by row, and may be the same. Not to be
  /// called from several threads at once. Throws InputError if their lengths are not rows · k.
  void apply(std::span<const double> x, std::span<double> y, int k = 1) const;
  /// Y := AX in the memory of the matrix's CUDA device; nothing goes through host memory. X,
  /// columns × k, and Y, rows × k, do not overlap. Both are used in place if aligned to 64 bytes,
  /// else copied on the device. The call waits for all work on the device before, so that the
  /// caller's streams have finished X, and after. Throws InputError if the matrix is on the CPU, or
  /// there is none.
  void apply_on_device(const double* x, double* y, int k = 1) const;

 private:
  class Data;
  std::unique_ptr<Data> data_;
};

}  // namespace cisolve
