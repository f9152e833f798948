#pragma once

#include <utility>
#include <vector>

#include "hamiltonian/basis/basis.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// The determinants of a space in its order.
class SpaceBasis final : public Basis {
 public:
  /// The space must outlive questions for its states; rows and orders need it no more.
  SpaceBasis(const AnySpace& space, RowPartition parts) : Basis(std::move(parts)), space_(space) {}

  std::vector<Index> states_of_multiplicity(const Sectors& sectors,
                                            int multiplicity) const override;

 private:
  const AnySpace& space_;
};

}  // namespace cisolve
