#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "app/input/elements/elements.hpp"
#include "core/array.hpp"
#include "hamiltonian/matrix/matrix_builder.hpp"

namespace cisolve {

/// Makes what builds a matrix over the determinants of a space, held so.
using MakeBuilder = std::function<std::unique_ptr<const MatrixBuilder>(const AnySpace&, Storage)>;

/// Elements of a matrix over determinants.
struct BuiltElements {
  int components = 1;      ///< real numbers of an element
  Index determinants = 1;  ///< that a row stands for
  /// Nonzeros at least; empty: as bound_nonzeros says of the determinants' integrals.
  std::function<double()> fewest = {};
};

/// The Hamiltonian over determinants in CSR, counted and built when it is asked for.
class BuiltMatrix final : public Elements {
 public:
  /// The determinants must outlive it. The log hears of a count that takes its time. `make`: with
  /// such elements; empty: over the determinants' integrals.
  BuiltMatrix(const Determinants& determinants, Storage storage, Log log, MakeBuilder make = {},
              BuiltElements elements = {});

  std::string name() const override { return determinants_.name(); }
  Index rows() override { return determinants_.rows() / elements_.determinants; }
  Index columns() override { return determinants_.rows(); }
  int components() override { return elements_.components; }
  const CsrMatrix& outline() override;
  std::string size_text() const override;
  std::size_t loaded_bytes() const override { return 0; }
  double fewest_nonzeros() override;
  double expected_nonzeros() override;
  void limit(std::size_t bytes) override { most_bytes_ = bytes; }
  bool hold_upper_triangle() override;
  std::shared_ptr<const CsrMatrix> take() override;
  std::shared_ptr<const CsrMatrix> take_announced(const Log& log) override;
  bool of_determinants() const override { return true; }

  /// The determinants that it is over.
  const Determinants& determinants() const { return determinants_; }
  /// Nonzeros of rows first … last − 1 of the whole matrix.
  std::vector<Index> row_lengths(Index first, Index last);
  /// Rows from `first` on, with all columns; `row_offsets` (rows + 1) say how long they are. The
  /// tables of excitations go then.
  CsrMatrix take_rows(Index first, Array<Offset> row_offsets);

 private:
  Array<Offset> count();
  std::string rows_text() const;
  /// The tables of excitations, made where they are not.
  const MatrixBuilder& builder();

  const Determinants& determinants_;
  Storage storage_;
  Log log_;
  MakeBuilder make_;
  BuiltElements elements_;
  std::unique_ptr<const MatrixBuilder> builder_;
  CsrMatrix outline_;
  std::size_t most_bytes_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace cisolve
