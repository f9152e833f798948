#pragma once

#include <memory>
#include <vector>

#include "hamiltonian/basis/basis.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// The determinants of a space, in its order or another.
class SpaceBasis final : public Basis {
 public:
  /// `order`: the number in the space of every row; empty: the same. The space must outlive
  /// questions for its states, which are of its own order; rows and orders need it no more.
  SpaceBasis(const AnySpace& space, RowPartition parts, std::vector<Index> order = {});
  ~SpaceBasis() override;

  const RowOrder* callers() const override { return as_space_.get(); }
  const RowOrder* checkpoints() const override { return as_space_.get(); }

  std::vector<Index> states_of_multiplicity(const Sectors& sectors,
                                            int multiplicity) const override;

 private:
  const AnySpace& space_;
  std::unique_ptr<const RowOrder> as_space_;
};

}  // namespace cisolve
