#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/model/model.hpp"
#include "app/prepare/preparation.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/inner_block.hpp"

namespace cisolve {

/// The lowest states over a list of determinants.
struct ListedStates {
  std::shared_ptr<const AnySpace> list;
  std::vector<double> energies;
  HostMatrix coefficients;            ///< rows of the list × states
  std::vector<std::int64_t> numbers;  ///< of the determinants among all, as callers count them
};

/// The Hamiltonian over the list, in place on the backend, as a block of the one that is prepared
/// for `all` determinants, in those of `sectors` that the states have a part in. `columns`: the
/// most vectors that are corrected at once. Throws ResourceError where it does not fit beside the
/// vectors planned for that. The context's references must outlive it.
std::shared_ptr<const InnerBlock> list_block(const RunContext& context, const Model& model,
                                             const ListedStates& states, const Prepared& all,
                                             const Sectors& sectors, int columns);

}  // namespace cisolve
