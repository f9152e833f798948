#include "app/input/elements/loaded_matrix.hpp"

#include <utility>

#include "core/dense/field.hpp"

namespace cisolve {

LoadedMatrix::LoadedMatrix(std::shared_ptr<const CsrMatrix> matrix, std::string name)
    : matrix_(std::move(matrix)),
      name_(std::move(name)),
      rows_(matrix_->rows),
      columns_(matrix_->columns),
      nonzeros_(matrix_->nonzeros()),
      storage_(matrix_->storage),
      components_(matrix_->components) {}

std::string LoadedMatrix::size_text() const {
  return std::to_string(rows_) + " rows, " + std::to_string(nonzeros_) + " " +
         nonzeros_name(components_) + (storage_ == Storage::upper ? " of the upper triangle" : "");
}

}  // namespace cisolve
