#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cisolve/hamiltonian.hpp"
#include "cisolve/machine.hpp"

namespace cisolve {

/// A matrix converted to its format and kept on its device, for many products.
class Product {
 public:
  /// For blocks of up to `columns` vectors, mostly. Throws InputError and ResourceError.
  explicit Product(const Hamiltonian& hamiltonian, const Machine& machine = {}, int columns = 1,
                   const Listener& listener = {});
  Product(Product&&) noexcept;
  Product& operator=(Product&&) noexcept;
  ~Product();

  std::int64_t rows() const;
  /// Entries of the matrix; 0 of a caller's product.
  std::int64_t nonzeros() const;
  std::string format() const;
  std::int64_t bytes() const;  ///< stored for the matrix
  /// What the user should know, a sentence each.
  const std::vector<std::string>& notes() const;

  /// Y := AX in host memory; X and Y are rows × k, row by row. Not from several threads at once.
  /// Throws InputError where their lengths are not rows · k.
  void apply(std::span<const double> x, std::span<double> y, int k = 1) const;

 private:
  class Data;
  std::unique_ptr<Data> data_;
};

}  // namespace cisolve
