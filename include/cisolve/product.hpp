#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cisolve/hamiltonian.hpp"
#include "cisolve/machine.hpp"

namespace cisolve {

/// A matrix converted to its format and kept on its device, for many products; of full CI also
/// products made of the integrals, without a matrix ("operator" of Machine::more, as eigensolvers
/// have it). Vectors are over the determinants.
class Product {
 public:
  /// For blocks of up to `columns` vectors, mostly. Throws InputError and ResourceError.
  explicit Product(const Hamiltonian& hamiltonian, const Machine& machine = {}, int columns = 1,
                   const Listener& listener = {});
  Product(Product&&) noexcept;             ///< leaves the other without a matrix
  Product& operator=(Product&&) noexcept;  ///< likewise
  ~Product();

  /// Rows of Y, of complex matrices and quaternions components · those of the matrix.
  std::int64_t rows() const;
  /// Entries of the matrix; 0 of a caller's product.
  std::int64_t nonzeros() const;
  std::string format() const;  ///< "csr", "packed" …
  std::int64_t bytes() const;  ///< stored for the matrix
  int device() const;          ///< number of the CUDA device that it is on; −1: the CPU
  /// What the user should know, a sentence each.
  const std::vector<std::string>& notes() const;

  /// Y := AX in host memory; X and Y are rows × k, row by row, and may be the same. Not from
  /// several threads at once.
  /// Throws InputError where their lengths are not rows · k.
  void apply(std::span<const double> x, std::span<double> y, int k = 1) const;
  /// The same in the memory of the CUDA device that the matrix is on: nothing goes through host
  /// memory. X, columns × k, and Y, rows × k, do not overlap; both are used where they lie if
  /// aligned to 64 bytes, else copied on the device. Waits for all work on the device before, so
  /// that X is what the caller's streams make it, and after. Throws InputError where the matrix is
  /// on the CPU, or there is none.
  void apply_on_device(const double* x, double* y, int k = 1) const;

 private:
  class Data;
  std::unique_ptr<Data> data_;
};

}  // namespace cisolve
