#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/input/elements/loaded_matrix.hpp"
#include "app/model/model.hpp"

namespace cisolve {

/// A matrix in CSR, of a file, a generator or a caller.
class MatrixModel final : public Model {
 public:
  MatrixModel(std::shared_ptr<const CsrMatrix> matrix, const std::string& name, Units units,
              std::vector<std::string> notes = {})
      : elements_(std::move(matrix), name), units_(units), notes_(std::move(notes)) {}

  std::string name() const override { return elements_.name(); }
  std::string kind() const override { return "matrix"; }
  Units units() const override { return units_; }
  Index rows() override { return elements_.rows(); }
  int components() override { return elements_.components(); }
  std::vector<std::string> notes() const override { return notes_; }
  std::vector<Way> ways() override;
  Elements* elements() override { return &elements_; }

 private:
  LoadedMatrix elements_;
  Units units_;
  std::vector<std::string> notes_;
};

}  // namespace cisolve
