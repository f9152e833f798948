#pragma once

#include <memory>
#include <vector>

#include "hamiltonian/basis/basis.hpp"
#include "hamiltonian/direct/tables/direct_tables.hpp"

namespace cisolve {

/// The rows of full CI without a matrix (DirectRows): functions of a parity and an irrep each.
/// Callers have vectors over determinants in the order of the space.
class FunctionBasis final : public Basis {
 public:
  /// Rows of the vectors of a checkpoint: determinants in the order of the space, or functions, the
  /// rows as one rank would have them, half as many for one parity.
  enum class Kept { determinants, functions };
  FunctionBasis(std::shared_ptr<const DirectTables> tables, Kept kept);
  ~FunctionBasis() override;

  const RowOrder* callers() const override { return over_determinants_.get(); }
  const RowOrder* checkpoints() const override;
  std::vector<Index> states_of_multiplicity(const Sectors& sectors,
                                            int multiplicity) const override;

 private:
  std::shared_ptr<const DirectTables> tables_;
  Kept kept_;
  std::unique_ptr<RowOrder> over_determinants_, in_one_part_;
};

}  // namespace cisolve
