#pragma once

#include <memory>
#include <vector>

#include "hamiltonian/basis/basis.hpp"
#include "hamiltonian/direct/direct_tables.hpp"

namespace cisolve {

/// The rows of full CI without a matrix (DirectRows): functions of a parity and an irrep each.
/// Callers have vectors over determinants in the order of the space. Checkpoints have the same
/// where both parities are among the rows; where one is, which needs no more than half of it, the
/// rows as one rank would have them.
class FunctionBasis final : public Basis {
 public:
  explicit FunctionBasis(std::shared_ptr<const DirectTables> tables);
  ~FunctionBasis() override;

  const RowOrder* callers() const override { return over_determinants_.get(); }
  const RowOrder* checkpoints() const override;
  std::vector<Index> states_of_multiplicity(const Sectors& sectors,
                                            int multiplicity) const override;

 private:
  std::shared_ptr<const DirectTables> tables_;
  std::unique_ptr<RowOrder> over_determinants_, in_one_part_;
};

}  // namespace cisolve
