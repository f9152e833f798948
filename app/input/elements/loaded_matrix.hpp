#pragma once

#include <memory>
#include <string>

#include "app/input/elements/elements.hpp"

namespace cisolve {

/// A matrix in CSR in host memory: of a file, a generator, or a caller who keeps it.
class LoadedMatrix final : public Elements {
 public:
  LoadedMatrix(std::shared_ptr<const CsrMatrix> matrix, std::string name);

  std::string name() const override { return name_; }
  Index rows() override { return rows_; }
  Index columns() override { return columns_; }
  int components() override { return components_; }
  const CsrMatrix& outline() override { return *matrix_; }
  double fewest_nonzeros() override { return static_cast<double>(nonzeros_); }
  std::string size_text() const override;
  std::size_t loaded_bytes() const override {
    return CsrMatrix::bytes(rows_, nonzeros_, components_);
  }
  std::shared_ptr<const CsrMatrix> take() override { return std::move(matrix_); }

 private:
  std::shared_ptr<const CsrMatrix> matrix_;  ///< null once it is taken
  std::string name_;
  Index rows_, columns_;
  Offset nonzeros_;
  Storage storage_;
  int components_;
};

}  // namespace cisolve
