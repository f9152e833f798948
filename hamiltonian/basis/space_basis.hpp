#pragma once

#include <utility>
#include <vector>

#include "hamiltonian/basis/basis.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// The determinants of a space in its order.
class SpaceBasis final : public Basis {
 public:
  /// The space must outlive questions for its states; rows and orders need it no more.
  SpaceBasis(const CiSpace& space, RowPartition parts) : Basis(std::move(parts)), space_(space) {}

  std::vector<Index> states_of_multiplicity(const Sectors& sectors,
                                            int multiplicity) const override;

 private:
  const CiSpace& space_;
};

}  // namespace cisolve
